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
from webprep_spider.metadata.language import function_words
from webprep_spider.metadata.words import (
    HAN,
    fold,
    has_han,
    is_inner,
    is_numeral,
    noise_words,
    prefix_words,
    weak_words,
)
from webprep_spider.net import NetModel
from webprep_spider.replicas.fingerprint import simplify

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
_SEPARATORS = re.compile(r"[,，、;；|｜\t\n]+|\s{2,}")
_WEAK_SEPARATORS = re.compile(
    rf"\s?[/／•·。：:_#]\s?|\s[-–—+&]\s|(?<=[{HAN}])[\s–—+&-]{{1,3}}|[\s–—+&-]{{1,3}}(?=[{HAN}])"
)
"""Marks that part keywords on some pages and belong to a keyword on others: A/B, 阿尔伯特·爱因斯坦."""
_BRACKETED = re.compile(r"[“\"'‘《「『【\[(（](.*)[”\"'’》」』】\])）]")


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


def own_keywords(values: Iterable[str], title: str, body: str, sites: Iterable[str], rules: Rules) -> list[str]:
    """The author's keywords in the author's order, or nothing when they do not speak of this page.

    Names of the site, generic words and copies of the title are dropped; the rest is real when enough of it is found
    in the text with its title (``Rules.own_keywords_share``).
    """
    values = list(filter(None, values))
    if not values:
        return []
    generic = noise_words() | {simplify(fold(site)) for site in sites}
    heading, page = simplify(fold(title)), simplify(fold(f"{title}\n{body}"))
    for group in (values, *([value] for value in values)):  # all, else the first that is real by itself
        found: dict[str, str] = {}
        for piece in chain.from_iterable(_pieces(value, page) for value in group if value[-1:] not in "。！？"):
            key = simplify(fold(piece))
            longest = rules.keyword_chars // 2 if has_han(key) else rules.keyword_chars
            if 1 < len(key) <= longest and key not in generic and key != heading and not key.isdecimal():
                found.setdefault(key, piece)
        present = sum(key in page for key in found)
        if present and present >= rules.own_keywords_share * len(found):
            return list(found.values())[: rules.max_keywords]
    return []


def _pieces(value: str, page: str) -> Iterator[str]:
    """A list of keywords cut at its marks, what is not found on the page also at the weaker ones."""
    for part in _SEPARATORS.split(value):
        if "://" in part or "@" in part:
            continue
        for piece in [part] if simplify(fold(part)) in page else _WEAK_SEPARATORS.split(part):
            piece = piece.strip(" \u3000.。:：#")
            bracketed = _BRACKETED.fullmatch(piece)
            yield bracketed[1] if bracketed else piece


def rank_keywords(reading: Reading, rules: Rules, language: str = "") -> list[tuple[str, float]]:
    """The best words and phrases of a page with weights in (0, 1], best first."""
    phrases, rows, written = keyword_candidates(reading, rules, language)
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


def keyword_candidates(
    reading: Reading, rules: Rules, language: str = ""
) -> tuple[list[Phrase], NDArray[np.float32], dict[str, str]]:
    """Candidate phrases (lower case), a row of :data:`FEATURES` for each, and how their words are mostly written.

    The ranking is made for Chinese and English: in another ``language`` a phrase must be repeated or be in a heading.
    """
    stops = function_words(language) if language != "en" else frozenset()
    page = _flatten(reading, rules, stops)
    words = page.words
    early = page.title_end + (EARLY_WORDS if language in ("", "en", "zh", "ja") else 0)
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
    unfinished = prefix_words().union(filter(is_numeral, set(words)))
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


def _flatten(reading: Reading, rules: Rules, stops: frozenset[str]) -> _Words:
    clauses = chain(reading.title, (clause for sentence in reading.sentences for clause in sentence.clauses))
    page = _Words([""], [0.0], [False], [False], 0, Counter(chain.from_iterable(clauses)))
    for clause in reading.title:
        _extend(page, clause, rules.title_factor, False, "", rules, stops)
    title_end = len(page.words)
    for passage in reading.passages:
        factor = HEADING_FACTORS.get(passage.tag, 1.0)
        for sentence in passage.sentences:
            for clause in sentence.clauses:
                strong = passage.emphasised if factor == 1.0 else ""
                _extend(page, clause, factor, factor > 1.0, strong, rules, stops)
    return replace(page, title_end=title_end)


def _extend(
    page: _Words, clause: Clause, weight: float, heading: bool, emphasised: str, rules: Rules, stops: frozenset[str]
) -> None:
    words = page.words
    start = len(words)
    last = words[-1]
    for word in clause:
        if (inner := _inner(word, stops)) or last:
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
def _inner(word: str, stops: frozenset[str]) -> str:
    """The word in lower case if it can stand in a phrase, else nothing."""
    lower = word.lower()
    return lower if is_inner(lower, stops) else ""


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
