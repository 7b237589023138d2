"""Abstract: the author's description when it is real, else the lead or the best sentence of each segment (S4.M6)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from webprep_spider.metadata.words import bigrams, fold, has_han, pairs_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from webprep_spider.metadata.reading import Reading, Sentence
    from webprep_spider.rules import Rules


def own_description(values: Iterable[str], title: str, page: str, sites: Iterable[str], rules: Rules) -> str:
    """The first description that speaks of this page: not the title, not the site, and in the page's own words.

    ``page`` is the folded text of the page with its title.
    """
    known: set[str] | None = None
    heading = fold(title)
    names = [fold(site) for site in sites if site]
    for value in values:
        key = fold(value)
        pairs = bigrams(value)
        if len(key) < rules.description_chars or (heading and key in heading) or key in names:
            continue
        known = pairs_of(page) if known is None else known
        if pairs and len(pairs & known) >= rules.description_share * len(pairs):
            return value
    return ""


def lead(reading: Reading, rules: Rules) -> str:
    """The first sentences of the body, whole ones, up to the length of ``Rules.abstract_chars``."""
    usable = [sentence for sentence in reading.sentences if _usable(sentence)]
    return _join(usable[: rules.lead_sentences], rules)


def by_segments(reading: Reading, keywords: Sequence[tuple[str, float]], rules: Rules) -> str:
    """The best sentence of each segment of the page, segments by weight, in the order of the page (S4.M6).

    A sentence weighs the sum of the weights of the keywords in it over the root of its length.
    """
    weights = {word.lower(): weight for word, weight in keywords}
    best: list[tuple[float, int, Sentence]] = []
    order = 0
    for passage in reading.passages:
        rated: list[tuple[float, int, Sentence]] = []
        for sentence in passage.sentences:
            order += 1
            if _usable(sentence):
                rated.append((_weight(sentence, weights) * passage.weight, order, sentence))
        if rated:
            best.append(max(rated, key=lambda entry: (entry[0], -entry[1])))
    taken: list[tuple[int, Sentence]] = []
    left = rules.abstract_chars
    for _, order, sentence in sorted(best, key=lambda entry: (-entry[0], entry[1])):
        if len(sentence.text) <= left or not taken:
            taken.append((order, sentence))
            left -= len(sentence.text)
    return _join([sentence for _, sentence in sorted(taken, key=lambda entry: entry[0])], rules)


def _weight(sentence: Sentence, weights: dict[str, float]) -> float:
    lower = sentence.text.lower()
    return sum(weight for word, weight in weights.items() if word in lower) / math.sqrt(len(lower) + 1)


def _usable(sentence: Sentence) -> bool:
    return sum(len(clause) for clause in sentence.clauses) >= 3


def _join(sentences: Sequence[Sentence], rules: Rules) -> str:
    """Whole sentences up to the length; the first one always, cut only when it alone is longer."""
    text = ""
    for sentence in sentences:
        gap = " " if text and not has_han(text[-2:] + sentence.text[:1]) else ""
        if text and len(text) + len(gap) + len(sentence.text) > rules.abstract_chars:
            break
        text += gap + sentence.text
    return text if len(text) <= rules.abstract_chars else text[: rules.abstract_chars - 1].rstrip() + "…"
