"""Content class (S4.M4): words in, the labels whose score passes their own threshold out. NumPy only."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from webprep_spider.metadata.idf import idf
from webprep_spider.metadata.words import is_content

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from webprep_spider.metadata.reading import Reading
    from webprep_spider.rules import Rules


@dataclass(frozen=True, slots=True)
class ClassModel:
    """A linear map from word weights to class scores, with a threshold per class."""

    labels: tuple[str, ...]
    words: Mapping[str, int]
    idf: NDArray[np.float32]
    """Per word."""
    weights: NDArray[np.float32]
    """Words by classes."""
    bias: NDArray[np.float32]
    thresholds: NDArray[np.float32]
    """The score a class must exceed to be an answer."""

    def scores(self, words: Iterable[str]) -> NDArray[np.float32]:
        """One score per label of the words of a text (lower case, with repeats); zeros when none is known."""
        counts = Counter(self.words[word] for word in words if word in self.words)
        if not counts:
            return np.full(len(self.labels), -np.inf, dtype=np.float32)
        rows = np.fromiter(counts, dtype=np.int64, count=len(counts))
        values = (1.0 + np.log(np.fromiter(counts.values(), dtype=np.float32, count=len(counts)))) * self.idf[rows]
        values /= np.linalg.norm(values)
        scores: NDArray[np.float32] = (values @ self.weights[rows] + self.bias).astype(np.float32)
        return scores

    def classify(self, words: Iterable[str]) -> list[tuple[str, float]]:
        """Every label whose score exceeds its own threshold, best first; none and several are honest answers."""
        scores = self.scores(words)
        found = [
            (label, round(min(1.0, max(1e-4, float(score))), 4))
            for label, score, threshold in zip(self.labels, scores, self.thresholds, strict=True)
            if score > threshold
        ]
        return sorted(found, key=lambda entry: -entry[1])


def classify(reading: Reading, rules: Rules, model: ClassModel | None = None) -> list[tuple[str, float]]:
    """The content classes of a page by ``model``, by default the one built from the package's word lists."""
    words = [word.lower() for clause in reading.title for word in clause] * 2
    words.extend(word.lower() for sentence in reading.sentences for word in sentence.words)
    if len(words) < rules.class_words:
        return []
    return (model or default_model()).classify(words)


@cache
def default_model() -> ClassModel:
    """A centroid classifier (Rocchio) on the word lists of ``data/classes.txt``: it needs no labelled pages."""
    lists = _word_lists()
    labels = tuple(lists)
    shared = Counter(word for words in lists.values() for word in words)
    vocabulary = {word: row for row, word in enumerate(shared)}
    weights = np.zeros((len(vocabulary), len(labels)), dtype=np.float32)
    for column, words in enumerate(lists.values()):
        for word in words:
            weights[vocabulary[word], column] = 1.0 / shared[word]
    return ClassModel(
        labels=labels,
        words=vocabulary,
        idf=np.array([idf(word) for word in vocabulary], dtype=np.float32),
        weights=weights,
        bias=np.zeros(len(labels), dtype=np.float32),
        thresholds=np.full(len(labels), 0.3, dtype=np.float32),
    )


def _word_lists() -> dict[str, list[str]]:
    lists: dict[str, list[str]] = defaultdict(list)
    label = ""
    for line in files("webprep_spider").joinpath("data", "classes.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            label = line.strip("[] ")
        elif line.strip() and not line.startswith("#"):
            lists[label].extend(word for word in line.split() if word not in lists[label] and is_content(word))
    return lists
