"""Author and source, as the page declares them or as the line beside the title says."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from webprep_spider.metadata.words import fold
from webprep_spider.page.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webprep_spider.metadata.declared import Declared
    from webprep_spider.page.tree import Block

BEFORE, AFTER = 4, 10
"""Blocks before and after the title that may hold date, author and source."""
MAX_NAME = 40
MAX_CLIMB = 30
"""Elements around a block that are asked whether they are a footer."""

LONG = 30
"""Characters from which on a block of the body is no longer a line below the title."""
MAX_MARKED = 50
"""Elements of a block that are looked at."""

_BYLINES = frozenset({"author", "author-name", "byline"})
_FOOTERS = frozenset({"footer", "foot", "copyright"})
_AUTHOR = re.compile(
    r"(?:作者|记者|文\s?[/／|｜]|撰文|撰稿|发布者|发布人)\s?[:：/／]?\s?([^\s:：|｜()（）【】\[\]，,。；;/／]{2,20}"
    r"(?:[·•. ](?!\S{1,8}\s?[:：])[A-Z\u4e00-\u9fff][^\s:：|｜()（）]{0,20}){0,2})"
)
_BY = re.compile(
    r"(?:^|(?<!hoto)(?<!hotos)(?<!mage)(?<!icture)(?<!owered)(?<!ponsored)[\s|])(?:(?:[Bb]y|BY):?|[Aa]uthor:)\s"
    r"((?:(?!(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)(?:[a-z]{2,6})?\.?\s\d|Published|Updated|Posted)"
    r"[A-ZÀ-ÖØ-Þ][\w.'’-]{0,20}\s?){1,4})"
)
_LEADING_BY = re.compile(r"^(?:by|作者)[\s:：]\s?", re.I)
_SOURCE = re.compile(
    r"(?:(?<!消息)(?<!图片)(?<!照片)(?<!资料)(?<!数据)(?:来源|來源|出处|稿源|转自|转载自|来自|供稿)(?:单位|网站|媒体)?\s?[:：|｜]"
    r"|来源于[:：]?)\s?(?:[“《]([^“”《》]{2,30})[”》]|([^\s:：|｜【】\[\]，,。；;]{2,30}?)"
    r"(?=[\s:：|｜【】\[\]，,。；;(（)）]|评论|作者|编辑|责任|记者|发布|\d{4}[-/.年]|$))"
)
_NAME_ALONE = re.compile(r"(?:(?:by|作者)[\s:：])?[^\d:：|｜,，(（]{2,40}", re.I)
_ENGLISH_SOURCE = re.compile(
    r"(?:(?:^|(?<!hoto)(?<!mage)(?<!icture)[\s|])(?:Source|SOURCE):|^(?:[Vv]ia|VIA):?(?=.{2,31}$)"
    r"|^[Oo]riginally (?:published|appeared) (?:by|in|on|at))\s([A-Z][^:|,;()]{1,29}?)(?=\s*(?:[:|,;()]|$))"
)
_NO_NAME = re.compile(
    r"^(?:admin|administrator|root|user|test|匿名|佚名|管理员|未知|本站|原创|网络|互联网|https?(?::.*)?|www\..*|[\d\s:：./年月日-]+|null|none|undefined|n/a|.*[{}<>].*"
    r"|\S+@\S+)$",
    re.I,
)


def title_place(blocks: Sequence[Block], title: str) -> int | None:
    """The number of the first block that is the title and nothing else."""
    key = fold(title)
    return next((i for i, block in enumerate(blocks) if _says(block, key)), None) if key else None


def _says(block: Block, key: str) -> bool:
    """Whether the text of a block is, folded, the ``key``."""
    return block.chars <= 3 * len(key) and fold(block.text) == key


def near_title(blocks: Sequence[Block], title: str, place: int | None) -> list[str]:
    """The texts around the title at ``place``, none of a footer; without one those at the top of the body."""
    if place is None:
        place = next((i for i, block in enumerate(blocks) if block.kept), 0)
    key, around = fold(title), [*blocks[place : place + AFTER], *reversed(blocks[max(0, place - BEFORE) : place])]
    return [block.text for block in around if not in_footer(block) and not _says(block, key)]


def marked_elements(blocks: Sequence[Block], place: int | None) -> list[Any]:
    """``time`` elements and microdata between the title at ``place`` and the first long text below it."""
    found: list[Any] = []
    for block in blocks[place + 1 : place + AFTER] if place is not None else ():
        long = block.kept and block.chars > LONG and next(block.element.iter("time"), None) is None
        if long or in_footer(block):
            break
        found.extend(islice(block.element.iter("time", "span", "a", "meta", "div", "p", "address"), MAX_MARKED))
    return list(dict.fromkeys(found))


def marked_authors(elements: Sequence[Any]) -> list[str]:
    return [
        one_line("".join(element.itertext()))
        for element in elements
        if "author" in (element.get("rel") or "").lower().split() + (element.get("itemprop") or "").lower().split()
        or not _BYLINES.isdisjoint((element.get("class") or "").lower().split())
    ]


def in_footer(block: Block) -> bool:
    element = block.element
    for _ in range(MAX_CLIMB):
        if element is None:
            break
        marks = f"{element.get('class') or ''} {element.get('id') or ''}".lower()
        if element.tag == "footer" or (marks != " " and any(mark in marks for mark in _FOOTERS)):
            return True
        element = element.getparent()
    return False


def author_of(said: Declared, beside: Sequence[str], marked: Sequence[str] = ()) -> str:
    """``marked`` are the texts of elements beside the title that say they hold the author: a name, or a whole line."""
    sites = {fold(site) for site in said.sites}
    names = [*said.authors, *(text for text in marked if _NAME_ALONE.fullmatch(text))]
    for name in (_LEADING_BY.sub("", name) for name in names):
        if _is_name(name) and fold(name) not in sites:
            return name
    return _first((_AUTHOR, _BY), [*marked, *beside])


def source_of(said: Declared, beside: Sequence[str]) -> str:
    """Whom the page names as the origin of its text; else the name of the site or publisher."""
    found = _first((_SOURCE, _ENGLISH_SOURCE), beside)
    if found:
        return found
    return next((name for name in (*said.sources, *said.sites) if _is_name(name)), "")


def _first(patterns: Sequence[re.Pattern[str]], texts: Sequence[str]) -> str:
    for text in texts:
        for pattern in patterns:
            if match := pattern.search(text[:400]):
                name = next(filter(None, match.groups()), "").strip()
                if _is_name(name):
                    return name
    return ""


def _is_name(text: str) -> bool:
    return 1 < len(text) <= MAX_NAME and not _NO_NAME.match(text)
