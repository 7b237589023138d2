"""A small neural network in arrays: scored with NumPy, stored as ``.npz`` without pickle."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from webprep_spider.exceptions import ModelError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

FORMAT = 1
_ARRAYS = ("mean", "scale", "hidden", "hidden_bias", "output", "output_bias")
_BOUND = 5.0
# OpenBLAS starts threads for products of more multiplications than this; for pages they cost more time than they save.
_ONE_THREAD = 250_000


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
        inner = (rows - self.mean) * self.scale
        np.clip(inner, -_BOUND, _BOUND, out=inner)
        units = np.empty((len(inner), self.hidden.shape[1]), np.float32)
        step = max(1, _ONE_THREAD // self.hidden.size)
        for start in range(0, len(inner), step):
            np.matmul(inner[start : start + step], self.hidden, out=units[start : start + step])
        units += self.hidden_bias
        np.maximum(units, 0, out=units)
        return np.asarray(units @ self.output + self.output_bias, np.float32)

    def chance(self, rows: Floats) -> Floats:
        """Chance of the single class of a two-way model, one a row."""
        return np.asarray(1 / (1 + np.exp(-self.raw(rows)[:, 0])), np.float32)

    def save(self, path: str | Path) -> None:
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        header = {
            **self.header,
            "format": FORMAT,
            "features": self.features,
            "classes": self.classes,
            "checksum": _checksum(arrays),
        }
        np.savez_compressed(path, header=np.frombuffer(json.dumps(header).encode(), np.uint8), **arrays)

    @classmethod
    def load(cls, path: str | Path, features: tuple[str, ...]) -> NetModel:
        """Read a model.

        :param features: what the caller measures; a model trained on other features is refused.
        :raises ModelError: if the file is missing, damaged, of another format, or for other features.
        """
        try:
            with np.load(io.BytesIO(Path(path).read_bytes()), allow_pickle=False) as file:
                header = json.loads(file["header"].tobytes())
                arrays = {name: file[name].astype(np.float32) for name in _ARRAYS}
        except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise ModelError(f"{path}: cannot be read as a model ({error})") from None
        if header.get("format") != FORMAT:
            raise ModelError(f"{path}: format {header.get('format')}, this version reads {FORMAT}")
        if header.get("checksum") != _checksum(arrays):
            raise ModelError(f"{path}: the checksum is wrong, the file is damaged")
        if tuple(header["features"]) != features:
            raise ModelError(f"{path}: trained on other features than this version measures")
        return cls(features, tuple(header["classes"]), **arrays, header=header)


def _checksum(arrays: dict[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for name in _ARRAYS:
        digest.update(np.ascontiguousarray(arrays[name], np.float32).tobytes())
    return digest.hexdigest()
