"""The figures of a page's blocks, each as one array over all blocks."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

import numpy as np

from webprep_spider.page.phrases import WORDS

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from webprep_spider.page.tree import TagTree

CJK, STOP, COMMA, DIGIT, FUNCTION, UPPER, SPACE, BAR, IN_TITLE = range(9)
"""Rows of ``Measures.classes``: characters of these kinds in each block; the last one counts pairs of characters that
stand in the title too."""

TAG_GROUPS: Final = (
    "p", "h1", "h2 h3", "h4 h5 h6", "li", "td th", "div", "pre listing", "dd dt", "section article main",
    "blockquote", "body",
    "button label legend",
)  # fmt: skip
_TAG_INDEX = {tag: i for i, group in enumerate(TAG_GROUPS) for tag in group.split()}
_OTHER_TAG = len(TAG_GROUPS)
_SHORT = 80  # characters; longer blocks are not searched for phrases
_PAIRS = 0x10000


def _character_classes() -> NDArray[np.uint8]:
    table = np.zeros(0x10000, np.uint8)
    for low, high in ((0x3040, 0x30FF), (0x3400, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF)):
        table[low : high + 1] |= 1 << CJK
    for characters, row in (
        ("。！？.!?…；;", STOP),
        ('，、,：:“”"「」《》（）()', COMMA),
        ("0123456789", DIGIT),
        ("的了是在和有不这我他也就着中一地得与而为", FUNCTION),
        ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", UPPER),
        (" \n\t", SPACE),
        ("|>»›/·•-—_[]【】", BAR),
    ):
        table[[ord(c) for c in characters]] |= 1 << row
    return table


_CLASSES = _character_classes()
_ROWS = np.arange(8, dtype=np.uint8)[:, None]


class Measures:
    """The figures of one page's blocks as arrays, one entry a block. A token is a CJK character or a word. ``shape`` is
    that of a block's container: equal in containers of the same tags and classes.

    ``parent``, ``first``, ``last``, ``shapes``, ``hints`` and ``all_hints`` are those of the tree, one entry a node.
    ``pairs`` has a number for each pair of neighbouring characters of all texts in a row, a separator after each text;
    a block's own begin at ``starts``.
    """

    __slots__ = (
        "all_hints", "chars", "classes", "first", "hidden", "hints", "image_count", "last", "link_count", "link_share",
        "link_tokens", "node", "order", "pairs", "parent", "phrases", "shape", "shapes", "starts", "tags",
        "title_pairs", "tokens", "total", "tree", "weight",
    )  # fmt: skip

    def __init__(self, tree: TagTree, title: str) -> None:
        blocks = tree.blocks
        count = len(blocks)
        self.tree = tree
        self.order = np.arange(count)
        texts: list[str] = []
        rest: list[float] = []
        for block in blocks:
            texts.append(block.text)
            rest += (block.chars, block.link_chars, len(block.links), len(block.images), block.node, block.hidden,
                     _TAG_INDEX.get(block.tag, _OTHER_TAG), block.weight)  # fmt: skip
        # Numbers of nodes are exact only below 2^53.
        table = np.fromiter(rest, np.float64, len(rest)).reshape(count, -1).T
        self.node, self.tags = table[4].astype(np.int64), table[6].astype(np.int64)
        table = table.astype(np.float32)
        self.chars = table[0]
        self.link_count, self.image_count = table[2], table[3]
        self.hidden, self.weight = table[5], table[7]
        self.parent = np.maximum(np.fromiter(tree.parent, np.int64, len(tree.parent)), 0)
        self.first, self.last, self.shapes, self.hints, self.all_hints = np.array(
            [tree.first, tree.last, tree.shape, tree.hints, tree.all_hints]
        )
        self.shape = self.shapes[self.node]
        points = _points("\x00".join([*texts, ""]))
        self.pairs = _pairs(points)
        self.starts = np.zeros(count, np.int64)
        np.cumsum(np.fromiter(map(len, texts[:-1]), np.int64, count - 1) + 1, out=self.starts[1:])
        self.classes, self.title_pairs = self._count_characters(points, title)
        cjk = self.classes[CJK]
        self.tokens = cjk + np.where(self.chars > cjk, self.classes[SPACE] + 1, np.float32(0))
        self.link_share = table[1] / np.maximum(self.chars, 1)
        self.link_tokens = self.tokens * self.link_share
        self.phrases = find_phrases(texts)
        self.total = float(self.tokens.sum())

    def blocks_in(self, nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which blocks are in one of the containers ``nodes``."""
        depth = np.zeros(len(self.order) + 1, np.int64)
        np.add.at(depth, self.first[nodes], 1)
        np.add.at(depth, self.last[nodes], -1)
        inside: NDArray[np.bool_] = np.cumsum(depth)[:-1] > 0
        return inside

    def _count_characters(self, points: NDArray[np.uint16], title: str) -> tuple[NDArray[np.float32], int]:
        """Characters of each class in each text (classes x texts), and the number of pairs in the title."""
        known = known_pairs(title)
        bits = (_CLASSES[points][None, :] >> _ROWS) & 1
        bits = np.concatenate([bits, known[self.pairs][None, :]])
        # Each text is followed by a separator, so no segment is empty, which reduceat could not express.
        counts = np.add.reduceat(bits, self.starts, axis=1, dtype=np.int32)
        return counts.astype(np.float32), int(known.sum())


def _points(text: str) -> NDArray[np.uint16]:
    """Code points; those beyond the basic plane by their last 16 bits, which no figure depends on."""
    return np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32).astype(np.uint16)


def known_pairs(text: str, *, ends: bool = True) -> NDArray[np.uint8]:
    """1 at the number of each pair of characters in ``text``, 0 elsewhere. A text that ``ends`` has its last character
    and nothing as a pair too, so that a block that ends with it has that one in common."""
    known = np.zeros(_PAIRS, np.uint8)
    known[_pairs(_points(text))[: None if ends else -1]] = 1
    return known


def _pairs(points: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """A number for each character and the one after it."""
    pairs = points * np.uint16(31)
    pairs[:-1] += points[1:]
    return pairs


def find_phrases(texts: list[str]) -> NDArray[Any]:
    """For each short text the bits of :data:`webprep_spider.page.phrases.PHRASES` that it holds."""
    found = [0] * len(texts)
    short = [i for i, text in enumerate(texts) if 0 < len(text) <= _SHORT]
    starts, place = [], 0
    for i in short:
        starts.append(place)
        place += len(texts[i]) + 1
    # Lower case may be longer than the text it is made of, for a few letters; then places would be off.
    joined = "\x00".join([texts[i] for i in short])
    lowered = joined.lower()
    if len(lowered) != len(joined):
        lowered = joined
    for word, bit in WORDS:
        at = lowered.find(word)
        while at >= 0:
            found[short[bisect_right(starts, at) - 1]] |= bit
            at = lowered.find(word, at + len(word))
    return np.array(found, np.int64)
