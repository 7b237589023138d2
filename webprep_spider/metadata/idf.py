"""Inverse document frequencies of Chinese words (S4.Q1)."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import as_file, files

from webprep_spider.archive import read_archive
from webprep_spider.metadata.words import HAN_WORD

LATIN_IDF = 8.5
"""Of a word of other scripts: no table is shipped, stop words are out anyway."""


@lru_cache(maxsize=50_000)
def idf(word: str) -> float:
    """Of a lower-case word; a Chinese word that the table lacks is rare."""
    table, default = _table()
    return table.get(word, default) if HAN_WORD.match(word) else LATIN_IDF


@cache
def _table() -> tuple[dict[str, float], float]:
    with as_file(files("webprep_spider").joinpath("data", "idf-zh.npz")) as path:
        header, arrays = read_archive(path)
    words = arrays["words"].tobytes().decode("utf-8").split("\n")
    values = (arrays["idf"] * header["step"]).tolist()
    return dict(zip(words, values, strict=True)), float(arrays["default"][0])
