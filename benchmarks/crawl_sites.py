"""Crawls sites that are served on this machine and prints what came of it; the server's own log judges the order.

    python benchmarks/crawl_sites.py seeds.txt --focus topic --budget 1000 --resolver MODULE.CLASS --path DIR

``seeds.txt`` holds one front page a line; ``--resolver`` names a Scrapy resolver, in a module below ``--path``, that
sends the sites' names to this machine. Every request counts against the budget: robots.txt, redirects, dead links.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import IgnoreRequest

if TYPE_CHECKING:
    from typing import Self

ROOT = Path(__file__).parent.parent

SETTINGS = """
from settings.base import *

DOWNLOADER_MIDDLEWARES = {{"benchmarks.crawl_sites.Budget": 999}}
CRAWL_BUDGET = {budget}
DNS_RESOLVER = {resolver!r}
DOWNLOAD_DELAY = 0
AUTOTHROTTLE_ENABLED = False
CONCURRENT_REQUESTS = 16
CONCURRENT_REQUESTS_PER_DOMAIN = 8
COOKIES_ENABLED = False
WEBPREP_STORE_URL = {store!r}
WEBPREP_FOCUS = {focus!r}
"""


class Budget:
    """Downloader middleware that lets so many requests out, then closes the spider."""

    def __init__(self, crawler: Any) -> None:
        self._crawler = crawler
        self._left = crawler.settings.getint("CRAWL_BUDGET")
        self._closing: asyncio.Future[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Any) -> Self:
        return cls(crawler)

    def process_request(self, request: Any) -> None:
        self._left -= 1
        if self._left < 0:
            if self._closing is None:
                self._closing = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason="budget"))
            raise IgnoreRequest("budget")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", type=Path)
    parser.add_argument("--focus", default="balanced", choices=["balanced", "hub", "topic"])
    parser.add_argument("--budget", type=int, default=1_000_000)
    parser.add_argument("--resolver", default="scrapy.resolver.CachingThreadedResolver")
    parser.add_argument("--path", default="", help="folder of the resolver's module")
    parser.add_argument("--store", default="memory:")
    parser.add_argument("--out", type=Path, default=Path("docviews.jsonl"))
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="further Scrapy settings")
    given = parser.parse_args()
    more = [part for pair in given.set for part in ("-s", pair)]
    with tempfile.TemporaryDirectory() as folder:
        settings = SETTINGS.format(**vars(given))
        (Path(folder) / "bench_settings.py").write_text(settings, encoding="utf-8")
        path = os.pathsep.join(filter(None, [folder, str(ROOT), given.path]))
        command = [sys.executable, "-m", "scrapy", "crawl", "hub", "-a", f"seeds_file={given.seeds.resolve()}"]
        begin = time.perf_counter()
        subprocess.run(
            [*command, "-O", str(given.out.resolve()), *more],
            env={**os.environ, "PYTHONPATH": path, "SCRAPY_SETTINGS_MODULE": "bench_settings"},
            check=True,
        )
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = time.perf_counter() - begin
    print(f"{wall:.1f} s wall, {spent.ru_utime + spent.ru_stime:.1f} s CPU, {spent.ru_maxrss / 1024:.0f} MB at most")


if __name__ == "__main__":
    main()
