"""Inverse document frequencies of Chinese words (S4.Q1)."""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files

import numpy as np

from webprep_spider.metadata.words import HAN_WORD

LATIN_IDF = 8.5
"""Of a word of other scripts: no table is shipped, stop words are out anyway."""


def idf(word: str) -> float:
    """Of a lower-case word; a Chinese word that the table lacks is rare."""
    table, default = _table()
    return table.get(word, default) if HAN_WORD.match(word) else LATIN_IDF


@cache
def _table() -> tuple[dict[str, float], float]:
    with (
        as_file(files("webprep_spider").joinpath("data", "idf-zh.npz")) as path,
        np.load(path, allow_pickle=False) as archive,
    ):
        words = archive["words"].tobytes().decode("utf-8").split("\n")
        return dict(zip(words, (archive["idf"] / 20.0).tolist(), strict=True)), float(archive["default"])
