"""What the parts of one running crawl share: configuration, store, and which page an item came from."""

from __future__ import annotations

import asyncio
import logging
import math
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.http import HtmlResponse

from webprep_spider.config import Config
from webprep_spider.dropped import DroppedFeed, PageDropped
from webprep_spider.exceptions import PageError, SiteRulesError, StartError, StoreError
from webprep_spider.metadata import describe
from webprep_spider.page.clean import clean
from webprep_spider.page.parse import Page, parse_page, require_text
from webprep_spider.page.site_rules import SiteRules
from webprep_spider.page.soft404 import is_soft_404
from webprep_spider.replicas.fingerprint import sketch
from webprep_spider.replicas.identity import canonical_url
from webprep_spider.replicas.store import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from webprep_spider.docview import DocView
    from webprep_spider.page.clean import Cleaned
    from webprep_spider.replicas.store import Store
    from webprep_spider.replicas.verdict import Verdict

logger = logging.getLogger(__name__)


def _site_rules(path: str) -> SiteRules | None:
    try:
        return SiteRules.load(path) if path else None
    except SiteRulesError as error:
        raise StartError(f"WEBPREP_SITE_RULES: {error}") from None


def can_hold(item: Any, field: str) -> bool:
    """Whether an item of the user's type has room for a field: dicts always, typed items if they declare it."""
    return isinstance(item, dict) or field in ItemAdapter(item).field_names() or field in getattr(item, "fields", ())


class FetchedPage:
    """One page on its road from the response to the docview. Each step is done once, when first asked for.

    :raises PageError: from any step, if the page cannot be read at all.
    """

    def __init__(self, crawl: Crawl, page: Page) -> None:
        self._crawl = crawl
        self._page = page
        self._cleaned: Cleaned | None = None
        self._fingerprints: tuple[str, ...] | None = None
        self._claim: asyncio.Future[Verdict] | None = None
        self.url = page.url
        self.identifier = canonical_url(page.url)
        self.hub_score: float | None = None
        """Chance of a hub page, as it stood before the fetch."""
        self.url_score = math.nan
        """The same by the model alone, without what was learned of the site."""
        self.flags: list[str] = []
        self._done: set[str] = set()
        self.response_id = 0
        self.repeated = False
        """Whether this crawl has emitted the same page before."""
        self.confirmed = False

    @property
    def claimed(self) -> bool:
        """Whether the store holds a claim of this crawl on the page."""
        return self._claim is not None and self._claim.done() and self._claim.exception() is None

    def first(self, step: str) -> bool:
        """Whether nobody asked for this step before: several items of one page are counted once."""
        if step in self._done:
            return False
        self._done.add(step)
        return True

    def flag(self, flag: str) -> None:
        """Add a flag to the docview that will be made of the page."""
        if flag not in self.flags:
            self.flags.append(flag)

    @property
    def cleaned(self) -> Cleaned:
        if self._cleaned is None:
            self._cleaned = clean(self._page, self._crawl.config.rules)
        return self._cleaned

    @property
    def missing(self) -> bool:
        """Whether the page only says that there is no such page."""
        return is_soft_404(self._page, self.cleaned)

    @property
    def fingerprints(self) -> tuple[str, ...]:
        if self._fingerprints is None:
            self._fingerprints = sketch(self.cleaned, self._crawl.config.rules)
        return self._fingerprints

    async def claim(self) -> Verdict:
        """Ask the store what this page is; items of the same page share one question.

        :raises StoreError: if the store gives no answer.
        """
        if self._claim is None:
            store = await self._crawl.store()
            self._claim = asyncio.ensure_future(store.claim(self.identifier, self.fingerprints, self._crawl.owner))
        return await self._claim

    def docview(self) -> DocView:
        """A new docview of the page; flags collected on the road included."""
        docview = describe(self._page, self.cleaned, self.fingerprints, self._crawl.config.rules)
        docview.hub_score = self.hub_score
        docview.flags += [flag for flag in self.flags if flag not in docview.flags]
        if self._claim is not None and self.claimed:
            verdict = self._claim.result()
            docview.story = verdict.story or ""
            if verdict.kind == "replica":
                docview.replica_of = verdict.twin or ""
        return docview


