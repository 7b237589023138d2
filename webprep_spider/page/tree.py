"""The tag tree: containers make nodes, leaves hold the text (S4.T)."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from lxml import etree

from webprep_spider.page import tags
from webprep_spider.rules import DEFAULT_RULES, Rules

BlockKind: TypeAlias = Literal["topic", "hub", "picture", "empty"]

_INVISIBLE = re.compile(
    "[\x01-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ufe00-\ufe0f]+"
)
_LINE = "\x00"  # a <br>; cannot stand in the text of a parsed page
_IMAGE_SOURCES = ("data-src", "data-original", "data-lazy-src", "data-url", "src", "original", "zoomfile", "file")
_CLOCK_EVERY = 0xFFF


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
    hints: list[int] = field(default_factory=list)
    """What the node's class and id say, see :func:`webprep_spider.page.tags.hint_bits`."""
    all_hints: list[int] = field(default_factory=list)
    """The same with what all its ancestors say."""
    shape: list[int] = field(default_factory=list)
    """Equal for nodes whose tags and classes are equal all the way up: repeated templates."""
    depth: list[int] = field(default_factory=list)
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


def build_tree(root: Any, rules: Rules = DEFAULT_RULES) -> TagTree:
    """The tag tree of a parsed page, in one pass that does not change it.

    Flagged ``node_budget`` or ``time_budget`` where the walk ended early; what was seen till then is in the tree.
    """
    builder = _Builder(rules)
    builder.walk(root)
    return builder.tree


