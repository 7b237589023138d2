"""What the scripts of a page hold as data: JSON, and the strings of programs."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST = 500_000  # characters of one script
_LEAST = 60  # characters of a string that may hold JSON or a text
_DECODER: Final = json.JSONDecoder(strict=False)
_START = re.compile(r"[{\[](?=\s*[{\[\"])")
_HEAD = 80  # characters before the JSON in a script of it: the beginning of a comment or a CDATA section
_MOST_STARTS = 3
_LAST_COMMA = re.compile(r",(\s{0,99}[}\]])")
_ASSIGNED = re.compile(r"=\s{0,9}(?=[{\[])")
_MOST_ASSIGNED = 8
# A string without an end goes on to the end of the line.
_STRING = re.compile(
    r'"((?:[^"\\\n]++|\\[\s\S])*+)"?' r"|'((?:[^'\\\n]++|\\[\s\S])*+)'?" r"|`((?:[^`\\]++|\\[\s\S])*+)`?"
)
_JSON_STRING = re.compile(r'"((?:[^"\\]++|\\[\s\S])*+)"')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|\r?\n|([\s\S]))")
_NAMED_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "", "f": "", "v": "", "0": ""}
# How Angular writes markup inside a script.
_ANGULAR = (("&q;", '"'), ("&s;", "'"), ("&l;", "<"), ("&g;", ">"), ("&a;", "&"))
_PROGRAM_TYPES = ("", "module", "text/javascript", "application/javascript")


def json_of(text: str) -> Any:
    """The value in a script of JSON as templates write it: in a comment, with a comma after the last entry; None where
    there is none that can be read."""
    if len(text) > _MOST:
        return None
    if "&q;" in text:
        for written, meant in _ANGULAR:
            text = text.replace(written, meant)
    text, mended = text.lstrip(), ""
    for start in islice(_START.finditer(text, 0, _HEAD), _MOST_STARTS):
        value = _value_at(text, start.start())
        if value is None:
            mended = mended or _LAST_COMMA.sub(r"\1", text)
            value = _value_at(mended, start.start())
        if value is not None:
            return value
    return None


def string_after(name: str, text: str) -> str:
    """The string that follows a key in JSON, however broken the rest of it is."""
    found = re.search(rf'"{name}"\s{{0,9}}:\s{{0,9}}(?=")', text)
    string = _JSON_STRING.match(text, found.end()) if found else None
    return _unescaped(string[1]) if string else ""


def data_of_programs(root: Any) -> Iterator[Any]:
    """The values that the programs of a page assign as JSON, their longer strings, and the markup they are given."""
    for script in root.iter("script"):
        text, kind = script.text, (script.get("type") or "").lower()
        if not text or not _LEAST < len(text) < _MOST:
            continue
        if kind not in _PROGRAM_TYPES:
            if "template" in kind or "html" in kind:
                yield text
            continue
        for i, place in enumerate(_ASSIGNED.finditer(text)):
            if i == _MOST_ASSIGNED:
                break
            if (value := _value_at(text, place.end())) is not None:
                yield value
        for string in _STRING.finditer(text):
            if string.end() - string.start() > _LEAST:
                yield _unescaped(string[string.lastindex or 1])


def texts_of(record: Any) -> Iterator[str]:
    """The strings of a record, and those of each of its lists of paragraphs as one; strings that are JSON are read."""
    queue = [record]
    while queue:
        value = queue.pop()
        if isinstance(value, dict):
            queue.extend(value.values())
        elif isinstance(value, list):
            queue.extend(value)
            yield "\n".join(filter(None, map(_longest_string, value)))
        elif isinstance(value, str) and len(value) >= _LEAST:
            if (inner := json_of(value)) is not None:
                queue.append(inner)
            else:
                yield value


def _longest_string(entry: Any) -> str:
    values = entry.values() if isinstance(entry, dict) else (entry,)
    return max((value for value in values if isinstance(value, str)), key=len, default="")


def _value_at(text: str, start: int) -> Any:
    try:
        return _DECODER.raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return None


def _unescaped(string: str) -> str:
    if "\\" not in string:
        return string
    text = _ESCAPE.sub(_meant, string)
    # Two escapes may make one character.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _meant(escape: re.Match[str]) -> str:
    if code := escape[1] or escape[2]:
        return chr(int(code, 16))
    sign = escape[3] or ""
    return _NAMED_ESCAPES.get(sign, sign)
