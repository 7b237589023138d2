"""What is measured of each block of a page, all blocks at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from webprep_spider.page.phrases import PHRASE_NAMES, phrase_bits
from webprep_spider.page.tags import HINT_NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webprep_spider.page.tree import TagTree

    Floats = NDArray[np.float32]

_CJK, _STOP, _COMMA, _DIGIT, _FUNCTION, _UPPER, _SPACE, _BAR = (1 << i for i in range(8))
_SHORT = 80  # characters; longer blocks are not searched for phrases


def _character_classes() -> NDArray[np.uint8]:
    table = np.zeros(0x10000, np.uint8)
    for low, high in ((0x3040, 0x30FF), (0x3400, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF)):
        table[low : high + 1] |= _CJK
    for characters, bit in (
        ("。！？.!?…；;", _STOP),
        ('，、,：:“”"「」《》（）()', _COMMA),
        ("0123456789", _DIGIT),
        ("的了是在和有不这我他也就着中一地得与而为", _FUNCTION),
        ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", _UPPER),
        (" \n\t", _SPACE),
        ("|>»›/·•-—_[]【】", _BAR),
    ):
        table[[ord(c) for c in characters]] |= bit
    return table


_CLASSES = _character_classes()
_TAG_GROUPS: Final = ("p", "h1", "h2 h3", "h4 h5 h6", "li", "td th", "div", "pre listing", "dd dt", "section article main", "blockquote", "body", "button label legend")  # fmt: skip
_TAG_INDEX = {tag: i for i, group in enumerate(_TAG_GROUPS) for tag in group.split()}


class Measures:
    """The figures of one page's blocks as arrays, one entry a block."""

    __slots__ = (
        "classes", "depth", "hidden", "image_count", "images", "link_count", "link_share", "link_tokens", "node", "phrases",
        "stops", "tags", "tokens", "total", "tree",
    )  # fmt: skip

    def __init__(self, tree: TagTree) -> None:
        blocks = tree.blocks
        self.tree = tree
        count = len(blocks)
        texts = [block.text for block in blocks]
        points = np.frombuffer("\x00".join([*texts, ""]).encode("utf-32-le", "replace"), np.uint32)
        kinds = np.where(points < 0x10000, _CLASSES[np.minimum(points, 0xFFFF)], 0)
        starts = np.zeros(count, np.int64)
        lengths = np.fromiter(map(len, texts), np.int64, count)
        np.cumsum(lengths[:-1] + 1, out=starts[1:])
        bits = np.unpackbits(kinds[:, None], axis=1, bitorder="little")
        # The separator keeps empty blocks from being empty segments, which reduceat cannot express.
        self.classes = np.add.reduceat(bits, starts, axis=0, dtype=np.int64).astype(np.float32)
        chars = np.fromiter((block.chars for block in blocks), np.float32, count)
        link_chars = np.fromiter((block.link_chars for block in blocks), np.float32, count)
        cjk, spaces = self.classes[:, 0], self.classes[:, 6]
        self.tokens = cjk + np.where(chars > cjk, spaces + 1, 0)
        self.link_share = link_chars / np.maximum(chars, 1)
        self.link_tokens = self.tokens * self.link_share
        self.link_count = np.fromiter((len(block.links) for block in blocks), np.float32, count)
        self.image_count = np.fromiter((len(block.images) for block in blocks), np.float32, count)
        self.stops = self.classes[:, 1]
        self.node = np.fromiter((block.node for block in blocks), np.int64, count)
        self.hidden = np.fromiter((block.hidden for block in blocks), bool, count)
        self.tags = np.fromiter((_TAG_INDEX.get(block.tag, len(_TAG_GROUPS)) for block in blocks), np.int64, count)
        self.phrases = np.fromiter(
            (phrase_bits(text) if 0 < len(text) <= _SHORT else 0 for text in texts), np.int64, count
        )
        self.depth = np.asarray(tree.depth, np.float32)[self.node]
        self.total = float(self.tokens.sum())


