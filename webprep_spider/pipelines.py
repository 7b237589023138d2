"""Scrapy item pipelines: clean, remove near-duplicates, describe. The order is the method's own (S4.A1)."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.exceptions import NotConfigured

from webprep_spider.crawl import Crawl
from webprep_spider.docview import DocView
from webprep_spider.dropped import (
    DuplicatePage,
    MissingPage,
    RepeatedPage,
    UnchangedPage,
    UncheckedPage,
    UnwantedType,
)
from webprep_spider.exceptions import PageError, StoreError
from webprep_spider.metadata import preload
from webprep_spider.pages import CrawlPages, can_hold

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

    from webprep_spider.fetched import FetchedPage
    from webprep_spider.page.clean import Cleaned
    from webprep_spider.replicas.verdict import Verdict

logger = logging.getLogger(__name__)


class _PagePipeline:
    """What the three pipelines share: they look at items whose page is known and let all others pass."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.crawl = Crawl.of(crawler)
        self.config = self.crawl.config
        if not self.config.enabled:
            raise NotConfigured
        self.pages = CrawlPages.of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def page_of(self, item: Any) -> FetchedPage | None:
        """The page of an item: the one it was paired with, else the html in its ``WEBPREP_HTML_FIELD``."""
        page = self.pages.page_of(item)
        if self.pages.knows(item) or not self.config.html_field or not ItemAdapter.is_item(item):
            return page
        html = ItemAdapter(item).get(self.config.html_field)
        if not html:
            return None
        try:
            page = self.pages.page_from_html(html, str(ItemAdapter(item).get(self.config.url_field) or ""))
        except PageError as error:  # the item is kept as it is
            self.crawler.stats.inc_value("webprep/dropped/unreadable")
            logger.warning("%s", error)
        self.pages.pair(item, page)
        return page


class CleanPipeline(_PagePipeline):
    """Cleans the page of each item (S4.C); order 100.

    Used alone it writes the cleaned text to ``WEBPREP_TEXT_FIELD`` of the item.
    """

    async def process_item(self, item: Any) -> Any:
        page = self.page_of(item)
        if page is None:
            return item
        cleaned = page.cleaned
        if page.first("clean"):
            self._count(cleaned)
        if isinstance(item, DocView) and page.missing:
            raise MissingPage(page.identifier)
        if isinstance(item, DocView) and cleaned.type not in self.config.types:
            raise UnwantedType(page.identifier)
        if self.config.text_field and can_hold(item, self.config.text_field):
            ItemAdapter(item)[self.config.text_field] = cleaned.body
        return item

    def _count(self, cleaned: Cleaned) -> None:
        stats = self.crawler.stats
        stats.inc_value(f"webprep/page/{cleaned.type}")
        if not cleaned.body:
            stats.inc_value("webprep/page/empty")
        for flag in cleaned.flags:
            stats.inc_value(f"webprep/flag/{flag}")


class ReplicaPipeline(_PagePipeline):
    """Asks the store whether the page was seen before (S0.S, S4.R); order 200.

    The first copy that is seen is kept. A claim is confirmed when the item has been scraped and taken back when it
    is dropped later or fails, so that only pages that were really kept hide others.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._kept: set[int] = set()
        self.crawl.require_store()

    async def process_item(self, item: Any) -> Any:
        page = self.page_of(item)
        if page is None:
            return item
        self._only_once(page)
        try:
            verdict = await page.claim()
        except StoreError as error:
            self._without_store(page, error)
            return item
        self._judge(page, verdict)
        return item

    def _only_once(self, page: FetchedPage) -> None:
        if page.first("once"):
            key = hash(page.identifier)
            page.repeated = key in self._kept
            self._kept.add(key)
        if page.repeated:
            raise RepeatedPage(page.identifier)

    def _judge(self, page: FetchedPage, verdict: Verdict) -> None:
        if page.first(verdict.kind):
            self.crawler.stats.inc_value(f"webprep/replica/{verdict.kind}")
        if verdict.kind == "replica":
            if self.config.replica_action == "drop":
                raise DuplicatePage(page.identifier, verdict.twin or "", verdict.share)
            page.flag("replica")
        elif verdict.kind == "same":
            if self.config.unchanged == "drop":
                raise UnchangedPage(page.identifier)
            page.flag("unchanged")

    def _without_store(self, page: FetchedPage, error: StoreError) -> None:
        self.crawler.stats.inc_value("webprep/store/error")
        if self.config.store_failure == "degrade":
            page.flag("unchecked")
            self.crawler.stats.inc_value("webprep/replica/unchecked")
            return
        self.crawl.give_up(self.crawler, str(error), "webprep_store_unavailable")
        raise UncheckedPage(page.identifier)


class DocViewPipeline(_PagePipeline):
    """Describes what is kept (S4.M) and puts the docview in its place; order 300."""

    async def open_spider(self) -> None:
        # The dictionary takes a second; it loads in a thread while the first pages are fetched.
        self._loading = asyncio.get_running_loop().run_in_executor(None, preload)

    async def close_spider(self) -> None:
        await self._loading

    async def process_item(self, item: Any) -> Any:
        page = self.page_of(item)
        if page is None:
            return item
        docview = page.docview()
        if isinstance(item, DocView) or self.config.emit == "docview":
            self.pages.replace(item, docview)
            return docview
        ItemAdapter(item)[self.config.nested_field] = docview.to_dict() if isinstance(item, dict) else docview
        return item
