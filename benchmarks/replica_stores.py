"""Stores: bytes a page, time of a claim as the store grows, and the price of a fingerprint that very many pages have.

    python -m benchmarks.replica_stores [--stores sqlite,redis] [--pages 10000,100000] [--common 50000]

Pages have ten fingerprints and addresses of 50 characters. Half of the claims that are timed are copies with eight of
ten fingerprints, half are new; the stores that are compared take turns. Redis is a server of its own without
persistence; its bytes are ``used_memory``, those of SQLite the size of the file. Times are wall time in this process.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path
from typing import TYPE_CHECKING

import redis

from tests.redis_server import RedisServer
from webprep_spider import open_store
from webprep_spider.replicas.store import StoredPage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from webprep_spider.replicas.store import Store

PROBES = 1_000
COMMON = "all rights reserved"


def prints(*words: str) -> tuple[str, ...]:
    return tuple(sha1(word.encode()).hexdigest() for word in words)


def address(number: int) -> str:
    return f"http://www.site{number % 997:03}.example/2026/11/t{number:08}.html"


def page(number: int, common: tuple[str, ...] = ()) -> StoredPage:
    own = prints(*(f"{number} {i}" for i in range(10 - len(common))))
    return StoredPage(address(number), common + own)


async def fill(store: Store, pages: Iterator[StoredPage]) -> None:
    while batch := [each for _, each in zip(range(2_000), pages, strict=False)]:
        parts = [batch[start::8] for start in range(8)]
        await asyncio.gather(*(store.add(part) for part in parts))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a store is made, and the bytes of what lies there."""

    url: str
    size: Callable[[], int]


@dataclass(frozen=True, slots=True)
class Trial:
    """A store with the first ``known`` pages in it, and the fingerprints that all pages offered to it have."""

    store: Store
    known: int
    common: tuple[str, ...] = ()

    async def claim(self, probe: int) -> float:
        """Seconds of one claim; a wrong answer ends the benchmark."""
        twin = probe % 2 == 0
        own = page(probe * (self.known // PROBES) if twin else 10**8 + probe, self.common).fingerprints
        words = own[:8] + prints(f"probe {probe}", f"other {probe}") if twin else own
        started = time.perf_counter()
        verdict = await self.store.claim(f"http://probe.example/{probe}", words, "probe")
        spent = time.perf_counter() - started
        await self.store.release(f"http://probe.example/{probe}", "probe")
        if verdict.kind != ("replica" if twin else "new"):
            raise SystemExit(f"{self.store.url}: wrong answer on probe {probe}: {verdict}")
        return spent


async def timed(trials: list[Trial]) -> list[str]:
    """What the claims of each trial took."""
    rounds = [[await trial.claim(probe) for trial in trials] for probe in range(PROBES)]
    told = []
    for spent in map(sorted, zip(*rounds, strict=True)):
        p50, p99 = statistics.median(spent), spent[int(len(spent) * 0.99)]
        told.append(f"claim p50 {p50 * 1e6:5.0f} us, p99 {p99 * 1e6:6.0f} us")
    return told


async def growth(kind: str, sizes: list[int], place_of: Callable[[object], Place]) -> None:
    async with AsyncExitStack() as stack:
        trials = []
        await stack.enter_async_context(open_store(place_of("empty").url))  # the script is no page's
        for size in sizes:
            place = place_of(size)
            empty = place.size()
            async with open_store(place.url) as store:
                await fill(store, map(page, range(size)))
            print(f"{kind:7} {size:8} pages  {(place.size() - empty) / size:5.0f} bytes a page", flush=True)
            trials.append(Trial(await stack.enter_async_context(open_store(place.url)), size))
        for size, told in zip(sizes, await timed(trials), strict=True):
            print(f"{kind:7} {size:8} pages  {told}", flush=True)


async def commonness(kind: str, place: Place, count: int) -> None:
    common = prints(COMMON)
    async with open_store(place.url) as store:
        await fill(store, map(page, range(count)))
        await fill(store, (page(10**7 + number, common) for number in range(count)))
        usual, shared = await timed([Trial(store, count), Trial(store, count, common)])
    print(f"{kind:7} ordinary fingerprints           {usual}")
    print(f"{kind:7} one of ten on {count} pages     {shared}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stores", default="sqlite,redis")
    parser.add_argument("--pages", default="10000,100000")
    parser.add_argument("--common", type=int, default=50_000, help="0 leaves this part out")
    args = parser.parse_args()
    sizes = sorted(map(int, args.pages.split(",")))
    with tempfile.TemporaryDirectory() as folder, RedisServer() as server:
        client = redis.Redis.from_url(server.url)

        def in_file(name: object) -> Place:
            file = Path(folder) / f"{name}.db"
            return Place(f"sqlite:///{file}", lambda: file.stat().st_size if file.exists() else 0)

        def in_server(name: object) -> Place:
            return Place(f"{server.url}#{name}", lambda: client.info("memory")["used_memory"])

        for kind in args.stores.split(","):
            place_of = in_file if kind == "sqlite" else in_server
            asyncio.run(growth(kind, sizes, place_of))
            if args.common:
                asyncio.run(commonness(kind, place_of("common"), args.common))
        client.close()


if __name__ == "__main__":
    main()