def _names() -> tuple[str, ...]:
    shapes = [
        "tokens",
        "link_share",
        "links",
        "stops",
        "commas",
        "digits",
        "functions",
        "uppers",
        "bars",
        "cjk_share",
        "images",
        "emphases",
        "weight",
        "hidden",
    ]
    shapes += [
        "depth",
        "place",
        "tokens_before",
        "after_h1",
        "from_h1",
        "title_share",
        "in_title",
        "ends_with_stop",
        "lines",
    ]
    shapes += [f"tag_{group.split()[0]}" for group in _TAG_GROUPS]
    shapes += (
        [f"own_{name}" for name in HINT_NAMES]
        + [f"near_{name}" for name in HINT_NAMES]
        + [f"any_{name}" for name in HINT_NAMES]
    )
    shapes += [f"says_{name}" for name in PHRASE_NAMES] + [
        f"since_{name}" for name in ("related", "comment", "disclaimer")
    ]
    for step in ("up1", "up2", "up3", "up4"):
        shapes += [f"{step}_{name}" for name in ("tokens", "share", "link_share", "stops", "per_block", "children")]
    shapes += [f"shape_{name}" for name in ("count", "tokens", "link_share", "stops")]
    for step in ("prev1", "prev2", "next1", "next2"):
        shapes += [f"{step}_{name}" for name in ("tokens", "link_share", "stops", "same_parent")]
    shapes += [f"around_{name}" for name in ("tokens", "link_share", "stops")]
    shapes += [f"page_{name}" for name in ("tokens", "link_share", "blocks", "cjk_share", "largest", "stops")]
    return tuple(shapes)


FEATURES: Final = _names()


def block_features(measures: Measures, title: str) -> Floats:
    """One row a block, columns as in ``FEATURES``."""
    m, tree = measures, measures.tree
    count = len(tree.blocks)
    log_tokens = np.log1p(m.tokens)
    length = np.maximum(m.tokens, 1)
    density = m.classes / length[:, None]
    order = np.arange(count)
    columns: list[Floats] = [
        log_tokens,
        m.link_share,
        np.log1p(m.link_count),
        density[:, 1],
        density[:, 2],
        density[:, 3],
        density[:, 4],
        density[:, 5],
        density[:, 7],
        m.classes[:, 0] / length,
        np.log1p(m.image_count),
    ]
    blocks = tree.blocks
    columns.append(np.fromiter((len(block.emphases) for block in blocks), np.float32, count))
    columns += [np.log(np.fromiter((block.weight for block in blocks), np.float32, count)), m.hidden]
    before = np.cumsum(m.tokens) - m.tokens
    h1 = np.flatnonzero(m.tags == 1)
    first_h1 = h1[-1] if len(h1) else -1
    columns += [
        m.depth,
        order / count,
        before / max(m.total, 1),
        order > first_h1,
        np.clip(order - first_h1, -50, 50) if len(h1) else np.zeros(count),
    ]
    columns += list(_title_columns([block.text for block in blocks], title))
    columns.append(np.fromiter((block.text[-1:] in _END and block.text != "" for block in blocks), bool, count))
    columns.append(np.log1p(np.fromiter((block.text.count("\n") for block in blocks), np.float32, count)))
    columns += [m.tags == i for i in range(len(_TAG_GROUPS))]
    parent = np.asarray(tree.parent, np.int64)
    up = [m.node]
    for _ in range(4):
        up.append(np.maximum(parent[up[-1]], 0))
    hints = np.asarray(tree.hints, np.int64)
    own, near = hints[up[0]] | hints[up[1]], hints[up[1]] | hints[up[2]] | hints[up[3]]
    for bits in (own, near, np.asarray(tree.all_hints, np.int64)[m.node]):
        columns += [(bits >> i) & 1 for i in range(len(HINT_NAMES))]
    columns += [(m.phrases >> i) & 1 for i in range(len(PHRASE_NAMES))]
    for name in ("related", "comment", "disclaimer"):
        heads = ((m.phrases >> PHRASE_NAMES.index(name)) & 1 > 0) & (m.tokens < 15)
        last = np.maximum.accumulate(np.where(heads, order, -1))
        columns.append(np.where(last < 0, 0, 1 / (1 + order - last)))
    columns += _ancestor_columns(m, up[1:])
    columns += _shape_columns(m)
    columns += _neighbour_columns(m, up[1], log_tokens, density[:, 1])
    ones = np.ones(count, np.float32)
    total = max(m.total, 1.0)
    columns += [
        ones * value
        for value in (
            np.log1p(m.total),
            m.link_tokens.sum() / total,
            np.log1p(count),
            m.classes[:, 0].sum() / total,
            np.log1p(m.tokens.max(initial=0)),
            m.stops.sum() / total,
        )
    ]
    return np.stack([np.asarray(column, np.float32) for column in columns], axis=1)


