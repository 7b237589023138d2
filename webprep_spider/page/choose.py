"""Which blocks are the body: first a subtree, then blocks inside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webprep_spider.page import measures as kinds
from webprep_spider.page.evidence import signed
from webprep_spider.page.phrases import PHRASE_NAMES, says_notice, says_profile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webprep_spider.page.measures import Measures
    from webprep_spider.rules import Rules


_NEIGHBOUR = 1 << PHRASE_NAMES.index("neighbour")
_PARAGRAPH = 20  # tokens
_LEAST_BETWEEN = 0.05  # chance of a paragraph between two of the body
_LEAST_BEFORE = 0.15  # the same before the first one
_TITLE_REACH = 2  # blocks after the title among which the first paragraph is looked for
_SURE = 0.8  # chance from which on a notice is taken for text about notices
_LINKED = 0.8  # share of link text in a block that is nothing but links
_DOUBT = 0.3  # bound below which a page holds no text that stands out from its links
_NAMED = 0.5  # share of a heading that the title of the page holds
_H1 = 1  # in ``Measures.tags``
_MOST_ASIDE = 160  # characters
_COPYRIGHT = 1 << PHRASE_NAMES.index("copyright")


@dataclass(frozen=True, slots=True)
class Choice:
    """The container that holds the body and which blocks of the page, in it or not, belong to the body."""

    node: int
    kept: NDArray[np.bool_]
    barred: NDArray[np.bool_]
    """Blocks that name themselves pagers, copyright lines, notices or members of a forum; neither body nor caption."""


def choose(measures: Measures, chance: NDArray[np.float32], rules: Rules) -> Choice:
    """Choose the body from each block's chance of belonging to it.

    The bound is the chance down to which blocks must be taken for the best expected F1 on this page; on pages unlike
    all others no chance is high. The subtree with the largest sum of (chance - bound) x tokens holds the body. Inside
    it blocks stay from a little below the bound on, outside it from above it on. Headlines of other articles come many
    at a time, so a block of links must be surer.
    """
    tokens = measures.tokens
    bound = min(rules.body_bound, best_bound(tokens, chance))
    sums = np.concatenate([[0.0], np.cumsum((chance - bound) * tokens)])
    first, last = measures.first, measures.last
    worth = sums[last] - sums[first]
    # Of equal subtrees the innermost, which has the largest number.
    node = int(len(worth) - 1 - np.argmax(worth[::-1]))
    inside = (measures.order >= first[node]) & (measures.order < last[node])
    kept = chance >= bound * np.where(inside, rules.body_inside, rules.body_outside)
    if bound > _DOUBT or signed(measures):
        kept &= (chance >= rules.body_linked) | (measures.link_share <= _LINKED)
    pager = (measures.phrases & _NEIGHBOUR > 0) & (measures.link_share > rules.link_share)
    legal = (measures.phrases & _COPYRIGHT > 0) & (chance < _SURE)
    barred = pager | legal
    kept &= (tokens > 0) & ~barred
    aside = _asides(measures, kept, chance)
    barred[aside] = True
    kept[aside] = False
    return Choice(node, kept | (_beside(measures, kept, chance) & ~barred), barred)


def _asides(measures: Measures, kept: NDArray[np.bool_], chance: NDArray[np.float32]) -> list[int]:
    """Kept blocks that speak of the page or of who wrote a post: legal notices, unless their chance is high, and what
    a forum knows of its members."""
    found = []
    for i in np.flatnonzero(kept & (measures.chars <= _MOST_ASIDE)).tolist():
        text = measures.tree.blocks[i].text
        if (chance[i] < _SURE and says_notice(text)) or says_profile(text):
            found.append(i)
    return found


def _beside(measures: Measures, kept: NDArray[np.bool_], chance: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Paragraphs of running text without links that stand between two paragraphs of the body, right before one, or
    first under the title: with text on both sides a body seldom stops and goes on, and it begins under its title."""
    long = kept & (measures.tokens >= _PARAGRAPH)
    found = np.zeros(len(kept), bool)
    if not long.any():
        return found
    plain = (measures.link_count == 0) & (measures.phrases == 0) & (measures.hidden == 0)
    plain &= (measures.classes[kinds.STOP] > 0) & (measures.tokens >= _PARAGRAPH)
    full = np.flatnonzero(measures.tokens > 0)
    before = chance[full] >= _LEAST_BEFORE
    found[full[1:-1]] = long[full[:-2]] & long[full[2:]] & (chance[full[1:-1]] >= _LEAST_BETWEEN)
    found[full[:-1]] |= long[full[1:]] & before[:-1]
    named = measures.classes[kinds.IN_TITLE] > _NAMED * measures.chars
    titles = np.flatnonzero((measures.tags == _H1) & named & (measures.link_share < _NAMED))
    if len(titles):
        place = int(np.searchsorted(full, titles[0])) + 1
        for i in full[place : place + _TITLE_REACH].tolist():
            if plain[i]:
                found[i] |= chance[i] >= _LEAST_BEFORE and (measures.tags[long] == measures.tags[i]).any()
                break
    return np.asarray(found & plain)


def best_bound(tokens: NDArray[np.float32], chance: NDArray[np.float32]) -> float:
    """The chance down to which blocks must be taken for the largest expected F1: 2 x tokens of the body that are taken
    / (tokens taken + tokens of the body), where the body's tokens are expected from the chances."""
    falling = np.argsort(-chance)
    hits = np.cumsum((chance * tokens)[falling])
    taken = np.cumsum(tokens[falling])
    best = int(np.argmax(2 * hits / (taken + hits[-1] + 1e-9)))
    return float(max(chance[falling[best]], 0.02))
