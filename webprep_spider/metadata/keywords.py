"""Keywords: the author's own when they are real, else words and phrases ranked by tag-weighted TF-IDF and by how
they stand on the page (S4.M3, S4.Q5). A small network weighs these against each other."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import as_file, files
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from webprep_spider.metadata.idf import idf
from webprep_spider.metadata.words import fold, has_han, is_inner, noise_words, prefix_words, weak_words
from webprep_spider.net import NetModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from webprep_spider.metadata.reading import Clause, Reading
    from webprep_spider.rules import Rules

Phrase = tuple[str, ...]

MAX_PHRASE = 4
"""Words of the longest phrase."""
EARLY_WORDS = 80
"""A phrase that occurs once is a candidate only in the title, in a heading, or among so many first words."""
HEADING_FACTORS = {"h1": 2.0, "h2": 2.5, "h3": 2.0, "h4": 1.5, "h5": 1.5, "h6": 1.5, "th": 1.2, "dt": 1.2}

FEATURES = (
    "log weight", "in title", "in heading", "emphasised", "log first place", "first place by length",
    "log weight x mean idf", "least idf", "greatest idf", "words", "characters", "two characters", "three characters",
    "share of whole clauses", "log left neighbours", "log right neighbours", "share of its commonest word",
    "weak alone", "weak first", "weak last", "log length of the page",
)  # fmt: skip

_NO_WORD = frozenset(("",))
_SEPARATORS = re.compile(r"[,，、;；|｜/／\t\n]+|\s{2,}")
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a page in a row, an empty one wherever a stop word or a mark parts them."""

    words: list[str]
    weights: list[float]
    """Of each word: title and heading factor, emphasis (S4.Q5)."""
    heading: list[bool]
    emphasised: list[bool]
    title_end: int
    written: Counter[str]


def own_keywords(values: Iterable[str], title: str, page: str, sites: Iterable[str], rules: Rules) -> list[str]:
    """The author's keywords in the author's order, or nothing when they do not speak of this page.

    Names of the site, generic words and copies of the title are dropped; the rest is real when enough of it is found
    in ``page``, the folded text with its title (``Rules.own_keywords_share``).
    """
    generic = noise_words() | {fold(site) for site in sites}
    heading = fold(title)
    found: dict[str, str] = {}
    for value in values:
        pieces = _SEPARATORS.split(value)
        if len(pieces) == 1 and has_han(value):
            pieces = _BLANKS.split(value)
        for piece in pieces:
            key = fold(piece)
            if 1 < len(key) <= rules.keyword_chars and key not in generic and key != heading:
                found.setdefault(key, piece.strip(" \t\u3000.。:：\"'“”《》#"))
    present = sum(key in page for key in found)
    if not present or present < rules.own_keywords_share * len(found):
        return []
    return list(found.values())[: rules.max_keywords]


def rank_keywords(reading: Reading, rules: Rules) -> list[tuple[str, float]]:
    """The best words and phrases of a page with weights in (0, 1], best first."""
    phrases, rows, written = keyword_candidates(reading, rules)
    if not phrases:
        return []
    scores = load_ranking(any(map(has_han, written))).chance(rows)
    best: list[tuple[Phrase, float]] = []
    for place in np.argsort(-scores, kind="stable"):
        phrase = phrases[place]
        if not any(_contains(taken, phrase) for taken, _ in best):
            best.append((phrase, float(scores[place])))
            if len(best) >= rules.max_keywords:
                break
    return [(spell(phrase, written), round(max(score, 1e-4), 4)) for phrase, score in best]


def keyword_candidates(reading: Reading, rules: Rules) -> tuple[list[Phrase], NDArray[np.float32], dict[str, str]]:
    """Candidate phrases (lower case), a row of :data:`FEATURES` for each, and how their words are mostly written."""
    page = _flatten(reading, rules)
    words = page.words
    early = page.title_end + EARLY_WORDS
    weak = weak_words() | prefix_words()
    log_length = math.log1p(len(words))
    alone = Counter(words)
    rarity = {word: idf(word) for word in alone if word}
    phrases: list[Phrase] = []
    rows: list[float] = []
    for size, found in enumerate(_phrases(words, early, page.heading), 1):
        for phrase, places in found.items():
            first = places[0]
            count = len(places)
            rarities = [rarity[word] for word in phrase]
            chars = min(8, sum(map(len, phrase))) if has_han(phrase[0][0]) else 0
            weight, in_heading, strong, whole, left, right = _standing(page, places, size)
            log_weight = math.log1p(weight)
            phrases.append(phrase)
            rows += (
                log_weight, first < page.title_end, in_heading, strong,
                math.log1p(first), first / len(words),
                log_weight * sum(rarities) / size, min(rarities), max(rarities), size, chars, chars == 2, chars == 3,
                whole / count, math.log1p(left), math.log1p(right),
                count / max([alone[word] for word in phrase]),
                size == 1 and phrase[0] in weak, size > 1 and phrase[0] in weak, size > 1 and phrase[-1] in weak,
                log_length,
            )  # fmt: skip
    table = np.fromiter(rows, np.float32, len(rows)).reshape(len(phrases), len(FEATURES))
    return phrases, table, _spellings(page.written)


