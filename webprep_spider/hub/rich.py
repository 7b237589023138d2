"""Further columns beside the seed vector: the shape of the address, and the link text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webprep_spider.hub.columns import Column
from webprep_spider.hub.tables import file_of

if TYPE_CHECKING:
    from webprep_spider.hub.address import Address

PATH_COLUMNS = (
    Column("segments", "count", "segments of the path"),
    Column("query_len", "count", "characters of the query"),
    Column("has_ext", "flag", "the file name has an extension"),
    Column("slug_len", "count", "characters of the slug: the file name without extension, else the last directory"),
    Column("slug_digit_share", "mean", "share of digits in the slug"),
    Column("slug_is_number", "flag", "the slug is a number"),
    Column("slug_long_number", "flag", "the slug holds a number of five or more digits"),
    Column("longest_number", "count", "digits of the longest number in the path"),
    Column("query_number", "count", "digits of the longest number in the query"),
    Column("numbers", "count", "numbers in the path"),
    Column("hyphens", "count", "hyphens in the slug"),
    Column("underscores", "count", "underscores in the slug"),
    Column("slug_words", "count", "words of three or more letters in the slug"),
    Column("longest_word", "count", "letters of the longest of them"),
    Column("path_date", "flag", "year and month as directories"),
    Column("after_date", "flag", "more than a day follows them"),
    Column("pager", "flag", "page number: page/2, index_3.html, ?p=4"),
    Column("longest_segment", "count", "characters of the longest segment"),
    Column("last_segment", "count", "characters of the last segment"),
    Column("slug_variety", "mean", "different characters of the slug per character"),
    Column("hex_code", "flag", "the slug holds eight or more hexadecimal digits"),
    Column("host_dots", "count", "dots in the host"),
    Column("not_latin", "flag", "path with other than ASCII characters"),
    Column("capitals", "flag", "path with capital letters"),
    Column("directory", "flag", "the path ends in a slash"),
    Column("home_page", "flag", "neither path nor query"),
    Column("first_segment", "count", "characters of the first segment"),
    Column("number_segments", "count", "segments that are numbers"),
    Column("escapes", "flag", "percent escapes in the path"),
    Column("subdomain", "count", "characters of the first host label where there are three"),
)

TEXT_COLUMNS = (
    Column("text_han", "count", "Chinese, Japanese and Korean characters of the link text"),
    Column("text_parts", "count", "parts between white space"),
    Column("text_known", "flag", "there is a link text"),
    Column("text_sentence_marks", "count", "marks as of sentences: comma, colon, question mark, quotation marks"),
    Column("text_marks", "count", "these and enumeration commas and brackets"),
    Column("text_numbers", "count", "numbers in the link text"),
    Column("text_is_number", "flag", "the link text is a number, as in pagers"),
    Column("text_units", "count", "Chinese characters and words"),
    Column("text_slug_share", "mean", "share of its words that stand in the slug"),
    Column("text_capitals", "mean", "share of capital letters"),
    Column("text_cut", "flag", "it ends in dots"),
    Column("text_date", "flag", "it holds a date or a time"),
    Column("text_path_share", "mean", "share of its words that stand in the path"),
    Column("slug_vocabulary", "count", "different words of the slug"),
    Column("text_own_words", "count", "words of the link text that are not in the path"),
)

_NUMBERS = re.compile(r"\d+", re.ASCII)
_WORDS = re.compile(r"[A-Za-z]{3,}")
_PAGER = re.compile(
    r"page[=/_-]?\d|[_-]\d{1,3}\.s?html?$|/p\d+/?$|(?:index|list)[_-]?\d|[?&](?:p|pn|pg|paged|start|offset)=\d",
    re.IGNORECASE,
)
_HEX = re.compile(r"(?=[a-f]{0,64}\d)[0-9a-f]{8,}")
_DATE_DIRECTORIES = re.compile(r"(?<!\d)(?:19|20)\d\d/\d{1,2}")
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_SENTENCE_MARKS = re.compile(r"[，。：；？！,:;?!“”\"「」《》…]")
_OTHER_MARKS = re.compile(r"[、（）()]")
_LATIN_WORDS = re.compile(r"[A-Za-z]+")
_CAPITALS = re.compile(r"[A-Z]")
_TEXT_DATE = re.compile(r"(?:19|20)\d\d|\d{1,2}[-/月]\d{1,2}|\d:\d\d", re.ASCII)
_CUT = ("...", "…", "..")

_LONGEST_TEXT = 500
_NO_TEXT = (0.0,) * len(TEXT_COLUMNS)


def rich_row(address: Address, link_text: str) -> tuple[float, ...]:
    """Values of :data:`PATH_COLUMNS` and :data:`TEXT_COLUMNS`."""
    host, path, query, _ = address
    segments = [segment for segment in path.split("/") if segment]
    last = segments[-1] if segments else ""
    stem, extension = file_of(path)
    slug = (stem or last).lower()
    slug_size = len(slug) or 1
    numbers = _NUMBERS.findall(path)
    slug_numbers = _NUMBERS.findall(slug) if numbers else []
    words = _WORDS.findall(slug)
    dated = _DATE_DIRECTORIES.search(path) if numbers else None
    path_row = (
        len(segments),
        len(query),
        bool(extension),
        len(slug),
        sum(map(len, slug_numbers)) / slug_size,
        slug.isdecimal(),
        max(map(len, slug_numbers), default=0) >= 5,
        max(map(len, numbers), default=0),
        max(map(len, _NUMBERS.findall(query)), default=0) if query else 0,
        len(numbers),
        slug.count("-"),
        slug.count("_"),
        len(words),
        max(map(len, words), default=0),
        dated is not None,
        dated is not None and dated.end() < len(path) - 8,
        bool(numbers or query) and _PAGER.search(f"{path}?{query}" if query else path) is not None,
        max(map(len, segments), default=0),
        len(last),
        len(set(slug)) / slug_size,
        slug_size >= 8 and bool(slug_numbers) and _HEX.search(slug) is not None,
        host.count("."),
        not path.isascii() or "%E" in path or "%e" in path,
        path != path.lower(),
        path[-1] == "/",
        not segments and not query,
        len(segments[0]) if segments else 0,
        sum(map(str.isdecimal, segments)) if numbers else 0,
        "%" in path,
        host.find(".") if host.count(".") > 1 else 0,
    )
    text = link_text[:_LONGEST_TEXT].strip()
    return path_row + (_text_row(text, path, words) if text else _NO_TEXT)


def _text_row(text: str, path: str, slug_words: list[str]) -> tuple[float, ...]:
    ascii_only = text.isascii()
    han = 0 if ascii_only else len(_HAN.findall(text))
    parts = len(text.split())
    latin = _LATIN_WORDS.findall(text)
    own = {word.lower() for word in latin if len(word) > 2}
    of_path = {word.lower() for word in _WORDS.findall(path)} if own else set()
    of_slug = set(slug_words)
    sentence_marks = len(_SENTENCE_MARKS.findall(text))
    vocabulary = len(own) or 1
    return (
        han,
        parts,
        1.0,
        sentence_marks,
        sentence_marks + len(_OTHER_MARKS.findall(text)),
        len(_NUMBERS.findall(text)),
        text.isdecimal(),
        han + (len(latin) if han else parts),
        len(own & of_slug) / vocabulary,
        len(_CAPITALS.findall(text)) / len(text),
        text.endswith(_CUT),
        _TEXT_DATE.search(text) is not None,
        len(own & of_path) / vocabulary,
        len(of_slug),
        len(own - of_path),
    )