_END = frozenset('。！？.!?…；;”"」）)')


def _title_columns(texts: Sequence[str], title: str) -> tuple[Floats, Floats]:
    """How much of the block's characters or words is in the title, and whether the block stands in the title."""
    words = set(title) if any(c > "\u2e80" for c in title) else set(title.lower().split())
    words -= set(" \n的-_|—")
    folded = "".join(title.split())
    share, inside = np.zeros(len(texts), np.float32), np.zeros(len(texts), np.float32)
    if not words:
        return share, inside
    by_character = any(c > "\u2e80" for c in title)
    for i, text in enumerate(texts):
        if text:
            head = text[:200]
            share[i] = len(words & (set(head) if by_character else set(head.lower().split()))) / len(words)
            if 3 < len(text) < 150 and "".join(text.split()) in folded:
                inside[i] = 1
    return share, inside


def _ancestor_columns(m: Measures, ups: Sequence[NDArray[np.int64]]) -> list[Floats]:
    """What stands in the containers around the block's own one."""
    tree = m.tree
    first, last = np.asarray(tree.first, np.int64), np.asarray(tree.last, np.int64)
    tokens, links, stops = (np.concatenate([[0], np.cumsum(values)]) for values in (m.tokens, m.link_tokens, m.stops))
    children = np.bincount(np.maximum(np.asarray(tree.parent, np.int64), 0), minlength=len(tree.parent))
    columns: list[Floats] = []
    for up in ups:
        low, high = first[up], last[up]
        inside = tokens[high] - tokens[low]
        columns += [
            np.log1p(inside),
            inside / max(m.total, 1),
            (links[high] - links[low]) / np.maximum(inside, 1),
            (stops[high] - stops[low]) / np.maximum(inside, 1),
            np.log1p(inside / np.maximum(high - low, 1)),
            np.log1p(children[up]),
        ]
    return columns


def _shape_columns(m: Measures) -> list[Floats]:
    """What the blocks of the same template hold on average."""
    shape = np.asarray(m.tree.shape, np.int64)[m.node]
    _, group = np.unique(shape, return_inverse=True)
    counts = np.bincount(group)
    tokens, links, stops = (np.bincount(group, values) for values in (m.tokens, m.link_tokens, m.stops))
    held = np.maximum(tokens, 1)
    return [np.log1p(counts[group]), np.log1p((tokens / counts)[group]), (links / held)[group], (stops / held)[group]]


def _neighbour_columns(m: Measures, parent: NDArray[np.int64], log_tokens: Floats, stops: Floats) -> list[Floats]:
    columns: list[Floats] = []
    for step in (1, 2, -1, -2):
        columns += [
            _shifted(log_tokens, step),
            _shifted(m.link_share, step),
            _shifted(stops, step),
            _shifted(parent, step) == parent,
        ]
    width = 5
    for values in (m.tokens, m.link_tokens, m.stops):
        columns.append(np.convolve(values, np.ones(2 * width + 1), "full")[width : width + len(values)])
    tokens = np.maximum(columns[-3], 1)
    columns[-3:] = [np.log1p(columns[-3]), columns[-2] / tokens, columns[-1] / tokens]
    return columns


def _shifted(values: NDArray[np.generic], step: int) -> NDArray[np.generic]:
    """Values of the block ``step`` places before; zero beyond the ends."""
    moved = np.zeros_like(values)
    if step > 0:
        moved[step:] = values[:-step]
    else:
        moved[:step] = values[-step:]
    return moved
