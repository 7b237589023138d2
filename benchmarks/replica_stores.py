"""Stores: bytes a page, time of a claim as the store grows, and the price of a fingerprint that very many pages have.

    python -m benchmarks.replica_stores [--stores sqlite,redis] [--pages 10000,100000] [--common 50000]

Pages have ten fingerprints and addresses of 50 characters. Half of the claims that are timed are copies with eight of
ten fingerprints, half are new. Redis is a server of its own without persistence; its bytes are ``used_memory``, those
of SQLite the size of the file. Times are wall time in this process.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from hashlib import sha1
from pathlib import Path
from typing import TYPE_CHECKING

import redis

from tests.redis_server import RedisServer
from webprep_spider import open_store
from webprep_spider.replicas.store import StoredPage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webprep_spider.replicas.store import Store

PROBES = 1_000


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


async def timed_claims(store: Store, known: int, common: tuple[str, ...] = ()) -> list[float]:
    """Seconds of each claim; wrong answers end the benchmark."""
    spent = []
    for probe in range(PROBES):
        twin = probe % 2 == 0
        own = page(probe * (known // PROBES) if twin else 10**7 + known + probe, common).fingerprints
        words = own[:8] + prints(f"probe {probe}", f"other {probe}") if twin else own
        started = time.perf_counter()
        verdict = await store.claim(f"http://probe.example/{probe}", words, "probe")
        spent.append(time.perf_counter() - started)
        await store.release(f"http://probe.example/{probe}", "probe")
        if verdict.kind != ("replica" if twin else "new"):
            raise SystemExit(f"{store.url}: wrong answer on probe {probe}: {verdict}")
    return sorted(spent)


def told(spent: list[float]) -> str:
    return f"claim p50 {statistics.median(spent) * 1e6:5.0f} us, p99 {spent[int(len(spent) * 0.99)] * 1e6:6.0f} us"


async def growth(kind: str, url: str, sizes: list[int], bytes_of: object) -> None:
    done = 0
    empty = bytes_of()  # type: ignore[operator]
    for size in sizes:
        async with open_store(url) as store:
            await fill(store, (page(number) for number in range(done, size)))
        done = size
        each = (bytes_of() - empty) / size  # type: ignore[operator]
        async with open_store(url) as store:
            print(
                f"{kind:7} {size:8} pages  {each:5.0f} bytes a page  {told(await timed_claims(store, size))}",
                flush=True,
            )


async def commonness(kind: str, url: str, count: int) -> None:
    common = prints("all rights reserved")
    async with open_store(url) as store:
        await fill(store, (page(number) for number in range(count)))
        usual = await timed_claims(store, count)
        await fill(store, (page(10**6 + number, common) for number in range(count)))
        print(f"{kind:7} ordinary fingerprints           {told(usual)}")
        shared = await timed_claims(store, 1_000, common)
        print(f"{kind:7} one of ten on {count} pages     {told(shared)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stores", default="sqlite,redis")
    parser.add_argument("--pages", default="10000,100000")
    parser.add_argument("--common", type=int, default=50_000, help="0 leaves this part out")
    args = parser.parse_args()
    sizes = sorted(map(int, args.pages.split(",")))
    with tempfile.TemporaryDirectory() as folder, RedisServer() as server:
        client = redis.Redis.from_url(server.url)
        for kind in args.stores.split(","):
            file = Path(folder) / "store.db"
            url = f"sqlite:///{file}" if kind == "sqlite" else f"{server.url}#growth"
            measure = (
                (lambda file=file: file.stat().st_size if file.exists() else 0) if kind == "sqlite" else used(client)
            )
            asyncio.run(growth(kind, url, sizes, measure))
            if args.common:
                url = f"sqlite:///{folder}/common.db" if kind == "sqlite" else f"{server.url}#common"
                asyncio.run(commonness(kind, url, args.common))
        client.close()


def used(client: redis.Redis) -> object:
    return lambda: client.info("memory")["used_memory"]


if __name__ == "__main__":
    main()
