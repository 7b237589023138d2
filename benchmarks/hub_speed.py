"""URLs scored per CPU second, features included, each model in batches of 100 and one by one.

    python benchmarks/hub_speed.py LABELLED.jsonl.xz

The last column is the ratio to ``urllib.parse.urlsplit`` alone, timed in turns with the models, so that it can be
compared between machines.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webprep_spider import HubModel
from webprep_spider.hub.labelled import read_labelled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BATCH = 100
ROUNDS = 7


def cpu_seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def main(path: str) -> None:
    links = [(row.url, row.text) for row in read_labelled(path)][:4_000]
    batches = [links[start : start + BATCH] for start in range(0, len(links), BATCH)]
    few = links[:400]

    def each(model: HubModel, parts: Sequence[list[tuple[str, str]]]) -> None:
        for part in parts:
            model.decision(part)

    runs: dict[str, tuple[int, Callable[[], object]]] = {
        "urlsplit": (len(links), lambda: [urlsplit(url) for url, _ in links])
    }
    for name in ("seed", "default"):
        model = HubModel.load(name)
        runs[f"{name}, batches"] = len(links), lambda model=model: each(model, batches)
        runs[f"{name}, one by one"] = len(few), lambda model=model: each(model, [[link] for link in few])
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(ROUNDS):
        for name, (count, run) in runs.items():
            urlsplit.cache_clear()
            best[name] = min(best[name], cpu_seconds(run) / count)
    for name, seconds in best.items():
        ratio = seconds / best["urlsplit"]
        print(f"{name:22} {1 / seconds:10,.0f} URLs/s {1e6 * seconds:8.1f} us {ratio:7.1f} x urlsplit")


if __name__ == "__main__":
    main(sys.argv[1])
