"""Train a content classifier (S4.M4): segmentation, feature selection, a learner of scikit-learn, and a threshold per
class that is calibrated on a validation part. Feed it cleaned text: noise words become class features otherwise
(S4.P7)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from webprep_spider.metadata.classes import ClassModel, Linear, Neighbours, Output, class_words
from webprep_spider.metadata.reading import Part, read
from webprep_spider.metadata.words import is_content
from webprep_spider.rules import DEFAULT_RULES, Rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

Selection: TypeAlias = Literal["df", "ig", "chi", "mi", "ts"]
Learner: TypeAlias = Literal["svm", "nb", "rocchio", "knn"]
SELECTIONS: tuple[str, ...] = get_args(Selection)
LEARNERS: tuple[str, ...] = get_args(Learner)


@dataclass(frozen=True, slots=True)
class LabelledText:
    label: str
    title: str
    text: str
    """Cleaned; paragraphs joined by line ends."""
    split: str = ""
    """``train``, ``dev`` (or ``valid``), ``test``, or empty when the trainer is to divide."""


@dataclass(frozen=True, slots=True)
class ClassScores:
    """How a model does on texts that have one label each."""

    accuracy: float
    """Share of texts whose best class is theirs."""
    macro_f1: float
    answered: float
    """Share of texts with at least one class above its threshold."""
    micro_f1: float
    """Of the answers above their thresholds."""
    confusion: tuple[tuple[int, ...], ...]
    """Texts by true class (rows) and best class (columns)."""


def train_classes(
    texts: Sequence[LabelledText],
    *,
    selection: Selection = "ig",
    features: int = 8_000,
    learner: Learner = "svm",
    neighbours: int = 15,
    seed: int = 0,
    rules: Rules = DEFAULT_RULES,
) -> ClassModel:
    """A model of the labels of ``texts``. Texts of the split ``test`` are left alone.

    The thresholds are calibrated on the split ``dev`` by a model that has not seen it; without splits every fifth text
    of a class, by a shuffle with ``seed``, is put aside for that. The model itself is then made of all texts.

    :raises ValueError: if there are fewer than two labels, or no word that two texts share.
    """
    if features < 1 or neighbours < 1:
        raise ValueError("at least one feature and one neighbour are needed")
    known = [text for text in texts if text.split != "test"]
    train, valid = _divide(known, seed)
    words = {id(text): class_words_of(text, rules) for text in known}

    def made_of(chosen: list[LabelledText]) -> ClassModel:
        counts = [Counter(words[id(text)]) for text in chosen]
        return _train(counts, [text.label for text in chosen], selection, features, learner, neighbours, seed)

    first = made_of(train)
    found = np.array([first.scores(words[id(text)]) for text in valid]).reshape(len(valid), len(first.labels))
    places = {label: place for place, label in enumerate(first.labels)}
    thresholds = calibrate(found, np.array([places.get(text.label, -1) for text in valid]))
    final = made_of(known)
    by_label = dict(zip(first.labels, thresholds.tolist(), strict=True))
    return replace(final, thresholds=np.array([by_label.get(label, 0.5) for label in final.labels], dtype=np.float32))


def _train(
    counts: list[Counter[str]],
    text_labels: list[str],
    selection: Selection,
    features: int,
    learner: Learner,
    neighbours: int,
    seed: int,
) -> ClassModel:
    labels = sorted(set(text_labels))
    if len(labels) < 2:
        raise ValueError(f"texts of at least two classes are needed to train on, not of {len(labels)}")
    classes = np.array([labels.index(label) for label in text_labels])
    frequent = Counter(word for count in counts for word in count)
    words = sorted(word for word, df in frequent.items() if df > 1)
    if not words:
        raise ValueError("no word is in two texts: there are too few of them, or they are empty")
    matrix = _matrix(counts, {word: row for row, word in enumerate(words)})
    best = np.sort(np.argsort(-word_values(matrix, classes, selection, seed), kind="stable")[:features])
    vocabulary = {words[column]: row for row, column in enumerate(best)}
    df = np.asarray((matrix[:, best] > 0).sum(axis=0)).ravel()
    idf = (np.log((1.0 + len(counts)) / (1.0 + df)) + 1.0).astype(np.float32)
    scorer, output = _fit(learner, _weigh(_matrix(counts, vocabulary), idf), classes, len(labels), neighbours, seed)
    return ClassModel(
        tuple(labels), vocabulary, idf, scorer, output, np.zeros(len(labels), dtype=np.float32),
        {"selection": selection, "features": len(vocabulary), "learner": learner, "seed": seed, "texts": len(counts)},
    )  # fmt: skip


def evaluate_classes(model: ClassModel, texts: Iterable[LabelledText], rules: Rules = DEFAULT_RULES) -> ClassScores:
    labels = {label: column for column, label in enumerate(model.labels)}
    known = [text for text in texts if text.label in labels]
    confusion = np.zeros((len(labels), len(labels)), dtype=int)
    answered = right = given = 0
    for text in known:
        scores = model.scores(class_words_of(text, rules))
        truth = labels[text.label]
        confusion[truth, int(scores.argmax())] += 1
        passed = scores > model.thresholds
        answered += bool(passed.any())
        given += int(passed.sum())
        right += bool(passed[truth])
    hits = np.diag(confusion)
    f1 = 2.0 * hits / np.maximum(1, confusion.sum(axis=0) + confusion.sum(axis=1))
    size = max(1, len(known))
    return ClassScores(
        accuracy=float(hits.sum() / size),
        macro_f1=float(f1.mean()),
        answered=answered / size,
        micro_f1=2.0 * right / max(1, given + len(known)),
        confusion=tuple(tuple(map(int, row)) for row in confusion),
    )


def word_values(matrix: csr_matrix, classes: NDArray[Any], selection: Selection, seed: int = 0) -> NDArray[np.float64]:
    """The worth of each word (column) for telling the classes of texts (rows).

    ``df`` document frequency, ``ig`` information gain, ``chi`` the greatest chi square over the classes, ``mi`` the
    greatest mutual information, ``ts`` term strength: the chance that a word of one text is in another of its class.
    """
    present = (matrix > 0).astype(np.float64)
    total = present.shape[0]
    sizes = np.bincount(classes).astype(np.float64)[:, None]
    df = np.asarray(present.sum(axis=0)).ravel()
    if selection == "df":
        return df.astype(np.float64)
    if selection == "ts":
        return _term_strength(present, classes, seed)
    joint = np.vstack([np.asarray(present[classes == c].sum(axis=0)).ravel() for c in range(len(sizes))])
    if selection == "mi":
        return np.asarray(np.log(np.maximum(joint * total / (sizes * df), 1e-9)).max(axis=0))
    if selection == "chi":
        lack = (joint * (total - sizes - df + joint) - (df - joint) * (sizes - joint)) ** 2
        return np.asarray((total * lack / np.maximum(df * (total - df) * sizes * (total - sizes), 1e-9)).max(axis=0))
    share = df / total
    with_word = _entropy(joint / np.maximum(df, 1e-9))
    without = _entropy((sizes - joint) / np.maximum(total - df, 1e-9))
    return np.asarray(_entropy(sizes / total) - share * with_word - (1.0 - share) * without)


def calibrate(scores: NDArray[Any], truth: NDArray[Any]) -> NDArray[np.float32]:
    """Per class the threshold that gives the best F1 on a validation part (scores: texts by classes)."""
    thresholds = np.zeros(scores.shape[1], dtype=np.float32)
    for column in range(scores.shape[1]):
        order = np.argsort(-scores[:, column], kind="stable")
        values, hits = scores[order, column], (truth[order] == column).cumsum()
        if not len(hits) or not hits[-1]:
            thresholds[column] = 0.5
            continue
        f1 = 2.0 * hits / (np.arange(1, len(hits) + 1) + hits[-1])
        best = int(f1.argmax())
        below = values[best + 1] if best + 1 < len(values) else 0.0
        thresholds[column] = (values[best] + below) / 2.0
    return thresholds


def class_words_of(text: LabelledText, rules: Rules = DEFAULT_RULES) -> list[str]:
    parts = [Part(line) for line in text.text.split("\n") if line.strip()]
    return [word for word in class_words(read(text.title, parts, rules)) if is_content(word)]


def _divide(texts: list[LabelledText], seed: int) -> tuple[list[LabelledText], list[LabelledText]]:
    valid = [text for text in texts if text.split in ("dev", "valid")]
    if valid:
        return [text for text in texts if text.split not in ("dev", "valid")], valid
    order = np.random.default_rng(seed).permutation(len(texts))
    seen: Counter[str] = Counter()
    train: list[LabelledText] = []
    for place in order:
        text = texts[place]
        seen[text.label] += 1
        (valid if seen[text.label] % 5 == 0 else train).append(text)
    return train, valid


def _matrix(counts: Sequence[Counter[str]], vocabulary: dict[str, int]) -> csr_matrix:
    from scipy.sparse import csr_matrix

    entries = [
        (i, vocabulary[word], n) for i, count in enumerate(counts) for word, n in count.items() if word in vocabulary
    ]
    rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
    return csr_matrix((values, (rows, columns)), shape=(len(counts), len(vocabulary)), dtype=np.float64)


def _weigh(matrix: csr_matrix, idf: NDArray[np.float32]) -> Any:
    """(1 + log tf) x idf, rows of length one: what :meth:`ClassModel.scores` makes of a text."""
    from sklearn.preprocessing import normalize

    weighed = matrix.copy()
    weighed.data = 1.0 + np.log(weighed.data)
    weighed.data *= idf[weighed.indices]
    return normalize(weighed)


def _fit(
    learner: Learner, vectors: csr_matrix, classes: NDArray[Any], size: int, neighbours: int, seed: int
) -> tuple[Linear | Neighbours, Output]:
    if learner == "knn":
        starts = np.minimum(vectors.indptr[:-1], max(0, len(vectors.data) - 1)).astype(np.int64)
        near = Neighbours(
            vectors.data.astype(np.float32), vectors.indices.astype(np.int64), starts, classes, neighbours,
            vectors.shape[1],
        )  # fmt: skip
        return near, "plain"
    if learner == "nb":
        from sklearn.naive_bayes import MultinomialNB

        bayes = MultinomialNB(alpha=0.01).fit(vectors, classes)
        weights = (bayes.feature_log_prob_ - bayes.feature_log_prob_.mean(axis=0)).T
        return Linear(weights.astype(np.float32), bayes.class_log_prior_.astype(np.float32)), "softmax"
    if learner == "rocchio":
        centroids = np.vstack([np.asarray(vectors[classes == c].mean(axis=0)).ravel() for c in range(size)])
        centroids /= np.maximum(np.linalg.norm(centroids, axis=1, keepdims=True), 1e-9)
        return Linear(centroids.T.astype(np.float32), np.zeros(size, dtype=np.float32)), "plain"
    from sklearn.svm import LinearSVC

    svm = LinearSVC(C=3.0, class_weight="balanced", random_state=seed).fit(vectors, classes)
    weights, bias = svm.coef_.T, svm.intercept_
    if size == 2:
        weights, bias = np.hstack([-weights, weights]), np.hstack([-bias, bias])
    return Linear(weights.astype(np.float32), bias.astype(np.float32)), "logistic"


def _entropy(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    safe = np.clip(shares, 1e-12, 1.0)
    return np.asarray(-(safe * np.log(safe)).sum(axis=0))


def _term_strength(present: csr_matrix, classes: NDArray[Any], seed: int, pairs: int = 2_000) -> NDArray[np.float64]:
    draw = np.random.default_rng(seed)
    first = draw.integers(0, present.shape[0], pairs)
    groups = {c: np.flatnonzero(classes == c) for c in set(classes.tolist())}
    second = np.array([draw.choice(groups[int(classes[place])]) for place in first])
    both = np.asarray(present[first].multiply(present[second]).sum(axis=0)).ravel()
    return both / np.maximum(np.asarray(present[first].sum(axis=0)).ravel(), 1.0)
