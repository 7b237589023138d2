"""From the bytes of a page to its text, with how that was decided.

Declared encodings lie often enough on Chinese sites that each is checked against the bytes: valid UTF-8 is UTF-8
whatever is declared, and a declared encoding must read the bytes without many errors and, where it reads them as
Chinese, Japanese or Korean, yield characters that running text is made of.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from webprep_spider.page.charsets import codec_of, running_share

EncodingSource: TypeAlias = Literal["bom", "header", "meta", "detection", "repair", "text"]

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_META = re.compile(
    rb"<(?:meta|\?xml)\b[^>]{0,400}?(?:charset|encoding)\s{0,9}=\s{0,9}[\"']?\s{0,9}([\w.:-]{2,40})", re.I
)
_HEADER = re.compile(r"charset\s{0,9}=\s{0,9}([^;]{1,80})", re.I)
_MOJIBAKE = re.compile(
    "[\u0080-\u00ff\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u2026\u2030\u2039\u203a\u20ac\u2122]{2,}"
)
_EAST_ASIAN = ("gb18030", "big5hkscs", "cp932", "euc_jp", "cp949")
_ONE_BYTE = (
    "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp874", "cp866",
    "koi8_r", "koi8_u", "iso8859_2",
)  # fmt: skip
_CHAOS = 0.02  # by which a reading may be messier than the best and still count
_CLEARLY = 0.1  # by which its letters must suit a language better than those of windows-1252
_SAMPLE = 100_000
_MANY_ERRORS = 0.02
_PLAIN_TEXT = 0.35


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a page and where its encoding came from.

    ``encoding`` is the name of a Python codec. ``source`` is ``repair`` where the bytes contradicted what was declared.
    ``suspect`` says that the text may be garbled all the same.
    """

    text: str
    encoding: str
    source: EncodingSource
    suspect: bool = False


def decode(body: bytes, *, content_type: str | None = None, encoding: str | None = None) -> Decoded:
    """Decode a page. Never raises; bytes that fit no encoding become U+FFFD.

    :param content_type: the Content-Type header as the server sent it.
    :param encoding: a label that overrides header and meta; one that browsers do not know is ignored.
    """
    if encoding and (codec := codec_of(encoding)):
        text = body.decode(codec, "replace").removeprefix("\ufeff")
        return Decoded(text, codec, "header", _broken(text, body))
    for mark, codec in _BOMS:
        if body.startswith(mark):
            text = body[len(mark) :].decode(codec, "replace")
            return Decoded(text, codec, "bom", _broken(text, body))
    header, meta = declared_by_header(content_type), declared_by_meta(body)
    if "iso2022_jp" in (header, meta) and b"\x1b$" in body:
        return Decoded(
            body.decode("iso2022_jp", "replace"), "iso2022_jp", "header" if header == "iso2022_jp" else "meta"
        )
    if wide := _utf16_without_mark(body):
        return Decoded(body.decode(wide, "replace"), wide, "detection")
    declared: list[tuple[str, EncodingSource]] = []
    if header:
        declared.append((header, "header"))
    if meta:
        declared.append((meta, "meta"))
    strict = _strict_utf8(body)
    if strict is not None:
        return _from_utf8(strict, body, declared)
    return _from_legacy(body, declared)


def declared_by_header(content_type: str | None) -> str | None:
    """Codec named by a Content-Type header; the first known one where it names several."""
    found = _HEADER.search(content_type or "")
    labels = re.split(r"[,\s]+", found[1]) if found else []
    return next((codec for label in labels if (codec := codec_of(label))), None)


def declared_by_meta(body: bytes) -> str | None:
    """Codec named by a meta element or an XML declaration near the start of the page."""
    for found in _META.finditer(body[:8192]):
        if codec := codec_of(found[1].decode("ascii", "replace")):
            # A page whose meta could be read byte by byte is not UTF-16, whatever it says.
            return "utf-8" if codec.startswith("utf-16") else codec
    return None


def _strict_utf8(body: bytes) -> str | None:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        # A page cut off in the middle of a character is valid up to there.
        if error.start >= len(body) - 3 and error.reason == "unexpected end of data":
            return body[: error.start].decode()
        return None


def _from_utf8(text: str, body: bytes, declared: list[tuple[str, EncodingSource]]) -> Decoded:
    """Judge bytes that are valid UTF-8 and were read as such."""
    source = next((where for codec, where in declared if codec == "utf-8"), None)
    if text.isascii():
        return Decoded(text, declared[0][0] if declared else "utf-8", declared[0][1] if declared else "detection")
    if len(body) < 4096 and source is None and max(text) < "\u0800":
        # A few short Chinese words in GBK are valid UTF-8 too, of letters that no language mixes.
        chinese = body.decode("gb18030", "replace")
        if running_share(chinese) > 0.8:
            return Decoded(chinese, "gb18030", declared[0][1] if declared else "detection")
    return _undouble(text, source or ("repair" if declared else "detection"))


def _utf16_without_mark(body: bytes) -> str | None:
    head = body[:2000]
    if head.count(0) < len(head) // 5 or b"<" not in head:
        return None
    return "utf-16-le" if head[1::2].count(0) > head[0::2].count(0) else "utf-16-be"


