"""Content class (S4.M4): words in, the labels whose score passes their own threshold out. NumPy only."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from webprep_spider.archive import read_archive, write_archive
from webprep_spider.exceptions import ModelError
from webprep_spider.metadata.idf import idf
from webprep_spider.metadata.words import is_content, sections

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from webprep_spider.metadata.reading import Reading
    from webprep_spider.rules import Rules

KIND = "content class"
WORD_WEIGHT = 0.25
"""Of a word in a list: a page with the words of one class only then scores about 1."""
WORD_LIST_THRESHOLD = 0.3
"""Four of five pages of a class without a list stay below it, nineteen of twenty of a listed class are above it."""

Output: TypeAlias = Literal["logistic", "softmax", "plain"]


@dataclass(frozen=True, slots=True)
class Linear:
    """Naive Bayes, Rocchio and linear SVM all end as one weight per word and class."""

    weights: NDArray[np.float32]
    """Words by classes."""
    bias: NDArray[np.float32]

    def score(self, rows: NDArray[np.int64], values: NDArray[np.float32]) -> NDArray[np.float32]:
        scores: NDArray[np.float32] = values @ self.weights[rows] + self.bias
        return scores


@dataclass(frozen=True, slots=True)
class Neighbours:
    """kNN: the vectors of the training texts by rows (compressed sparse rows) and the class of each."""

    data: NDArray[np.float32]
    indices: NDArray[np.int64]
    starts: NDArray[np.int64]
    classes: NDArray[np.int64]
    k: int
    size: int
    """Number of words."""

    def score(self, rows: NDArray[np.int64], values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Per class, its share of the similarity of the k nearest texts."""
        vector = np.zeros(self.size, dtype=np.float32)
        vector[rows] = values
        likeness = np.add.reduceat(self.data * vector[self.indices], self.starts)
        nearest = np.argsort(-likeness, kind="stable")[: self.k]
        votes = np.bincount(self.classes[nearest], weights=likeness[nearest], minlength=int(self.classes.max()) + 1)
        return np.asarray(votes / max(float(votes.sum()), 1e-9), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class ClassModel:
    """Scores texts against classes. Make one by training (:mod:`webprep_spider.metadata.class_training`)."""

    labels: tuple[str, ...]
    words: Mapping[str, int]
    idf: NDArray[np.float32]
    """Per word."""
    scorer: Linear | Neighbours
    output: Output
    """How a score becomes a number in [0, 1]."""
    thresholds: NDArray[np.float32]
    """The number a class must exceed to be an answer."""
    record: Mapping[str, Any] = field(default_factory=dict)
    """What the model was made of and how it did: data, command, seed, scores."""

    @classmethod
    def load(cls, path: str = "default") -> ClassModel:
        """The model of a file, or the one built from the package's word lists.

        :raises ModelError: if the file is missing, damaged or of another kind.
        """
        if path == "default":
            return default_model()
        header, arrays = read_archive(path)
        if header.get("kind") != KIND:
            raise ModelError(f"{path}: a model of kind {header.get('kind')!r}, not {KIND!r}")
        try:
            words = arrays["words"].tobytes().decode("utf-8").split("\n")
            scorer: Linear | Neighbours
            if header["scorer"] == "linear":
                scorer = Linear(arrays["weights"].astype(np.float32) * arrays["scale"], arrays["bias"])
            else:
                scorer = Neighbours(
                    arrays["data"].astype(np.float32), arrays["indices"].astype(np.int64),
                    arrays["starts"].astype(np.int64), arrays["classes"].astype(np.int64), header["k"], len(words),
                )  # fmt: skip
            model = cls(
                tuple(header["labels"]), {word: row for row, word in enumerate(words)},
                arrays["idf"].astype(np.float32), scorer, header["output"], arrays["thresholds"], header["record"],
            )  # fmt: skip
            model.classify(words)  # parts that do not fit each other are found now
            return model
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise ModelError(f"{path}: incomplete: {error}") from None

    def save(self, path: str) -> None:
        """Write the model; weights are kept in a byte each, which costs no accuracy worth the space.

        :raises ModelError: if the file cannot be written.
        """
        header: dict[str, Any] = {
            "kind": KIND, "labels": list(self.labels), "output": self.output, "record": dict(self.record),
        }  # fmt: skip
        arrays: dict[str, NDArray[Any]] = {
            "words": np.frombuffer("\n".join(self.words).encode("utf-8"), dtype=np.uint8),
            "idf": self.idf.astype(np.float16),
            "thresholds": self.thresholds,
        }
        if isinstance(self.scorer, Linear):
            scale = np.maximum(np.abs(self.scorer.weights).max(axis=0), 1e-9).astype(np.float32) / 127.0
            weights = np.rint(self.scorer.weights / scale).astype(np.int8)
            write_archive(
                path,
                {**header, "scorer": "linear"},
                {**arrays, "weights": weights, "scale": scale, "bias": self.scorer.bias},
            )
        else:
            near = self.scorer
            write_archive(path, {**header, "scorer": "neighbours", "k": near.k}, {
                **arrays, "data": near.data.astype(np.float16), "indices": near.indices.astype(np.uint32),
                "starts": near.starts.astype(np.uint32), "classes": near.classes.astype(np.uint16),
            })  # fmt: skip

    def scores(self, words: Iterable[str]) -> NDArray[np.float32]:
        """One number in [0, 1] a label for the words of a text (lower case, with repeats); zeros when none is known."""
        counts = Counter(self.words[word] for word in words if word in self.words)
        if not counts:
            return np.zeros(len(self.labels), dtype=np.float32)
        rows = np.fromiter(counts, dtype=np.int64, count=len(counts))
        values = (1.0 + np.log(np.fromiter(counts.values(), dtype=np.float32, count=len(counts)))) * self.idf[rows]
        return squash(self.scorer.score(rows, (values / np.linalg.norm(values)).astype(np.float32)), self.output)

    def classify(self, words: Iterable[str]) -> list[tuple[str, float]]:
        """Every label whose score exceeds its own threshold, best first; none and several are honest answers."""
        found = [
            (label, round(max(1e-4, float(score)), 4))
            for label, score, threshold in zip(self.labels, self.scores(words), self.thresholds, strict=True)
            if score > threshold
        ]
        return sorted(found, key=lambda entry: -entry[1])


def squash(scores: NDArray[np.float32], output: Output) -> NDArray[np.float32]:
    """Scores of one or many texts (classes last) as numbers in [0, 1]."""
    if output == "logistic":
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(2.0 * scores, -30.0, 30.0))), dtype=np.float32)
    if output == "softmax":
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=-1, keepdims=True), dtype=np.float32)
    return np.asarray(np.clip(scores, 0.0, 1.0), dtype=np.float32)


def class_words(reading: Reading) -> list[str]:
    """The words a page is classified by, lower case: those of the title count twice."""
    words = [word.lower() for clause in reading.title for word in clause] * 2
    words.extend(word.lower() for sentence in reading.sentences for clause in sentence.clauses for word in clause)
    return words


def classify(reading: Reading, rules: Rules, model: ClassModel | None = None) -> list[tuple[str, float]]:
    """The content classes of a page by ``model``, by default the one built from the package's word lists."""
    words = class_words(reading)
    return (model or default_model()).classify(words) if len(words) >= rules.class_words else []


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
            weights[vocabulary[word], column] = WORD_WEIGHT / shared[word]
    return ClassModel(
        labels=labels,
        words=vocabulary,
        idf=np.array([idf(word) for word in vocabulary], dtype=np.float32),
        scorer=Linear(weights, np.zeros(len(labels), dtype=np.float32)),
        output="plain",
        thresholds=np.full(len(labels), WORD_LIST_THRESHOLD, dtype=np.float32),
    )


def _word_lists() -> dict[str, list[str]]:
    return {label: [word for word in words if is_content(word)] for label, words in sections("classes.txt").items()}
