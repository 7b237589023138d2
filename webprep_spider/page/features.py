"""What the body model sees of each block: the block, its neighbours, its containers, its template and its page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from webprep_spider.page import measures as kinds
from webprep_spider.page.described import DESCRIBED, fill_described
from webprep_spider.page.measures import TAG_GROUPS, Measures
from webprep_spider.page.phrases import PHRASE_NAMES
from webprep_spider.page.tags import HINT_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_HINT_BITS = np.arange(len(HINT_NAMES))[:, None]
_PHRASE_BITS = np.arange(len(PHRASE_NAMES))[:, None]
_TAGS = np.arange(len(TAG_GROUPS))[:, None]
_MARKS = ("related", "comment", "disclaimer")
_STEPS_UP = 4
_WIDTH = 5


def block_features(measures: Measures, description: str = "") -> Floats:
    """One row a block, columns as in ``FEATURES``; ``description`` is what the page's head says that it is about."""
    out = np.empty((len(FEATURES), len(measures.order)), np.float32)
    place = 0
    for names, fill in _GROUPS:
        fill(measures, out[place : place + len(names)])
        place += len(names)
    fill_described(measures, description, out[place:])
    return out.T


_OWN = (
    "tokens", "link_share", "links", "stops", "commas", "digits", "functions", "uppers", "bars", "cjk_share",
    "images", "emphases",
    "weight", "hidden", "place", "tokens_before", "after_h1", "from_h1", "title_share", "in_title", "ends_with_stop",
    "lines",
    "depth", "tokens_after",
)  # fmt: skip
_END = frozenset('。！？.!?…；;”"」）)')


def _own(m: Measures, out: Floats) -> None:
    blocks = m.tree.blocks
    count = len(blocks)
    length = np.maximum(m.tokens, 1)
    np.log1p(m.tokens, out=out[0])
    out[1] = m.link_share
    np.log1p(m.link_count, out=out[2])
    c = m.classes
    np.divide(
        c[[kinds.STOP, kinds.COMMA, kinds.DIGIT, kinds.FUNCTION, kinds.UPPER, kinds.BAR, kinds.CJK]],
        length,
        out=out[3:10],
    )
    np.log1p(m.image_count, out=out[10])
    rows: list[int] = []
    for block in blocks:
        text = block.text
        rows += (len(block.emphases), text[-1:] in _END, text.count("\n"))
    emphases, ends, lines = np.fromiter(rows, np.float32, len(rows)).reshape(count, 3).T
    out[11] = emphases
    np.log(m.weight, out=out[12])
    out[13] = m.hidden
    out[14] = m.order / count
    before = (np.cumsum(m.tokens) - m.tokens) / max(m.total, 1)
    out[15] = before
    headings = np.flatnonzero(m.tags == 1)
    heading = int(headings[-1]) if len(headings) else -1
    out[16] = m.order > heading
    out[17] = np.clip(m.order - heading, -50, 50) / 10 if len(headings) else 0
    pairs = c[kinds.IN_TITLE]
    out[18] = np.minimum(pairs / max(m.title_pairs, 1), 2)
    out[19] = pairs / np.maximum(m.chars, 1)
    out[20] = ends
    np.log1p(lines, out=out[21])
    out[22] = np.array(m.tree.depth, np.float32)[m.node] / 10
    out[23] = 1 - before - m.tokens / max(m.total, 1)


def _tags(m: Measures, out: Floats) -> None:
    out[:] = m.tags == _TAGS


def _hints(m: Measures, out: Floats) -> None:
    hints, parent = m.hints, m.parent
    up = parent[m.node]
    higher = parent[up]
    near = hints[up] | hints[higher] | hints[parent[higher]]
    width = len(HINT_NAMES)
    for i, bits in enumerate((hints[m.node] | hints[up], near, m.all_hints[m.node])):
        out[i * width : (i + 1) * width] = (bits >> _HINT_BITS) & 1


def _phrases(m: Measures, out: Floats) -> None:
    says = (m.phrases >> _PHRASE_BITS) & 1
    out[: len(says)] = says
    short = m.tokens < 15
    for i, name in enumerate(_MARKS, len(says)):
        last = np.maximum.accumulate(np.where((says[PHRASE_NAMES.index(name)] > 0) & short, m.order, -1))
        out[i] = np.where(last < 0, 0, 1 / (1 + m.order - last))


