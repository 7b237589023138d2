"""A small boosted-trees model in arrays: scored with NumPy, stored as ``.npz`` without pickle."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from webprep_spider.exceptions import ModelError

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMAT = 1
_ARRAYS = ("feature", "threshold", "left", "right", "value", "base")


@dataclass(frozen=True, slots=True)
class TreesModel:
    """Sums of regression trees, one forest a class, each row of an array one tree.

    ``feature`` and ``threshold`` (trees x nodes) hold the splits: a row of features goes ``left`` where its value is at
    most the threshold, else ``right``; leaves point at themselves. ``value`` is what a leaf adds. Tree ``t`` belongs to
    class ``t % classes``.
    """

    features: tuple[str, ...]
    classes: tuple[str, ...]
    depth: int
    feature: NDArray[np.int32]
    threshold: NDArray[np.float32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: NDArray[np.float32]
    base: NDArray[np.float32]
    header: dict[str, Any]

    def raw(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Sums of the trees, rows x classes."""
        trees, width = self.feature.shape
        offset = (np.arange(trees, dtype=np.int32) * width)[None, :]
        feature, threshold = self.feature.ravel(), self.threshold.ravel()
        left, right = self.left.ravel(), self.right.ravel()
        at = np.broadcast_to(offset, (len(rows), trees))
        start = (np.arange(len(rows), dtype=np.int32) * rows.shape[1])[:, None]
        flat = rows.ravel()
        for _ in range(self.depth):
            below = flat[start + feature[at]] <= threshold[at]
            at = offset + np.where(below, left[at], right[at])
        sums = self.value.ravel()[at].reshape(len(rows), trees // len(self.classes), len(self.classes)).sum(axis=1)
        return np.asarray(sums + self.base, np.float32)

    def chance(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Probability of the single class of a two-way model, one a row."""
        return np.asarray(1 / (1 + np.exp(-self.raw(rows)[:, 0])), np.float32)

    def save(self, path: str | Path) -> None:
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        header = {
            **self.header,
            "format": FORMAT,
            "features": self.features,
            "classes": self.classes,
            "depth": self.depth,
            "checksum": _checksum(arrays),
        }
        np.savez_compressed(path, header=np.frombuffer(json.dumps(header).encode(), np.uint8), **arrays)

    @classmethod
    def load(cls, path: str | Path, features: tuple[str, ...]) -> TreesModel:
        """Read a model.

        :param features: what the caller measures; a model trained on other features is refused.
        :raises ModelError: if the file is missing, damaged, of another format, or for other features.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                header = json.loads(file["header"].tobytes())
                arrays = {name: file[name] for name in _ARRAYS}
        except (OSError, KeyError, ValueError, EOFError) as error:
            raise ModelError(f"{path}: cannot be read as a model ({error})") from None
        if header.get("format") != FORMAT:
            raise ModelError(f"{path}: format {header.get('format')}, this version reads {FORMAT}")
        if header.get("checksum") != _checksum(arrays):
            raise ModelError(f"{path}: the checksum is wrong, the file is damaged")
        if tuple(header["features"]) != features:
            raise ModelError(f"{path}: trained on other features than this version measures")
        return cls(features, tuple(header["classes"]), header["depth"], **arrays, header=header)


def _checksum(arrays: dict[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for name in _ARRAYS:
        digest.update(np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()
