"""Cleaning: which blocks of a page are its body (S4.B, S4.C)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webprep_spider.docview import Link, PageType
    from webprep_spider.page.tree import Block


@dataclass(slots=True)
class Cleaned:
    """A page after cleaning."""

    type: PageType
    body: str
    """The kept text, paragraphs joined by line ends."""
    blocks: list[Block] = field(default_factory=list)
    """All leaves of the page in document order, each with its verdict."""
    links: list[Link] = field(default_factory=list)
    """All links of the page: absolute, http(s) only, without fragment, first text that is not empty, no duplicates."""
    images: list[str] = field(default_factory=list)
    """Absolute addresses of the images of the body, on picture pages the largest first."""
    flags: list[str] = field(default_factory=list)

    @property
    def kept(self) -> list[Block]:
        return [block for block in self.blocks if block.kept]
