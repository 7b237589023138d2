"""The decision function of a C-SVC with RBF kernel, in NumPy (S3.M1, S3.M2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CHUNK = 32  # rows worked on at once: larger kernel matrices cost a page fault for every 4 KB, each time


@dataclass(frozen=True, slots=True)
class Scaling:
    """Maps each column linearly to [-1, 1]; values outside the range seen in training are clipped (S3.M1).

    A column that was constant in training becomes 0. Of the columns ``logs`` (numbers of columns) the logarithm is
    scaled, log(1 + x), which suits counts with a long tail; the seed model has none.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    logs: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    _factor: NDArray[np.float64] = field(init=False, repr=False, compare=False)
    _shift: NDArray[np.float64] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        span = self.high - self.low
        varies = span > 0
        factor = np.where(varies, 2.0 / np.where(varies, span, 1.0), 0.0)
        object.__setattr__(self, "_factor", factor)
        object.__setattr__(self, "_shift", np.where(varies, -self.low * factor - 1.0, 0.0))

    @classmethod
    def of(cls, table: NDArray[np.float64]) -> Scaling:
        """The range of each column from its least to its greatest value, as svm-scale has it."""
        return cls(table.min(axis=0), table.max(axis=0))

    @classmethod
    def around_mean(cls, table: NDArray[np.float64], deviations: float, logs: NDArray[np.intp]) -> Scaling:
        """The range of so many standard deviations to both sides of the mean, after logarithms."""
        table = _with_logs(table, logs)
        middle, spread = table.mean(axis=0), deviations * table.std(axis=0)
        return cls(middle - spread, middle + spread, logs)

    def __call__(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        scaled = _with_logs(table, self.logs) * self._factor
        scaled += self._shift
        np.minimum(scaled, 1.0, out=scaled)
        return np.maximum(scaled, -1.0, out=scaled)


def _with_logs(table: NDArray[np.float64], logs: NDArray[np.intp]) -> NDArray[np.float64]:
    if logs.size:
        table = table.copy()
        table[:, logs] = np.log1p(table.take(logs, axis=1))
    return table


@dataclass(frozen=True, slots=True)
class RbfSvm:
    """Support vectors (one a row, already scaled), their coefficients ``alpha_i y_i``, gamma and rho.

    ``decide(x) = sum_i coef_i exp(-gamma ||x - sv_i||^2) - rho``, positive for hub pages. The distances are computed in
    the precision of ``vectors``: single is twice as fast where there are many columns, and exact enough while the
    coefficients are small.
    """

    vectors: NDArray[np.float64] | NDArray[np.float32]
    coef: NDArray[np.float64]
    gamma: float
    rho: float
    _exponent: NDArray[np.float64] | NDArray[np.float32] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # -g ||x - v||^2 = (x, 1, -g ||x||^2) . (2 g v, -g ||v||^2, 1): the whole exponent in one product
        vectors = self.vectors.astype(np.float64)
        squares = np.einsum("ij,ij->i", vectors, vectors)
        rows = [vectors.T * (2.0 * self.gamma), -self.gamma * squares[None, :], np.ones((1, len(squares)))]
        object.__setattr__(self, "_exponent", np.vstack(rows).astype(self.vectors.dtype))

    def decide(self, scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        """Decision values of rows scaled as the training rows were; NaN rows give NaN."""
        width = scaled.shape[1]
        extended = np.ones((len(scaled), width + 2), dtype=self.vectors.dtype)
        extended[:, :width] = scaled
        extended[:, -1] = -self.gamma * np.einsum("ij,ij->i", scaled, scaled)
        values = np.empty(len(scaled))
        for start in range(0, len(scaled), _CHUNK):
            part = slice(start, start + _CHUNK)
            # single precision halves the time of exp; the sums stay double, so that a row alone and in a batch agree
            kernel = (extended[part] @ self._exponent).astype(np.float32, copy=False)
            np.exp(kernel, out=kernel)
            values[part] = kernel.astype(np.float64) @ self.coef
        return values - self.rho
