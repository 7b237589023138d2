"""Date of publication: declared, beside the title, or in the address. Never in the future, never from the footer."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lxml.etree import tostring

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

EARLIEST = 1990
NEAR_CHARS = 400
"""Only the head of a block is searched for a date."""

_MONTHS = {
    name: i
    for i, name in enumerate(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1)
}
_CHINESE_DIGITS = str.maketrans("〇○零一二三四五六七八九", "000123456789")
_WIDE_DIGITS = str.maketrans("０１２３４５６７８９", "0123456789")
_CHINESE_DATE = re.compile(
    r"([〇○零一二三四五六七八九]{4})年([〇一二三四五六七八九十]{1,3})月([〇一二三四五六七八九十]{1,3})日"
)
_TIME = (
    r"(?:[\sT,，|]{0,3}(?:at\b|星期.|周.|[（(](?:星期|周).[）)])?\s{0,3}(?P<part>上午|中午|下午|晚上|晚)?\s?"
    r"(?P<hour>[01]?\d|2[0-4])(?:[:：]|时|点)(?P<minute>[0-5]\d)(?:(?:[:：]|分)(?P<second>[0-5]\d)?)?"
    r"(?:\s?(?P<half>[ap])\.?m\b)?)?"
    r"(?:\.\d{1,9})?(?:\s?(?P<zone>Z\b|GMT|UTC|[+-](?:0\d|1[0-4]):?[0-5]\d(?!\d)))?"
)
_NUMERIC = re.compile(
    r"(?<![\d.])(?P<year>19[89]\d|20\d\d)\s{0,2}[-/.年－]\s{0,2}(?P<month>1[0-2]|0?[1-9])\s{0,2}[-/.月－]\s{0,2}"
    r"(?P<day>3[01]|[12]\d|0?[1-9])(?!\d)\s?[日号]?" + _TIME,
    re.I,
)
_MONTH = r"(?P<name>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_MONTH_FIRST = re.compile(
    r"\b"
    + _MONTH
    + r"\s{1,2}(?P<day>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?,?\s{1,2}(?P<year>19[89]\d|20\d\d)\b"
    + _TIME,
    re.I,
)
_DAY_FIRST = re.compile(
    r"\b(?P<day>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?\s{1,2}(?:of\s)?"
    + _MONTH
    + r",?\s{1,2}(?P<year>19[89]\d|20\d\d)\b"
    + _TIME,
    re.I,
)
# 27/11/2026 and 11/27/2026 tell day from month, 03/04/2026 does not; with points the day always stands first.
_YEAR_LAST = re.compile(
    r"(?<![\d./-])(?:(?P<day>3[01]|2\d|1[3-9])(?P<gap>[/-])(?P<month>1[0-2]|0?[1-9])(?P=gap)"
    r"|(?P<month_>1[0-2]|0?[1-9])(?P<gap_>[/-])(?P<day_>3[01]|2\d|1[3-9])(?P=gap_)"
    r"|(?P<day__>3[01]|[12]\d|0?[1-9])\.\s?(?P<month__>1[0-2]|0?[1-9])\.\s?)(?P<year>19[89]\d|20\d\d)(?![\d./-])"
    + _TIME,
    re.I,
)
_COMPACT = re.compile(
    r"(?<!\d)(?P<year>19[89]\d|20\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])"
    r"(?:(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d)(?P<second>[0-5]\d)?)?(?!\d)"
)
_IN_URL = re.compile(
    r"(?<!\d)(?P<year>199\d|20\d\d)(?P<gap>[-_/]?)(?P<month>0[1-9]|1[0-2]|(?<=[-_/])[1-9])(?:(?P=gap)|/)"
    r"(?:t?20\d{6}|(?P<day>0[1-9]|[12]\d|3[01]|(?<=[-_/])[1-9]))(?=[^\d]|\d{4,}|$)"
)
_T_FORM = re.compile(r"/t?(?P<year>20\d\d)/?(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])(?=[_/-])")

_PUBLISHED = re.compile(r"发布|发表|刊登|刊发|时间|日期|出版|发文|published|posted|date|on", re.I)
_UPDATED = re.compile(r"更新|修改|最后|编辑于|updated|modified|edited|last", re.I)
_OTHER = re.compile(r"版权|copyright|©|备案|截止|截至|生日|出生|有效期|注册|since|今天是|现在是|today", re.I)


def declared_date(values: Iterable[str], now: datetime) -> datetime | None:
    """The first declared value that is a date in the past."""
    for value in values:
        if (date := _parse_declared(value)) and _past(date, now):
            return date
    return None


def date_in_text(texts: Sequence[str], now: datetime) -> datetime | None:
    """The best date of the texts around the title, in page order: one labelled as published, else the first plain one.

    Relative forms ("3 hours ago") are not turned into dates: the time of the fetch is not that of the page.
    """
    best: tuple[int, datetime] | None = None
    for text in texts:
        head = _with_digits(text[:NEAR_CHARS])
        for pattern in (_NUMERIC, _MONTH_FIRST, _DAY_FIRST, _YEAR_LAST):
            for match in pattern.finditer(head):
                before = head[max(0, match.start() - 14) : match.start()]
                date = _date(match)
                if date is None or not _past(date, now) or _OTHER.search(before):
                    continue
                label = before[-8:]
                rank = 0 if _UPDATED.search(label) else 2 if _PUBLISHED.search(label) else 1
                if best is None or rank > best[0]:
                    best = (rank, date)
    return best[1] if best else None


def marked_dates(elements: Iterable[Any]) -> list[str]:
    """What ``time`` elements and microdata among ``elements`` give as date: of publication first, of changes never."""
    published, plain = [], []
    for element in elements:
        mark = f"{element.get('itemprop') or ''} {element.get('class') or ''}".lower()
        earlier = element.getprevious()
        parent = element.getparent()
        before = earlier.tail if earlier is not None else parent.text if parent is not None else ""
        value = element.get("datetime") or element.get("content") or ""
        if not value or "modified" in mark or "updated" in mark or _UPDATED.search((before or "")[-14:]):
            continue
        if "datepublished" in mark or element.get("pubdate") is not None:
            published.append(value)
        elif element.tag == "time":
            plain.append(value)
    return published + plain


def date_in_url(url: str, now: datetime) -> datetime | None:
    """A date with a day in the path of the address."""
    path = urlsplit(url).path
    for pattern in (_T_FORM, _IN_URL):
        for match in pattern.finditer(path):
            if match.group("day") and (date := _date(match)) and _past(date, now):
                return date
    return None


def second_opinion(root: Any, url: str, now: datetime) -> datetime | None:
    """What htmldate (extra ``dates``) finds, when it is installed; nothing otherwise."""
    try:
        from htmldate import find_date
    except ImportError:
        return None
    # Of trees it takes only those of lxml.html, and prunes them: it gets a page of its own.
    html = tostring(root, encoding="unicode", method="html")
    found = find_date(html, url=url, extensive_search=False, original_date=True, max_date=now.strftime("%Y-%m-%d"))
    return declared_date([found], now) if found else None


def _parse_declared(value: str) -> datetime | None:
    value = value.strip()
    if value.isdecimal() and len(value) in (10, 13):  # seconds or milliseconds since 1970
        return datetime.fromtimestamp(int(value[:10]), UTC)
    try:
        return datetime.fromisoformat(value) if len(value) >= 10 and value[4:5] == "-" else _search(value)
    except ValueError:
        return _search(value)


def _search(value: str) -> datetime | None:
    for pattern in (_NUMERIC, _MONTH_FIRST, _DAY_FIRST, _YEAR_LAST, _COMPACT):
        if (match := pattern.search(_with_digits(value[:NEAR_CHARS]))) and (date := _date(match)):
            return date
    return None


def _with_digits(text: str) -> str:
    return _CHINESE_DATE.sub(
        lambda m: f"{m[1].translate(_CHINESE_DIGITS)}年{_number(m[2])}月{_number(m[3])}日", text.translate(_WIDE_DIGITS)
    )


def _number(numeral: str) -> int:
    tens, ten, ones = numeral.partition("十")
    if not ten:
        return int(numeral.translate(_CHINESE_DIGITS))
    return int(tens.translate(_CHINESE_DIGITS) or 1) * 10 + int(ones.translate(_CHINESE_DIGITS) or 0)


def _date(match: re.Match[str]) -> datetime | None:
    parts = {name.rstrip("_"): value for name, value in match.groupdict().items() if value}
    month = parts.get("month") or _MONTHS[parts["name"][:3].lower()]
    try:
        date = datetime(int(parts["year"]), int(month), int(parts["day"]))
        hour = int(parts.get("hour") or 0) % 24
        if hour < 12 and (parts.get("half", "").lower() == "p" or parts.get("part", "上午") != "上午"):
            hour += 12
        elif hour == 12 and parts.get("half", "").lower() == "a":
            hour = 0
        date = date.replace(hour=hour, minute=int(parts.get("minute") or 0), second=int(parts.get("second") or 0))
    except ValueError:
        return None
    zone = parts.get("zone")
    if zone and parts.get("hour"):
        date = date.replace(tzinfo=UTC if zone.isalpha() else datetime.strptime(zone, "%z").tzinfo)
    return date


def _past(date: datetime, now: datetime) -> bool:
    """A day of grace: a naive date may be one of another time zone."""
    aware = date if date.tzinfo else date.replace(tzinfo=UTC)
    try:
        return date.year >= EARLIEST and aware <= now + timedelta(days=1)
    except OverflowError:
        return False
