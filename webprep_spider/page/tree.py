"""The tag tree: containers make nodes, leaves hold the text (S4.T)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

BlockKind: TypeAlias = Literal["topic", "hub", "picture", "empty"]


@dataclass(slots=True)
class Anchor:
    """A link inside a block: the href as written and its visible text."""

    href: str
    text: str


@dataclass(slots=True)
class Emphasis:
    """An entry of a block's weighty tag list (S4.T2): the tag, its whole text and its influence factor."""

    tag: str
    text: str
    factor: float


@dataclass(slots=True)
class Block:
    """A leaf of the tag tree: text that stands directly in one container."""

    order: int
    """Place in the document, from 0."""
    element: Any
    """The lxml element of the container."""
    tag: str
    """Its tag name; ``h1`` .. ``h6``, ``p``, ``li``, ``td``, ``pre`` say what the text is."""
    text: str
    """Visible text; lines joined by a line end, white space folded except in ``pre``."""
    chars: int = 0
    """Visible characters of the text, white space not counted."""
    link_chars: int = 0
    """Those of them inside links."""
    links: list[Anchor] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    emphases: list[Emphasis] = field(default_factory=list)
    weight: float = 1.0
    """Result of the propagation (S4.W6)."""
    kind: BlockKind = "topic"
    kept: bool = False
    reason: str = ""
    """One word from the closed list in :mod:`webprep_spider.page.clean`: why it was kept or dropped."""
