"""Words and sentences of a text, any language (S4.P3).

Chinese goes through jieba (or rjieba, its compiled twin, when that is installed); everything else through one Unicode
rule. Nothing is loaded before the first Chinese text, or :func:`preload`.
"""

from __future__ import annotations

import operator
import re
import threading
import unicodedata
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from webprep_spider.metadata import chinese

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
HAN_WORD = re.compile(f"[{HAN}]")
_HAN = re.compile(f"[{HAN}]")
_OTHER_RUN = re.compile(f"[^{HAN}]+")
_KANA = "\u3041-\u309f\u30a0-\u30ff"
_WORD = re.compile(
    rf"(?:(?<!\S)\.(?=[A-Z]{{2}}))?[^\W_{_KANA}]+(?:[-'’.+#&][^\W_{_KANA}]+)*[+#]{{0,2}}"
    r"|[\u3041-\u309f]+|[\u30a0-\u30ff]+"
)
_NUMERAL = re.compile("[〇零一二两三四五六七八九十百千万亿几数]+(?:分之[一二三四五六七八九十百千万]+)?个?")
_UNITS = frozenset("十百千万亿个之")
"""One of them is in a number that is no name: 五四 and 八一 are names."""
_MARKS = re.compile(r"[\W_]+")
_WORD_CHARACTER = re.compile(r"[^\W_]")
_SENTENCE_END = re.compile(r"[。！？!?；;…]+[”’」』）)\"]*|\n|\.(?=[\"'”’)]*\s)[\"'”’)]*")
_NO_END = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|vs|etc|e\.g|i\.e|Inc|Ltd|Co|Fig|al|approx|Jan|Feb|Mar|Apr|Jun|Jul"
    r"|Aug|Sep|Sept|Oct|Nov|Dec)|\b[A-Z])$"
)

_lock = threading.Lock()
_cut: Callable[[str], list[str]] | None = None


def segment(text: str) -> list[str]:
    """The words of ``text`` in order, as written, punctuation left out.

    Runs of Chinese are cut by jieba; a word of other scripts is a run of letters and digits, with inner
    hyphens, dots and apostrophes kept (``C++``, ``node.js``).
    """
    return [word for line in segment_lines(text.split("\n")) for word in line]


def segment_lines(lines: Sequence[str]) -> list[list[str]]:
    """The words of each line, all cut in one call of jieba. A line holds no line end."""
    text = "\n".join(lines)
    others = _OTHER_RUN.findall(text)
    if len(others) == 1 and others[0] == text:
        return [_WORD.findall(line) for line in lines]
    found: list[list[str]] = [[]]
    runs = iter(others)
    for piece in _chinese(_OTHER_RUN.sub("\n", text)):
        if piece != "\n":
            found[-1].append(piece)
            continue
        first, *rest = next(runs).split("\n")
        found[-1].extend(_WORD.findall(first))
        found.extend(_WORD.findall(line) for line in rest)
    return found


def sentences(text: str) -> list[str]:
    """The sentences of ``text`` with their closing marks. Line ends always close a sentence."""
    found: list[str] = []
    start = 0
    for mark in _SENTENCE_END.finditer(text):
        if mark.group()[0] == "." and _NO_END.search(text, max(start, mark.start() - 8), mark.start()):
            continue
        found.append(text[start : mark.end()].strip())
        start = mark.end()
    found.append(text[start:].strip())
    return [sentence for sentence in found if _WORD_CHARACTER.search(sentence)]


def preload() -> None:
    """Load the dictionary now instead of with the first Chinese text."""
    _chinese("词")


def has_han(text: str) -> bool:
    return _HAN.search(text) is not None


def fold(text: str) -> str:
    """Letters, digits and Chinese characters only, compatibility forms and case folded: for comparing, not showing."""
    lower = unicodedata.normalize("NFKC", text).lower()
    return lower if lower.isalnum() else _MARKS.sub("", lower)


def bigrams(text: str) -> set[str]:
    """Pairs of neighbouring characters of the folded text."""
    return pairs_of(fold(text))


def pairs_of(folded: str) -> set[str]:
    return set(map(operator.add, folded, folded[1:]))


@lru_cache(maxsize=50_000)
def is_inner(word: str, stops: frozenset[str] = frozenset()) -> bool:
    """Whether a lower-case word can stand in a phrase that describes a page: no number, none of the ``stops`` of its
    language, no Japanese ending, and a stop word only where it is one that begins phrases."""
    return (
        (word not in stop_words() or word in prefix_words())
        and word not in stops
        and not "\u3041" <= word[0] <= "\u309f"
        and any(map(str.isalpha, word))
    )


def is_numeral(word: str) -> bool:
    """Whether a Chinese word counts, as 四十二, 二十万 and 十分之一 do."""
    return _NUMERAL.fullmatch(word) is not None and not _UNITS.isdisjoint(word)


def is_content(word: str) -> bool:
    """Whether a lower-case word can describe a page: no stop word, no number, no single letter."""
    return len(word) > 1 and word not in stop_words() and any(map(str.isalpha, word))


@cache
def weak_words() -> frozenset[str]:
    """Words that describe a page only as part of a phrase."""
    return word_list("weakwords.txt")


@cache
def prefix_words() -> frozenset[str]:
    """Words that begin a phrase and neither end one nor stand alone."""
    return word_list("prefixwords.txt")


@cache
def stop_words() -> frozenset[str]:
    return word_list("stopwords.txt")


@cache
def noise_words() -> frozenset[str]:
    """Folded phrases that are emphasised on pages without meaning anything about them (S4.Q3, S4.Q4)."""
    return frozenset(fold(phrase) for phrase in word_list("noisewords.txt"))


def word_list(name: str) -> frozenset[str]:
    """A word list of the package: one entry a line, ``#`` starts a comment line."""
    lines = files("webprep_spider").joinpath("data", name).read_text(encoding="utf-8").splitlines()
    return frozenset(line.strip() for line in lines if line.strip() and not line.startswith("#"))


@cache
def sections(name: str) -> dict[str, list[str]]:
    """A word list of the package whose words, several a line, stand below the ``[label]`` they belong to."""
    found: dict[str, dict[str, None]] = {}
    words: dict[str, None] = {}
    for line in files("webprep_spider").joinpath("data", name).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            words = found.setdefault(line.strip("[] "), {})
        elif not line.startswith("#"):
            words.update(dict.fromkeys(line.split()))
    return {label: list(words) for label, words in found.items()}


def _chinese(run: str) -> list[str]:
    global _cut
    if _cut is None:
        with _lock:
            if _cut is None:
                _cut = chinese.load()
    return _cut(run)
