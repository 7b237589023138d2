"""Processes that use a store at the same time, or are killed while they use it; run by tests and benchmarks.

python -m tests.store_workers race URL NAME PAGES AT_ONCE     offers pages; says which it kept
python -m tests.store_workers write URL NAME FIRST            claims and confirms for ever; says what it did
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from hashlib import sha1
from typing import TYPE_CHECKING

from webprep_spider import open_store

if TYPE_CHECKING:
    from collections.abc import Callable


def text(number: int) -> tuple[str, ...]:
    return tuple(sha1(b"%d %d" % (number, place)).hexdigest() for place in range(10))


def address(number: int) -> str:
    return f"http://a.example/{number}"


async def offer(url: str, name: str, pages: int, at_once: int) -> None:
    """Offer every page once, the odd ones under an address of this worker's own."""
    async with open_store(url) as store:
        print("ready", flush=True)
        sys.stdin.readline()

        async def one(number: int) -> None:
            page = f"http://{name}.example/{number}" if number % 2 else address(number)
            if (await store.claim(page, text(number), name)).kind == "new":
                await store.confirm(page, name)
                print(number, flush=True)

        for start in range(0, pages, at_once):
            await asyncio.gather(*map(one, range(start, min(start + at_once, pages))))


async def write(url: str, name: str, first: int) -> None:
    """Claim page after page and confirm two of three."""
    async with open_store(url) as store:
        number = first
        while True:
            await store.claim(address(number), text(number), name)
            print("claimed", number, flush=True)
            if number % 3:
                await store.confirm(address(number), name)
                print("confirmed", number, flush=True)
            number += 1


def race(url: str, workers: int, pages: int, at_once: int = 8) -> list[int]:
    """The numbers of the pages that were kept, once for each worker that kept them."""
    command = [sys.executable, "-m", "tests.store_workers", "race", url]
    running = [
        subprocess.Popen(
            [*command, f"worker{number}", str(pages), str(at_once)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(workers)
    ]
    for worker in running:
        assert worker.stdout
        assert worker.stdout.readline() == "ready\n"
    for worker in running:
        assert worker.stdin
        worker.stdin.write("go\n")
        worker.stdin.flush()
    kept: list[int] = []
    for worker in running:
        out, _ = worker.communicate()
        assert worker.returncode == 0
        kept += map(int, out.split())
    return kept


def write_and_be_killed(
    url: str, name: str, said: dict[int, str], lines: int, also_kill: Callable[[], None] | None = None
) -> None:
    """Let a writer go on after what was ``said``, kill it after so many lines, and note what it said."""
    command = [sys.executable, "-m", "tests.store_workers", "write", url, name, str(max(said, default=-1) + 1)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout
        for count, line in enumerate(writer.stdout, 1):
            if line.endswith("\n"):
                word, number = line.split()
                said[int(number)] = word
            if count == lines:
                writer.kill()
                if also_kill is not None:
                    also_kill()


async def faults_after(url: str, said: dict[int, str]) -> list[str]:
    """What is wrong with a store after its writers were killed: a page that was confirmed and is not known, or one that
    was not confirmed and is hidden although its claim has lapsed. The last page of a writer may be either."""
    store = open_store(url, lease=-1.0)
    faults = []
    async with store:
        for number, word in said.items():
            kind = (await store.claim(address(number), text(number), "afterwards")).kind
            if kind != ("same" if word == "confirmed" else "new") and not (word == "claimed" and number % 3):
                faults.append(f"page {number} was {word} and is {kind}")
        return faults + await store.check()


if __name__ == "__main__":
    task, url, name, *numbers = sys.argv[1:]
    asyncio.run({"race": offer, "write": write}[task](url, name, *map(int, numbers)))
