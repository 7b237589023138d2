"""A small neural network in arrays: scored with NumPy, stored as ``.npz`` without pickle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webprep_spider.archive import read_archive, write_archive
from webprep_spider.blas import one_thread
from webprep_spider.exceptions import ModelError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

KIND = "net"
_ARRAYS = ("mean", "scale", "hidden", "hidden_bias", "output", "output_bias")
_BOUND = 5.0
_ROWS = 8_192


@dataclass(frozen=True, slots=True)
class NetModel:
    """One hidden layer of rectifiers over standardised features.

    ``mean`` and ``scale`` (features) standardise a row, which is then bounded to +-5 so that a page unlike all others
    cannot run away with the sums; ``hidden`` is features x units, ``output`` units x outputs. ``header`` records how
    the model was made.
    """

    features: tuple[str, ...]
    classes: tuple[str, ...]
    mean: Floats
    scale: Floats
    hidden: Floats
    hidden_bias: Floats
    output: Floats
    output_bias: Floats
    header: dict[str, Any]

    def raw(self, rows: Floats) -> Floats:
        """The outputs before they are made chances, rows x outputs."""
        # In parts, so that the standardised copy of very many rows stays small.
        parts = [self._raw(rows[start : start + _ROWS]) for start in range(0, len(rows), _ROWS)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _raw(self, rows: Floats) -> Floats:
        inner = (rows - self.mean) * self.scale
        np.clip(inner, -_BOUND, _BOUND, out=inner)
        with one_thread():
            units = inner @ self.hidden
            units += self.hidden_bias
            np.maximum(units, 0, out=units)
            return np.asarray(units @ self.output + self.output_bias, np.float32)

    def chance(self, rows: Floats) -> Floats:
        """Chance of the single class of a two-way model, one a row."""
        return np.asarray(1 / (1 + np.exp(-self.raw(rows)[:, 0])), np.float32)

    def save(self, path: str | Path) -> None:
        header = {**self.header, "kind": KIND, "features": self.features, "classes": self.classes}
        write_archive(path, header, {name: getattr(self, name) for name in _ARRAYS})

    @classmethod
    def load(cls, path: str | Path, features: tuple[str, ...]) -> NetModel:
        """Read a model.

        :param features: what the caller measures; a model trained on other features is refused.
        :raises ModelError: if the file is missing, damaged, of another format or kind, or for other features.
        """
        header, arrays = read_archive(path)
        if header.get("kind") != KIND or set(arrays) != set(_ARRAYS):
            raise ModelError(f"{path}: not a network with one hidden layer")
        if tuple(header["features"]) != features:
            raise ModelError(f"{path}: trained on other features than this version measures")
        return cls(features, tuple(header["classes"]), **arrays, header=header)
