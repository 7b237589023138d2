"""One pass over a parsed page that builds its tag tree (S4.T)."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

from webprep_spider.page import tags
from webprep_spider.page.tree import Anchor, Block, Emphasis, TagTree
from webprep_spider.rules import DEFAULT_RULES, Rules

if TYPE_CHECKING:
    from collections.abc import Iterator

_INVISIBLE = re.compile("[\x01-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ufe00-\ufe0f]+")
_LINE = "\x00"  # a <br>; cannot stand in the text of a parsed page
_IMAGE_SOURCES = ("data-src", "data-original", "data-lazy-src", "data-url", "src", "original", "zoomfile", "file")
_CLOCK_EVERY = 0x3FF

# What is to be done when an element on the path ends.
_NOTHING, _NODE, _LINK, _WEIGHTY, _SKIPPED, _INSIDE_SKIPPED = range(6)


def build_tree(root: Any, rules: Rules = DEFAULT_RULES) -> TagTree:
    """The tag tree of a parsed page, in one pass that does not change it and needs no recursion.

    Flagged ``node_budget`` or ``time_budget`` where the walk ended early; what was seen till then is in the tree.
    """
    walk = _Walk(rules)
    walk.run(root)
    return walk.tree


def _elements(root: Any) -> Iterator[Any]:
    """The elements of a document in order. libxml2 puts what follows ``</html>`` beside the root element."""
    yield from root.iter()
    if root.getparent() is None:
        for sibling in root.itersiblings():
            if isinstance(sibling.tag, str):
                yield from sibling.iter()


class _Walk:
    """The state of one walk: the open containers and the text run that grows in the innermost one."""

    __slots__ = (
        "anchor", "anchor_start", "hidden", "images", "links", "nodes", "pieces", "pre", "rules", "shapes", "tree", "weighty",
        "weighty_open",
    )  # fmt: skip

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.tree = TagTree()
        self.nodes: list[int] = []
        self.hidden: list[bool] = [False]
        self.pieces: list[str] = []
        self.links: list[Anchor] = []
        self.images: list[str] = []
        self.weighty: list[Emphasis] = []
        self.weighty_open: list[tuple[Any, int]] = []
        self.anchor: Any = None
        self.anchor_start = 0
        self.pre = 0
        self.shapes: dict[tuple[int, str, str], int] = {}

    def run(self, root: Any) -> None:
        role_of, pieces = tags.ROLES.get, self.pieces
        path: list[Any] = []
        endings: list[int] = []
        top: Any = root.getparent()
        ending = _NOTHING
        countdown = _CLOCK_EVERY
        deadline = time.process_time() + self.rules.max_seconds
        left = self.rules.max_nodes
        for element in _elements(root):
            parent = element.getparent()
            while top is not parent:
                # ``top`` has ended; what follows it stands in its parent.
                if ending:
                    self.leave(ending, top)
                if ending != _INSIDE_SKIPPED and (text := top.tail) and (pieces or self.pre or not text.isspace()):
                    pieces.append(text)
                top, ending = path.pop(), endings.pop()
            path.append(top)
            endings.append(ending)
            top = element
            if ending >= _SKIPPED:
                ending = _INSIDE_SKIPPED
                continue
            tag = element.tag
            role = role_of(tag)
            if role is None:
                ending = self.enter_inline(element, tag) if element.get("style") is not None else _NOTHING
            elif role == tags.BLOCK:
                self.open_node(element, tag, hidden=False)
                ending = _NODE
            elif role == tags.SKIP:
                ending = _SKIPPED
                continue
            else:
                ending = self.enter(role, element, tag)
            if (text := element.text) and (pieces or self.pre or not text.isspace()):
                pieces.append(text)
            countdown -= 1
            if not countdown:
                countdown = _CLOCK_EVERY
                left -= _CLOCK_EVERY
                if left < 0 or time.process_time() > deadline:
                    self.tree.flags.append("node_budget" if left < 0 else "time_budget")
                    break
        while path:
            if ending:
                self.leave(ending, top)
            top_tail = "" if len(path) == 1 or ending == _INSIDE_SKIPPED else top.tail
            if top_tail:
                pieces.append(top_tail)
            top, ending = path.pop(), endings.pop()

    def enter(self, role: int, element: Any, tag: str) -> int:
        """Begin an element that is neither container nor plain inline; says what is to be done at its end."""
        if role == tags.LINK:
            self.close_anchor()
            self.anchor, self.anchor_start = element, len(self.pieces)
            return _LINK
        if role == tags.BREAK:
            self.pieces.append(_LINE)
        elif role == tags.WEIGHTY:
            if element.get("style") is not None and self.enter_inline(element, tag):
                return _NODE
            self.weighty_open.append((element, len(self.pieces)))
            return _WEIGHTY
        elif role == tags.IMAGE:
            self.add_image(element)
        else:
            self.open_node(element, tag, hidden=True)
            return _NODE
        return _NOTHING

    def enter_inline(self, element: Any, tag: str) -> int:
        """An inline element with a style: one that is not shown makes a node of its own, so that its text is told apart."""
        if tags.hides(element.get("style")):
            self.open_node(element, tag, hidden=True)
            return _NODE
        return _NOTHING

    def leave(self, ending: int, element: Any) -> None:
        if ending == _NODE:
            self.close_node()
        elif ending == _LINK:
            self.close_anchor()
        elif ending == _WEIGHTY:
            self.close_weighty()

    def open_node(self, element: Any, tag: str, *, hidden: bool) -> None:
        if self.pieces or self.images:
            self.flush()
        tree = self.tree
        hints = tags.TAG_HINTS.get(tag, 0)
        css = ""
        hidden = hidden or self.hidden[-1]
        for name, value in element.items():
            if name == "class":
                css = value
                if tag != "body" and tag != "html":
                    hints |= tags.hint_bits(value)
            elif name == "id":
                if tag != "body" and tag != "html":
                    hints |= tags.hint_bits(value)
            elif name == "hidden" or (name == "style" and tags.hides(value)):
                hidden = True
        self.hidden.append(hidden)
        index = len(tree.parent)
        if self.nodes:
            parent = self.nodes[-1]
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
        count = len(tree.blocks)
        tree.first.append(count)
        tree.last.append(count)
        self.nodes.append(index)
        if tag in tags.PREFORMATTED:
            self.pre += 1

    def close_node(self) -> None:
        if self.pieces or self.images:
            self.flush()
        index = self.nodes.pop()
        self.hidden.pop()
        self.tree.last[index] = len(self.tree.blocks)
        if self.pre and self.tree.element[index].tag in tags.PREFORMATTED:
            self.pre -= 1

    def close_anchor(self) -> None:
        anchor = self.anchor
        if anchor is not None:
            self.anchor = None
            self.links.append(Anchor(anchor.get("href") or "", self.text_since(self.anchor_start)))

    def close_weighty(self) -> None:
        element, start = self.weighty_open.pop()
        if text := self.text_since(start):
            self.weighty.append(Emphasis(element.tag, text, emphasis_factor(element)))

    def text_since(self, start: int) -> str:
        """The pieces from ``start`` on as one line of folded text."""
        pieces = self.pieces
        raw = pieces[start] if len(pieces) == start + 1 else "".join(pieces[start:])
        if raw.isprintable() and "  " not in raw:
            return raw.strip(" ")
        return _INVISIBLE.sub("", " ".join(raw.replace(_LINE, " ").split()))

    def add_image(self, element: Any) -> None:
        for name in _IMAGE_SOURCES:
            if (source := element.get(name)) and not source.startswith("data:"):
                self.images.append(source)
                return

    def flush(self) -> None:
        """End the text run: it becomes a leaf of the innermost open container."""
        pieces, links, images, emphases = self.pieces, self.links, self.images, self.weighty
        if (anchor := self.anchor) is not None:
            # A link around several blocks goes on in the next one.
            self.close_anchor()
            self.anchor, self.anchor_start = anchor, 0
        if self.weighty_open:
            self.weighty_open = [(element, 0) for element, _ in self.weighty_open]
        raw = pieces[0] if len(pieces) == 1 else "".join(pieces)
        pieces.clear()
        if raw.isprintable() and "  " not in raw and not self.pre:
            text = raw.strip(" ")
        else:
            text = self.fold(raw)
        if not text and not images and not links:
            emphases.clear()
            return
        tree = self.tree
        node = self.nodes[-1] if self.nodes else 0
        element = tree.element[node] if tree.element else None
        tag = element.tag if element is not None else "body"
        chars = visible_chars(text)
        link_chars = 0
        if links:
            self.links = []
            for link in links:
                link_chars += visible_chars(link.text)
            link_chars = min(link_chars, chars)
        if images:
            self.images = []
        if text and (factor := TAG_FACTORS.get(tag)):
            emphases.append(Emphasis(tag, text, factor))
        if emphases:
            self.weighty = []
        hidden = self.hidden[-1]
        # In the order of the fields; names would take half as long again on the road of every block of every page.
        block = Block(
            len(tree.blocks), element, tag, text, chars, link_chars, links or [], images or [], emphases or [], 1.0, "topic",
            False, "", node, hidden,
        )  # fmt: skip
        tree.blocks.append(block)

    def fold(self, raw: str) -> str:
        """White space folded within lines, except in preformatted text; invisible characters removed."""
        if self.pre:
            text = "" if raw.isspace() else raw.replace("\r\n", "\n").replace(_LINE, "\n").strip("\r\n")
        elif _LINE in raw:
            text = "\n".join(line for part in raw.split(_LINE) if (line := " ".join(part.split())))
        else:
            text = " ".join(raw.split())
        return text if text.isprintable() else _INVISIBLE.sub("", text)


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