def _standing(page: _Words, places: list[int], size: int) -> tuple[float, bool, bool, int, int, int]:
    """Of a phrase: weight, in a heading, emphasised, times it is a clause, different neighbours left and right.

    Each mark or stop word beside a phrase is a neighbour of its own.
    """
    words, weights = page.words, page.weights
    if len(places) == 1:  # most phrases
        place = places[0]
        alone = not words[place - 1] and not words[place + size]
        return weights[place], page.heading[place], page.emphasised[place], alone, 1, 1
    befores, afters = [words[place - 1] for place in places], [words[place + size] for place in places]
    return (
        sum([weights[place] for place in places]),
        any(map(page.heading.__getitem__, places)),
        any(map(page.emphasised.__getitem__, places)),
        list(zip(befores, afters, strict=True)).count(("", "")),
        len(set(befores) - _NO_WORD) + befores.count(""),
        len(set(afters) - _NO_WORD) + afters.count(""),
    )


def _phrases(words: list[str], early: int, heading: list[bool]) -> Iterator[dict[Phrase, list[int]]]:
    """For one word, two words and so on: where each phrase stands. One that occurs once counts only in a heading or
    early on; so what begins with a phrase that does not count need not be looked at."""
    unfinished = prefix_words()
    places: Iterable[int] = range(len(words))
    for size in range(1, MAX_PHRASE + 1):
        places = [place for place in places if words[place + size - 1]]
        phrases = [tuple(words[place : place + size]) for place in places]
        counts = Counter(phrases)
        found: dict[Phrase, list[int]] = {}
        for place, phrase in zip(places, phrases, strict=True):
            if counts[phrase] > 1 or place < early or heading[place]:
                found.setdefault(phrase, []).append(place)
        places = sorted(chain.from_iterable(found.values()))
        yield {
            phrase: stands
            for phrase, stands in found.items()
            if (len(phrase[0]) > 1 or (size > 1 and sum(map(len, phrase)) > 2)) and phrase[-1] not in unfinished
        }


def _flatten(reading: Reading, rules: Rules) -> _Words:
    clauses = chain(reading.title, (clause for sentence in reading.sentences for clause in sentence.clauses))
    page = _Words([""], [0.0], [False], [False], 0, Counter(chain.from_iterable(clauses)))
    for clause in reading.title:
        _extend(page, clause, rules.title_factor, False, "", rules)
    title_end = len(page.words)
    for passage in reading.passages:
        factor = HEADING_FACTORS.get(passage.tag, 1.0)
        for sentence in passage.sentences:
            for clause in sentence.clauses:
                _extend(page, clause, factor, factor > 1.0, passage.emphasised if factor == 1.0 else "", rules)
    return replace(page, title_end=title_end)


def _extend(page: _Words, clause: Clause, weight: float, heading: bool, emphasised: str, rules: Rules) -> None:
    words = page.words
    start = len(words)
    last = words[-1]
    for word in clause:
        if (inner := _inner(word)) or last:
            words.append(inner)
            last = inner
    if last:
        words.append("")
    added = len(words) - start
    page.heading.extend([heading] * added)
    if not emphasised:
        page.weights.extend([weight] * added)
        page.emphasised.extend([False] * added)
        return
    for word in words[start:]:
        strong = bool(word) and word in emphasised
        page.weights.append(weight * rules.emphasis_factor if strong else weight)
        page.emphasised.append(strong)


@lru_cache(maxsize=50_000)
def _inner(word: str) -> str:
    """The word in lower case if it can stand in a phrase, else nothing."""
    lower = word.lower()
    return lower if is_inner(lower) else ""


def _spellings(written: Counter[str]) -> dict[str, str]:
    best: dict[str, str] = {}
    for word in written:
        lower = word.lower()
        if lower not in best or written[word] > written[best[lower]]:
            best[lower] = word
    return best


def _contains(longer: Phrase, shorter: Phrase) -> bool:
    size = len(shorter)
    return any(longer[i : i + size] == shorter for i in range(len(longer) - size + 1))


def spell(phrase: Phrase, written: Mapping[str, str]) -> str:
    """As the page writes it mostly; a blank only between words of scripts that use one."""
    text = ""
    for lower in phrase:
        word = written[lower]
        text += (" " if text and not (has_han(text[-1]) or has_han(word[0])) else "") + word
    return text


@cache
def load_ranking(chinese: bool) -> NetModel:
    """How good a keyword a row of :data:`FEATURES` promises, for texts with Chinese words or without."""
    with as_file(files("webprep_spider").joinpath("data", f"keywords-{'zh' if chinese else 'other'}.npz")) as path:
        return NetModel.load(path, FEATURES)
