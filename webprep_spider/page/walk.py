"""One pass over a parsed page that builds its tag tree (S4.T)."""

from __future__ import annotations

import time
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from webprep_spider.page import tags
from webprep_spider.page.text import LINE, fold, one_line, visible_chars
from webprep_spider.page.tree import Anchor, Block, Emphasis, TagTree
from webprep_spider.rules import DEFAULT_RULES, Rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_IMAGE_SOURCES = (
    "data-src", "data-original", "data-lazy-src", "data-actualsrc", "data-lazyload", "data-lazy", "data-echo",
    "data-url", "original", "zoomfile", "file", "src", "lazy-src", "_src", "ng-src",
)  # fmt: skip
_IMAGE_SETS = ("data-srcset", "srcset")
_DOTS = frozenset(("0", "1", "2", "0px", "1px", "2px"))
"""Width and height of a picture that counts readers or keeps a place."""
_BATCH = 1023
_MARK = 40  # characters

# What is to be done when an element on the path ends.
_NOTHING, _NODE, _LINK, _WEIGHTY, _SKIPPED, _INSIDE_SKIPPED = range(6)


def build_tree(root: Any, rules: Rules = DEFAULT_RULES) -> TagTree:
    """The tag tree of a parsed page, in one pass that does not change it and needs no recursion.

    Flagged ``node_budget`` or ``time_budget`` where the walk ended early; what was seen till then is in the tree.
    """
    walk = _Walk()
    walk.run(root, rules)
    return walk.tree


def _elements(root: Any, rules: Rules, flags: list[str]) -> Iterator[Any]:
    """The elements of a document in order as far as the budgets go, then None. libxml2 puts what follows ``</html>``
    beside the root element."""
    roots = [root]
    if root.getparent() is None:
        roots += [sibling for sibling in root.itersiblings() if isinstance(sibling.tag, str)]
    elements = chain.from_iterable(each.iter() for each in roots)
    return chain.from_iterable(_batches(elements, rules, flags))


def _batches(elements: Iterator[Any], rules: Rules, flags: list[str]) -> Iterator[Iterable[Any]]:
    """The clock is read once a batch. An element is let go before the next one: to hold them all costs more."""
    deadline = time.thread_time() + rules.max_seconds
    left = rules.max_nodes
    while (first := next(elements, None)) is not None:
        if left < 0 or time.thread_time() > deadline:
            flags.append("node_budget" if left < 0 else "time_budget")
            break
        yield (first,)
        yield islice(elements, _BATCH - 1)
        left -= _BATCH
    yield (None,)


