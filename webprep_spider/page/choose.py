"""Which blocks are the body: first a subtree, then blocks inside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webprep_spider.page import measures as kinds
from webprep_spider.page.phrases import PHRASE_NAMES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webprep_spider.page.measures import Measures
    from webprep_spider.rules import Rules


_NEIGHBOUR = 1 << PHRASE_NAMES.index("neighbour")
_PARAGRAPH = 20  # tokens
_LEAST = 0.05  # chance of a paragraph between two of the body
_COPYRIGHT = 1 << PHRASE_NAMES.index("copyright")


@dataclass(frozen=True, slots=True)
class Choice:
    """The container that holds the body and which blocks of the page, in it or not, belong to the body."""

    node: int
    kept: NDArray[np.bool_]
    barred: NDArray[np.bool_]
    """Blocks that name themselves pagers or copyright lines; neither body nor caption."""


def choose(measures: Measures, chance: NDArray[np.float32], rules: Rules) -> Choice:
    """Choose the body from each block's chance of belonging to it.

    The bound is the chance down to which blocks must be taken for the best expected F1 on this page; on pages unlike
    all others no chance is high. The subtree with the largest sum of (chance - bound) x tokens holds the body. Inside
    it blocks stay from a little below the bound on, outside it from above it on.
    """
    tree, tokens = measures.tree, measures.tokens
    bound = min(rules.body_bound, best_bound(tokens, chance))
    sums = np.concatenate([[0.0], np.cumsum((chance - bound) * tokens)])
    first, last = np.array(tree.first), np.array(tree.last)
    worth = sums[last] - sums[first]
    # Of equal subtrees the innermost, which has the largest number.
    node = int(len(worth) - 1 - np.argmax(worth[::-1]))
    inside = (measures.order >= first[node]) & (measures.order < last[node])
    kept = chance >= bound * np.where(inside, rules.body_inside, rules.body_outside)
    pager = (measures.phrases & _NEIGHBOUR > 0) & (measures.link_share > rules.link_share)
    legal = (measures.phrases & _COPYRIGHT > 0) & (chance < 0.8)
    barred = pager | legal
    kept = kept & (tokens > 0) & ~barred
    return Choice(node, kept | (_between(measures, kept) & (chance >= _LEAST) & ~barred), barred)


def _between(measures: Measures, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Paragraphs of running text without links that stand between two paragraphs of the body: with text on both sides
    a body seldom stops and goes on."""
    between = np.zeros(len(kept), bool)
    full = np.flatnonzero(measures.tokens > 0)
    long = kept[full] & (measures.tokens[full] >= _PARAGRAPH)
    between[full[1:-1]] = long[:-2] & long[2:]
    plain = (measures.link_count == 0) & (measures.phrases == 0) & (measures.hidden == 0)
    running = (measures.classes[kinds.STOP] > 0) & (measures.tokens >= _PARAGRAPH)
    return np.asarray(between & plain & running)


def best_bound(tokens: NDArray[np.float32], chance: NDArray[np.float32]) -> float:
    """The chance down to which blocks must be taken for the largest expected F1: 2 x tokens of the body that are taken
    / (tokens taken + tokens of the body), where the body's tokens are expected from the chances."""
    falling = np.argsort(-chance)
    hits = np.cumsum((chance * tokens)[falling])
    taken = np.cumsum(tokens[falling])
    best = int(np.argmax(2 * hits / (taken + hits[-1] + 1e-9)))
    return float(max(chance[falling[best]], 0.02))
