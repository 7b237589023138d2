"""Further columns beside the seed vector: the shape of the address, and the link text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webprep_spider.hub.columns import Column

if TYPE_CHECKING:
    from webprep_spider.hub.address import Address, PathParts

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
    Column("switches", "count", "changes between small and capital letters or letters and digits in the slug"),
    Column("switch_share", "mean", "these per character"),
    Column("consonants", "count", "longest run of consonants in the slug: codes have long ones"),
    Column("vowel_share", "mean", "share of vowels in the slug"),
    Column("parent_segment", "count", "characters of the last but one segment"),
    Column("single_directory", "flag", "the path is one directory"),
    Column("single_name", "flag", "the path is one name without extension"),
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
    r"page[=/_-]?[0-9]|[_-][0-9]{1,3}\.s?html?$|/p[0-9]+/?$|(?:index|list)[_-]?[0-9]|[?&](?:p|pn|pg|paged|start|offset)=[0-9]"
)
_SWITCH = re.compile(r"[a-z][A-Z]|[A-Za-z][0-9]|[0-9][A-Za-z]")
_CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxz]{2,}")
_HEX = re.compile(r"(?=[a-f]{0,64}\d)[0-9a-f]{8,}")
_DATE_DIRECTORIES = re.compile(r"(?<!\d)(?:19|20)\d\d/\d{1,2}")
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+")
_SENTENCE_MARKS = re.compile(r"[，。：；？！,:;?!“”\"「」《》…]")
_OTHER_MARKS = re.compile(r"[、（）()]")
_LATIN_WORDS = re.compile(r"[A-Za-z]+")
_CAPITALS = re.compile(r"[A-Z]")
_TEXT_DATE = re.compile(r"(?:19|20)\d\d|\d{1,2}[-/月]\d{1,2}|\d:\d\d", re.ASCII)
_CUT = ("...", "…", "..")

_LONGEST_TEXT = 500
_NONE = [0]
_NO_TEXT = (0.0,) * len(TEXT_COLUMNS)


def rich_row(address: Address, parts: PathParts, link_text: str) -> tuple[float, ...]:
    """Values of :data:`PATH_COLUMNS` and :data:`TEXT_COLUMNS`."""
    host, path, query, _ = address
    segments, stem, extension, numbers = parts
    last = segments[-1] if segments else ""
    low_path = path.lower()
    raw_slug = stem or last
    slug = raw_slug.lower()
    size = len(slug) or 1
    segment_sizes = [len(segment) for segment in segments] or _NONE
    words = _WORDS.findall(slug)
    directory = path[-1] == "/"
    longest = slug_digits = slug_longest = switches = 0
    slug_is_number = hex_code = pager = False
    dated = None
    if numbers:
        longest = max([len(number) for number in numbers])
        dated = _DATE_DIRECTORIES.search(path) if len(numbers) > 1 else None
        slug_numbers = [len(number) for number in _NUMBERS.findall(slug)]
        if slug_numbers:
            slug_digits, slug_longest = sum(slug_numbers), max(slug_numbers)
            slug_is_number = slug_digits == size
            hex_code = size >= 8 and _HEX.search(slug) is not None
    if numbers or query:
        pager = _PAGER.search(f"{low_path}?{query.lower()}" if query else low_path) is not None
    if slug_digits or slug != raw_slug:
        switches = len(_SWITCH.findall(raw_slug))
    path_row = (
        len(segments),
        len(query),
        bool(extension),
        len(slug),
        slug_digits / size,
        slug_is_number,
        slug_longest >= 5,
        longest,
        max([len(number) for number in _NUMBERS.findall(query)] or _NONE) if query else 0,
        len(numbers),
        slug.count("-"),
        slug.count("_"),
        len(words),
        max([len(word) for word in words]) if words else 0,
        dated is not None,
        dated is not None and dated.end() < len(path) - 8,
        pager,
        max(segment_sizes),
        len(last),
        len(set(slug)) / size,
        hex_code,
        host.count("."),
        not path.isascii() or "%E" in path or "%e" in path,
        path != low_path,
        directory,
        not segments and not query,
        segment_sizes[0],
        sum([segment.isdecimal() for segment in segments]) if numbers else 0,
        "%" in path,
        host.find(".") if host.count(".") > 1 else 0,
        switches,
        switches / size,
        max([len(run) for run in _CONSONANTS.findall(slug)] or _NONE),
        sum(map(slug.count, "aeiou")) / size,
        segment_sizes[-2] if len(segments) > 1 else 0,
        directory and len(segments) == 1,
        not directory and len(segments) == 1 and not extension,
    )
    text = link_text[:_LONGEST_TEXT].strip()
    return path_row + (_text_row(text, path, words) if text else _NO_TEXT)


def _text_row(text: str, path: str, slug_words: list[str]) -> tuple[float, ...]:
    ascii_only = text.isascii()
    han = 0 if ascii_only else len("".join(_HAN.findall(text)))
    parts = len(text.split())
    latin = _LATIN_WORDS.findall(text)
    own = {word.lower() for word in latin if len(word) > 2} if latin else set()
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
