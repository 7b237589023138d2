"""Scrapy's feeds, made sure: a page counts as kept when its item has left the process."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import NotConfigured
from scrapy.extensions.feedexport import FeedExporter

from webprep_spider.crawl import Crawl
from webprep_spider.exceptions import StartError
from webprep_spider.exporters import SafeJsonLinesItemExporter, mend_end

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler


class SureFeedExporter(FeedExporter):
    """Hands each item to the system at once; a feed that cannot be written ends the crawl, and its page is not kept.

    Scrapy holds the newest items in a buffer, which dies with a killed process, and goes on when the disk is full.
    """

    def __init__(self, crawler: Crawler) -> None:
        """:raises StartError: where Scrapy would go on without any feed, and pages would count as kept for nothing."""
        self._crawl = Crawl.of(crawler)  # which knows better what is wrong with most
        try:
            super().__init__(crawler)
        except NotConfigured:
            feeds = ", ".join(map(str, crawler.settings.getdict("FEEDS")))
            if not feeds:
                raise
            raise StartError(f"not all of the feeds {feeds} can be written; the error above says why") from None

    def item_scraped(self, item: Any, spider: Spider) -> None:
        try:
            super().item_scraped(item, spider)
            for slot in self.slots:
                if slot.file is not None:
                    slot.file.flush()
        except OSError as error:
            self._crawl.unwritable = True
            slots = list(self.slots)
            broken = [slot.uri for slot in slots if self._is_broken(slot)] or [slot.uri for slot in slots]
            why = (
                f"the feed {', '.join(broken)} cannot be written: {error.strerror or error}; mend that and crawl again"
            )
            self._crawl.give_up(self.crawler, why, "webprep_feed_unwritable")

    def _is_broken(self, slot: Any) -> bool:
        """Whether what was written into a feed cannot get out; such a feed is closed as it is."""
        if slot.file is None:
            return False
        try:
            slot.file.flush()
        except OSError:
            self.slots.remove(slot)
            with suppress(OSError):
                slot.file.close()
            if isinstance(slot.exporter, SafeJsonLinesItemExporter):
                mend_end(slot.file)
            return True
        return False
