"""What readers wrote: below an article no part of its body, however much of it there is; in a forum all of it."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from webprep_spider.page import measures as kinds
from webprep_spider.page.choose import Choice
from webprep_spider.page.evidence import dated
from webprep_spider.page.phrases import PHRASE_NAMES
from webprep_spider.page.tags import HEADINGS, HINT_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from webprep_spider.page.measures import Measures

_SAYS_COMMENT = 1 << PHRASE_NAMES.index("comment")
_NAMED_COMMENT = 1 << HINT_NAMES.index("comment")
_FORUM = 1 << HINT_NAMES.index("forum")
_FORUM_ADDRESS = re.compile(
    r"forum|bbs|(?:show|view)t(?:hread|opic)|thread-\d|[/.](?:threads?|discuss(?:ions?)?|questions?|comments|topics?|ask)[/.]",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"\W*(?:\d+\W*[条則则个個]?)?\W*(?:(?:网友|網友|读者|讀者|用户|最新|热门|全部|精彩|文章|查看)?"
    r"(?:评论|評論|留言|跟帖|跟贴|点评|回复)[区列表板]?"
    r"|(?:(?:reader|user|latest|recent|top|all)s?\W*)?(?:comments?|replies))\W*(?:\d+\W*[条則则个個]?\W*)?",
    re.IGNORECASE,
)
_LONGEST_HEADING = 30  # characters
_PARAGRAPH = 20  # tokens
_LINKED = 0.5
_MOST_SECTIONS = 200
_SURE = 0.7  # mean chance from which on such a section must look like a thread below a dated article
_CHANGES = 0.5  # share of neighbours in a thread that are of unlike make: a name, what they say, a button


def with_replies(m: Measures, choice: Choice, url: str) -> Choice:
    """The choice with all posts of a forum: what is made from the same template as a long post of the body is one too,
    be it a word or two. A forum is told by the address, or by the names of the containers that hold the posts."""
    posts = np.flatnonzero(choice.kept & _is_long(m))
    if not _FORUM_ADDRESS.search(url):
        posts = posts[m.hints[m.node[posts]] & _FORUM > 0]
    if not len(posts):
        return choice
    same = np.isin(m.shape, m.shape[posts]) & (m.tokens > 0) & (m.link_share < _LINKED) & (m.hidden == 0)
    return Choice(choice.node, choice.kept | (same & ~choice.barred), choice.barred)


def _is_long(m: Measures) -> NDArray[np.bool_]:
    long: NDArray[np.bool_] = (m.tokens >= _PARAGRAPH) & (m.classes[kinds.STOP] > 0) & (m.link_share < _LINKED)
    return long


def without_comments(m: Measures, choice: Choice, chance: NDArray[np.float32], url: str) -> Choice:
    """The choice without the sections that are headed or named as comments, stand below text of the body and are made
    from templates of their own. In a forum what others reply belongs to the body."""
    kept = choice.kept
    body = np.flatnonzero(kept & _is_long(m))
    if not len(body) or _FORUM_ADDRESS.search(url):
        return choice
    found = np.zeros(len(kept), bool)
    is_article: bool | None = None
    for low, high in islice(_sections(m, int(body[0])), _MOST_SECTIONS):
        before, inside = body[body < low], np.flatnonzero(kept[low:high] & ~found[low:high]) + low
        if not len(inside) or np.isin(m.shape[inside], m.shape[before]).any() or _in_forum(m, before):
            continue
        if np.average(chance[inside], weights=m.tokens[inside]) >= _SURE:
            is_article = dated(m) if is_article is None else is_article
            full = m.shape[low:high][m.tokens[low:high] > 0]
            if not is_article or len(full) < 2 or (full[1:] != full[:-1]).mean() < _CHANGES:
                continue
        found[low:high] = True
    return Choice(choice.node, kept & ~found, choice.barred | found)


def _sections(m: Measures, start: int) -> Iterator[tuple[int, int]]:
    """First block and end of each section after the block ``start`` that calls itself comments."""
    first, last, parent = m.tree.first, m.tree.last, m.tree.parent
    for node, hints in enumerate(m.tree.hints):
        if hints & _NAMED_COMMENT and start < first[node] < last[node]:
            yield first[node], last[node]
    for i in np.flatnonzero(m.phrases[start + 1 :] & _SAYS_COMMENT) + start + 1:
        block = m.tree.blocks[i]
        if len(block.text) > _LONGEST_HEADING or not _HEADING.fullmatch(block.text):
            continue
        if m.link_share[i] > _LINKED and block.tag not in HEADINGS:
            continue
        # The container that begins with the heading, or, where that holds nothing else, the one around it.
        node = block.node
        while parent[node] >= 0 and (first[parent[node]] == i or last[node] == i + 1):
            node = parent[node]
        yield int(i), last[node]


def _in_forum(m: Measures, blocks: NDArray[np.int64]) -> bool:
    hints = m.tree.all_hints
    return any(hints[node] & _FORUM for node in m.node[blocks].tolist())
