"""LibSVM's text files: data, ``svm-scale`` ranges and C-SVC models (S3.F2, S3.M1, S3.M3).

What is written here, LibSVM's own programs read, and the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webprep_spider.exceptions import ModelError
from webprep_spider.hub.svm import RbfSvm, Scaling

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

HUB, TOPIC = 1, 0
"""The labels of the two classes (S3.F2)."""


@dataclass(frozen=True, slots=True)
class SvmData:
    """A dense table (rows, features) and the label of each row."""

    table: NDArray[np.float64]
    labels: NDArray[np.int64]


def write_data(path: str | Path, table: NDArray[np.float64], labels: Iterable[int]) -> None:
    """Write ``label index:value ...`` lines; indices count from 1, zeros are left out."""
    with open(path, "w", encoding="ascii") as file:
        for label, row in zip(labels, table, strict=True):
            file.write(f"{label} {_pairs(row)}\n")


def read_data(path: str | Path, columns: int | None = None) -> SvmData:
    """Read a data file; ``columns`` widens the table where the last features are zero throughout.

    :raises ModelError: naming the line that is not LibSVM's.
    """
    labels, rows = [], []
    for number, line in enumerate(_lines(path), start=1):
        head, *pairs = line.split()
        try:
            labels.append(int(float(head)))
            rows.append(_sparse(pairs))
        except ValueError as error:
            raise ModelError(f"{path}, line {number}: {error}") from None
    return SvmData(_dense(rows, columns, path), np.array(labels, dtype=np.int64))


def write_ranges(path: str | Path, scaling: Scaling) -> None:
    """Write the ranges as ``svm-scale -l -1 -u 1 -s`` does."""
    with open(path, "w", encoding="ascii") as file:
        file.write("x\n-1 1\n")
        for index, (low, high) in enumerate(zip(scaling.low, scaling.high, strict=True), start=1):
            if low != high:
                file.write(f"{index} {low:.17g} {high:.17g}\n")


def read_ranges(path: str | Path, columns: int) -> Scaling:
    """Read ``svm-scale`` ranges for ``columns`` features; features without a range were constant.

    :raises ModelError: if the file is not one, or scales to something else than [-1, 1].
    """
    low, high = np.zeros(columns), np.zeros(columns)
    lines = _lines(path)
    try:
        if lines[0] != "x" or [float(bound) for bound in lines[1].split()] != [-1.0, 1.0]:
            raise ModelError(f"{path}: expected the ranges of svm-scale to [-1, 1], without scaled labels")
        for line in lines[2:]:
            index, least, most = line.split()
            low[int(index) - 1], high[int(index) - 1] = float(least), float(most)
    except (ValueError, IndexError) as error:
        raise ModelError(f"{path}: not a range file: {error}") from None
    return Scaling(low, high)


def write_model(path: str | Path, svm: RbfSvm) -> None:
    """Write a C-SVC model with the labels 1 (hub) and 0."""
    order = np.argsort(svm.coef < 0, kind="stable")  # LibSVM groups the support vectors by class
    hubs = int((svm.coef >= 0).sum())
    with open(path, "w", encoding="ascii") as file:
        file.write(
            f"svm_type c_svc\nkernel_type rbf\ngamma {svm.gamma:.17g}\nnr_class 2\ntotal_sv {len(order)}\n"
            f"rho {svm.rho:.17g}\nlabel {HUB} {TOPIC}\nnr_sv {hubs} {len(order) - hubs}\nSV\n"
        )
        for row in order:
            file.write(f"{svm.coef[row]:.17g} {_pairs(svm.vectors[row])}\n")


def read_model(path: str | Path, columns: int | None = None, *, partial: bool = False) -> RbfSvm:
    """Read a two-class C-SVC model with RBF kernel; the class with the label 1 is taken as hub.

    A ``%`` and what follows it on a header line is a remark. With ``partial`` fewer support vectors than the header
    says are accepted, as where only the beginning of a model is printed.

    :raises ModelError: if the file is cut, of another SVM or kernel type, or not a model.
    """
    header: dict[str, list[str]] = {}
    rest = iter(_lines(path))
    for line in rest:
        words = line.partition("%")[0].split()
        if words == ["SV"]:
            break
        if words:
            header[words[0]] = words[1:]
    else:
        raise ModelError(f"{path}: not a LibSVM model: no line 'SV'")
    if header.get("svm_type") != ["c_svc"] or header.get("kernel_type") != ["rbf"] or header.get("nr_class") != ["2"]:
        raise ModelError(f"{path}: not a two-class C-SVC with RBF kernel")
    try:
        gamma, rho = float(header["gamma"][0]), float(header["rho"][0])
        total, labels = int(header["total_sv"][0]), [int(label) for label in header["label"]]
        body = [line.split() for line in rest]
        coef = np.array([float(words[0]) for words in body])
        vectors = _dense([_sparse(words[1:]) for words in body], columns, path)
    except (KeyError, ValueError, IndexError) as error:
        raise ModelError(f"{path}: not a LibSVM model: {error}") from None
    if sorted(labels) != [TOPIC, HUB] and sorted(labels) != [-1, 1]:
        raise ModelError(f"{path}: labels {labels}, expected 1 for hub and 0 or -1 for topic")
    if len(coef) != total and not (partial and len(coef) < total):
        raise ModelError(f"{path}: cut: {len(coef)} support vectors, but the header says {total}")
    sign = 1.0 if labels[0] == HUB else -1.0
    return RbfSvm(vectors, sign * coef, gamma, sign * rho)


def _pairs(row: Sequence[float] | NDArray[np.float64]) -> str:
    return " ".join(f"{index}:{value:.17g}" for index, value in enumerate(row, start=1) if value != 0)


def _sparse(pairs: Iterable[str]) -> dict[int, float]:
    row = {}
    for pair in pairs:
        index, colon, value = pair.partition(":")
        if not colon or int(index) < 1:
            raise ValueError(f"{pair!r} is not index:value with an index from 1")
        row[int(index)] = float(value)
    return row


def _dense(rows: Sequence[dict[int, float]], columns: int | None, path: str | Path) -> NDArray[np.float64]:
    widest = max((max(row, default=0) for row in rows), default=0)
    if columns is not None and widest > columns:
        raise ModelError(f"{path}: feature {widest}, but there are only {columns}")
    if widest > _MOST_COLUMNS:
        raise ModelError(f"{path}: feature {widest}; tables this wide are not held densely")
    table = np.zeros((len(rows), columns or widest))
    for number, row in enumerate(rows):
        for index, value in row.items():
            table[number, index - 1] = value
    return table


_MOST_COLUMNS = 10_000


def _lines(path: str | Path) -> list[str]:
    try:
        with open(path, encoding="utf-8") as file:
            return [line.strip() for line in file if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path}: cannot be read: {error}") from None
