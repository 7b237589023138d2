"""Scrapy middlewares: repair the encoding, order the links, remember which page an item came from."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from weakref import WeakSet

from itemadapter import ItemAdapter
from scrapy import Request, signals
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse
from w3lib.http import basic_auth_header

from webprep_spider.crawl import Crawl
from webprep_spider.docview import DocView
from webprep_spider.page.decode import decode
from webprep_spider.pages import CrawlPages, can_hold
from webprep_spider.priority import LinkOrder
from webprep_spider.replicas.store import safe_url

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from webprep_spider.fetched import FetchedPage

_BATCH = 1_000
"""Requests of one callback that are ordered at a time: a callback may make any number."""


class EncodingMiddleware:
    """Gives a page that was labelled with a wrong encoding the right one, before any callback sees it."""

    def __init__(self, crawler: Crawler) -> None:
        if not Crawl.of(crawler).config.enabled:
            raise NotConfigured
        self._stats = crawler.stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Response:
        if not isinstance(response, HtmlResponse) or not response.body:
            return response
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        decoded = decode(response.body, content_type=content_type or None)
        request.meta["webprep_encoding"] = (decoded.encoding, decoded.source, decoded.suspect)
        if decoded.suspect:
            self._stats.inc_value("webprep/encoding/suspect")
        if decoded.source == "repair" and response.body.decode(decoded.encoding, "replace") != decoded.text:
            self._stats.inc_value("webprep/encoding/repaired")  # UTF-8 that was encoded twice
            return response.replace(body=decoded.text.encode("utf-8", "replace"), encoding="utf-8")
        if _read_otherwise(response, decoded.encoding):
            self._stats.inc_value("webprep/encoding/repaired")
        return response.replace(encoding=decoded.encoding)


def _read_otherwise(response: HtmlResponse, encoding: str) -> bool:
    """Whether Scrapy by itself would have read the page in another encoding."""
    try:
        return not response.body.isascii() and codecs.lookup(response.encoding) != codecs.lookup(encoding)
    except (LookupError, UnicodeError):  # a page may declare a codec that decodes no text, such as zlib
        return True


class LinkReviewMiddleware:
    """Looks at a waiting link once more when its turn comes: where its kind has disappointed meanwhile (dead links,
    the same text again, the other page type), it goes back into the queue with a lower priority."""

    def __init__(self, crawler: Crawler) -> None:
        if not Crawl.of(crawler).config.enabled:
            raise NotConfigured
        self._order = LinkOrder.of(crawler)
        self._stats = crawler.stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request) -> Request | None:
        later = self._order.review(request)
        if later is not None:
            self._stats.inc_value("webprep/url/reordered")
            return later
        if "webprep_bucket" in request.meta:
            request.dont_filter = request.meta.get("webprep_unfiltered", False)
        return None

    def process_response(self, request: Request, response: Response) -> Response:
        if response.status >= 400:
            self._order.failed(request.url)
        return response


class _PageMiddleware:
    """What the two spider middlewares share: they look at what came of a page, not at what an errback makes of an
    answer that was refused (a page that is not found, say), and give on all that a callback made before it failed."""

    def __init__(self, crawler: Crawler) -> None:
        if not Crawl.of(crawler).config.enabled:
            raise NotConfigured
        self._pages = CrawlPages.of(crawler)
        self._stats = crawler.stats
        self._accepted: WeakSet[Response] = WeakSet()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_spider_input(self, response: Response) -> None:
        self._accepted.add(response)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        if response not in self._accepted:
            async for output in result:
                yield output
            return
        with self._pages.hold(response) as page:
            made = _Made(result)
            async for output in self._passed_on(made, response, page):
                yield output
            if made.failure is not None:
                raise made.failure

    def _passed_on(self, made: _Made, response: Response, page: FetchedPage | None) -> AsyncIterator[Any]:
        raise NotImplementedError


class _Made:
    """What a callback makes, up to its failure."""

    def __init__(self, result: AsyncIterator[Any]) -> None:
        self._result = result
        self.failure: Exception | None = None

    async def __aiter__(self) -> AsyncIterator[Any]:
        try:
            async for output in self._result:
                yield output
        except Exception as error:
            self.failure = error


class HubPriorityMiddleware(_PageMiddleware):
    """Scores the links of a page in batches and adds to their priorities; ``docs/hubs.md`` tells the effect."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._order = LinkOrder.of(crawler)
        crawler.signals.connect(self._order.save, signal=signals.spider_closed)

    async def _passed_on(self, made: _Made, response: Response, page: FetchedPage | None) -> AsyncIterator[Any]:
        await self._order.learn(page)
        requests: list[Request] = []
        async for output in made:
            if not isinstance(output, Request):
                yield output
                continue
            requests.append(output)
            if len(requests) == _BATCH:
                for request in self._order.ordered(requests, response.url, page):
                    yield request
                requests = []
        for request in self._order.ordered(requests, response.url, page):
            yield request


class PagePairingMiddleware(_PageMiddleware):
    """Pairs each item with the page it came from, and adds a docview of its own where ``WEBPREP_EMIT`` asks for one.
    The last to see a request, it also takes logins out of addresses."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._config = Crawl.of(crawler).config

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for output in start:
            yield _without_login(output) if isinstance(output, Request) else output

    async def _passed_on(self, made: _Made, response: Response, page: FetchedPage | None) -> AsyncIterator[Any]:
        if page is None:
            self._stats.inc_value("webprep/dropped/not_html")
        emit = self._config.emit
        add_page = emit != "nested"
        async for output in made:
            if isinstance(output, Request):
                yield _without_login(output)
            elif page is None:
                yield output
            elif self._carries_html(output):  # the pipelines read the page from the item itself
                add_page = False
                yield output
            elif emit != "docview":
                carrier = emit == "nested" and can_hold(output, self._config.nested_field)
                self._pages.pair(output, page if carrier else None)
                add_page |= not carrier
                yield output
        if page is not None and add_page:
            yield self._page_item(page)

    def _carries_html(self, item: Any) -> bool:
        field = self._config.html_field
        return bool(field) and bool(ItemAdapter(item).get(field))

    def _page_item(self, page: FetchedPage) -> DocView:
        item = DocView(identifier=page.identifier, url=page.url)
        self._pages.pair(item, page)
        return item


def _without_login(request: Request) -> Request:
    """The login of an address as a header: Scrapy would take it for a part of the host, and tell it in the log."""
    if "@" not in request.url or (safe := safe_url(request.url)) == request.url:
        return request
    parts = urlsplit(request.url)
    headers = request.headers.copy()
    headers.setdefault("Authorization", basic_auth_header(unquote(parts.username or ""), unquote(parts.password or "")))
    return request.replace(url=safe, headers=headers)
