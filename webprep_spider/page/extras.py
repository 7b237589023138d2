"""What stands in a body without belonging to it: a second copy for small screens or for printing, a legal notice,
advertising, text that no reader ever sees."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from webprep_spider.page import measures as kinds
from webprep_spider.page.choose import Choice
from webprep_spider.page.phrases import begins_notice
from webprep_spider.page.tags import HINT_NAMES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webprep_spider.page.measures import Measures
    from webprep_spider.page.tree import TagTree

_PARAGRAPH = 20  # tokens
_COPIED = 2  # paragraphs that are no more a standfirst or a quotation, but a copy
_LONGEST_WARNING = 200  # characters
_LONGEST_NOTICE = 400
_ADVERT = 1 << HINT_NAMES.index("advert")
_H1 = 1  # in ``Measures.tags``
_UNLIKE = 0.6  # mean chance
_SMALL_PART = 0.3
_CONSENT = re.compile(r"consent|cookie|gdpr", re.IGNORECASE)
_ARTICLE = 40  # tokens beside it
# Folded text is not displayed till a button is pressed; what is shown in no size or beside the screen never is.
_OUT_OF_SIGHT = re.compile(r"font-size:0(?![.\d])|(?:text-indent|left|top|margin-left):-\d{3}")


def without_extras(m: Measures, choice: Choice) -> Choice:
    """The choice without labelled notices, hidden words on scripts that are needed, text out of sight, and copies:
    several paragraphs that say word for word what those of another template have said, with what stands between them.

    What is repeated in one template, such as the refrain of a song, stays.
    """
    blocks, shape = m.tree.blocks, m.shape.tolist()
    kept = np.flatnonzero(choice.kept).tolist()
    long = (m.tokens >= _PARAGRAPH) & (m.classes[kinds.STOP] > 0)
    first: dict[str, int] = {}
    copied, dropped = np.zeros((2, len(kept)), bool)
    for place, i in enumerate(kept):
        block = blocks[i]
        copied[place] = shape[i] != shape[first.setdefault(block.text, i)]
        dropped[place] = (
            _warns(block.text) or _out_of_sight(m.tree, block.node)
            if block.hidden
            else len(block.text) <= _LONGEST_NOTICE and begins_notice(block.text)
        )
    paragraphs = copied & long[kept]
    if paragraphs.sum() >= _COPIED:
        dropped |= paragraphs
    if not dropped.any():
        return choice
    return Choice(choice.node, _cleared(choice.kept, kept, dropped, copied), choice.barred)


def _cleared(
    chosen: NDArray[np.bool_], kept: list[int], dropped: NDArray[np.bool_], copied: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """The blocks that remain; a short copy goes with the paragraph before or after it."""
    for places in (range(1, len(kept)), range(len(kept) - 2, -1, -1)):
        step = -places.step
        for place in places:
            dropped[place] |= copied[place] and dropped[place + step]
    rest = chosen.copy()
    rest[np.array(kept)[dropped]] = False
    return rest


def _out_of_sight(tree: TagTree, node: int) -> bool:
    while node >= 0 and tree.hidden[node]:
        style = tree.element[node].get("style")
        if style and _OUT_OF_SIGHT.search(style[:400].replace(" ", "").lower()):
            return True
        node = tree.parent[node]
    return False


def _warns(text: str) -> bool:
    return len(text) <= _LONGEST_WARNING and "javascript" in text.lower()


def without_advertising(m: Measures, choice: Choice, chance: NDArray[np.float32]) -> Choice:
    """The choice without the containers that name themselves advertising, a paywall or a newsletter, if they hold a
    small part of it that is like no body, for much of it has such names for other reasons; and without those that name
    themselves a request for consent, however long and well written it is."""
    kept = choice.kept
    tokens = np.where(kept, m.tokens, 0)
    sums = np.zeros((3, len(kept) + 1))
    np.cumsum([tokens, tokens * chance, kept & (m.tags == _H1)], axis=1, out=sums[:, 1:])
    held, likely, titles = sums[:, m.last] - sums[:, m.first]
    named = np.flatnonzero((m.hints & _ADVERT > 0) & (titles == 0) & (held > 0))
    asking = [node for node in named.tolist() if _CONSENT.search(_names(m.tree, node))]
    consent = m.blocks_in(np.array(asking, np.int64))
    if tokens[~consent].sum() < _ARTICLE:
        consent[:] = False
    unlike = m.blocks_in(named[likely[named] < _UNLIKE * held[named]])
    small = tokens[unlike].sum() <= _SMALL_PART * tokens.sum()
    return Choice(choice.node, kept & ~(consent | unlike if small else consent), choice.barred)


def _names(tree: TagTree, node: int) -> str:
    element = tree.element[node]
    return f"{element.get('class') or ''} {element.get('id') or ''}"
