"""Stories at scale: CPU seconds and peak memory of grouping generated pages.

    python benchmarks/stories_scale.py [--pages 10000,100000] [--common]

Each size runs in a process of its own. Pages are copies, up to 40, of generated originals with ten fingerprints; a copy
keeps each fingerprint with probability 0.85. ``--common`` adds three fingerprints that a tenth of all pages have.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import time
from hashlib import sha1

from webprep_spider.stories import StoryPage, group


def generated(count: int, common: bool, seed: int = 20261130) -> list[StoryPage]:
    chance = random.Random(seed)
    pages: list[StoryPage] = []
    original = 0
    while len(pages) < count:
        original += 1
        for copy in range(min(count - len(pages), int(chance.paretovariate(1.2)), 40)):
            words = [
                f"{original} {i}" if chance.random() < 0.85 or not copy else f"{len(pages)} {i}" for i in range(10)
            ]
            if common and chance.random() < 0.1:
                words[:3] = ["all rights reserved", "contact us", "subscribe"]
            prints = tuple(sha1(word.encode()).hexdigest() for word in words)
            pages.append(StoryPage(f"http://site{len(pages) % 997}.example/{len(pages)}.html", "", prints))
    chance.shuffle(pages)
    return pages


def measure(count: int, common: bool) -> None:
    pages = generated(count, common)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.process_time()
    grouping = group(pages)
    spent = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    largest = len(grouping.stories[0].members)
    print(f"{count:8} pages  {grouping.classes:7} classes  largest {largest:5}  {grouping.moved:5} moved", end="")
    print(
        f"  {spent:6.1f} CPU s  peak {peak / 1024:.0f} MB, {(peak - before) / 1024:.0f} MB of it for grouping",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", default="10000,100000")
    parser.add_argument("--common", action="store_true")
    parser.add_argument("--here", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.here:
        measure(args.here, args.common)
        return
    for count in args.pages.split(","):
        words = [sys.executable, __file__, "--here", count, *(["--common"] if args.common else [])]
        subprocess.run(words, check=True)


if __name__ == "__main__":
    main()
