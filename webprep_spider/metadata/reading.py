"""A page read word by word, once (S4.P3): what keywords, abstract, class and related links all work on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webprep_spider.metadata.words import fold, segment_lines, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webprep_spider.page.clean import Cleaned
    from webprep_spider.rules import Rules

Clause = tuple[str, ...]
"""Words that stand together without a mark between them, as written."""

_CLAUSE_END = re.compile(r"[^\w\s'’.+#&%-]+|\s-{1,3}\s|\.\s")

_ADDRESS = re.compile(r"(?:https?://|www\.)[!-~]+|[\w.+-]{1,64}@[\w-]+\.[\w.-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str
    clauses: tuple[Clause, ...]

    @property
    def words(self) -> Iterator[str]:
        return (word for clause in self.clauses for word in clause)


@dataclass(frozen=True, slots=True)
class Passage:
    """A kept block: a semantic segment of the page (S4.M6)."""

    tag: str
    weight: float
    emphasised: str
    """Its weighty text, lower case, one entry a line; noise entries are already left out."""
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    title: tuple[Clause, ...]
    passages: tuple[Passage, ...]

    @property
    def sentences(self) -> Iterator[Sentence]:
        return (sentence for passage in self.passages for sentence in passage.sentences)


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of text before it is segmented."""

    text: str
    tag: str = "p"
    weight: float = 1.0
    emphasised: str = ""


def parts_of(cleaned: Cleaned, title: str, rules: Rules) -> list[Part]:
    """The first kept blocks of a page without its title; where there are none, the lines of its body."""
    heading = fold(title)
    parts: list[Part] = []
    left = rules.words_chars
    for block in cleaned.blocks:
        if not block.kept or not block.text or (block.chars <= 2 * len(title) and fold(block.text) == heading):
            continue
        emphasised = "\n".join(entry.text for entry in block.emphases).lower()
        parts.append(Part(block.text, block.tag, block.weight, emphasised))
        left -= len(block.text)
        if left <= 0:
            break
    return parts or [Part(line) for line in cleaned.body[: rules.words_chars].split("\n") if line.strip()]


def read(title: str, parts: Sequence[Part], rules: Rules) -> Reading:
    """Segment a title and the parts of a body in one call, up to ``rules.words_chars`` characters."""
    lines = _clauses(title)
    title_end = len(lines)
    left = rules.words_chars
    spans: list[tuple[Part, list[tuple[str, int, int]]]] = []
    for part in parts:
        if left <= 0:
            break
        found: list[tuple[str, int, int]] = []
        for sentence in sentences(part.text[:left]):
            start = len(lines)
            lines.extend(_clauses(sentence))
            found.append((sentence, start, len(lines)))
        left -= len(part.text)
        spans.append((part, found))
    words = [tuple(line) for line in segment_lines(lines)]
    passages = tuple(
        Passage(
            part.tag,
            part.weight,
            part.emphasised,
            tuple(Sentence(text, tuple(words[start:end])) for text, start, end in found),
        )
        for part, found in spans
    )
    return Reading(tuple(words[:title_end]), passages)


def _clauses(text: str) -> list[str]:
    if "@" in text or "://" in text or "www." in text:
        text = _ADDRESS.sub(" | ", text)
    return [clause for clause in _CLAUSE_END.split(text.replace("\n", " ")) if clause and not clause.isspace()]
