"""Trains the full hub model: linear SVMs over character n-grams, stacked with an RBF SVM. Needs scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from webprep_spider.hub.address import split_address
from webprep_spider.hub.features import COLUMNS, FEATURES, feature_table
from webprep_spider.hub.grams import NONE, GramWeights, LinearSvm, hash_grams, text_text, url_text
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
_LINEAR_C = 0.5
_LINEAR_UNIT = 0.5  # a linear SVM's decision value of 1 as a column of the RBF SVM, whose other columns are in [-1, 1]
_DIRECT = 1.5  # log odds that a linear SVM's decision value of 1 adds to what the RBF SVM makes of it
_RBF_C = 2.0
_RBF_GAMMA = 0.32
_WITHOUT_TEXT = (
    0.3  # weight of a link learned again without its text; more would spoil what a missing text itself tells
)


@dataclass(frozen=True, slots=True)
class _Views:
    """Training rows: the ``links`` as they are, and then those that have a text once more without it."""

    scaling: Scaling
    scaled: NDArray[np.float64]
    url_grams: csr_matrix
    text_grams: csr_matrix
    hub: NDArray[np.bool_]
    sites: NDArray[np.str_]
    with_text: NDArray[np.bool_]
    links: int

    @classmethod
    def of(cls, rows: Sequence[LabelledLink]) -> _Views:
        views = [*rows, *(replace(row, text="") for row in rows if row.text)]
        addresses = [split_address(row.url) for row in views]
        texts = [row.text for row in views]
        table = feature_table(addresses, texts, names=FEATURES)
        counts = np.flatnonzero([column.kind == "count" for column in COLUMNS])
        scaling = Scaling.around_mean(table, _SPREAD, counts)
        url_grams, text_grams = _gram_matrices(
            [url_text(address) for address in addresses if address], [text_text(text) for text in texts]
        )
        return cls(
            scaling=scaling,
            scaled=scaling(table),
            url_grams=url_grams,
            text_grams=text_grams,
            hub=np.array([row.hub for row in views]),
            sites=np.array([row.site for row in views]),
            with_text=np.array([bool(text) for text in texts]),
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
            table[test, column] = part.decide(views, test)
    decisions = np.zeros(len(fold))
    for number in range(FOLDS):
        progress(f"RBF SVM, fold {number + 1} of {FOLDS}")
        test = fold == number
        decisions[test] = _fit_rbf(views, table, np.flatnonzero(~test)).decide(table[test])
    progress("last fit")
    everything = np.arange(len(fold))
    svm = _fit_rbf(views, table, everything)
    given = everything < views.links
    direct = _DIRECT / fit_sigmoid(decisions[given], views.hub[given])[0]
    decisions += direct * np.where(views.with_text, table[:, -1], table[:, -2])
    slope, shift = fit_sigmoid(decisions[given], views.hub[given])
    linear = [part.rounded() for part in _fit_linear(views, everything, seed)]
    svm = RbfSvm(svm.vectors.astype(np.float32), svm.coef, svm.gamma, svm.rho - shift / slope)  # 0: chance of one half
    decisions += shift / slope
    return HubModel(
        views.scaling,
        svm,
        names=FEATURES,
        linear=[replace(part, direct=direct) for part in linear],
        sigmoid=(slope, 0.0),
        record={
            "cross_validation": cross_scores(decisions[given], views.hub[given]),
            "cross_validation_without_text": cross_scores(decisions[~views.with_text], views.hub[~views.with_text]),
            "support_vectors": len(svm.coef),
        },
    )


@dataclass(frozen=True, slots=True)
class _LinearFit:
    weights: NDArray[np.float64]
    columns: NDArray[np.float64]
    bias: float
    read_text: bool

    def decide(self, views: _Views, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        grams = views.url_grams[rows] + views.text_grams[rows] if self.read_text else views.url_grams[rows]
        values: NDArray[np.float64] = grams @ self.weights + views.scaled[rows] @ self.columns + self.bias
        return values

    def rounded(self) -> LinearSvm:
        return LinearSvm(GramWeights.rounded(self.weights), self.columns, self.bias, self.read_text)


def _fit_linear(views: _Views, rows: NDArray[np.intp], seed: int) -> tuple[_LinearFit, _LinearFit]:
    """Two machines: over the n-grams of addresses alone, and over all n-grams and columns. Links as they are only."""
    from scipy.sparse import csr_matrix, hstack
    from sklearn.svm import LinearSVC

    rows = rows[rows < views.links]
    urls, hub = views.url_grams[rows], views.hub[rows].astype(np.int64)
    columns = csr_matrix(_COLUMN_WEIGHT * views.scaled[rows])
    everything = hstack([urls + views.text_grams[rows], columns]).tocsr()
    fits = []
    for matrix, read_text in ((urls, False), (everything, True)):
        machine = LinearSVC(C=_LINEAR_C, random_state=seed, tol=1e-3, max_iter=5_000).fit(matrix, hub)
        coef, bias = _LINEAR_UNIT * machine.coef_[0], _LINEAR_UNIT * float(machine.intercept_[0])
        beside = _COLUMN_WEIGHT * coef[NONE:] if read_text else np.zeros(views.scaled.shape[1])
        fits.append(_LinearFit(coef[:NONE], beside, bias, read_text))
    return fits[0], fits[1]


def _fit_rbf(views: _Views, table: NDArray[np.float64], rows: NDArray[np.intp]) -> RbfSvm:
    # a link that never had a text stands for both of its views
    weights = np.where(rows < views.links, np.where(views.with_text[rows], 1.0, 1.0 + _WITHOUT_TEXT), _WITHOUT_TEXT)
    return fit_svm(Samples(table, views.hub, views.sites)[rows], _RBF_C, _RBF_GAMMA, weights=weights)


def _gram_matrices(url_texts: Sequence[str], link_texts: Sequence[str]) -> tuple[csr_matrix, csr_matrix]:
    """A row for each link, of addresses and of link texts: 1 over the root of the number of n-grams."""
    from scipy.sparse import csr_matrix

    grams = hash_grams(url_texts, link_texts)
    whole = grams.bucket != NONE
    owner = np.searchsorted(grams.starts, np.nonzero(whole)[1], side="right") - 1
    values = 1.0 / np.sqrt(grams.sizes[owner])
    both = csr_matrix((values, (owner, grams.bucket[whole])), shape=(2 * grams.links, NONE))
    return both[: grams.links], both[grams.links :]