class _Builder:
    """The state of one walk: the path of open containers and the text run that grows in the innermost one."""

    __slots__ = (
        "anchor",
        "anchor_start",
        "hidden",
        "images",
        "links",
        "path",
        "pieces",
        "pre",
        "rules",
        "shapes",
        "tree",
        "weighty",
        "weighty_open",
    )

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.tree = TagTree()
        self.path: list[int] = []
        self.hidden: list[bool] = [False]
        self.pieces: list[str] = []
        self.links: list[Anchor] = []
        self.images: list[str] = []
        self.weighty: list[Emphasis] = []
        self.weighty_open: list[tuple[Any, int]] = []
        self.anchor: Any = None
        self.anchor_start = 0
        self.pre = 0
        self.shapes: dict[tuple[int, str, str | None], int] = {}

    def walk(self, root: Any) -> None:
        role_of = tags.ROLES.get
        pieces_append = self.pieces.append
        pieces = self.pieces
        budget = 2 * self.rules.max_nodes
        deadline = time.process_time() + self.rules.max_seconds
        events = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        seen = 0
        for event, element in events:
            seen += 1
            if event == "start":
                tag = element.tag
                role = role_of(tag)
                if role is None or role == tags.WEIGHTY:
                    if (style := element.get("style")) is not None and tags.hides(style):
                        self.open_node(element, tag, hidden=True)
                    elif role is not None:
                        self.weighty_open.append((element, len(pieces)))
                elif role == tags.BLOCK:
                    self.open_node(element, tag)
                elif role == tags.SKIP:
                    events.skip_subtree()
                    continue
                elif role == tags.BREAK:
                    pieces_append(_LINE)
                elif role == tags.LINK:
                    self.close_anchor()
                    self.anchor, self.anchor_start = element, len(pieces)
                elif role == tags.IMAGE:
                    self.add_image(element)
                else:
                    self.open_node(element, tag, hidden=True)
                if text := element.text:
                    pieces_append(text)
            else:
                if event == "end":
                    role = role_of(element.tag)
                    if role == tags.BLOCK or role == tags.SHADOW:
                        self.close_node()
                    elif role == tags.LINK:
                        self.close_anchor()
                    elif role == tags.WEIGHTY and self.weighty_open and self.weighty_open[-1][0] is element:
                        self.close_weighty()
                    elif self.path and self.tree.element[self.path[-1]] is element:
                        self.close_node()
                if text := element.tail:
                    pieces_append(text)
                if not seen & _CLOCK_EVERY:
                    if seen > budget:
                        self.tree.flags.append("node_budget")
                        break
                    if time.process_time() > deadline:
                        self.tree.flags.append("time_budget")
                        break
        while self.path:
            self.close_node()

    def open_node(self, element: Any, tag: str, *, hidden: bool = False) -> None:
        if self.pieces or self.images:
            self.flush()
        tree = self.tree
        names = css = element.get("class")
        hints = 0
        if (name := element.get("id")) is not None:
            names = f"{names} {name}" if names else name
        if names and tag != "body" and tag != "html":
            hints = tags.hint_bits(names)
        hidden = hidden or self.hidden[-1]
        if not hidden and element.get("hidden") is not None:
            hidden = True
        if not hidden and (style := element.get("style")) is not None:
            hidden = tags.hides(style)
        self.hidden.append(hidden)
        index = len(tree.parent)
        hints |= tags.TAG_HINTS.get(tag, 0)
        if index:
            parent = self.path[-1] if self.path else 0
            tree.parent.append(parent)
            tree.all_hints.append(tree.all_hints[parent] | hints)
            tree.depth.append(tree.depth[parent] + 1)
            key = (tree.shape[parent], tag, css)
        else:
            tree.parent.append(-1)
            tree.all_hints.append(hints)
            tree.depth.append(0)
            key = (-1, tag, css)
        tree.shape.append(self.shapes.setdefault(key, len(self.shapes)))
        tree.element.append(element)
        tree.hints.append(hints)
        tree.first.append(len(tree.blocks))
        tree.last.append(len(tree.blocks))
        self.path.append(index)
        if tag in tags.PREFORMATTED:
            self.pre += 1

    def close_node(self) -> None:
        if self.pieces or self.images:
            self.flush()
        index = self.path.pop()
        self.hidden.pop()
        self.tree.last[index] = len(self.tree.blocks)
        if self.tree.element[index].tag in tags.PREFORMATTED:
            self.pre -= 1

    def close_anchor(self) -> None:
        if self.anchor is None:
            return
        text = " ".join("".join(self.pieces[self.anchor_start :]).replace(_LINE, " ").split())
        self.links.append(Anchor(self.anchor.get("href") or "", text))
        self.anchor = None

    def close_weighty(self) -> None:
        element, start = self.weighty_open.pop()
        text = " ".join("".join(self.pieces[start:]).replace(_LINE, " ").split())
        if text:
            self.weighty.append(Emphasis(element.tag, text, emphasis_factor(element)))

    def add_image(self, element: Any) -> None:
        for name in _IMAGE_SOURCES:
            if (source := element.get(name)) and not source.startswith("data:"):
                self.images.append(source)
                return

    def flush(self) -> None:
        """End the text run: it becomes a leaf of the innermost open container."""
        anchor, pieces = self.anchor, self.pieces
        self.close_anchor()
        raw = "".join(pieces)
        pieces.clear()
        if anchor is not None:
            # A link around several blocks goes on in the next one.
            self.anchor, self.anchor_start = anchor, 0
        if self.weighty_open:
            self.weighty_open = [(element, 0) for element, _ in self.weighty_open]
        if self.pre:
            text = raw.replace("\r\n", "\n").replace(_LINE, "\n").strip("\r\n") if not raw.isspace() else ""
        elif _LINE in raw:
            text = "\n".join(line for part in raw.split(_LINE) if (line := " ".join(part.split())))
        else:
            text = " ".join(raw.split())
        if not text.isprintable():
            text = _INVISIBLE.sub("", text)
        links, images = self.links, self.images
        if not text and not images and not links:
            self.weighty.clear()
            return
        tree = self.tree
        node = self.path[-1] if self.path else 0
        element = tree.element[node] if tree.element else None
        block = Block(len(tree.blocks), element, element.tag if element is not None else "body", text)
        block.node, block.hidden = node, self.hidden[-1]
        block.chars = visible_chars(text)
        if links:
            block.links, self.links = links, []
            block.link_chars = min(block.chars, sum(visible_chars(link.text) for link in links))
        if images:
            block.images, self.images = images, []
        if self.weighty:
            block.emphases, self.weighty = self.weighty, []
        if text and (factor := TAG_FACTORS.get(block.tag)):
            block.emphases.append(Emphasis(block.tag, text, factor))
        tree.blocks.append(block)


def visible_chars(text: str) -> int:
    """Characters of folded text that are not white space."""
    return len(text) - text.count(" ") - text.count("\n")


TAG_FACTORS = {"h1": 2.0, "h2": 1.8, "h3": 1.6, "h4": 1.3, "h5": 1.3, "h6": 1.3, "caption": 1.1, "th": 1.1, "dt": 1.1}
_INLINE_FACTORS = {"b": 1.3, "strong": 1.3, "big": 1.3, "mark": 1.2, "em": 1.1, "i": 1.1, "u": 1.1}


def emphasis_factor(element: Any) -> float:
    """Influence factor of a weighty inline element (S4.W8)."""
    if element.tag != "font":
        return _INLINE_FACTORS.get(element.tag, 1.0)
    size = (element.get("size") or "").strip()
    if size.startswith("+") or size in ("4", "5", "6", "7"):
        return 1.3
    return 1.1 if element.get("color") or element.get("face") else 1.0
