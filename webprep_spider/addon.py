"""One line in ``ADDONS`` puts all parts in place."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy.utils.misc import load_object
from twisted.internet.asyncioreactor import AsyncioSelectorReactor

from webprep_spider.config import Config
from webprep_spider.exceptions import StartError

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_DOWNLOADER_MIDDLEWARES = {
    "webprep_spider.middlewares.LinkReviewMiddleware": 60,
    "webprep_spider.middlewares.EncodingMiddleware": 585,
}
_SPIDER_MIDDLEWARES = {
    "webprep_spider.middlewares.HubPriorityMiddleware": 850,
    "webprep_spider.middlewares.PagePairingMiddleware": 75,
}
_ITEM_PIPELINES = {
    "webprep_spider.pipelines.CleanPipeline": 100,
    "webprep_spider.pipelines.ReplicaPipeline": 200,
    "webprep_spider.pipelines.DocViewPipeline": 300,
}
_EXTENSIONS = {"webprep_spider.extensions.CrawlSummary": 0}
_IN_PLACE_OF = {
    "DOWNLOADER_MIDDLEWARES": {
        "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": (
            "webprep_spider.downloads.BodyMiddleware"
        ),
        "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": "webprep_spider.downloads.PageRedirectMiddleware",
        "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": "webprep_spider.downloads.PageRefreshMiddleware",
    },
    "EXTENSIONS": {"scrapy.extensions.feedexport.FeedExporter": "webprep_spider.feeds.SureFeedExporter"},
}
_FINGERPRINTER = "webprep_spider.fingerprinter.PageFingerprinter"
_EXPORTERS = {
    "csv": "webprep_spider.exporters.DocviewCsvItemExporter",
    "dc": "webprep_spider.exporters.DublinCoreItemExporter",
    "ead": "webprep_spider.exporters.EadItemExporter",
    "json": "webprep_spider.exporters.SafeJsonItemExporter",
    **dict.fromkeys(("jsonlines", "jsonl", "jl"), "webprep_spider.exporters.SafeJsonLinesItemExporter"),
}


class Addon:
    """Turns any Scrapy project into one that emits docviews: ``ADDONS = {"webprep_spider.Addon": 500}``.

    Everything is set at add-on priority, so the settings of the project, the spider and the command line win.
    """

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Nothing is set yet; but from here on a spider may refuse to start."""
        _show_start_errors_in_one_line()

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components.

        :raises StartError: one message that lists every wrong ``WEBPREP_*`` setting.
        """
        if not Config.from_settings(settings).enabled:
            return
        _require_asyncio(settings)
        for name, components in (
            ("DOWNLOADER_MIDDLEWARES", _DOWNLOADER_MIDDLEWARES),
            ("SPIDER_MIDDLEWARES", _SPIDER_MIDDLEWARES),
            ("ITEM_PIPELINES", _ITEM_PIPELINES),
            ("EXTENSIONS", _EXTENSIONS),
        ):
            for path, order in components.items():
                settings.setdefault_in_component_priority_dict(name, load_object(path), order)
        self._replace_scrapys_own(settings)
        for name, path in _EXPORTERS.items():
            settings["FEED_EXPORTERS"].setdefault(name, path)
        current = settings["REQUEST_FINGERPRINTER_CLASS"]
        if current != _FINGERPRINTER:
            settings.set("WEBPREP_FALLBACK_REQUEST_FINGERPRINTER_CLASS", current, "addon")
            settings.set("REQUEST_FINGERPRINTER_CLASS", _FINGERPRINTER, "addon")

    @staticmethod
    def _replace_scrapys_own(settings: BaseSettings) -> None:
        """Ours in place of Scrapy's, except of those that the project has placed, replaced or switched off itself."""
        settings.set("DOWNLOAD_FAIL_ON_DATALOSS", False, "addon")
        for name, components in _IN_PLACE_OF.items():
            placed = [load_object(one) for one in settings.getdict(name)]
            for theirs, ours in components.items():
                if (old := load_object(theirs)) not in placed:
                    settings.replace_in_component_priority_dict(f"{name}_BASE", old, load_object(ours))


def _require_asyncio(settings: BaseSettings) -> None:
    """:raises StartError: if the project asks for a reactor under which nothing here could run."""
    wanted = settings.get("TWISTED_REACTOR")
    if wanted and not issubclass(load_object(wanted), AsyncioSelectorReactor):
        raise StartError(f"TWISTED_REACTOR = {wanted!r}: webprep_spider needs Scrapy's default, the asyncio reactor")


class _OneLine(logging.Filter):
    """Shows a :class:`StartError` as the message it is, where asyncio would log a traceback around it."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, StartError):
            record.msg, record.args, record.exc_info, record.exc_text = f"webprep: {error}", (), None, None
        return True


def _show_start_errors_in_one_line() -> None:
    log = logging.getLogger("asyncio")
    if not any(isinstance(one, _OneLine) for one in log.filters):
        log.addFilter(_OneLine())
