"""Trains the full hub model: linear SVMs over character n-grams, stacked with an RBF SVM. Needs scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webprep_spider.hub.address import split_address
from webprep_spider.hub.features import FEATURES, feature_table
from webprep_spider.hub.grams import BITS, GramWeights, LinearSvm, hash_grams, text_text, url_text
from webprep_spider.hub.model import HubModel
from webprep_spider.hub.search import Samples, fit_sigmoid, fit_svm, folds_by_site
from webprep_spider.hub.svm import RbfSvm, Scaling
from webprep_spider.hub.training import cross_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    from webprep_spider.hub.labelled import LabelledLink

FOLDS = 10

_SPREAD = 4.0  # standard deviations that are scaled to 1; values farther out are clipped
_COLUMN_WEIGHT = 0.6  # of the scaled columns beside the n-grams, whose vectors have about length 1
_LINEAR_C = 0.4
_LINEAR_UNIT = 0.5  # a linear SVM's decision value of 1 as a column of the RBF SVM, whose other columns are in [-1, 1]
_RBF_C = 2.0
_RBF_GAMMA = 0.32


@dataclass(frozen=True, slots=True)
class _Views:
    """Training rows: each link as it is, and each that has a text once more without it."""

    scaling: Scaling
    scaled: NDArray[np.float64]
    grams: csr_matrix
    hub: NDArray[np.bool_]
    sites: NDArray[np.str_]
    weights: NDArray[np.float64]
    links: int

    @classmethod
    def of(cls, rows: Sequence[LabelledLink]) -> _Views:
        addresses = [split_address(row.url) for row in rows]
        texts = [row.text for row in rows]
        bare = [number for number, text in enumerate(texts) if text]
        chosen = [*range(len(rows)), *bare]
        addresses = [addresses[number] for number in chosen]
        texts += [""] * len(bare)
        table = feature_table(addresses, texts, names=FEATURES)
        middle, spread = table.mean(axis=0), _SPREAD * table.std(axis=0)
        scaling = Scaling(middle - spread, middle + spread)
        return cls(
            scaling=scaling,
            scaled=scaling(table),
            grams=_gram_matrix([url_text(address) for address in addresses if address], list(map(text_text, texts))),
            hub=np.array([rows[number].hub for number in chosen]),
            sites=np.array([rows[number].site for number in chosen]),
            # a link without text stands for both of its views
            weights=np.array([1.0 if text else 2.0 for text in (row.text for row in rows)] + [1.0] * len(bare)),
            links=len(rows),
        )


def train_stacked(
    rows: Sequence[LabelledLink], *, seed: int = 0, progress: Callable[[str], object] = lambda step: None
) -> HubModel:
    """The full model. It also knows what to do where no link text is known, for it learns such links too.

    The RBF SVM learns from what the linear SVMs said of sites they had not seen, so that it trusts them as far as
    they deserve; ``progress`` is told of each step.
    """
    views = _Views.of(rows)
    fold = folds_by_site(views.sites, FOLDS, seed)
    table = np.column_stack([views.scaled, np.zeros((len(fold), 2))])
    for number in range(FOLDS):
        progress(f"linear SVMs, fold {number + 1} of {FOLDS}")
        test = np.flatnonzero(fold == number)
        for column, part in enumerate(_fit_linear(views, np.flatnonzero(fold != number), seed), start=-2):
            table[test, column] = views.grams[test] @ part.weights + views.scaled[test] @ part.columns + part.bias
    decisions = np.zeros(len(fold))
    for number in range(FOLDS):
        progress(f"RBF SVM, fold {number + 1} of {FOLDS}")
        test = fold == number
        decisions[test] = _fit_rbf(views, table, np.flatnonzero(~test)).decide(table[test])
    progress("last fit")
    everything = np.arange(len(fold))
    svm = _fit_rbf(views, table, everything)
    linear = _fit_linear(views, everything, seed)
    given = slice(0, views.links)
    with_text = np.array([bool(row.text) for row in rows] + [False] * (len(fold) - views.links))
    without_text = np.flatnonzero(~with_text)
    return HubModel(
        views.scaling,
        svm,
        names=FEATURES,
        linear=[LinearSvm(GramWeights.rounded(part.weights), part.columns, part.bias) for part in linear],
        sigmoid=fit_sigmoid(decisions, views.hub),
        record={
            "cross_validation": cross_scores(decisions[given], views.hub[given]),
            "cross_validation_without_text": cross_scores(decisions[without_text], views.hub[without_text]),
            "support_vectors": len(svm.coef),
        },
    )


@dataclass(frozen=True, slots=True)
class _LinearFit:
    weights: NDArray[np.float64]
    columns: NDArray[np.float64]
    bias: float


def _fit_linear(views: _Views, rows: NDArray[np.intp], seed: int) -> tuple[_LinearFit, _LinearFit]:
    """Two machines: over the n-grams alone, and over n-grams and columns."""
    from scipy.sparse import csr_matrix, hstack
    from sklearn.svm import LinearSVC

    grams, hub, weights = views.grams[rows], views.hub[rows].astype(np.int64), views.weights[rows]
    both = hstack([grams, csr_matrix(_COLUMN_WEIGHT * views.scaled[rows])]).tocsr()
    fits = []
    for matrix in (grams, both):
        machine = LinearSVC(C=_LINEAR_C, random_state=seed, max_iter=5_000).fit(matrix, hub, sample_weight=weights)
        coef = _LINEAR_UNIT * machine.coef_[0]
        columns = np.zeros(views.scaled.shape[1])
        if matrix is both:
            columns = _COLUMN_WEIGHT * coef[grams.shape[1] :]
        fits.append(_LinearFit(coef[: grams.shape[1]], columns, _LINEAR_UNIT * float(machine.intercept_[0])))
    return fits[0], fits[1]


def _fit_rbf(views: _Views, table: NDArray[np.float64], rows: NDArray[np.intp]) -> RbfSvm:
    samples = Samples(table, views.hub, views.sites)[rows]
    return fit_svm(samples, _RBF_C, _RBF_GAMMA, weights=views.weights[rows])


def _gram_matrix(url_texts: Sequence[str], link_texts: Sequence[str]) -> csr_matrix:
    """A row for each link: 1 over the root of the number of n-grams, address and link text apart."""
    from scipy.sparse import csr_matrix

    grams = hash_grams(url_texts, link_texts)
    count = np.bincount(grams.owner, minlength=2 * grams.links)
    values = 1.0 / np.sqrt(count[grams.owner])
    return csr_matrix((values, (grams.owner % grams.links, grams.bucket)), shape=(grams.links, 1 << BITS))
