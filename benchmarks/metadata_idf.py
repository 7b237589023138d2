"""Write the IDF table of Chinese words, ``data/idf-zh.npz``, from the one that jieba (MIT) ships.

    python benchmarks/metadata_idf.py

Words rarer than LIMIT are left out: the table's default stands for them.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np

from webprep_spider.archive import write_archive

LIMIT = 11.0
TARGET = Path(__file__).parent.parent / "webprep_spider" / "data" / "idf-zh.npz"


def main() -> None:
    table: dict[str, float] = {}
    for line in files("jieba").joinpath("analyse/idf.txt").read_text(encoding="utf-8").splitlines():
        word, _, value = line.rpartition(" ")
        table[word] = float(value)
    default = float(np.median(list(table.values())))
    words = sorted(word for word, value in table.items() if value < LIMIT and len(word) > 1)
    steps = np.array([round(table[word] * 20) for word in words], dtype=np.uint8)
    header = {"kind": "idf", "data": "jieba/analyse/idf.txt (MIT)", "limit": LIMIT, "step": 0.05}
    write_archive(
        TARGET,
        header,
        {
            "words": np.frombuffer("\n".join(words).encode("utf-8"), dtype=np.uint8),
            "idf": steps,
            "default": np.array([default], dtype=np.float32),
        },
    )
    print(f"{len(words)} words, default {default:.2f}, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
