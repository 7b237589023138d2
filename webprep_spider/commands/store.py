"""``scrapy store``: what a store holds, and how to move or mend it."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from webprep_spider.commands.console import Command

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from webprep_spider.replicas.store import Store, StoredPage

TASKS = {"info": 0, "export": 0, "import": 1, "forget": 1, "check": 0}
"""What can be done, and how many words it takes besides the address of the store."""


class StoreCommand(Command):
    """Looks after the store of the near-duplicate check."""

    def syntax(self) -> str:
        return "<info | export | import FILE | forget URL-OR-HOST | check> [STORE]"

    def short_desc(self) -> str:
        return "Show, export, import, clear or check the store of known pages (webprep)"

    def long_desc(self) -> str:
        return (
            "STORE is an address such as sqlite:///.webprep/store.db or redis://host:6379/0; without it the one in the"
            " setting WEBPREP_STORE_URL is meant."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("-o", "--output", metavar="FILE", default="-", help="where export writes (default: here)")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        task, *words = args or [""]
        if task not in TASKS or not TASKS[task] <= len(words) <= TASKS[task] + 1:
            raise UsageError(f"give one of these: {self.syntax()}", print_help=False)
        from webprep_spider.config import Config
        from webprep_spider.exceptions import StoreError
        from webprep_spider.replicas.opening import open_store

        assert self.settings is not None
        config = Config.from_settings(self.settings)
        url = words[TASKS[task]] if len(words) > TASKS[task] else config.store_url
        if task != "import" and url.startswith("sqlite:///") and not Path(url[10:]).expanduser().exists():
            raise StoreError(f"{url}: there is no such file")
        store = open_store(url, config.rules)
        asyncio.run(_do(task, store, words[0] if TASKS[task] else "", opts.output))


class _Damaged(ValueError):
    """A file to import that is no export of a store."""


async def _do(task: str, store: Store, word: str, output: str) -> None:
    async with store:
        if task == "info":
            info = await store.info()
            print(f"store         {info.url}")
            print(f"version       {info.version}, form {info.form}")
            print(f"pages         {info.pages:,} ({info.claims:,} claimed, not confirmed)")
            print(f"fingerprints  {info.fingerprints:,}")
            print(f"size          {info.size:,} bytes ({info.size / max(1, info.pages):.0f} a page)")
        elif task == "export":
            await _export(store, output)
        elif task == "import":
            with Path(word).open("rb") as lines:
                print(f"{await store.add(_exported(lines, word, store.form)):,} pages taken in")
        elif task == "forget":
            print(f"{await store.forget(word):,} pages forgotten")
        else:
            faults = await store.check()
            print("\n".join(faults) or "no fault found")
            if faults:
                raise _Damaged(f"{store.url}: {len(faults)} faults; export the pages and import them into a new store")


async def _export(store: Store, output: str) -> None:
    with nullcontext(sys.stdout) if output == "-" else Path(output).open("w", encoding="utf-8") as out:
        print(json.dumps({"webprep_store": 1, "form": store.form}), file=out)
        async for page in store.pages():
            print(json.dumps([page.page_id, *page.fingerprints], ensure_ascii=False), file=out)


def _exported(lines: Iterable[bytes], name: str, form: str) -> Iterator[StoredPage]:
    from webprep_spider.replicas.store import StoredPage

    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
            if number == 1:
                found = (record["webprep_store"], record["form"])
            else:
                page_id, *prints = record
                page = StoredPage(page_id + "", tuple(bytes.fromhex(value).hex() for value in prints))
        except (ValueError, TypeError, KeyError, RecursionError):
            raise _Damaged(f"{name}: line {number} is not from the export of a store") from None
        if number == 1:
            if found != (1, form):
                raise _Damaged(f"{name}: holds fingerprints of form {found[1]}, the store those of {form}")
        else:
            yield page