class _Walk:
    """The state of one walk: what stands in the text run that grows in the innermost container."""

    __slots__ = ("anchor", "anchor_start", "images", "links", "pieces", "tree", "weighty", "weighty_open")

    def __init__(self) -> None:
        self.tree = TagTree()
        self.pieces: list[str] = []
        self.links: list[Anchor] = []
        self.images: list[str] = []
        self.weighty: list[Emphasis] = []
        self.weighty_open: list[tuple[Any, int]] = []
        self.anchor: Any = None
        self.anchor_start = 0

    def run(self, root: Any, rules: Rules) -> None:
        # Each name looked up here is looked up once an element otherwise, on the road of every page.
        role_of, tag_hint, hint_bits, hides = tags.ROLES.get, tags.TAG_HINTS.get, tags.hint_bits, tags.hides
        block, skip, weighty, shadow = tags.BLOCK, tags.SKIP, tags.WEIGHTY, tags.SHADOW
        tree, pieces, blocks = self.tree, self.pieces, self.tree.blocks
        rows: list[tuple[int, Any, int, int, int, bool, int, int, str]] = []
        lasts = tree.last
        known_shapes: dict[tuple[int, str, str], int] = {}
        path: list[Any] = []
        endings: list[int] = []
        outside = top = root.getparent()
        ending = _NOTHING
        node = -1
        pre = 0
        for element in _elements(root, rules, tree.flags):
            parent = element.getparent() if element is not None else outside
            while top is not parent:
                # ``top`` has ended; what follows it stands in its parent.
                if ending == _NODE:
                    if pieces or self.images:
                        self.flush(node, rows[node], pre)
                    lasts[node] = len(blocks)
                    node = rows[node][0]
                    if pre and top.tag in tags.PREFORMATTED:
                        pre -= 1
                elif ending == _LINK:
                    self.close_anchor()
                elif ending == _WEIGHTY:
                    self.close_weighty()
                text = top.tail if ending != _INSIDE_SKIPPED else None
                top = path.pop()
                if text and (pieces or pre or not text.isspace()) and top is not outside:
                    pieces.append(text)
                ending = endings.pop()
            if element is None:
                break
            if ending >= _SKIPPED:
                path.append(top)
                endings.append(ending)
                top, ending = element, _INSIDE_SKIPPED
                continue
            tag = element.tag
            role = role_of(tag)
            hide = role == shadow
            if (role is None or role == weighty) and (style := element.get("style")) is not None:
                # An inline element that is not shown makes a node of its own, so that its text is told apart.
                hide = hides(style)
                if hide and pieces and not len(element) and len(element.text or "") <= _MARK:
                    # A mark against copying: text is all around it.
                    if text := element.tail:
                        pieces.append(text)
                    continue
            if not (role == block or hide or len(element) or top is outside):
                # Most elements that are no containers hold no others: what they are is known here and now.
                if role is not None:
                    if role != skip:
                        self.leaf(role, element, pre)
                elif (text := element.text) and (pieces or pre or not text.isspace()):
                    pieces.append(text)
                if (text := element.tail) and (pieces or pre or not text.isspace()):
                    pieces.append(text)
                continue
            path.append(top)
            endings.append(ending)
            top = element
            if role == block or hide:
                ending = _NODE
                if node >= 0 and (pieces or self.images):
                    self.flush(node, rows[node], pre)
                css, hint = "", tag_hint(tag, 0)
                named = tag != "body" and tag != "html"
                for name, value in element.items():
                    if name == "class":
                        css = value
                        if named:
                            hint |= hint_bits(value)
                    elif name == "id":
                        if named:
                            hint |= hint_bits(value)
                    elif name == "hidden" or (name == "style" and hides(value)):
                        hide = True
                shape, all_hint, depth = -1, hint, 0
                if node >= 0:
                    _, _, _, all_hint, depth, hidden, shape, _, _ = rows[node]
                    all_hint |= hint
                    depth += 1
                    hide = hide or hidden
                shape = known_shapes.setdefault((shape, tag, css), len(known_shapes))
                rows.append((node, element, hint, all_hint, depth, hide, shape, len(blocks), tag))
                lasts.append(0)
                node = len(rows) - 1
                if tag in tags.PREFORMATTED:
                    pre += 1
            elif role is None:
                ending = _NOTHING
            elif role == skip:
                ending = _SKIPPED
                continue
            else:
                ending = self.enter(role, element)
            if (text := element.text) and (pieces or pre or not text.isspace()):
                pieces.append(text)
        if rows:
            columns = map(list, zip(*rows, strict=True))
            (tree.parent, tree.element, tree.hints, tree.all_hints, tree.depth, tree.hidden, tree.shape, tree.first,
             tree.tag) = columns  # fmt: skip

    def leaf(self, role: int, element: Any, pre: int) -> None:
        """A link, line break, picture or weighty element without others in it."""
        pieces = self.pieces
        if role == tags.LINK:
            self.close_anchor()
        elif role == tags.BREAK:
            pieces.append(LINE)
        elif role == tags.IMAGE:
            self.add_image(element)
        start = len(pieces)
        if (text := element.text) and (pieces or pre or not text.isspace()):
            pieces.append(text)
        if role == tags.LINK:
            self.links.append(Anchor(element.get("href") or "", self.text_since(start)))
        elif role == tags.WEIGHTY and len(pieces) > start and (text := self.text_since(start)):
            self.weighty.append(Emphasis(element.tag, text, emphasis_factor(element)))

    def enter(self, role: int, element: Any) -> int:
        """Begin a link, line break, picture or weighty element; says what is to be done at its end."""
        if role == tags.LINK:
            self.close_anchor()
            self.anchor, self.anchor_start = element, len(self.pieces)
            return _LINK
        if role == tags.WEIGHTY:
            self.weighty_open.append((element, len(self.pieces)))
            return _WEIGHTY
        if role == tags.BREAK:
            self.pieces.append(LINE)
        else:
            self.add_image(element)
        return _NOTHING

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
        return one_line(raw.replace(LINE, " "))

    def add_image(self, element: Any) -> None:
        if element.get("width") in _DOTS and element.get("height") in _DOTS and element.tag == "img":
            return
        for name in _IMAGE_SOURCES:
            if (source := element.get(name)) and not source.startswith("data:"):
                self.images.append(source)
                return
        for name in _IMAGE_SETS:  # the last one is the largest, by custom
            if last := (element.get(name) or "").rpartition(", ")[2].split():
                self.images.append(last[0])
                return

    def flush(self, node: int, row: tuple[Any, ...], pre: int) -> None:
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
        plain = not pre and "  " not in raw and raw.isprintable()
        text = raw.strip(" ") if plain else fold(raw, preformatted=pre > 0)
        if not text and not images and not links:
            emphases.clear()
            return
        tree = self.tree
        element = row[1]
        tag = element.tag
        chars = visible_chars(text)
        link_chars = 0
        if links:
            self.links = []
            for link in links:
                linked = link.text
                link_chars += len(linked) - linked.count(" ")
            if link_chars > chars:
                link_chars = chars
        if images:
            self.images = []
        if text and (factor := TAG_FACTORS.get(tag)):
            emphases.append(Emphasis(tag, text, factor))
        if emphases:
            self.weighty = []
        # In the order of the fields; names would take half as long again on the road of every block of every page.
        block = Block(
            len(tree.blocks), element, tag, text, chars, link_chars, links or (), images or (), emphases or (), 1.0,
            "topic",
            False, "", node, row[5],
        )  # fmt: skip
        tree.blocks.append(block)


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
