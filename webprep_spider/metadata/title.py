"""Title (S4.M5): what ``<title>``, headings and declared headlines agree on, without the names of site and column."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from webprep_spider.metadata.words import bigrams, fold
from webprep_spider.page.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from webprep_spider.metadata.declared import Declared
    from webprep_spider.page.tree import Block

MAX_TITLE = 200
"""Folded characters; longer text is no title."""
MAX_PIECES = 40
"""Pieces of a ``<title>`` that headings are compared with."""

# White space is folded to single blanks before, so no run of it is ever looked at.
_SEPARATOR = re.compile(
    r"\s?(?:[|｜_＿¦»«›‹→]|::|-{2,9}|—{2,9})\s?|\s[-–—‐‑·•:：/~<>＞⁄⋆*]\s"
    r"|(?<=[^\x00-\x7f])\s?[-–—‐·•]\s?|[-–—]\s?(?=[^\x00-\x7f])|\s?[-–—](?=[^\s\w])"
)
_DOTS = re.compile(r"(?:\.{2,9}|…{1,3})(?=\s?(?:[-–—|｜_].{0,99})?$)")
"""Where a ``<title>`` was cut short: at its end, or before the name of the site."""
_LEAST_BEGINNING = 8
_BARS = " |｜_»«"
_SITE_ENDING = re.compile(
    r"(?:网|在线|频道|门户|论坛|社区|博客|网站|新闻|日报|晚报|时报|早报|晨报|周刊|杂志|首页|资讯|中心|平台|百科|知道|专栏|栏目|医院|文库"
    r"|\.(?:com|cn|net|org)(?:\.\w\w)?|blog|news|online|times|magazine|home ?page)$",
    re.I,
)
_NO_TITLE = re.compile(
    r"(?:untitled|无标题|新建|new) ?(?:document|page|文档|网页|页)?[ -]?\d{0,3}|document|(?:index|default)\.\w{3,5}",
    re.I,
)
"""What editors and servers write where nobody gave a title."""
_LOGO = re.compile(r"logo|site-?(?:title|name)|brand", re.I)
_HEADING_BONUS = {"h1": 20.0, "h2": 8.0, "h3": 5.0}


@dataclass(frozen=True, slots=True)
class _Candidate:
    text: str
    key: str
    bonus: float


def choose_title(said: Declared, blocks: Sequence[Block], url: str, body: str) -> str:
    """The title of the page, or an empty string when the page has none.

    A heading that the ``<title>`` element starts with or contains is the title; without one ``<title>`` is cut at its
    separators, and pieces that name the site or a column of it are left out. The body text is never a title.
    """
    whole = said.title.strip(_BARS)
    if _NO_TITLE.fullmatch(whole):
        whole = ""
    logos = _logos(blocks, url)
    candidates = _candidates(said, blocks)
    names = (_site_names(said, url) | logos) - (_misnamed(whole, candidates, body) - logos)
    key = fold(whole)
    if not key:
        return _largest(candidates, names)
    if key in names:  # of a front page, where lower headings belong to single entries
        return _largest((c for c in candidates if not 2.0 < c.bonus < _HEADING_BONUS["h1"]), names) or whole
    if key in map(fold, said.headlines) and len(title_pieces(whole)) == 1 and not any(name in key for name in names):
        return whole  # said twice, and nothing in it names the site: a heading may hold only half of it
    edges, beginning = _edges(whole), _beginning(whole)
    best, best_rank = "", 0.0
    for candidate in candidates:
        rank = _agreement(candidate, whole, key, edges, beginning)
        if rank > best_rank and not _names_site(candidate, names):
            best, best_rank = candidate.text, rank
    return best or _cut(whole, names, _column_names(blocks), body)


def _candidates(said: Declared, blocks: Sequence[Block]) -> list[_Candidate]:
    found = []
    for block in blocks:
        bonus = _HEADING_BONUS.get(block.tag, 0.0)
        if 0 < block.chars <= (MAX_TITLE if bonus else len(said.title)):
            text = one_line(block.text).rstrip("¶#").rstrip()
            if key := fold(text):
                found.append(_Candidate(text, key, bonus))
    found.extend(_Candidate(text, fold(text), 2.0) for text in said.headlines if text)
    return found


def _names_site(candidate: _Candidate, names: set[str]) -> bool:
    """Whether the site's name is all of a candidate, or its first or last piece."""
    if candidate.key in names:
        return True
    pieces = _SEPARATOR.split(candidate.text)
    return len(pieces) > 1 and (fold(pieces[0]) in names or fold(pieces[-1]) in names)


def _agreement(candidate: _Candidate, whole: str, key: str, edges: Sequence[int], beginning: str) -> float:
    """How well a candidate explains the ``<title>``: its length, more when it stands first or is a heading."""
    size = len(candidate.key)
    if not candidate.bonus and (size < 4 or size * 3 < len(key)) and not _ends_at_separator(candidate.text, whole):
        return 0.0
    if key.startswith(candidate.key):
        rank = size + candidate.bonus + 6.0
    elif candidate.key in key and candidate.bonus and (size * 2 > len(key) or _set_off(candidate.key, key, edges)):
        rank = size + candidate.bonus - 4.0
    elif beginning and candidate.key.startswith(beginning):
        rank = len(key) + candidate.bonus
    else:
        return 0.0
    return rank - 6.0 if candidate.key == key else rank