class Crawl:
    """One object a crawler; every component gets it with :meth:`of`."""

    _crawls: ClassVar[WeakKeyDictionary[Crawler, Crawl]] = WeakKeyDictionary()

    def __init__(self, crawler: Crawler) -> None:
        self.config = Config.from_settings(crawler.settings)
        self.site_rules = _site_rules(self.config.site_rules)
        self.owner = uuid.uuid4().hex
        self.failed = ""
        """Why the crawl had to be given up; empty as long as it runs well."""
        self._stats = crawler.stats
        self._store: asyncio.Future[Store] | None = None
        self._held: dict[int, tuple[Response, FetchedPage | None, int]] = {}
        self._items: dict[int, tuple[Any, FetchedPage | None]] = {}
        self._dropped_feed = DroppedFeed(self.config.dropped_feed) if self.config.dropped_feed else None
        crawler.signals.connect(self._scraped, signal=signals.item_scraped)
        crawler.signals.connect(self._dropped, signal=signals.item_dropped)
        crawler.signals.connect(self._failed, signal=signals.item_error)
        crawler.signals.connect(self._close, signal=signals.engine_stopped)

    @classmethod
    def of(cls, crawler: Crawler) -> Crawl:
        crawl = cls._crawls.get(crawler)
        if crawl is None:
            crawl = cls._crawls[crawler] = cls(crawler)
        return crawl

    # -- the store -----------------------------------------------------------------------------------------------

    async def store(self) -> Store:
        """The open store.

        :raises StoreError: if it cannot be opened.
        """
        if self._store is None:
            self._store = asyncio.ensure_future(self._open_store())
        return await asyncio.shield(self._store)

    async def _open_store(self) -> Store:
        store = open_store(self.config.store_url, self.config.rules, patience=self.config.store_patience)
        await store.open()
        return store

    def require_store(self) -> None:
        """Try the store before the engine exists, when a crawl can still be called off without a trace.

        :raises StartError: if it cannot be opened; a crawl that cannot remember must not begin.
        """
        with ThreadPoolExecutor(1) as thread:  # the loop of this thread is running already
            try:
                thread.submit(asyncio.run, self._try_store()).result()
            except StoreError as error:
                raise StartError(str(error)) from None

    async def _try_store(self) -> None:
        async with open_store(self.config.store_url, self.config.rules):
            pass

    async def _close(self) -> None:
        if self._dropped_feed is not None:
            self._dropped_feed.close()
        if self._store is None or not self._store.done() or self._store.exception() is not None:
            return
        try:
            await self._store.result().close()
        except StoreError as error:
            logger.warning("closing the store: %s", error)

    # -- pages and items -----------------------------------------------------------------------------------------

    @contextmanager
    def hold(self, response: Response | None) -> Iterator[FetchedPage | None]:
        """The page of a response, the same object for everybody who holds it at the same time.

        ``None`` for a response that is no HTML page.
        """
        if response is None:
            yield None
            return
        key = id(response)
        _, page, holders = self._held.get(key) or (response, self._fetched(response), 0)
        self._held[key] = (response, page, holders + 1)
        try:
            yield page
        finally:
            _, page, holders = self._held.pop(key)
            if holders > 1:
                self._held[key] = (response, page, holders - 1)

    def _fetched(self, response: Response) -> FetchedPage | None:
        if not isinstance(response, HtmlResponse):
            return None
        try:
            page = FetchedPage(self, self._page(response))
        except PageError as error:
            logger.warning("%s: %s", response.url, error)
            self._stats.inc_value("webprep/dropped/unreadable")
            return None
        page.response_id = id(response)
        if response.request:
            page.hub_score = response.meta.get("webprep_hub_score")
            page.url_score = response.meta.get("webprep_url_score", math.nan)
        return page

    def _page(self, response: HtmlResponse) -> Page:
        if len(response.body) > self.config.rules.max_page_bytes:
            return parse_page(response.body, response.url, encoding=response.encoding, rules=self.config.rules)
        require_text(response.body)
        encoding, source, suspect = (response.request and response.meta.get("webprep_encoding")) or (
            response.encoding,
            "header",
            False,
        )
        flags = ["encoding_suspect"] if suspect else []
        return Page(response.url, response.selector.root, encoding, source, flags)

    def page_from_html(self, html: str | bytes, url: str) -> FetchedPage:
        """A page whose html came in an item.

        :raises PageError: if the address or the html cannot be read.
        """
        return FetchedPage(self, parse_page(html, url, rules=self.config.rules))

    def pair(self, item: Any, page: FetchedPage | None) -> None:
        """Remember until its road is over that ``item`` came from ``page``; ``None``: that it is left alone."""
        self._items[id(item)] = (item, page)

    def page_of(self, item: Any) -> FetchedPage | None:
        """The page an item was paired with."""
        _, page = self._items.get(id(item)) or (None, None)
        return page

    def replace(self, item: Any, new: Any) -> None:
        """``new`` takes the place of ``item``."""
        _, page = self._items.pop(id(item))
        self._items[id(new)] = (new, page)

    # -- the end of an item's road -------------------------------------------------------------------------------

    async def _scraped(self, item: Any, response: Response | None) -> None:
        page = self._settle(item, response)
        if page is None or not page.claimed or page.confirmed:
            return
        page.confirmed = True
        try:
            await (await self.store()).confirm(page.identifier, self.owner)
        except StoreError as error:
            self._stats.inc_value("webprep/store/error")
            logger.error("%s was scraped, but the store could not be told: %s", page.identifier, error)

    async def _dropped(self, item: Any, response: Response | None, exception: BaseException) -> None:
        if isinstance(exception, PageDropped):
            self._stats.inc_value(f"webprep/dropped/{exception.reason}")
            if self._dropped_feed is not None:
                self._dropped_feed.write(exception)
        await self._failed(item, response)

    async def _failed(self, item: Any, response: Response | None) -> None:
        page = self._settle(item, response)
        if page is None or not page.claimed or page.confirmed:
            return
        try:
            await (await self.store()).release(page.identifier, self.owner)
        except StoreError:  # an unconfirmed claim lapses by itself
            self._stats.inc_value("webprep/store/error")

    def _settle(self, item: Any, response: Response | None) -> FetchedPage | None:
        found = self._items.pop(id(item), None)
        if found is None and response is not None:
            # A later pipeline of the project may have put a new object in the item's place.
            key = next((k for k, (_, page) in self._items.items() if page and page.response_id == id(response)), None)
            found = self._items.pop(key) if key is not None else None
        return found[1] if found else None
