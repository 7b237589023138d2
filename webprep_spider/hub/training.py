"""Trains the hub models from labelled links. Needs scikit-learn, which is imported when a fit begins."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from webprep_spider.hub.address import split_address
from webprep_spider.hub.evaluation import Confusion
from webprep_spider.hub.features import SEED_FEATURES, feature_table
from webprep_spider.hub.model import HubModel
from webprep_spider.hub.search import Samples, cross_decisions, fit_sigmoid, fit_svm
from webprep_spider.hub.svm import Scaling
from webprep_spider.hub.tables import SEED_TABLES, Tables

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from webprep_spider.hub.labelled import LabelledLink

SEED_C = 32.0
SEED_GAMMA = 0.0625
"""The published result of the grid search (S3.M4)."""

_FOLDS = 10


def samples_of(
    rows: Sequence[LabelledLink], *, names: Sequence[str] = SEED_FEATURES, tables: Tables = SEED_TABLES
) -> Samples:
    """The feature rows of labelled links, unscaled."""
    table = feature_table(
        [split_address(row.url) for row in rows], [row.text for row in rows], names=names, tables=tables
    )
    return Samples(table, np.array([row.hub for row in rows]), np.array([row.site for row in rows]))


def train_seed(
    rows: Sequence[LabelledLink],
    *,
    c: float = SEED_C,
    gamma: float = SEED_GAMMA,
    names: Sequence[str] = SEED_FEATURES,
    tables: Tables = SEED_TABLES,
    seed: int = 0,
) -> HubModel:
    """The plain model: scaled feature columns and one RBF SVM (S3.M1, S3.M2), its probability calibrated by site."""
    samples = samples_of(rows, names=names, tables=tables)
    scaling = Scaling.of(samples.table)
    machine = fit_svm(Samples(scaling(samples.table), samples.hub, samples.sites), c, gamma)
    unseen = cross_decisions(samples, c, gamma, folds=_FOLDS, seed=seed)
    return HubModel(
        scaling,
        machine,
        names=names,
        tables=tables,
        sigmoid=fit_sigmoid(unseen, samples.hub),
        record={"cross_validation": cross_scores(unseen, samples.hub), "support_vectors": len(machine.coef)},
    )


def cross_scores(decisions: NDArray[np.float64], hub: NDArray[np.bool_]) -> dict[str, float]:
    """Accuracy, precision, recall and F1 of decision values made without the rows' own sites, for the record."""
    cells = Confusion.of(hub.tolist(), (decisions > 0).tolist())
    return {name: round(getattr(cells, name), 4) for name in ("accuracy", "precision", "recall", "f1")}


def digest_of(path: str | Path) -> str:
    """SHA-256 of a data file, for the record."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
