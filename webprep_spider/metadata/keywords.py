"""Keywords: the author's own when they are real, else tag-weighted TF-IDF over words and phrases (S4.M3, S4.Q5)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from webprep_spider.metadata.idf import idf
from webprep_spider.metadata.words import fold, has_han, is_content, noise_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webprep_spider.metadata.reading import Clause, Reading
    from webprep_spider.rules import Rules

_SEPARATORS = re.compile(r"[,，、;；|｜/／\t\n]+|\s{2,}")
_BLANKS = re.compile(r"\s+")
TAG_FACTORS = {"h1": 2.0, "h2": 2.5, "h3": 2.0, "h4": 1.5, "th": 1.2, "dt": 1.2}
MAX_PHRASE = 3


def own_keywords(values: Iterable[str], title: str, text: str, sites: Iterable[str], rules: Rules) -> list[str]:
    """The author's keywords in the author's order, or nothing when they do not speak of this page.

    Names of the site, generic words and copies of the title are dropped; the rest is real when enough of it is found
    in the title or the body (``Rules.own_keywords_share``).
    """
    generic = noise_words() | {fold(site) for site in sites}
    page, heading = fold(title + "\n" + text), fold(title)
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
    counts: defaultdict[str, float] = defaultdict(float)
    phrases: defaultdict[tuple[str, ...], float] = defaultdict(float)
    seen: Counter[tuple[str, ...]] = Counter()
    written: dict[str, Counter[str]] = defaultdict(Counter)
    for clause, weight, emphasised in _weighted(reading, rules):
        run: list[str] = []
        for word in (*clause, ""):
            lower = word.lower()
            if lower and is_content(lower):
                counts[lower] += weight * (rules.emphasis_factor if emphasised and lower in emphasised else 1.0)
                written[lower][word] += 1
                run.append(lower)
                continue
            for phrase in _phrases(run):
                phrases[phrase] += weight
                seen[phrase] += 1
            run = []
    scores: dict[tuple[str, ...], float] = {(word,): count * idf(word) for word, count in counts.items()}
    for phrase, count in phrases.items():
        if seen[phrase] >= 2:
            scores[phrase] = count * sum(map(idf, phrase)) * rules.phrase_factor
    best: list[tuple[tuple[str, ...], float]] = []
    for phrase, score in sorted(scores.items(), key=lambda entry: -entry[1]):
        if not any(_contains(taken, phrase) or _contains(phrase, taken) for taken, _ in best):
            best.append((phrase, score))
            if len(best) >= rules.max_keywords:
                break
    top = best[0][1] if best else 1.0
    return [(_spell(phrase, written), round(score / top, 4)) for phrase, score in best]


def _weighted(reading: Reading, rules: Rules) -> Iterable[tuple[Clause, float, str]]:
    for clause in reading.title:
        yield clause, rules.title_factor, ""
    for passage in reading.passages:
        weight = TAG_FACTORS.get(passage.tag, 1.0)
        for sentence in passage.sentences:
            for clause in sentence.clauses:
                yield clause, weight, passage.emphasised


def _phrases(run: list[str]) -> Iterable[tuple[str, ...]]:
    for size in range(2, MAX_PHRASE + 1):
        for start in range(len(run) - size + 1):
            yield tuple(run[start : start + size])


def _contains(longer: tuple[str, ...], shorter: tuple[str, ...]) -> bool:
    size = len(shorter)
    return any(longer[i : i + size] == shorter for i in range(len(longer) - size + 1))


def _spell(phrase: tuple[str, ...], written: dict[str, Counter[str]]) -> str:
    """As the page writes it most often; a blank only between words of scripts that use one."""
    text = ""
    for lower in phrase:
        word = written[lower].most_common(1)[0][0]
        text += (" " if text and not (has_han(text[-1]) or has_han(word[0])) else "") + word
    return text
