"""Abstract: the author's description when it is real, else the lead or the best sentence of each segment (S4.M6)."""

from __future__ import annotations

import math
import re
from itertools import islice
from typing import TYPE_CHECKING

from webprep_spider.metadata.words import bigrams, fold, has_han, pairs_of, sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from webprep_spider.metadata.reading import Reading, Sentence
    from webprep_spider.rules import Rules

# 本报讯（记者 …）, 新华社北京2月3日电, 记者…报道:, LONDON (Reuters) -, 摘要：: who tells the news, and nothing of it.
_OPENING = re.compile(
    r"[^\s，。,：:；;！!？?（）()“”]{1,24}(?:(?<![腾通资短快喜音简])讯|\d日电)(?:\s?[（(][^（）()]{1,40}[）)]|\s)\s?"
    r"|[□■]?(?:(?:本报|本刊|本网|见习|特约|通讯员)记者|记者)\s?[\w·、\s]{2,16}?(?:报道[:：\s]|文/图|摄影报道)\s?"
    r"|(?:[□■]\s?(?:本报)?记者|本报记者)(?:\s[\w·]{2,4}){1,3}\s"
    r"|【[^【】]{2,10}[讯电]】\s?|[（(](?:本报|见习|特约)?记者[:：\s][^（）()]{1,40}[）)]\s?"
    r"|\w{0,12}(?:网|报|社|台|\d日)消息[:：，,\s]\s?|[【\[]?(?:摘要|导读|内容提要|内容摘要|核心提示)(?:[】\]]|\s?[:：])\s?"
    r"|(?:[A-Z][\w.'’ ,]{1,40} )?\([A-Z][\w. ]{1,20}\) ?[-–—]{1,2} ?(?=[\"“'‘]?[A-Z0-9])"
    r"|[A-Z][A-Z.'’ ]{2,30}(?:, [A-Z][\w. ]{1,20}){0,2} [-–—]{1,2} (?=[\"“'‘]?[A-Z0-9])"
)
_FORMER_TITLE = re.compile(r"[（(【]?原(?:标|文标)?题[:：]")
_DOTS = re.compile(r"\s?[\[(（]?(?:\.{2,9}|…{1,9}|。{2,9})[\])）]?$")
"""Where a description was cut short."""
_GOES_ON = re.compile(r"[\w,，、]|\s\w")
_TAIL = 12
"""Characters by which the end of a description is found in the body."""
_ENDS = '。！？.!?”’」』"'
_LONG_WORD = re.compile(r"\w{4,40}")


def own_description(values: Iterable[str], title: str, body: str, sites: Iterable[str], rules: Rules) -> str:
    """The first description that speaks of this page: more than the title and the site, and in the page's own words.

    Of a long one, or one that was cut short, its whole sentences; one that has none is no description.
    """
    heading = fold(title)
    page = ""
    names = [heading, *map(fold, sites)]
    for value in values:
        rest = key = fold(value)
        for name in filter(None, names):
            rest = rest.replace(name, "")
        least = rules.description_chars if has_han(value) else 3 * rules.description_chars
        if len(rest) < least or key in heading:
            continue
        page = page or heading + fold(body)
        if _share(value, key, page) < rules.description_share:
            continue
        said = _whole_sentences(value, body, rules)
        if len(fold(said)) >= least:
            return said
    return ""


def _share(value: str, key: str, page: str) -> float:
    """How much of a description stands on the page: pairs of its characters where it is Chinese, else its words, for
    pairs of letters stand on any page."""
    pieces = pairs_of(key) if has_han(key) else {fold(word) for word in _LONG_WORD.findall(value)}
    return sum(piece in page for piece in pieces) / len(pieces) if pieces else 0.0


def _whole_sentences(value: str, body: str, rules: Rules) -> str:
    """A description up to the length of an abstract, without the beginning of a sentence where it was cut short: at
    dots, or where the body has the same words and goes on."""
    dots = _DOTS.search(value)
    text = value[: dots.start()] if dots else value
    place = body.find(text[-_TAIL:])
    cut = dots or (place >= 0 and _GOES_ON.match(body, place + min(_TAIL, len(text))))
    if not cut and len(text) <= _limit(text, rules):
        return text
    found = sentences(text)
    return _join(found[:-1] if cut and text[-1:] not in _ENDS else found, rules)


def lead(reading: Reading, title: str, rules: Rules) -> str:
    """The opening of the body: of its first sentences the one that has most of the title in it, and what follows.

    Chinese sentences are long: one says what three of another language do.
    """
    heading = fold(title)
    fitting = (
        sentence
        for sentence in reading.sentences
        if _size(sentence) >= rules.sentence_chars
        and fold(sentence.text) != heading
        and not _FORMER_TITLE.match(sentence.text)
    )
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
    return _join([_told(sentence.text, rules) for sentence in usable[start : start + count]], rules)


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
    return _join([_told(sentence.text, rules) for _, sentence in sorted(taken, key=lambda entry: entry[0])], rules)


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


def _join(texts: Sequence[str], rules: Rules) -> str:
    """Whole sentences up to the length; the first one always, cut only when it alone is longer."""
    text = ""
    limit = _limit(texts[0], rules) if texts else 0
    for said in texts:
        gap = " " if text and not has_han(text[-2:] + said[:1]) else ""
        if text and len(text) + len(gap) + len(said) > limit:
            break
        text += gap + said
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _told(text: str, rules: Rules) -> str:
    """A sentence without dateline, byline or label before it, where enough is left of it."""
    while (opening := _OPENING.match(text)) and len(text) - opening.end() >= rules.sentence_chars:
        text = text[opening.end() :]
    return text
