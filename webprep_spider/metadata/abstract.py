"""Abstract: the author's description when it is real, else the lead or the best sentence of each segment (S4.M6)."""

from __future__ import annotations

import math
import re
from itertools import islice
from typing import TYPE_CHECKING

from webprep_spider.metadata.words import bigrams, fold, has_han, pairs_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from webprep_spider.metadata.reading import Reading, Sentence
    from webprep_spider.rules import Rules

# 本报讯（记者 …）, 新华社北京2月3日电, 记者…报道: who tells the news, and nothing of it.
_DATELINE = re.compile(
    r"[^\s，。,：:；;！!？?（）()“”]{1,24}(?:(?<![腾通资短快喜音简])讯|\d日电)(?:\s?[（(][^（）()]{1,40}[）)]|\s)\s?"
    r"|(?:(?:本报|本刊|本网|见习|特约|通讯员)记者|记者)\s?[\w·、\s]{2,16}?报道[:：\s]\s?"
)


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


def lead(reading: Reading, title: str, rules: Rules) -> str:
    """The opening of the body: of its first sentences the one that has most of the title in it, and what follows.

    Chinese sentences are long: one says what three of another language do.
    """
    heading = fold(title)
    fitting = (s for s in reading.sentences if _size(s) >= rules.sentence_chars and fold(s.text) != heading)
    usable = list(islice(fitting, rules.lead_reach + 3 * rules.lead_sentences))
    if not usable:
        return ""
    pairs = bigrams(title)
    ranks = [
        _overlap(sentence, pairs) - rules.lead_decay * place
        for place, sentence in enumerate(usable[: rules.lead_reach])
    ]
    start = ranks.index(max(ranks))
    count = rules.lead_sentences if has_han(usable[start].text) else 3 * rules.lead_sentences
    return _join(usable[start : start + count], rules)


def by_segments(reading: Reading, title: str, keywords: Sequence[tuple[str, float]], rules: Rules) -> str:
    """The best sentence of each segment of the page, segments by weight, in the order of the page (S4.M6).

    A sentence weighs the sum of the weights of the keywords in it over the root of its length.
    """
    weights = {word.lower(): weight for word, weight in keywords}
    heading = fold(title)
    best: list[tuple[float, int, Sentence]] = []
    order = 0
    for passage in reading.passages:
        rated: list[tuple[float, int, Sentence]] = []
        for sentence in passage.sentences:
            order += 1
            if _size(sentence) >= rules.sentence_chars and fold(sentence.text) != heading:
                rated.append((_weight(sentence, weights) * passage.weight, order, sentence))
        if rated:
            best.append(max(rated, key=lambda entry: (entry[0], -entry[1])))
    taken: list[tuple[int, Sentence]] = []
    left = _limit(best[0][2].text, rules) if best else 0
    for _, order, sentence in sorted(best, key=lambda entry: (-entry[0], entry[1])):
        if len(sentence.text) <= left or not taken:
            taken.append((order, sentence))
            left -= len(sentence.text)
    return _join([sentence for _, sentence in sorted(taken, key=lambda entry: entry[0])], rules)


def _weight(sentence: Sentence, weights: dict[str, float]) -> float:
    lower = sentence.text.lower()
    return sum(weight for word, weight in weights.items() if word in lower) / math.sqrt(len(lower) + 1)


def _size(sentence: Sentence) -> int:
    return sum(len(word) for word in sentence.words)


def _overlap(sentence: Sentence, pairs: set[str]) -> float:
    own = bigrams(sentence.text)
    return len(own & pairs) / math.sqrt(len(own)) if own else 0.0


def _limit(text: str, rules: Rules) -> int:
    """Characters of an abstract: a Chinese one says as much as three of an alphabet."""
    return rules.abstract_chars if has_han(text) else 3 * rules.abstract_chars


def _join(sentences: Sequence[Sentence], rules: Rules) -> str:
    """Whole sentences up to the length; the first one always, cut only when it alone is longer."""
    text = ""
    limit = _limit(sentences[0].text, rules) if sentences else 0
    for sentence in sentences:
        said = _told(sentence.text, rules)
        gap = " " if text and not has_han(text[-2:] + said[:1]) else ""
        if text and len(text) + len(gap) + len(said) > limit:
            break
        text += gap + said
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _told(text: str, rules: Rules) -> str:
    """A sentence without the dateline of a news agency or paper, where enough is left of it."""
    line = _DATELINE.match(text)
    return text[line.end() :] if line and len(text) - line.end() >= rules.sentence_chars else text
