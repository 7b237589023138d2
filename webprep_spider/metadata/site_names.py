"""Names of a site learned from the titles of its own pages (S4.M5): what many of them begin or end with."""

from __future__ import annotations

from collections import Counter, OrderedDict
from urllib.parse import urlsplit

from webprep_spider.metadata.title import title_pieces

PAGES = 3
"""Pages with different titles that must share a piece for it to name the site."""
MAX_SITES = 10_000
MAX_PIECES = 200
"""Pieces remembered of a site."""


class SiteNames:
    """Watches the ``<title>`` of one page after another. Its memory is bounded by sites and by pieces of a site."""

    def __init__(self) -> None:
        self._sites: OrderedDict[str, Counter[str]] = OrderedDict()

    def observe(self, url: str, title: str) -> None:
        """Remember the first and the last piece of a page's ``<title>``."""
        pieces = title_pieces(title)
        if len(pieces) < 2:
            return
        seen = self._sites.setdefault(urlsplit(url).netloc, Counter())
        self._sites.move_to_end(urlsplit(url).netloc)
        seen.update({pieces[0], pieces[-1]})
        if len(seen) > MAX_PIECES:
            for piece, _ in seen.most_common()[: MAX_PIECES // 2 - 1 : -1]:
                del seen[piece]
        if len(self._sites) > MAX_SITES:
            self._sites.popitem(last=False)

    def names(self, url: str) -> list[str]:
        """The pieces that enough pages of the site of ``url`` share."""
        return [piece for piece, count in self._sites.get(urlsplit(url).netloc, Counter()).items() if count >= PAGES]