def _containers(m: Measures, out: Floats) -> None:
    parent, first, last = m.parent, m.first, m.last
    sums = np.zeros((3, len(m.order) + 1))
    np.cumsum([m.tokens, m.link_tokens, m.classes[kinds.STOP]], axis=1, out=sums[:, 1:])
    tokens, links, stops = sums[:, last] - sums[:, first]
    held = np.maximum(tokens, 1)
    table = np.stack([
        np.log1p(tokens), tokens / max(m.total, 1), links / held, stops / held,
        np.log1p(tokens / np.maximum(last - first, 1)), np.log1p(np.bincount(parent, minlength=len(parent))),
    ])  # fmt: skip
    up, width = m.node, len(table)
    for i in range(_STEPS_UP):
        up = parent[up]
        out[i * width : (i + 1) * width] = table[:, up]


def _paragraphs(m: Measures, out: Floats) -> None:
    """How many blocks the two containers above hold, how many of them are paragraphs, and where among them the block
    stands."""
    sums = np.concatenate([[0], np.cumsum(m.tags == 0)])
    count, paragraphs = np.maximum(m.last - m.first, 1), sums[m.last] - sums[m.first]
    up = m.node
    for i in (0, 4):
        up = m.parent[up]
        np.log1p(paragraphs[up], out=out[i])
        out[i + 1] = paragraphs[up] / count[up]
        np.log1p(count[up], out=out[i + 2])
        out[i + 3] = (m.order - m.first[up]) / count[up]


_PLACES = (
    "after_title", "from_title", "in_list", "in_table", "under_related", "under_comment", "top_parent", "top_inside",
    "top_above", "top_share",
    "steps_to_title", "steps_to_top", "from_top", "past_top",
)  # fmt: skip
_MOST_STEPS = 8
_LISTS_AND_TABLES = dict.fromkeys(("li", "ul", "ol", "dl", "dd"), 1) | dict.fromkeys(("td", "th", "tr", "table"), 2)
_MOST_HEADS = 40


def _places(m: Measures, out: Floats) -> None:
    """Where the block stands relative to the page's title, to headings of foreign parts, and to the container with the
    most running text."""
    tree = m.tree
    count = len(m.order)
    named = m.classes[kinds.IN_TITLE] / np.maximum(m.chars, 1) * (m.chars > 3) * (m.chars < 120)
    title = int(np.argmax(named * np.minimum(m.chars, 20))) if count else 0
    known = named[title] > 0.5
    out[0] = (m.order > title) if known else 0.5
    out[1] = np.clip(m.order - title, -30, 30) / 10 if known else 0
    parent = m.parent
    up1 = parent[m.node]
    up2 = parent[up1]
    bits = np.array([_LISTS_AND_TABLES.get(tag, 0) for tag in tree.tag])
    bits = bits[m.node] | bits[up1] | bits[up2]
    out[2], out[3] = bits & 1, bits >> 1
    short = (m.tokens < 15) & (m.tokens > 0)
    for row, name in ((4, "related"), (5, "comment")):
        out[row] = 0
        heads = np.flatnonzero((m.phrases >> PHRASE_NAMES.index(name)) & 1 & short)
        for head in heads[:_MOST_HEADS].tolist():
            out[row, head + 1 : tree.last[up1[head]]] = 1
    plain = (m.tokens - m.link_tokens) * (m.classes[kinds.STOP] > 0) * (1 - m.hidden)
    held = np.bincount(up1, plain, len(parent))
    top = int(np.argmax(held))
    above = int(parent[top])
    out[6] = up1 == top
    out[7] = (m.order >= tree.first[top]) & (m.order < tree.last[top])
    out[8] = (m.order >= tree.first[above]) & (m.order < tree.last[above])
    out[9] = held[up1] / max(float(plain.sum()), 1)
    out[10] = _steps_up(m, title, title + 1) if known else _MOST_STEPS / 4
    out[11] = _steps_up(m, int(tree.first[top]), int(tree.last[top]))
    out[12] = np.clip(m.order - tree.first[top], -30, 30) / 10
    out[13] = np.clip(m.order - tree.last[top], -30, 30) / 10


def _steps_up(m: Measures, first: int, last: int) -> Floats:
    """Steps from each block up to the container that holds the blocks ``first`` to ``last`` too, in fours."""
    holds = (m.first <= first) & (m.last >= last)
    steps = np.zeros(len(m.order), np.float32)
    up = m.node
    apart = ~holds[up]
    for _ in range(_MOST_STEPS):
        if not apart.any():
            break
        steps += apart
        up = m.parent[up]
        apart &= ~holds[up]
    steps /= 4
    return steps


