"""The tag tree: containers make nodes, leaves hold the text (S4.T)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    links: Sequence[Anchor] = ()
    images: Sequence[str] = ()
    emphases: Sequence[Emphasis] = ()
    weight: float = 1.0
    """Result of the propagation (S4.W6)."""
    kind: BlockKind = "topic"
    kept: bool = False
    reason: str = ""
    """One word from the closed list in :mod:`webprep_spider.page.clean`: why it was kept or dropped."""
    node: int = 0
    """Index of its container in :class:`TagTree`."""
    hidden: bool = False
    """Not shown to the reader: by style or attribute, or in ``noscript`` or ``textarea``."""


@dataclass(slots=True)
class TagTree:
    """The frame of a page. Nodes are numbered in document order, so the leaves below node ``n`` are
    ``blocks[first[n]:last[n]]``, and a parent has a smaller number than its children."""

    blocks: list[Block] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    """-1 for the root."""
    element: list[Any] = field(default_factory=list)
    tag: list[str] = field(default_factory=list)
    hints: list[int] = field(default_factory=list)
    """What the node's class and id say, see :func:`webprep_spider.page.tags.hint_bits`."""
    all_hints: list[int] = field(default_factory=list)
    """The same with what all its ancestors say."""
    shape: list[int] = field(default_factory=list)
    """Equal for nodes whose tags and classes are equal all the way up: repeated templates."""
    depth: list[int] = field(default_factory=list)
    hidden: list[bool] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)

    @property
    def statistics(self) -> Statistics:
        """The figures of S4.T3."""
        return Statistics(
            blocks=len(self.blocks),
            chars=sum(block.chars for block in self.blocks),
            with_links=sum(bool(block.links) for block in self.blocks),
            links=sum(len(block.links) for block in self.blocks),
            with_emphasis=sum(bool(block.emphases) for block in self.blocks),
            emphases=sum(len(block.emphases) for block in self.blocks),
        )


@dataclass(frozen=True, slots=True)
class Statistics:
    """How much stands where on a page (S4.T3)."""

    blocks: int
    chars: int
    with_links: int
    links: int
    with_emphasis: int
    emphases: int