def _from_legacy(body: bytes, declared: list[tuple[str, EncodingSource]]) -> Decoded:
    """Decode bytes that are not valid UTF-8."""
    sample = (
        body[:_SAMPLE]
        if not body[:_SAMPLE].isascii()
        else b"".join(re.findall(rb"[\x80-\xff][^\x00\x3c]*", body))[:_SAMPLE]
    )
    for codec, source in declared:
        if _reads(sample, codec):
            text = body.decode(codec, "replace")
            return Decoded(text, codec, source, text.count("\ufffd") > 20)
    tried = {codec for codec, _ in declared}
    found: EncodingSource = "repair" if declared else "detection"
    readings = [(running_share(read), codec) for codec in _EAST_ASIAN if (read := _reading(sample, codec)) is not None]
    best, codec = max(readings, default=(0.0, ""), key=lambda reading: reading[0])
    if best >= _PLAIN_TEXT:
        return Decoded(body.decode(codec, "replace"), codec, found)
    if "utf-8" in tried or not declared:
        text = body.decode("utf-8", "replace")
        if _is_utf8(text, most=0.1):
            source = next((where for name, where in declared if name == "utf-8"), found)
            return Decoded(text, "utf-8", source, suspect=True)
    codec = _detected(sample) or next((name for name, _ in declared if name != "utf-8"), "") or codec or "cp1252"
    text = body.decode(codec, "replace")
    source = next((where for name, where in declared if name == codec), found)
    return Decoded(text, codec, source, suspect=_error_share(text) > _MANY_ERRORS or codec in _EAST_ASIAN)


def _reads(sample: bytes, codec: str) -> bool:
    """Whether the declared codec reads the bytes as text."""
    if codec == "utf-8":
        return _is_utf8(sample.decode("utf-8", "replace"), most=_MANY_ERRORS)
    text = _reading(sample, codec)
    if text is None:
        return False
    if codec in _EAST_ASIAN:
        return running_share(text) >= _PLAIN_TEXT / 2
    # One-byte encodings read anything. They are contradicted by long runs of letters that no such language has, which
    # are plain Chinese when read as gb18030 or Big5.
    if sum(map(len, re.findall(rb"[\x81-\xfe]{4,}", sample[:20_000]))) < 8:
        return True
    return all(
        running_share(other) < _PLAIN_TEXT for name in _EAST_ASIAN if (other := _reading(sample, name)) is not None
    )


def _reading(sample: bytes, codec: str) -> str | None:
    """The sample in this codec; None if it has more than a few errors."""
    text = sample.decode(codec, "replace")
    return None if _error_share(text) > _MANY_ERRORS else text


def _error_share(text: str) -> float:
    """Share of U+FFFD among the non-ASCII characters, not counting a single one at the cut."""
    errors = text.count("\ufffd") - 1
    if errors <= 0:
        return 0.0
    return errors / max(1, len(text) - len(text.encode("ascii", "ignore")))


def _is_utf8(text: str, most: float) -> bool:
    """Whether bytes read as UTF-8 were that, but for some errors; not if every sign beyond ASCII is an error."""
    return _error_share(text) < most and not text.replace("\ufffd", "").isascii()


def _broken(text: str, body: bytes) -> bool:
    return "\ufffd" in text and _error_share(text) > _MANY_ERRORS and not body.isascii()


def _detected(sample: bytes) -> str | None:
    """What charset-normalizer takes the bytes for; its import is paid only by the pages that need it.

    Neighbouring code pages differ in a few letters only. Of those that read about as well the one counts whose letters
    suit a language best, and windows-1252, as in browsers, where none suits clearly better.
    """
    from charset_normalizer import from_bytes

    guesses = list(from_bytes(sample[:20_000], cp_isolation=[*_ONE_BYTE]))
    if not guesses:
        return None
    near = [guess for guess in guesses if guess.chaos <= guesses[0].chaos + _CHAOS]
    best = max(near, key=lambda guess: guess.coherence + _CLEARLY * (guess.encoding == "cp1252"))
    return "cp1252" if "cp1252" in best.could_be_from_charset else best.encoding


def _undouble(text: str, source: EncodingSource) -> Decoded:
    """Repair UTF-8 that was taken for windows-1252 and encoded once more; flag it where that fails."""
    runs = _MOJIBAKE.findall(text, 0, 200_000)
    if sum(map(len, runs)) < 12 or running_share(text) > 0.1:
        return Decoded(text, "utf-8", source)
    once = [_once(run) for run in runs[:200]]
    mended = sum(run is not None for run in once)
    if mended < 0.5 * len(once):
        return Decoded(text, "utf-8", source)
    if mended < 0.9 * len(once):
        return Decoded(text, "utf-8", source, suspect=True)
    return Decoded(_MOJIBAKE.sub(lambda run: _once(run[0]) or run[0], text), "utf-8", "repair")


def _once(run: str) -> str | None:
    """The text whose UTF-8 bytes these characters are."""
    try:
        return b"".join(c.encode("latin-1" if c < "\u0100" else "cp1252") for c in run).decode()
    except UnicodeError:
        return None
