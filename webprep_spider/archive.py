"""Model files: NumPy arrays and a JSON header in one ``.npz``, with a format number and a checksum. No pickle."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from webprep_spider.exceptions import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

FORMAT = 1
_HEADER = "header"


def write_archive(path: str | Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write ``arrays`` and ``header``; the file appears whole or not at all."""
    text = json.dumps({**header, "format": FORMAT, "checksum": _checksum(header, arrays)}, ensure_ascii=False)
    partial = f"{path}.partial"
    try:
        with open(partial, "wb") as file:
            # Without the option that forbids pickle: NumPy before 2.1 writes it down as one more array.
            packed: dict[str, Any] = {_HEADER: np.frombuffer(text.encode(), dtype=np.uint8), **arrays}
            np.savez_compressed(file, **packed)
        os.replace(partial, path)
    except OSError as error:
        raise ModelError(f"{path}: cannot be written: {error.strerror or error}") from None


def read_archive(path: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header and arrays of a file written by :func:`write_archive`.

    :raises ModelError: if the file is missing, cut, altered, of another format, or not a model at all.
    """
    try:
        with open(path, "rb") as file:
            if not zipfile.is_zipfile(file):  # other things that NumPy reads are no archives
                raise zipfile.BadZipFile("it is no archive, or its end is missing")
            file.seek(0)
            with np.load(file, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
        header = json.loads(arrays.pop(_HEADER).tobytes())
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from None
    except KeyError:
        raise ModelError(f"{path}: not a model file: no header") from None
    except (ValueError, EOFError, AttributeError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
        raise ModelError(f"{path}: not a model file, or a damaged one: {error}") from None
    if not isinstance(header, dict):
        raise ModelError(f"{path}: not a model file: its header is not an object")
    found, checksum = header.pop("format", None), header.pop("checksum", None)
    if found != FORMAT:
        raise ModelError(f"{path}: format {found!r}, but this version reads format {FORMAT}")
    if checksum != _checksum(header, arrays):
        raise ModelError(f"{path}: damaged: the checksum does not fit")
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ModelError(f"{path}: not all of {name!r} are numbers; train the model anew")
    return header, arrays


def _checksum(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
