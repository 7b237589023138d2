"""What the parts of one running crawl share: configuration, store, and which page an item came from."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.http import HtmlResponse

from webprep_spider.config import Config
from webprep_spider.dropped import DroppedFeed, PageDropped
from webprep_spider.exceptions import ModelError, PageError, SiteRulesError, StartError, StoreError, StoreReset
from webprep_spider.fetched import FetchedPage
from webprep_spider.metadata.classes import ClassModel
from webprep_spider.metadata.site_names import SiteNames
from webprep_spider.page.parse import Page, parse_page, require_text
from webprep_spider.page.site_rules import SiteRules
from webprep_spider.replicas.opening import open_store
from webprep_spider.replicas.store import safe_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from webprep_spider.replicas.store import Store

logger = logging.getLogger(__name__)


def _site_rules(path: str) -> SiteRules | None:
    try:
        return SiteRules.load(path) if path else None
    except SiteRulesError as error:
        raise StartError(f"WEBPREP_SITE_RULES: {error}") from None


def _class_model(path: str) -> ClassModel | None:
    try:
        return None if path == "default" else ClassModel.load(path)
    except ModelError as error:
        raise StartError(f"WEBPREP_CLASS_MODEL: {error}") from None


def _require_feeds(uris: Iterable[Any]) -> None:
    """Try the folders of the feeds at once: Scrapy opens a feed with the first item, and goes on without it.

    :raises StartError: naming the feed that cannot be written.
    """
    for uri in map(str, uris):
        scheme, mark, rest = uri.partition("://")
        path = Path(rest if scheme == "file" else uri)
        if (mark and scheme != "file") or uri.startswith("stdout:") or "%" in str(path.parent):
            continue
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StartError(f"the feed {uri} cannot be written: {error}") from None
        if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
            raise StartError(f"the feed {uri} cannot be written: the file or its folder is not writable")


def can_hold(item: Any, field: str) -> bool:
    """Whether an item of the user's type has room for a field: dicts always, typed items if they declare it."""
    return isinstance(item, dict) or field in ItemAdapter(item).field_names() or field in getattr(item, "fields", ())


class Crawl:
    """One object a crawler; every component gets it with :meth:`of`."""

    _crawls: ClassVar[WeakKeyDictionary[Crawler, Crawl]] = WeakKeyDictionary()

    def __init__(self, crawler: Crawler) -> None:
        self.config = Config.from_settings(crawler.settings)
        _require_feeds(crawler.settings.getdict("FEEDS"))
        self.site_rules = _site_rules(self.config.site_rules)
        self.class_model = _class_model(self.config.class_model)
        self.site_names = SiteNames()
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
        store = self._new_store()
        await store.open()
        return store

    def _new_store(self) -> Store:
        config = self.config
        return open_store(
            config.store_url,
            config.rules,
            lease=config.store_lease,
            patience=config.store_patience,
            expire=config.store_expire * 86_400,
        )

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
        async with self._new_store():
            pass

    def note_reset(self, reset: StoreReset) -> None:
        """The store was emptied by somebody in mid-crawl."""
        self._stats.inc_value("webprep/store/reset")
        logger.warning("%s; near-duplicates of what was kept before are not recognised", reset)

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
            logger.warning("%s: %s", safe_url(response.url), error)
            self._stats.inc_value("webprep/dropped/unreadable")
            return None
        page.response_id = id(response)
        if response.request:
            page.hub_score = response.meta.get("webprep_hub_score")
            page.url_score = response.meta.get("webprep_url_score", math.nan)
        return page

    def _page(self, response: HtmlResponse) -> Page:
        url = safe_url(response.url)  # a password in an address must not reach items or logs
        if len(response.body) > self.config.rules.max_page_bytes:
            return parse_page(response.body, url, encoding=response.encoding, rules=self.config.rules)
        require_text(response.body)
        encoding, source, suspect = (response.request and response.meta.get("webprep_encoding")) or (
            response.encoding,
            "header",
            False,
        )
        flags = ["encoding_suspect"] if suspect else []
        return Page(url, response.selector.root, encoding, source, flags)

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

    def knows(self, item: Any) -> bool:
        """Whether the item was paired, be it with no page."""
        return id(item) in self._items

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
