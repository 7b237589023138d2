"""A fetched page as the core sees it, and how to make one from bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from lxml import etree

from webprep_spider.exceptions import PageError
from webprep_spider.page.decode import Decoded, decode
from webprep_spider.rules import DEFAULT_RULES, Rules

_BINARY = (
    b"%PDF-",
    b"\x89PNG",
    b"GIF8",
    b"\xff\xd8\xff",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"Rar!",
    b"7z\xbc\xaf",
    b"\xd0\xcf\x11\xe0",
    b"OggS",
    b"ID3",
    b"\x7fELF",
    b"RIFF",
    b"wOFF",
    b"wOF2",
)
# libxml2 compares each attribute of a tag with all others of it, so a tag this long is looked at first.
_LARGE = 100_000
_LONG_TAG = 8_000
_MANY_ATTRIBUTES = 2_000
# libxml2 ends at 2,048 levels and drops all that follows.
_DEEPEST = 500
# No text has them; a page with a tag may have some all the same.
_CONTROLS = [chr(code) for code in range(0x20) if code not in b"\t\n\f\r\x1b"]
_MARKUP = re.compile(r"<(?:!doctype|html|head|body|title|meta|div|p|a|table|ul|span|br)\b", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)[^<>]*>")
_VOID = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
})  # fmt: skip


@dataclass(slots=True)
class Page:
    """One page: an address and a parsed tree. The tree belongs to the caller (often ``response.selector.root``)
    and is never changed."""

    url: str
    root: Any
    """The lxml element of the document."""
    encoding: str = "utf-8"
    encoding_source: str = "text"
    """``bom``, ``header``, ``meta``, ``detection``, ``repair`` or ``text`` (the caller gave text)."""
    flags: list[str] = field(default_factory=list)


def parse_page(
    body: bytes | str,
    url: str,
    *,
    encoding: str | None = None,
    content_type: str | None = None,
    rules: Rules = DEFAULT_RULES,
) -> Page:
    """Decode and parse one page; the tree has the repairs of libxml2's HTML parser (S4.T6).

    The page is flagged ``truncated_size`` where it was cut at ``rules.max_page_bytes``, ``encoding_suspect`` where its
    text may be garbled, ``truncated_depth`` where it nests deeper than the parser goes, and ``long_tags`` where tags
    with a flood of attributes were stripped of them.

    :raises PageError: if ``url`` is not an absolute http(s) address or the body is plainly not text.
    """
    require_web_address(url)
    flags = []
    if len(body) > rules.max_page_bytes:
        body = body[: rules.max_page_bytes]
        flags.append("truncated_size")
    if isinstance(body, str):
        decoded = Decoded(body.removeprefix("\ufeff"), "utf-8", "text")
    else:
        require_text(body)
        decoded = decode(body, content_type=content_type, encoding=encoding)
        if decoded.text.count("\x00", 0, 2000) > len(decoded.text[:2000]) // 4 > 0:
            raise PageError("the body is binary data, not a page")
    if decoded.suspect:
        flags.append("encoding_suspect")
    root, notes = parse_text(decoded.text)
    return Page(url, root, decoded.encoding, decoded.source, flags + notes)


def require_web_address(url: str) -> None:
    """:raises PageError: if ``url`` is not an absolute http or https address with a host."""
    try:
        parts = urlsplit(url)
        good = parts.scheme.lower() in ("http", "https") and bool(parts.hostname)
    except ValueError:
        good = False
    if not good:
        raise PageError(f"not an absolute http(s) address: {url[:200]!r}")


def require_text(body: bytes) -> None:
    """:raises PageError: if the body is plainly a picture, an archive or another binary file."""
    if body.startswith(b"%PDF-") or (body.startswith(_BINARY) and not body[:2000].isascii()):
        raise PageError("the body is a binary file, not a page")


def require_readable(text: str) -> None:
    """What a crawl asks of a page before it is stored; :func:`parse_page` itself reads it, flagged.

    :raises PageError: if the decoded text is full of control characters: random bytes read as letters.
    """
    head = text[:2000]
    controls = sum(map(head.count, _CONTROLS))
    if controls > len(head) // 4 or (controls > len(head) // 20 and not _MARKUP.search(head)):
        raise PageError("the body is binary data, not a page")


def parse_text(text: str) -> tuple[Any, list[str]]:
    """The root element of a page's text, and flags for what the parser could not hold. An empty page has an empty
    root."""
    notes: list[str] = []
    if len(text) > _LARGE and (mended := _without_floods(text)) is not None:
        text = mended
        notes.append("long_tags")
    root, complete = _parse(text)
    if not complete:
        root, _ = _parse(_flattened(text))
        notes.append("truncated_depth")
    return root, notes


def _parse(text: str) -> tuple[Any, bool]:
    """The root element, and whether the parser came to the end of the text."""
    data = text.replace("\x00", "").encode("utf-8", "replace")
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    try:
        root = etree.fromstring(data, parser) if data and not data.isspace() else None
    except (etree.LxmlError, ValueError):
        root = None
    last = parser.error_log.last_error
    complete = last is None or last.type != etree.ErrorTypes.ERR_RESOURCE_LIMIT
    return etree.Element("html") if root is None else root, complete


def _flattened(text: str) -> str:
    """The text without the start tags that stand deeper than the parser goes, and without their end tags."""
    parts: list[str] = []
    place = depth = dropped = 0
    for tag in _TAG.finditer(text):
        closing, name = tag[1], tag[2].lower()
        if name in _VOID:
            continue
        drop = False
        if not closing:
            drop = depth >= _DEEPEST
            dropped += drop
            depth += not drop
        elif dropped:
            drop = True
            dropped -= 1
        else:
            depth = max(0, depth - 1)
        if drop:
            parts.append(text[place : tag.start()])
            place = tag.end()
    parts.append(text[place:])
    return "".join(parts)


def _may_be_flooded(text: str) -> bool:
    """Whether a tag could be too long, at a glance: such a tag fills one of these stretches."""
    step, tag = _LONG_TAG // 2, 0
    for place in range(0, len(text) - step, step):
        if (last := text.rfind("<", place, place + step)) >= 0:
            tag = last
        elif text.find(">", tag, tag + _MANY_ATTRIBUTES) < 0:
            return True
    return False


def _without_floods(text: str) -> str | None:
    """The text without the attributes of tags that have thousands of them; None where there are none. One long value (a
    data: image) stays."""
    if not _may_be_flooded(text):
        return None
    pieces = text.split("<")
    changed = False
    for i, piece in enumerate(pieces):
        if len(piece) > _LONG_TAG:
            end = piece.find(">")
            tag = piece if end < 0 else piece[:end]
            if tag[:1].isalpha() and tag.count("=") + tag.count(" ") >= _MANY_ATTRIBUTES:
                pieces[i] = tag.split(None, 1)[0][:40] + piece[len(tag) :]
                changed = True
    return "<".join(pieces) if changed else None
