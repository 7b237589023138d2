"""Which blocks are the body: first a subtree, then blocks inside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webprep_spider.page.features import Measures
    from webprep_spider.rules import Rules


@dataclass(frozen=True, slots=True)
class Choice:
    """The container that holds the body and which blocks of the page, in it or not, belong to the body."""

    node: int
    kept: NDArray[np.bool_]


def choose(measures: Measures, chance: NDArray[np.float32], rules: Rules) -> Choice:
    """Choose the body from each block's chance of belonging to it.

    The subtree with the largest sum of (chance - ``rules.body_subtree``) x tokens holds the body. Inside it blocks stay
    down to the low bound ``rules.body_inside``, outside it only those above ``rules.body_outside``.
    """
    tree = measures.tree
    gain = np.concatenate([[0.0], np.cumsum((chance - rules.body_subtree) * measures.tokens)])
    first, last = np.asarray(tree.first), np.asarray(tree.last)
    worth = gain[last] - gain[first]
    # Of equal subtrees the innermost, which has the largest number.
    node = int(len(worth) - 1 - np.argmax(worth[::-1])) if len(worth) else 0
    order = np.arange(len(chance))
    inside = (order >= first[node]) & (order < last[node])
    kept = np.where(inside, chance >= rules.body_inside, chance >= rules.body_outside)
    return Choice(node, kept & (measures.tokens > 0))
