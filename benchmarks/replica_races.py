"""Several workers offer the same pages to one store at the same instant: how many pages are kept twice, how many lost.

    python -m benchmarks.replica_races [--workers 2,4] [--pages 1500]

Half of the pages have the same address in all workers, half an address of each worker's own.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter

from tests.redis_server import RedisServer
from tests.store_workers import race


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", default="2,4")
    parser.add_argument("--pages", type=int, default=1500)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, RedisServer() as server:
        for workers in map(int, args.workers.split(",")):
            for kind, url in (("redis", f"{server.url}#w{workers}"), ("sqlite", f"sqlite:///{folder}/{workers}.db")):
                started = time.monotonic()
                kept = Counter(race(url, workers, args.pages))
                twice, lost = sum(count > 1 for count in kept.values()), args.pages - len(kept)
                seconds = time.monotonic() - started
                print(
                    f"{kind:7} {workers} workers, {args.pages} pages: {twice} kept twice, {lost} lost, {seconds:.1f} s"
                )


if __name__ == "__main__":
    main()