def _edges(whole: str) -> list[int]:
    """The places in the folded ``<title>`` where its separators were."""
    pieces = _SEPARATOR.split(whole)[:MAX_PIECES]
    return list(accumulate(len(fold(piece)) for piece in pieces))[:-1]


def _set_off(key: str, title: str, edges: Sequence[int]) -> bool:
    """Whether a separator stands before a heading or after it: else it may be a word of a longer phrase."""
    return any(title.startswith(key, edge) or title.endswith(key, 0, edge) for edge in edges)


def _ends_at_separator(text: str, whole: str) -> bool:
    return whole.startswith(text) and _SEPARATOR.match(whole, len(text)) is not None


def _beginning(whole: str) -> str:
    """What is left, folded, of a heading that the template shortened for the ``<title>``; empty where it did not."""
    dots = _DOTS.search(whole)
    key = fold(whole[: dots.start()]) if dots else ""
    return key if len(key) >= _LEAST_BEGINNING else ""


def _largest(candidates: Iterable[_Candidate], names: set[str]) -> str:
    """Where ``<title>`` says nothing: the first of the largest headings, else a declared headline."""
    usable = (c for c in candidates if c.bonus and not _names_site(c, names))
    best = max(usable, key=lambda candidate: candidate.bonus, default=None)
    return best.text if best else ""


def _cut(whole: str, names: set[str], columns: set[str], body: str) -> str:
    """``<title>`` without the pieces, at either end, that name the site or a column."""
    marks = list(_SEPARATOR.finditer(whole))
    starts = [0, *(mark.end() for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(whole)]
    pieces = [fold(whole[start:end]) for start, end in zip(starts, ends, strict=True)]
    if len(pieces) == 1:
        return whole
    pairs = bigrams(body)
    values = [
        _worth(piece, whole[s:e], names, columns, pairs) for piece, s, e in zip(pieces, starts, ends, strict=True)
    ]
    core = max(range(len(pieces)), key=lambda i: (values[i], -i))
    first = last = core
    while first > 0 and values[first - 1] > 0.55 * values[core]:
        first -= 1
    while last + 1 < len(pieces) and values[last + 1] > 0.55 * values[core]:
        last += 1
    return whole[starts[first] : ends[last]].strip()


def _worth(key: str, text: str, names: set[str], columns: set[str], body: set[str]) -> float:
    if not key or key in names:
        return 0.0
    pairs = bigrams(text)
    shared = len(pairs & body) / len(pairs) if pairs else 0.0
    worth = min(len(key), 30) * (0.3 + shared)
    if key in columns:
        worth *= 0.2
    if _SITE_ENDING.search(text):
        worth *= 0.3
    return worth


def _site_names(said: Declared, url: str) -> set[str]:
    names = {fold(name) for name in said.sites}
    host = urlsplit(url).hostname or ""
    labels = [label for label in host.split(".") if len(label) > 3 and label != "www"]
    return (names | {fold(host), fold(host.removeprefix("www."))} | set(labels)) - {""}


def _misnamed(whole: str, candidates: Sequence[_Candidate], body: str) -> set[str]:
    """What templates put where the site's name belongs, although it is the title of the page: all of a ``<title>`` that
    has several pieces, or the piece that says most of the body and stands by itself on the page."""
    pieces = title_pieces(whole)[:MAX_PIECES]
    if len(pieces) < 2:
        return set()
    pairs = bigrams(body)
    best = fold(max(pieces, key=lambda piece: _worth(fold(piece), piece, set(), set(), pairs)))
    return {fold(whole)} | {candidate.key for candidate in candidates if candidate.key == best}


def _logos(blocks: Sequence[Block], url: str) -> set[str]:
    """Headings that only lead home, or are marked as the logo: they name the site."""
    found = set()
    for block in blocks:
        if block.tag in _HEADING_BONUS and block.chars <= MAX_TITLE:
            marks = f"{block.element.get('class') or ''} {block.element.get('id') or ''}"
            home = len(block.links) == 1 and block.link_chars == block.chars and _leads_home(block.links[0].href, url)
            if home or _LOGO.search(marks):
                found.add(fold(block.text))
    return found


def _leads_home(href: str, url: str) -> bool:
    """Whether a link goes to the front page while the page itself is another."""
    try:
        there, here = urlsplit(urljoin(url, href.strip())), urlsplit(url)
    except ValueError:
        return False
    return (
        there.path in ("", "/") and not there.query and there.hostname == here.hostname and here.path not in ("", "/")
    )


def title_pieces(whole: str) -> list[str]:
    """``<title>`` cut at its separators."""
    return [piece for piece in _SEPARATOR.split(whole) if piece.strip()]


def leftovers(whole: str, title: str) -> list[str]:
    """The pieces of ``<title>`` beside the title itself: names of the site and its columns."""
    key = fold(title)
    return [piece for piece in title_pieces(whole) if fold(piece) not in key]


def _column_names(blocks: Sequence[Block]) -> set[str]:
    """Short link texts: breadcrumbs and menus name the columns."""
    return {fold(link.text) for block in blocks if not block.kept for link in block.links if len(link.text) <= 20}
