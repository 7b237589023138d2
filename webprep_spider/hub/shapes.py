"""The pattern an address follows on its site, from coarse to fine, with numbers folded."""

from __future__ import annotations

import re
from functools import lru_cache

from webprep_spider.hub.address import LONGEST_LOOKED_AT, split_address

_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_RUNS = re.compile(r"[^\W\d_]+|\d+")
_NUMBER = re.compile(r"\d+")
_BREAKS = re.compile(r"[-_.+,~!$ ]+")
_DIRECTORIES = 5
_WORDS = 4
_PARAMETERS = 6
_LONGEST_WORD = 15


def shapes(url: str) -> tuple[str, ...]:
    """Four patterns of ``url``, each refining the one before; empty for what cannot be fetched.

    The coarsest tells words, numbers and codes apart and keeps the extension only. The finer ones add, for a path,
    the first word of the file name, the first directory, all directories; for a query, the directories and the file
    name, the parameter names, their values where these are words. So ``/news/2024/t12.html`` and ``/news/2023/t7.html``
    share all four.
    """
    return _shapes(url[:LONGEST_LOOKED_AT])  # so that the cache is bounded in bytes too


@lru_cache(maxsize=8_192)
def _shapes(url: str) -> tuple[str, ...]:
    address = split_address(url)
    if address is None:
        return ()
    path = _ESCAPED.sub("a", address.path).lower()
    *directories, name = path.split("/")[1:]
    directories = directories[:_DIRECTORIES]
    stem, dot, extension = name.rpartition(".")
    stem, extension = (stem, extension[:6]) if dot else (name, "")
    skeleton = f"{'/'.join(map(_kinds, directories))}/{_kinds(stem)}.{extension}"
    folders = [_fold(directory) for directory in directories]
    if address.query:
        return (f"{skeleton}?", *_query_shapes(f"{'/'.join(folders)}/{_fold(stem)}.{extension}", address.query))
    words = _words(stem)
    if not words:
        head = ""
    elif len(words) > 1 or _kind(words[0]) != "a":
        head = _fold(words[0])
    else:
        head = "a"  # one plain word is a name of its own, not a pattern
    first = folders[0] if folders else ""
    return skeleton, f"{skeleton}|{head}", f"{skeleton}|{head}|{first}", f"{skeleton}|{head}|{'/'.join(folders)}"


def _query_shapes(file: str, query: str) -> tuple[str, str, str]:
    names, values = [], []
    for part in query.lower().split("&", _PARAMETERS)[:_PARAMETERS]:
        name, _, value = part.partition("=")
        name = _fold(name)
        names.append(name)
        values.append(f"{name}={value if value.isalpha() and len(value) <= _LONGEST_WORD else 9}")
    return f"{file}?", f"{file}?{'&'.join(sorted(names))}", f"{file}?{'&'.join(sorted(values))}"


def _words(stem: str) -> list[str]:
    return [word for word in _BREAKS.split(stem) if word]


def _kinds(stem: str) -> str:
    words = _words(stem)
    return "-".join(_kind(word) for word in words[: _WORDS - 1]) + ("~" if len(words) >= _WORDS else "")


def _kind(word: str) -> str:
    """``9`` a number, ``a9`` a word with a number, ``a`` a word, ``*`` a code."""
    folded = _fold(word)
    if folded in ("9", "*"):
        return folded
    return "a9" if "9" in folded else "a"


def _fold(word: str) -> str:
    """Numbers become 9; a code of letters and digits in turn (``5af6Se5m``) becomes ``*``."""
    runs = _RUNS.findall(word)
    if len(runs) > 2 and all(len(run) <= 3 for run in runs):
        return "*"
    return _NUMBER.sub("9", word)
