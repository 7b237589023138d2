"""What the commands share: they read and print whatever the console can or cannot show, and say in one line what is
wrong."""

from __future__ import annotations

import codecs
import os
import sys
from abc import abstractmethod
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand

if TYPE_CHECKING:
    import argparse

_ESCAPES = "webprep_escapes"


class Command(ScrapyCommand):
    """A command that no character ends, whatever the locale, and no wrong input with more than a line."""

    requires_crawler_process = False

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        codecs.register_error(_ESCAPES, _escaped)
        for stream, errors in ((sys.stdout, _ESCAPES), (sys.stderr, _ESCAPES), (sys.stdin, "surrogateescape")):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors=errors)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from webprep_spider.exceptions import StartError, StoreError

        try:
            self.work(args, opts)
            if sys.stdout:
                sys.stdout.flush()
        except (StartError, StoreError, ValueError, OSError, RecursionError) as error:
            self.exitcode = 1
            if isinstance(error, BrokenPipeError):  # whoever reads has read enough
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            else:
                print(f"webprep: {error}", file=sys.stderr)

    @abstractmethod
    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        """What the command does; errors it raises for a wrong input become one line and exit code 1."""


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """What the console's encoding does not have, as JSON escapes it, so that printed records can still be read."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{lost[at : at + 2].hex()}" for at in range(0, len(lost), 2)), error.end
