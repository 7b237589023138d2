"""``scrapy stories``: which pages of a feed or a store tell the same."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from webprep_spider.commands.console import Command

if TYPE_CHECKING:
    import argparse

    from webprep_spider.rules import Rules
    from webprep_spider.stories import Grouping, Reading

_WAYS = {".json": "report_json", ".html": "report_html", ".htm": "report_html"}


class StoriesCommand(Command):
    """Groups docviews by shared fingerprints; one line a story: ``{story, title, size, members}``."""

    def syntax(self) -> str:
        return "[options] <DOCVIEWS.jsonl | STORE>"

    def short_desc(self) -> str:
        return "Group pages that tell the same story (webprep)"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("-o", "--output", metavar="FILE", default="-", help="where stories go (default: here)")
        parser.add_argument("--share", type=float, metavar="T", help="least share of fingerprints of one class")
        parser.add_argument("--split-loose", action="store_true", help="divide classes whose mean share is below T")
        parser.add_argument("--no-k-means", action="store_true", help="classes as they are")
        words = "compare with k-means over words; K stories, or as many as there are classes"
        parser.add_argument("--words", type=int, nargs="?", const=0, metavar="K", help=words)
        report = "numbers and largest stories, as .txt, .json or .html with a plot"
        parser.add_argument("--report", metavar="FILE", help=report)

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1:
            raise UsageError("give one file of docviews or one store", print_help=False)
        if opts.share is not None and not 0 < opts.share <= 1:
            raise UsageError("--share is a number above 0 and up to 1", print_help=False)
        from webprep_spider.config import Config

        assert self.settings is not None
        rules = Config.from_settings(self.settings).rules
        if opts.share is not None:
            rules = replace(rules, class_share=opts.share)
        self._run(args[0], rules, opts)

    def _run(self, source: str, rules: Rules, opts: argparse.Namespace) -> None:
        from webprep_spider import story_report
        from webprep_spider.stories import group, group_by_words

        reading = _read(source, rules, texts=opts.words is not None)
        for fault in reading.faults:
            print(f"webprep: {source}: {fault}", file=sys.stderr)
        if not reading.pages:
            self.exitcode = 1
            return
        found = group(reading.pages, rules, kmeans=not opts.no_k_means, split_loose=opts.split_loose)
        groupings = {"shared fingerprints": found}
        if opts.words is not None:
            groupings["words (TF-IDF)"] = group_by_words(reading.pages, opts.words or found.classes)
        _write(found, opts.output)
        if opts.report:
            way = getattr(story_report, _WAYS.get(Path(opts.report).suffix.lower(), "report_text"))
            Path(opts.report).write_text(way(groupings), encoding="utf-8")
        if opts.output != "-":
            print(story_report.report_text(groupings), end="")


def _read(source: str, rules: Rules, *, texts: bool) -> Reading:
    from webprep_spider.stories import Reading, StoryPage, read_pages

    if "://" not in source:
        with Path(source).open(encoding="utf-8", errors="replace") as lines:
            return read_pages(lines, rules, texts=texts)
    from webprep_spider.replicas.opening import open_store

    async def pages() -> list[StoryPage]:
        async with open_store(source, rules) as store:
            return [StoryPage(page.page_id, "", page.fingerprints) async for page in store.pages()]

    found = asyncio.run(pages())
    return Reading(found, [] if found else ["the store holds no confirmed pages"])


def _write(found: Grouping, output: str) -> None:
    lines = (json.dumps(story.to_dict(), ensure_ascii=False) for story in found.stories)
    if output == "-":
        for line in lines:
            print(line)
    else:
        with Path(output).open("w", encoding="utf-8") as out:
            out.writelines(line + "\n" for line in lines)
