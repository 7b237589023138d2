"""A writer is killed again and again in the middle of its work, with Redis the server too: is anything lost or hidden?

    python -m benchmarks.replica_kills [--rounds 20]

Redis keeps an append-only file; what it has answered is with the operating system, so only a power cut could lose it.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from pathlib import Path

from tests.redis_server import RedisServer
from tests.store_workers import faults_after, write_and_be_killed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    args = parser.parse_args()
    chance = random.Random(20261130)
    with tempfile.TemporaryDirectory() as folder, RedisServer(Path(folder), "--appendfsync", "no") as server:
        for kind, url in (("sqlite", f"sqlite:///{folder}/kill.db"), ("redis", f"{server.url}#kill")):
            said: dict[int, str] = {}
            faults: list[str] = []
            for number in range(args.rounds):
                also = server.kill if kind == "redis" else None
                write_and_be_killed(url, f"run{number}", said, chance.randint(5, 400), also)
                if kind == "redis":
                    server.start()
            faults = asyncio.run(faults_after(url, said))
            confirmed = sum(word == "confirmed" for word in said.values())
            print(
                f"{kind:7} {args.rounds} rounds, {len(said)} pages claimed, {confirmed} confirmed, {len(faults)} faults"
            )
            print("".join(f"        {fault}\n" for fault in faults), end="", flush=True)


if __name__ == "__main__":
    main()
