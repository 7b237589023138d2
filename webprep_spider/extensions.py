"""What a person sees of a crawl: a live line while it runs, a summary at its end, an exit code that tells failure."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from webprep_spider.crawl import Crawl
from webprep_spider.replicas.store import safe_store_url

if TYPE_CHECKING:
    from typing import Self, TextIO

    from scrapy.crawler import Crawler

_REASONS = {
    "replica": "near-duplicates",
    "repeated": "the same page again",
    "unchanged": "unchanged since an earlier crawl",
    "unwanted_type": "page type not wanted",
    "soft_404": "say there is no such page",
    "unreadable": "not readable",
    "too_large": "too large",
    "damaged": "damaged on their way",
    "redirects": "redirected without end",
    "not_html": "not HTML",
    "unchecked": "store gave no answer",
}


class CrawlSummary:
    """Prints to standard error, so that docviews may go to standard output; ``WEBPREP_SUMMARY`` turns it off."""

    def __init__(self, crawler: Crawler, out: TextIO | None = None) -> None:
        self._crawl = Crawl.of(crawler)
        if not self._crawl.config.enabled:
            raise NotConfigured
        self._crawler = crawler
        self._out = out or sys.stderr
        self._begin = time.monotonic()
        self._live = self._crawl.config.progress and self._crawl.config.summary and self._out.isatty()
        self._tick = create_looping_call(self._show_progress)
        crawler.signals.connect(self._opened, signal=signals.spider_opened)
        crawler.signals.connect(self._closed, signal=signals.spider_closed)
        crawler.signals.connect(self._stopped, signal=signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def _opened(self) -> None:
        self._begin = time.monotonic()
        if self._live:
            self._tick.start(0.5)

    def _closed(self, reason: str) -> None:
        if self._tick.running:
            self._tick.stop()
        if self._live:
            self._out.write("\r\x1b[K")
        if self._crawl.config.summary:
            self._out.write(self.summary(reason))
            self._out.flush()

    def _stopped(self) -> None:
        if self._crawl.failed:
            # A crawler that ends without a spider is what `scrapy crawl` takes for a failure: exit code 1.
            self._crawler.spider = None

    def _count(self, name: str) -> int:
        return int(self._crawler.stats.get_value(name, 0))

    @staticmethod
    def _failed_downloads(stats: dict[str, Any]) -> int:
        """Requests that were called off on purpose (robots.txt, traps, a budget) are no failures."""
        kind = "downloader/exception_type_count/"
        return sum(count for name, count in stats.items() if name.startswith(kind) and "IgnoreRequest" not in name)

    def _show_progress(self) -> None:
        pages = self._count("response_received_count")
        seconds = max(time.monotonic() - self._begin, 0.001)
        self._out.write(
            f"\r\x1b[K{pages} fetched, {self._count('item_scraped_count')} kept, "
            f"{self._count('webprep/dropped/replica')} near-duplicates, "
            f"{self._count('scheduler/enqueued') - self._count('scheduler/dequeued')} waiting, "
            f"{pages / seconds:.1f} pages/s"
        )
        self._out.flush()

    def summary(self, reason: str) -> str:
        """The summary as it is printed."""
        stats: dict[str, Any] = self._crawler.stats.get_stats()
        seconds = max(time.monotonic() - self._begin, 0.001)
        pages = self._count("response_received_count")
        rows = [
            ("pages fetched", f"{pages} in {seconds:.1f} s ({pages / seconds:.1f} pages/s)"),
            (
                "page types",
                ", ".join(f"{self._count(f'webprep/page/{kind}')} {kind}" for kind in ("hub", "topic", "picture")),
            ),
            ("items kept", f"{self._count('item_scraped_count')}"),
        ]
        if unchanged := self._count("webprep/replica/same"):
            rows.append(("unchanged", f"{unchanged} since an earlier crawl"))
        if changed := self._count("webprep/replica/changed"):
            rows.append(("changed", f"{changed} since an earlier crawl"))
        for name in sorted(stats):
            if name.startswith("webprep/dropped/"):
                why = name.rpartition("/")[2]
                rows.append(("dropped", f"{_REASONS.get(why, why)}: {stats[name]}"))
        traps = sum(value for name, value in stats.items() if name.startswith("webprep/trap/"))
        if traps:
            rows.append(("not followed", f"{traps} links that look like crawler traps"))
        if forbidden := self._count("robotstxt/forbidden"):
            rows.append(("not followed", f"{forbidden} links that robots.txt forbids"))
        if repaired := self._count("webprep/encoding/repaired"):
            rows.append(("encoding", f"{repaired} pages repaired"))
        errors = {
            "exceptions in callbacks": self._count("spider_exceptions/count"),
            "items in error": self._count("item_error_count"),
            "failed downloads": self._failed_downloads(stats),
            "HTTP errors": self._count("httperror/response_ignored_count"),
            "store": self._count("webprep/store/error"),
        }
        told = ", ".join(f"{count} {what}" for what, count in errors.items() if count)
        rows.append(("errors", told or "none"))
        if self._crawl.failed:
            rows.append(("gave up", self._crawl.failed))
        elif reason != "finished":
            rows.append(("ended by", reason))
        rows += [("docviews", str(uri)) for uri in self._crawler.settings.getdict("FEEDS")]
        rows.append(("store", safe_store_url(self._crawl.config.store_url)))
        width = max(len(name) for name, _ in rows)
        return (
            "\n".join(
                ["", f"webprep: {self._crawler.spidercls.name}"] + [f"  {name:<{width}}  {told}" for name, told in rows]
            )
            + "\n"
        )
