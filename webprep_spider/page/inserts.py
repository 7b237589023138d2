"""Tables and listings that the text of an article runs around."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from webprep_spider.page import measures as kinds
from webprep_spider.page.choose import Choice
from webprep_spider.page.tags import HINT_NAMES, PREFORMATTED

if TYPE_CHECKING:
    from webprep_spider.page.measures import Measures
    from webprep_spider.page.tree import Block, TagTree

_PARAGRAPH = 20  # tokens
_SEVERAL = 4  # cells; fewer are layout
_INSERTS = frozenset(("table", "pre", "listing", "xmp"))
_FOREIGN = sum(
    1 << HINT_NAMES.index(name)
    for name in ("nav", "side", "foot", "comment", "related", "advert", "share", "form", "pager")
)


def with_inserts(m: Measures, choice: Choice) -> Choice:
    """The choice with tables and listings that stand right between two paragraphs of the body in the container
    of both, and neither name themselves something else nor speak of other parts of the page."""
    tree, kept = m.tree, choice.kept.copy()
    long = kept & (m.tokens >= _PARAGRAPH) & (m.classes[kinds.STOP] > 0)
    full = np.flatnonzero((m.tokens > 0) & (m.hidden == 0))
    parent = [tree.parent[node] for node in m.node[full].tolist()]
    paragraphs = np.flatnonzero(long[full]).tolist()
    for here, there in pairwise(paragraphs):
        if there == here + 1 or parent[here] != parent[there]:
            continue
        for place in range(here + 1, there):
            node = _insert_at(tree, int(full[place]), parent[here])
            inside = full[place:there][full[place:there] < tree.last[node]] if node >= 0 else full[:0]
            if len(inside) and not choice.barred[inside].any() and _is_text(m, inside.tolist()):
                kept[[i for i in inside.tolist() if not _numbers_lines(tree.blocks[i])]] = True
            elif not kept[full[place]]:
                break
    return Choice(choice.node, kept, choice.barred)


def _is_text(m: Measures, numbers: list[int]) -> bool:
    """Whether blocks are a listing, or else several, no table of contents, and speak of no other parts of the page."""
    blocks = [m.tree.blocks[i] for i in numbers]
    if any(block.tag in PREFORMATTED for block in blocks):
        return True
    links = [link for block in blocks for link in block.links]
    contents = links and all(link.href.startswith("#") for link in links)
    return len(blocks) >= _SEVERAL and not contents and not m.phrases[numbers].any()


def _numbers_lines(block: Block) -> bool:
    return block.tag in PREFORMATTED and "".join(block.text.split()).isdigit()


def _insert_at(tree: TagTree, block: int, around: int) -> int:
    """The table or listing in the container ``around`` that begins with a block; -1 where none does."""
    node, found = tree.blocks[block].node, -1
    while node > around:
        if tree.hints[node] & _FOREIGN:
            return -1
        if tree.tag[node] in _INSERTS:
            found = node
        node = tree.parent[node]
    return found if node == around and found >= 0 and tree.first[found] == block else -1
