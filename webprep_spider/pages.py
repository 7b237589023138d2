"""Which page each item of a running crawl came from, and what becomes of the page when the item's road ends."""

from __future__ import annotations

import logging
import math
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.http import HtmlResponse

from webprep_spider.crawl import Crawl
from webprep_spider.dropped import DroppedFeed, PageDropped
from webprep_spider.exceptions import PageError, StoreError
from webprep_spider.fetched import FetchedPage
from webprep_spider.page.parse import Page, parse_page, parse_text, require_readable, require_text
from webprep_spider.replicas.store import safe_url
from webprep_spider.shared import Shared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)


_BEGINS_AS_HTML = re.compile(
    rb"[\s\xef\xbb\xbf]*(?:<!--.{0,500}?-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)


def is_html(response: Response) -> bool:
    """Whether the response is an HTML page, be it one that the server calls plain text."""
    return isinstance(response, HtmlResponse) or _BEGINS_AS_HTML.match(response.body, 0, 2000) is not None


def can_hold(item: Any, field: str) -> bool:
    """Whether an item of the user's type has room for a field: dicts always, typed items if they declare it."""
    return isinstance(item, dict) or field in ItemAdapter(item).field_names() or field in getattr(item, "fields", ())


class CrawlPages(Shared):
    """The pages that the responses and items of one crawler stand for, until their road is over."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawl = Crawl.of(crawler)
        self._stats = crawler.stats
        self._held: dict[int, tuple[Response, FetchedPage | None, int]] = {}
        self._items: dict[int, tuple[Any, FetchedPage | None]] = {}
        feed = self._crawl.config.dropped_feed
        self._dropped_feed = DroppedFeed(feed) if feed else None
        crawler.signals.connect(self._scraped, signal=signals.item_scraped)
        crawler.signals.connect(self._dropped, signal=signals.item_dropped)
        crawler.signals.connect(self._failed, signal=signals.item_error)
        crawler.signals.connect(self._close, signal=signals.engine_stopped)

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
        if not is_html(response):
            return None
        try:
            page = FetchedPage(self._crawl, self._page(response))
        except PageError as error:
            logger.warning("%s: %s", safe_url(response.url), error)
            self._stats.inc_value("webprep/dropped/unreadable")
            return None
        page.response_id = id(response)
        if "dataloss" in response.flags:
            page.flag("incomplete")
        if response.request:
            page.hub_score = response.meta.get("webprep_hub_score")
            page.url_score = response.meta.get("webprep_url_score", math.nan)
        return page

    def _page(self, response: Response) -> Page:
        url = safe_url(response.url)  # a password in an address must not reach items or logs
        rules = self._crawl.config.rules
        if not isinstance(response, HtmlResponse):
            content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
            return parse_page(response.body, url, content_type=content_type, rules=rules)
        if len(response.body) > rules.max_page_bytes:
            return parse_page(response.body, url, encoding=response.encoding, rules=rules)
        require_text(response.body)
        require_readable(response.text)
        encoding, source, suspect = (response.request and response.meta.get("webprep_encoding")) or (
            response.encoding,
            "header",
            False,
        )
        flags = ["encoding_suspect"] if suspect else []
        try:
            root = response.selector.root
        except ValueError:  # Scrapy also reads the address in the page's base element, whatever that is
            root, notes = parse_text(response.text)
            flags += notes
        return Page(url, root, encoding, source, flags)

    def page_from_html(self, html: str | bytes, url: str) -> FetchedPage:
        """A page whose html came in an item.

        :raises PageError: if the address or the html cannot be read.
        """
        return FetchedPage(self._crawl, parse_page(html, url, rules=self._crawl.config.rules))

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
        if self._crawl.unwritable:
            await self._failed(item, response)
            return
        page = self._settle(item, response)
        if page is None or not page.claimed or page.confirmed:
            return
        page.confirmed = True
        try:
            await page.confirm()
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
            await page.release()
        except StoreError:  # an unconfirmed claim lapses by itself
            self._stats.inc_value("webprep/store/error")

    def _settle(self, item: Any, response: Response | None) -> FetchedPage | None:
        found = self._items.pop(id(item), None)
        if found is None and response is not None:
            # A later pipeline of the project may have put a new object in the item's place.
            key = next((k for k, (_, page) in self._items.items() if page and page.response_id == id(response)), None)
            found = self._items.pop(key) if key is not None else None
        return found[1] if found else None

    def _close(self) -> None:
        if self._dropped_feed is not None:
            self._dropped_feed.close()
