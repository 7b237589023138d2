"""What can go wrong, by name. The names of dropped items become Scrapy's ``item_dropped_reasons_count`` stats."""

from __future__ import annotations


class PageError(ValueError):
    """A page that cannot be read at all; the only exception that :func:`webprep_spider.prepare` raises."""


class StoreError(RuntimeError):
    """The store cannot be reached, read or written. The message names the store (without its password) and the mend."""


class ModelError(ValueError):
    """A model file is missing, cut, of another format or version. The message names the path and the reason."""
