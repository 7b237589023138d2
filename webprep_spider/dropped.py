"""Why an item is not kept: one exception a reason, and the optional feed of all that was dropped."""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TextIO

from scrapy.exceptions import DropItem

from webprep_spider.exceptions import StartError

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)


class PageDropped(DropItem):
    """An item that is not kept because of its page.

    The class name becomes a Scrapy stat (``item_dropped_reasons_count/DuplicatePage``), ``reason`` a stat
    ``webprep/dropped/<reason>``, a row of the dropped-pages feed and a line of the summary.
    """

    reason: ClassVar[str]

    def __init__(self, identifier: str, twin: str = "", share: float = 0.0) -> None:
        text = f"{self.reason}: {identifier}"
        if twin:
            text += f" is a near-duplicate of {twin} (share {share:.2f})"
        super().__init__(text, log_level="DEBUG")
        self.identifier = identifier
        self.twin = twin
        self.share = share


class DuplicatePage(PageDropped):
    """The page is a near-duplicate of ``twin``, the identifier of the page that was kept first (S4.R3)."""

    reason = "replica"


class RepeatedPage(PageDropped):
    """The same page was emitted in this crawl already, under another address or after a redirect."""

    reason = "repeated"


class UnchangedPage(PageDropped):
    """The page is as an earlier crawl kept it, and ``WEBPREP_UNCHANGED`` is ``drop``."""

    reason = "unchanged"


class UnwantedType(PageDropped):
    """The page type is not among ``WEBPREP_TYPES``."""

    reason = "unwanted_type"


class MissingPage(PageDropped):
    """The page says, with status 200, that there is no such page."""

    reason = "soft_404"


class UncheckedPage(PageDropped):
    """The store gave no answer and the crawl is being closed; nothing remembers the page, so it is fetched again."""

    reason = "unchecked"


class DroppedFeed:
    """Appends one JSON line a dropped page (``WEBPREP_DROPPED_FEED``): ``identifier``, ``reason``, ``twin``, ``share``.

    :raises StartError: if the file cannot be opened for writing.
    """

    def __init__(self, path: str) -> None:
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._file: TextIO | None = open(path, "a", encoding="utf-8")  # noqa: SIM115 - closed with the crawl
        except OSError as error:
            raise StartError(f"WEBPREP_DROPPED_FEED = {path!r}: {error.strerror}") from None

    def write(self, dropped: PageDropped) -> None:
        row = {
            "identifier": dropped.identifier,
            "reason": dropped.reason,
            "twin": dropped.twin,
            "share": round(dropped.share, 4),
        }
        self._use(lambda file: file.write(json.dumps(row, ensure_ascii=False) + "\n"))

    def close(self) -> None:
        self._use(lambda file: file.close())

    def _use(self, work: Callable[[TextIO], Any]) -> None:
        """The first time that the file cannot be written ends this feed, not the crawl."""
        if self._file is None:
            return
        try:
            work(self._file)
        except OSError as error:
            logger.warning("WEBPREP_DROPPED_FEED is left incomplete: %s", error)
            with suppress(OSError):
                self._file.close()
            self._file = None
