"""What the description in a page's head says of its blocks: often it is the beginning of the body, word for word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from webprep_spider.page.measures import known_pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webprep_spider.page.measures import Measures

DESCRIBED: Final = (
    "described_pairs", "described_runs", "described_cover", "described", "from_described", "described_block",
    "with_described",
)  # fmt: skip
_NAMES = frozenset(("description", "og:description"))
_LEAST, _MOST = 20, 400  # characters
_RUN = 6  # pairs of characters
_FOUND = 0.3  # share of the description in one block


def says_description(root: Any) -> str:
    """The longest description in the page's head; empty where there is none worth the name."""
    best = ""
    head = root.find("head")
    for meta in head.iter("meta") if head is not None else ():
        if (meta.get("name") or meta.get("property") or "").lower() in _NAMES:
            best = max(best, (meta.get("content") or "").strip(), key=len)
    return best[:_MOST] if len(best) > _LEAST else ""


def fill_described(m: Measures, description: str, out: NDArray[np.float32]) -> None:
    """Columns as in ``DESCRIBED``: pairs of characters and runs of them that stand in the description too, how much of
    it one block holds, and where the block stands relative to the one that holds most."""
    out[:] = 0
    out[6] = 0.5
    if not description:
        return
    hits = known_pairs(description, ends=False)[m.pairs]
    runs = hits.copy()
    for i in range(1, _RUN):
        runs[:-i] &= hits[i:]
    length = np.maximum(m.chars, 1)
    in_runs = np.add.reduceat(runs, m.starts, dtype=np.int32)
    out[0] = np.add.reduceat(hits, m.starts, dtype=np.int32) / length
    out[1] = in_runs / length
    np.minimum(in_runs / max(len(description) - 1, _LEAST), 1.5, out=out[2])
    out[3] = 1
    best = int(np.argmax(out[2]))
    if out[2, best] > _FOUND:
        out[4] = np.clip(m.order - best, -30, 30) / 10
        out[5] = 1
        above = m.parent[m.node[best]]
        out[6] = (m.order >= m.first[above]) & (m.order < m.last[above])
