"""What the links, headings and address of a page say of its type, beside the figures of its body."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import numpy as np

from webprep_spider.page import measures as kinds
from webprep_spider.page.phrases import PHRASE_NAMES

if TYPE_CHECKING:
    from webprep_spider.page.choose import Choice
    from webprep_spider.page.measures import Measures

EVIDENCE: Final = (
    "linked_headings", "linked_headings_inside", "same_text", "page_numbers", "pager", "siblings", "runs",
    "largest_run", "titled_in_body", "titled_before_body", "says_credit", "says_comment", "says_place",
    "says_related", "slash",
    "number_name", "dashes", "name_length", "numbered_address", "dated_address", "linked_pictures",
    "textless_links", "signed",
)  # fmt: skip
# Articles in several parts have a "next page" too, but seldom a last one.
_PAGER = ("尾页", "末页", "尾頁", "older", "newer", "previous page")
_SIBLINGS = (
    "上一篇",
    "下一篇",
    "上一条",
    "下一条",
    "上一則",
    "previous post",
    "next post",
    "previous article",
    "next article",
)
_COUNTED = tuple(1 << PHRASE_NAMES.index(name) for name in ("credit", "comment", "place", "related"))
_NUMBERED = re.compile(r"page[/=_-]?\d|[_-]\d{1,3}\.s?html?$|[?&]p(?:age)?=\d|/\d{1,3}/?$|list")
_DATED = re.compile(r"/(?:19|20)\d\d[-/]?(?:0\d|1[012])?")
_DATE = re.compile(r"(?:19|20)\d\d\s?[-/.年]\s?[01]?\d")
_WRITTEN_DATE = re.compile(
    rf"{_DATE.pattern}|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s"
    r"(?:\d\d?(?:st|nd|rd|th)?,?\s)?(?:19|20)\d\d",
    re.IGNORECASE,
)
_CREDIT = 1 << PHRASE_NAMES.index("credit")
_TITLE_CHARS = 4
_SHORT_TEXT = 16  # characters of a link text that may stand for "more" or "read on" of many items
_SHORT_BLOCK = 80
_NEAR_BODY = 30  # blocks before the body in which its title is looked for
_LINKED = 0.9
_RUNNING = 0.5
_LONGEST_BYLINE = 120  # characters
_BYLINE_REACH = 3  # blocks after the title


def evidence(m: Measures, choice: Choice, url: str) -> tuple[float, ...]:
    """One figure for each name in ``EVIDENCE``; counts as logarithms of 1 + count.

    An article has one title that is no link and neighbours of its kind; a list has titles that are links, the same word
    for "read on" behind each item, a pager, and link texts between its runs of text.
    """
    blocks, tokens = m.tree.blocks, m.tokens
    kept = np.flatnonzero(choice.kept)
    linked = (m.link_share > _LINKED) & (tokens >= 3)
    headings = np.flatnonzero(linked & (m.tags >= 1) & (m.tags <= 3))
    inside = (headings >= m.tree.first[choice.node]) & (headings < m.tree.last[choice.node])
    path = _path(url)
    texts: dict[str, set[str]] = {}
    numbers = textless = 0
    for block in blocks:
        for link in block.links:
            text = link.text
            if not text:
                textless += 1
            elif text.isdigit():
                numbers += 1
            elif len(text) <= _SHORT_TEXT:
                texts.setdefault(text, set()).add(link.href)
    said = "\n".join([block.text for block in blocks if 0 < block.chars <= _SHORT_BLOCK]).lower()
    runs = largest_run = 0.0
    if len(kept):
        group = np.cumsum(linked & ~choice.kept)
        in_group = np.bincount(group[kept], tokens[kept])
        runs, largest_run = float((in_group > 0).sum()), float(in_group.max()) / max(float(tokens[kept].sum()), 1)
    titled = m.classes[kinds.IN_TITLE] / np.maximum(m.chars, 1) * ((m.chars >= 4) & (m.link_share < 0.5))
    start = int(kept[0]) if len(kept) else 0
    last = path.rstrip("/").rpartition("/")[2]
    name = last.rpartition(".")[0] or last
    counts = (
        len(headings), int(inside.sum()), max(map(len, texts.values()), default=0), numbers,
        sum(map(said.count, _PAGER)), sum(map(said.count, _SIBLINGS)), runs,
    )  # fmt: skip
    return (
        *np.log1p(counts).tolist(),
        largest_run,
        float(titled[kept][tokens[kept] < 60].max(initial=0)),
        float(titled[max(start - _NEAR_BODY, 0) : start].max(initial=0)),
        *np.log1p([int((m.phrases & bit > 0).sum()) for bit in _COUNTED]).tolist(),
        float(path.endswith("/")),
        float(name.isdigit()),
        float(min(name.count("-") + name.count("_"), 8)),
        float(np.log1p(len(name))),
        float(_NUMBERED.search(url.lower()) is not None),
        float(_DATED.search(path) is not None),
        float(np.log1p(m.image_count[(m.link_count > 0) & (tokens < 5)].sum())),
        float(np.log1p(textless)),
        float(signed(m)),
    )


def signed(m: Measures) -> bool:
    """Whether a heading that is the title is followed by a line with a date and who published the page, as articles
    have it."""
    named = (m.classes[kinds.IN_TITLE] > 0.5 * m.chars) & (m.chars >= _TITLE_CHARS) & (m.link_share < 0.5)
    full = np.flatnonzero(m.tokens > 0)
    for heading in np.flatnonzero(named & (m.tags == 1))[:2]:
        place = int(np.searchsorted(full, heading)) + 1
        for i in full[place : place + 2].tolist():
            if m.phrases[i] & _CREDIT and m.link_share[i] < 0.6 and _DATE.search(m.tree.blocks[i].text):
                return True
    return False


def dated(m: Measures) -> bool:
    """Whether a date stands right below the heading that is the title of the page."""
    named = (m.classes[kinds.IN_TITLE] > 0.5 * m.chars) & (m.tags >= 1) & (m.tags <= 3) & (m.link_share < _RUNNING)
    full = np.flatnonzero(m.tokens > 0)
    for heading in np.flatnonzero(named)[:2]:
        place = int(np.searchsorted(full, heading)) + 1
        for i in full[place : place + _BYLINE_REACH].tolist():
            text = m.tree.blocks[i].text
            if len(text) <= _LONGEST_BYLINE and _WRITTEN_DATE.search(text):
                return True
    return False


def _path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:
        return ""
