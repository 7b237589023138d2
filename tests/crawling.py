"""Runs whole crawls in processes of their own, as a user would: a project folder, a settings file, ``scrapy crawl``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent

# Scrapy's cookie middleware would fetch the list of public suffixes at the first cookie.
_NO_NETWORK = """
from scrapy.downloadermiddlewares import cookies
cookies._split_domain.suffix_list_urls = ()
"""
_SETTINGS = f"""{_NO_NETWORK}
BOT_NAME = "foreign"
SPIDER_MODULES = ["foreign.spiders"]
ADDONS = {{"webprep_spider.Addon": 500}}
EXTENSIONS = {{"tests.crawling.StatsFile": 900}}
TELNETCONSOLE_ENABLED = False
"""


class StatsFile:
    """A Scrapy extension that leaves the stats of a crawl as JSON for the test to read."""

    def __init__(self, crawler: Any) -> None:
        from scrapy import signals

        self._crawler = crawler
        crawler.signals.connect(self._closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Any) -> StatsFile:
        return cls(crawler)

    def _closed(self) -> None:
        Path("stats.json").write_text(json.dumps(self._crawler.stats.get_stats(), default=str))


@dataclass
class Outcome:
    """What a crawl left behind."""

    code: int
    log: str
    items: list[dict[str, Any]] = field(default_factory=list)
    stats: dict[str, Any] = field(default_factory=dict)

    def stat(self, name: str) -> int:
        return int(self.stats.get(name, 0))

    def by_path(self) -> dict[str, dict[str, Any]]:
        """Docviews by the path of their address."""
        return {"/" + item["url"].split("/", 3)[3]: item for item in self.items if "identifier" in item}


@dataclass
class Project:
    """A Scrapy project in a folder."""

    folder: Path
    settings: dict[str, Any]
    module: str = ""

    @classmethod
    def own(cls, folder: Path, **settings: Any) -> Project:
        """This repository as the project, working files in ``folder``."""
        return cls(folder, {"EXTENSIONS": {"tests.crawling.StatsFile": 900}, **settings})

    @classmethod
    def foreign(cls, folder: Path, spider: str, **settings: Any) -> Project:
        """A project of somebody else with one spider module, which knows this package by its add-on line only."""
        package = folder / "foreign"
        (package / "spiders").mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "spiders" / "__init__.py").touch()
        (package / "spiders" / "theirs.py").write_text(spider, encoding="utf-8")
        lines = [f"{name} = {value!r}" for name, value in settings.items()]
        (package / "settings.py").write_text(_SETTINGS + "\n".join(lines) + "\n", encoding="utf-8")
        return cls(folder, {}, "foreign.settings")

    def environment(self) -> dict[str, str]:
        """The settings module is written here, so that dicts reach Scrapy as dicts."""
        module = self.module
        if not module:
            lines = ["from settings.base import *", _NO_NETWORK, "DOWNLOAD_DELAY = 0", "AUTOTHROTTLE_ENABLED = False"]
            lines += [f"{name} = {value!r}" for name, value in self.settings.items()]
            (self.folder / "own_settings.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
            module = "own_settings"
        path = os.pathsep.join([str(self.folder), str(ROOT)])
        return {**os.environ, "SCRAPY_SETTINGS_MODULE": module, "PYTHONPATH": path, "PYTHONWARNINGS": "default"}

    def run(self, *args: str, timeout: float = 100) -> Outcome:
        """Run one Scrapy command in the folder and collect feed, stats and log."""
        feed, stats = self.folder / "out.jsonl", self.folder / "stats.json"
        stats.unlink(missing_ok=True)
        done = subprocess.run(
            [sys.executable, "-m", "scrapy", *args],
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            timeout=timeout,
            check=False,
        )
        return Outcome(
            done.returncode,
            (done.stdout + done.stderr).decode("utf-8", "replace"),
            [json.loads(line) for line in feed.read_text("utf-8").splitlines()] if feed.exists() else [],
            json.loads(stats.read_text()) if stats.exists() else {},
        )

    def crawl(self, spider: str, *args: str, **arguments: str) -> Outcome:
        given = [part for name, value in arguments.items() for part in ("-a", f"{name}={value}")]
        return self.run("crawl", spider, *given, "-O", "out.jsonl", *args)
