"""Grid search for C and gamma, cross-validation by site, learning curve (S3.M4, S3.M5). Needs scikit-learn."""

from __future__ import annotations

import random
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from webprep_spider.hub.svm import RbfSvm, Scaling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Progress: TypeAlias = Callable[[str, Iterable[tuple[int, int]]], Iterable[tuple[int, int]]]

C_RANGE = (-5, 15)
GAMMA_RANGE = (-15, 3)
"""Exponents of 2 that are searched, both ends included, in steps of 1 (S3.M4)."""

FOLDS = 10
_STEPS = (4, 2, 1)
_MOST_ITERATIONS = 2_000_000  # some corners of the grid (large C, large gamma) converge very slowly and never win


@dataclass(frozen=True, slots=True)
class Samples:
    """Feature rows, their classes (True = hub) and the site of each."""

    table: NDArray[np.float64]
    hub: NDArray[np.bool_]
    sites: NDArray[np.str_]

    def __getitem__(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Samples:
        return Samples(self.table[rows], self.hub[rows], self.sites[rows])

    def __len__(self) -> int:
        return len(self.hub)


@dataclass(frozen=True, slots=True)
class GridPoint:
    """Exponents of C and gamma, and the cross-validated accuracy there."""

    log2_c: int
    log2_gamma: int
    accuracy: float


def fit_svm(samples: Samples, c: float, gamma: float, weights: NDArray[np.float64] | None = None) -> RbfSvm:
    """Train a C-SVC on rows that are already scaled."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import SVC

    machine = SVC(C=c, gamma=gamma, cache_size=500, max_iter=_MOST_ITERATIONS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(samples.table, samples.hub.astype(np.int64), sample_weight=weights)
    return RbfSvm(machine.support_vectors_, machine.dual_coef_[0], gamma, -float(machine.intercept_[0]))


def folds_by_site(sites: NDArray[np.str_], folds: int, seed: int) -> NDArray[np.intp]:
    """The fold of each row; rows of a site share one, folds are nearly equal in rows, the draw depends on ``seed``."""
    names, site_of, sizes = np.unique(sites, return_inverse=True, return_counts=True)
    order = list(range(len(names)))
    random.Random(seed).shuffle(order)
    order.sort(key=lambda site: -int(sizes[site]))
    fold_of = np.zeros(len(names), dtype=np.intp)
    load = np.zeros(folds, dtype=np.intp)
    for site in order:
        fold_of[site] = load.argmin()
        load[fold_of[site]] += sizes[site]
    return fold_of[site_of]


def cross_decisions(
    samples: Samples, c: float, gamma: float, *, folds: int = FOLDS, seed: int = 0
) -> NDArray[np.float64]:
    """Decision values of each row by a machine (and a scaling) made without the rows of its site."""
    fold = folds_by_site(samples.sites, folds, seed)
    values = np.zeros(len(samples))
    for number in range(folds):
        test, train = fold == number, samples[fold != number]
        scaling = Scaling.of(train.table)
        machine = fit_svm(Samples(scaling(train.table), train.hub, train.sites), c, gamma)
        values[test] = machine.decide(scaling(samples.table[test]))
    return values


def cross_accuracy(samples: Samples, c: float, gamma: float, *, folds: int = FOLDS, seed: int = 0) -> float:
    """Share of rows that :func:`cross_decisions` gets right."""
    return float(((cross_decisions(samples, c, gamma, folds=folds, seed=seed) > 0) == samples.hub).mean())


def grid_search(
    samples: Samples,
    *,
    c_range: tuple[int, int] = C_RANGE,
    gamma_range: tuple[int, int] = GAMMA_RANGE,
    folds: int = FOLDS,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[GridPoint]:
    """All points tried, the best first.

    The grid has step 1; it is searched coarse to fine: every fourth point, then every second and every single one
    around the best so far. Of equal points the one with smaller C, then smaller gamma, is the better: it is smoother.
    """
    found: dict[tuple[int, int], float] = {}

    def best() -> tuple[int, int]:
        return min(found, key=lambda point: (-found[point], *point))

    for step in _STEPS:
        points = [
            point for point in _around(best() if found else None, step, c_range, gamma_range) if point not in found
        ]
        for log2_c, log2_gamma in progress(f"grid, step {step}", points) if progress else points:
            found[log2_c, log2_gamma] = cross_accuracy(samples, 2.0**log2_c, 2.0**log2_gamma, folds=folds, seed=seed)
    ranking = sorted(found, key=lambda point: (-found[point], *point))
    return [GridPoint(*point, found[point]) for point in ranking]


def _around(
    centre: tuple[int, int] | None, step: int, c_range: tuple[int, int], gamma_range: tuple[int, int]
) -> Iterator[tuple[int, int]]:
    def axis(bounds: tuple[int, int], middle: int | None) -> Sequence[int]:
        low, high = bounds
        if middle is None:
            return sorted({*range(low, high + 1, step), high})
        return [value for value in range(middle - step, middle + step + 1, step) if low <= value <= high]

    for log2_c in axis(c_range, centre and centre[0]):
        for log2_gamma in axis(gamma_range, centre and centre[1]):
            yield log2_c, log2_gamma


def draw_sites(sites: NDArray[np.str_], rows: int, seed: int) -> NDArray[np.intp]:
    """Row numbers of whole sites drawn at random until there are ``rows`` of them; the last site may be cut."""
    names = sorted(set(sites.tolist()))
    random.Random(seed).shuffle(names)
    drawn: list[int] = []
    for name in names:
        drawn.extend(np.flatnonzero(sites == name).tolist())
        if len(drawn) >= rows:
            break
    return np.array(drawn[:rows], dtype=np.intp)


def fit_sigmoid(decisions: NDArray[np.float64], hub: NDArray[np.bool_]) -> tuple[float, float]:
    """a and b of Platt's ``1 / (1 + exp(-(a d + b)))``; give decisions made without the rows' own sites."""
    positives = int(hub.sum())
    # Platt's targets: an empirical prior keeps the sigmoid finite on separable data
    target = np.where(hub, (positives + 1) / (positives + 2), 1 / (len(hub) - positives + 2))
    slope = shift = 0.0  # from here Newton's steps do not overshoot, whatever the scale of the decisions
    for _ in range(100):
        chance = 1 / (1 + np.exp(-(slope * decisions + shift)))
        spread = chance * (1 - chance)
        gradient = np.array([((target - chance) * decisions).sum(), (target - chance).sum()])
        curvature = np.array(
            [
                [(spread * decisions**2).sum() + 1e-9, (spread * decisions).sum()],
                [(spread * decisions).sum(), spread.sum() + 1e-9],
            ]
        )
        move = np.linalg.solve(curvature, gradient)
        slope, shift = slope + float(move[0]), shift + float(move[1])
        if abs(move).max() < 1e-8:
            break
    return slope, shift
