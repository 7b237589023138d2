"""The beginnings of other articles below an article, each with its linked title in a container of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webprep_spider.page import measures as kinds
from webprep_spider.page.choose import Choice
from webprep_spider.page.comments import dated

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webprep_spider.page.measures import Measures

_TEASERS = 4  # of one make in one container
_PARAGRAPHS = 2  # of one teaser
_TEXT = 8  # tokens of one that was left out
_LINKED_TITLE = 4  # tokens
_LINKED = 0.9
_RUNNING = 0.5
_ARTICLE = 40  # tokens of running text before the first of them
_H1 = 1  # in ``Measures.tags``


def without_teasers(m: Measures, choice: Choice, article: float) -> Choice:
    """The choice without the teasers below the text of a page that is an article: by its own word (``article`` above 0,
    see :func:`webprep_spider.page.pagetype.says_article`) or by a date below its title. Lists of goods, sights or
    summaries look alike, and are what their pages are about."""
    kept = choice.kept
    running = (m.link_share < _RUNNING) & (m.hidden == 0)
    # A teaser counts as one of several whether or not their texts were taken for the body too.
    items = np.union1d(_items(m, running & kept), _items(m, running & (m.tokens >= _TEXT))).astype(np.int64)
    running &= kept
    held = np.concatenate([[0], np.cumsum(running)])
    items = items[held[m.last[items]] > held[m.first[items]]]
    if not len(items):
        return choice
    before = running[: m.first[items].min()]
    text = m.tokens[: len(before)][before & (m.classes[kinds.STOP][: len(before)] > 0)]
    if text.sum() < _ARTICLE or (article <= 0 and not dated(m)):
        return choice
    return Choice(choice.node, kept & ~m.blocks_in(items), choice.barred)


def _items(m: Measures, running: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The containers that hold a linked title and a little running text, where several of one make stand together."""
    linked = (m.link_share > _LINKED) & (m.tokens >= _LINKED_TITLE) & (m.hidden == 0)
    sums = np.zeros((3, len(running) + 1))
    np.cumsum([linked, running, running & (m.tags == _H1)], axis=1, out=sums[:, 1:])
    titles, paragraphs, headings = sums[:, m.last] - sums[:, m.first]
    alike = (titles > 0) & (paragraphs > 0) & (paragraphs <= _PARAGRAPHS) & (headings == 0)
    nodes = np.flatnonzero(alike)
    makes = m.parent[nodes] * len(m.shapes) + m.shapes[nodes]
    _, make, count = np.unique(makes, return_inverse=True, return_counts=True)
    return nodes[count[make] >= _TEASERS] if len(nodes) else nodes
