"""What can go wrong, by name."""

from __future__ import annotations


class PageError(ValueError):
    """A page that cannot be read at all; the only exception that :func:`webprep_spider.prepare` raises."""


class StoreError(RuntimeError):
    """The store cannot be reached, read or written. The message names the store (without its password) and the mend."""


class StoreReset(StoreError):
    """The store was flushed or replaced while it was in use: what was known of earlier pages is gone.

    ``epoch`` names the state of the store that is gone: many questions may meet one reset.
    """

    def __init__(self, text: str, epoch: str = "") -> None:
        super().__init__(text)
        self.epoch = epoch


class ModelError(ValueError):
    """A model file is missing, cut, of another format or version. The message names the path and the reason."""


class StartError(RuntimeError):
    """A crawl that cannot start: wrong settings, no seeds, no store. Shown as one message without a traceback."""


class SiteRulesError(ValueError):
    """A file of site rules that cannot be used. The message names the file, the host and the selector."""
