"""The beginnings of other articles below an article, each with its linked title in a container of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webprep_spider.page import measures as kinds
from webprep_spider.page.choose import Choice
from webprep_spider.page.evidence import dated

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
    if article <= 0 and not dated(m):
        return choice
    kept = choice.kept
    running = (m.link_share < _RUNNING) & (m.hidden == 0)
    items = _items(m, running & kept, running & (m.tokens >= _TEXT))
    if not len(items):
        return choice
    before = slice(0, int(m.first[items].min()))
    text = (running & kept & (m.classes[kinds.STOP] > 0))[before]
    if m.tokens[before][text].sum() < _ARTICLE:
        return choice
    return Choice(choice.node, kept & ~m.blocks_in(items), choice.barred)


def _items(m: Measures, body: NDArray[np.bool_], running: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The containers that hold a linked title and a little text of the body, where several of one make stand together.
    One counts as of that make whether or not its own text was taken for the body too."""
    linked = (m.link_share > _LINKED) & (m.tokens >= _LINKED_TITLE) & (m.hidden == 0)
    sums = np.zeros((4, len(body) + 1), np.int32)
    np.cumsum([linked, body & (m.tags == _H1), body, running], axis=1, out=sums[:, 1:])
    titles, headings, taken, texts = sums[:, m.last] - sums[:, m.first]
    titled = (titles > 0) & (headings == 0)
    if not (titled & (taken > 0) & (taken <= _PARAGRAPHS)).any():
        return np.zeros(0, np.int64)
    several = [_several(m, titled & (count > 0) & (count <= _PARAGRAPHS)) for count in (taken, texts)]
    items: NDArray[np.int64] = np.union1d(*several)
    return items.compress(taken[items] > 0)


def _several(m: Measures, alike: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Of the containers ``alike`` those that stand together with others of their make."""
    nodes = np.flatnonzero(alike)
    makes = m.parent[nodes] * len(m.shapes) + m.shapes[nodes]
    _, make, count = np.unique(makes, return_inverse=True, return_counts=True)
    return nodes[count[make] >= _TEASERS]
