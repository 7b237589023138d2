"""``scrapy hub-score``: what the hub model says of addresses."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from webprep_spider.commands.console import Command

if TYPE_CHECKING:
    import argparse


class HubScoreCommand(Command):
    """Prints one line an address: label, probability of a hub page, decision value, address."""

    def syntax(self) -> str:
        return "[options] <URL> [URL ...]   (- reads addresses from standard input, a tab before the link text)"

    def short_desc(self) -> str:
        return "Tell hub pages from topic pages by their address (webprep)"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--model", default="default", help="default, seed, or the path of a model of your own")
        parser.add_argument("--text", default="", help="link text, the same for all addresses")
        parser.add_argument("--referrer", default=None, help="address of the page the links stand on")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        if not args:
            raise UsageError("give at least one address", print_help=False)
        from webprep_spider.hub.model import HubModel

        model = HubModel.load(opts.model)
        lines = [line.rstrip("\r\n") for arg in args for line in ((sys.stdin or ()) if arg == "-" else [arg])]
        links = [(url, text or opts.text) for url, _, text in (line.partition("\t") for line in lines if line)]
        scores = model.decision(links, opts.referrer)
        chances = model.probability(links, opts.referrer)
        for (url, _), score, chance in zip(links, scores, chances, strict=True):
            if math.isnan(score):
                print(f"invalid      -       -  {url}")
            else:
                print(f"{'hub' if score > 0 else 'topic':<8} {chance:6.3f} {score:+7.3f}  {url}")