def _template(m: Measures, out: Floats) -> None:
    """What the blocks in containers of the same tags and classes hold on average, and how the block differs."""
    shapes, shape = m.shapes, m.shape
    count = np.bincount(shape)
    sums = [np.bincount(shape, values) for values in (m.tokens, m.link_tokens, m.classes[kinds.STOP])]
    held = np.maximum(sums[0], 1)
    out[0] = np.log1p(count)[shape]
    out[1] = np.log1p(sums[0] / np.maximum(count, 1))[shape]
    out[2] = (sums[1] / held)[shape]
    out[3] = (sums[2] / held)[shape]
    out[4] = (sums[0] / max(m.total, 1))[shape]
    out[5] = np.log1p(m.tokens) - out[1]
    running = (m.classes[kinds.STOP] > 0) & (m.link_share < 1) & (m.hidden == 0)
    out[6] = np.log1p(np.bincount(shape, running))[shape]
    out[7] = np.log1p(np.bincount(shapes))[shapes[m.parent[m.node]]]


def _neighbours(m: Measures, out: Floats) -> None:
    parent = m.parent[m.node]
    values = np.stack([np.log1p(m.tokens), m.link_share, m.classes[kinds.STOP] / np.maximum(m.tokens, 1)])
    out[:] = 0
    count = len(m.order)
    for i, step in enumerate((1, 2)):
        if count > step:
            out[4 * i : 4 * i + 3, step:] = values[:, :-step]
            out[8 + 4 * i : 8 + 4 * i + 3, :-step] = values[:, step:]
            same = parent[step:] == parent[:-step]
            out[4 * i + 3, step:] = same
            out[8 + 4 * i + 3, :-step] = same
    sums = np.zeros((3, count + 1))
    np.cumsum([m.tokens, m.link_tokens, m.classes[kinds.STOP]], axis=1, out=sums[:, 1:])
    around = sums[:, np.minimum(m.order + _WIDTH + 1, count)] - sums[:, np.maximum(m.order - _WIDTH, 0)]
    out[16] = np.log1p(around[0])
    out[17:19] = around[1:] / np.maximum(around[0], 1)


def _page(m: Measures, out: Floats) -> None:
    total = max(m.total, 1)
    out[:] = np.array([
        np.log1p(m.total), m.link_tokens.sum() / total, np.log1p(len(m.order)), m.classes[kinds.CJK].sum() / total,
        np.log1p(m.tokens.max()), m.classes[kinds.STOP].sum() / total,
    ])[:, None]  # fmt: skip


_GROUPS: Final[tuple[tuple[tuple[str, ...], Callable[[Measures, Floats], None]], ...]] = (
    (_OWN, _own),
    (tuple(f"tag_{group.split()[0]}" for group in TAG_GROUPS), _tags),
    (tuple(f"{where}_{name}" for where in ("own", "near", "any") for name in HINT_NAMES), _hints),
    (tuple(f"says_{name}" for name in PHRASE_NAMES) + tuple(f"since_{name}" for name in _MARKS), _phrases),
    (
        tuple(
            f"up{i}_{name}"
            for i in range(1, _STEPS_UP + 1)
            for name in ("tokens", "share", "link_share", "stops", "per_block", "children")
        ),
        _containers,
    ),
    (tuple(f"in{i}_{name}" for i in (1, 2) for name in ("paragraphs", "share", "blocks", "place")), _paragraphs),
    (_PLACES, _places),
    (
        tuple(
            f"shape_{name}"
            for name in ("count", "tokens", "link_share", "stops", "share", "excess", "running", "containers")
        ),
        _template,
    ),
    (
        tuple(
            f"{where}_{name}"
            for where in ("prev1", "prev2", "next1", "next2")
            for name in ("tokens", "link_share", "stops", "same_parent")
        )
        + tuple(f"around_{name}" for name in ("tokens", "link_share", "stops")),
        _neighbours,
    ),
    (tuple(f"page_{name}" for name in ("tokens", "link_share", "blocks", "cjk_share", "largest", "stops")), _page),
)
FEATURES: Final = (*(name for names, _ in _GROUPS for name in names), *DESCRIBED)
"""Names of the columns; a model file is refused if it was trained on others."""
