"""Chinese text into words: by rjieba where it is installed, else by jieba's dictionary.

jieba is unmaintained, and much of its time goes into an intermediate graph. Here the best path through its dictionary
is found directly; the words are the same.
"""

from __future__ import annotations

import contextlib
import os
import re
import warnings
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Cut = Callable[[str], list[str]]

# What jieba looks up; it splits by other rules at rarer characters.
_RARE = re.compile(r"[^\u4e00-\u9fd5\n]")


def load() -> Cut:
    """A function that cuts runs of Chinese, one a line; line ends are words of their own. Loads for up to a second."""
    try:
        import rjieba
    except ImportError:
        return _load_jieba()
    rjieba.cut("词")
    cut: Cut = rjieba.cut
    return cut


def _load_jieba() -> Cut:
    with warnings.catch_warnings():
        # jieba 0.42.1: invalid escapes, pkg_resources, a dictionary handle left open.
        warnings.simplefilter("ignore")
        import jieba
        from jieba import finalseg

        jieba.setLogLevel(60)
        tokenizer: Any = jieba.Tokenizer()
        folder = _cache_folder()
        tokenizer.tmp_dir = str(folder)
        tokenizer.cache_file = "jieba.cache"
        with contextlib.suppress(OSError):  # jieba then reads its dictionary each time: a second, nothing else
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        tokenizer.initialize()
        finalseg.cut("词")
    return _cutter(tokenizer.FREQ, log(tokenizer.total), finalseg.cut, tokenizer.lcut)


def _cutter(counts: Mapping[str, int], log_total: float, unknown: Callable[[str], Any], rare: Cut) -> Cut:
    """Cuts by ``counts``, which holds the words of the dictionary and, with 0, what they begin with.

    ``unknown`` cuts rows of single characters that the dictionary leaves, ``rare`` text with rare characters.
    """
    count = counts.get

    def cut(text: str) -> list[str]:
        if _RARE.search(text):
            return rare(text)
        found: list[str] = []
        for number, run in enumerate(text.split("\n")):
            if number:
                found.append("\n")
            start = single = 0
            for end in path(run):
                if end - start > 1:
                    leave(run[single:start], found)
                    found.append(run[start:end])
                    single = end
                start = end
            leave(run[single:], found)
        return found

    def path(run: str) -> list[int]:
        """Where the words of the likeliest path end."""
        size = len(run)
        likelihood = [0.0] * (size + 1)
        ends = [0] * size
        for start in range(size - 1, -1, -1):
            best, chosen = 0.0, 0
            end = start + 1
            known = count(run[start:end])
            while known is not None:
                if known:
                    value = log(known) - log_total + likelihood[end]
                    if not chosen or value >= best:
                        best, chosen = value, end
                if end == size:
                    break
                end += 1
                known = count(run[start:end])
            if not chosen:
                best, chosen = likelihood[start + 1] - log_total, start + 1
            likelihood[start], ends[start] = best, chosen
        found = []
        start = 0
        while start < size:
            start = ends[start]
            found.append(start)
        return found

    def leave(row: str, found: list[str]) -> None:
        found.extend(row if len(row) < 2 or count(row) else unknown(row))

    return cut


def _cache_folder() -> Path:
    """Per user: jieba's cache is a marshal file, which nobody else may write."""
    base = os.environ.get("WEBPREP_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "webprep"
