"""What the parts of one running crawl share: configuration, models and store."""

from __future__ import annotations

import asyncio
import logging
import os
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import signals

from webprep_spider.config import Config
from webprep_spider.exceptions import ModelError, SiteRulesError, StartError, StoreError, StoreReset
from webprep_spider.metadata.classes import ClassModel
from webprep_spider.metadata.site_names import SiteNames
from webprep_spider.page.site_rules import SiteRules
from webprep_spider.replicas.opening import open_store
from webprep_spider.shared import Shared

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

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


def _require_feeds(settings: BaseSettings) -> None:
    """Try formats and folders of the feeds at once: Scrapy opens a feed with the first item, and goes on without it.

    :raises StartError: naming the feed that cannot be written.
    """
    formats = {name for name, exporter in settings.getwithbase("FEED_EXPORTERS").items() if exporter is not None}
    for given, options in settings.getdict("FEEDS").items():
        uri, form = str(given), options.get("format") if isinstance(options, dict) else None
        if form is not None and form not in formats:
            raise StartError(
                f"the feed {uri} cannot be written: no format {form!r}; there are {', '.join(sorted(formats))}"
            )
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


class Crawl(Shared):
    """Configuration, models and store of one crawler."""

    def __init__(self, crawler: Crawler) -> None:
        self.config = Config.from_settings(crawler.settings)
        _require_feeds(crawler.settings)
        self.site_rules = _site_rules(self.config.site_rules)
        self.class_model = _class_model(self.config.class_model)
        self.site_names = SiteNames()
        self.owner = uuid.uuid4().hex
        self.failed = ""
        """Why the crawl had to be given up; empty as long as it runs well."""
        self.unwritable = False
        """Whether a feed could not be written: pages are no longer kept."""
        self._stats = crawler.stats
        self._resets: set[str] = set()
        self._in_trouble = False
        self._store: asyncio.Future[Store] | None = None
        crawler.signals.connect(self._close, signal=signals.engine_stopped)

    async def store(self) -> Store:
        """The open store.

        :raises StoreError: if it cannot be opened.
        """
        if self._store is None:
            self._store = asyncio.ensure_future(self._open_store())
        return await asyncio.shield(self._store)

    async def _open_store(self) -> Store:
        store = self._new_store()
        store.on_trouble = self._note_trouble
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
                raise StartError(f"WEBPREP_STORE_URL: {error}") from None

    async def _try_store(self) -> None:
        async with self._new_store():
            pass

    def _note_trouble(self, reason: str) -> None:
        """A question to the store is asked again; the first time of a crawl it is told why the crawl pauses."""
        self._stats.inc_value("webprep/store/retried")
        if not self._in_trouble:
            self._in_trouble = True
            logger.warning("%s; waiting for up to %d seconds", reason, self.config.store_patience)

    def note_reset(self, reset: StoreReset) -> None:
        """The store was emptied by somebody in mid-crawl."""
        if reset.epoch in self._resets:
            return
        self._resets.add(reset.epoch)
        self._stats.inc_value("webprep/store/reset")
        logger.warning("%s; near-duplicates of what was kept before are not recognised", reset)

    def give_up(self, crawler: Crawler, why: str, reason: str) -> None:
        """End the crawl with an exit code that tells of failure; told once."""
        if not self.failed:
            self.failed = why
            logger.error("%s", why)
            # Not awaited: closing waits for the very item that is being processed here.
            self._closing = asyncio.ensure_future(crawler.engine.close_spider_async(reason=reason))

    async def _close(self) -> None:
        if self._store is None or not self._store.done() or self._store.exception() is not None:
            return
        try:
            await self._store.result().close()
        except StoreError as error:
            logger.warning("closing the store: %s", error)
