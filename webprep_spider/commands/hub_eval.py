"""``scrapy hub-eval``: how good a hub model is on labelled links."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from webprep_spider.commands.console import Command

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from webprep_spider.hub.comparison import Outcome
    from webprep_spider.hub.evaluation import Confusion, Evaluation


class HubEvalCommand(Command):
    """Prints the confusion cells, precision, recall, F1 with its interval, accuracy, and all that by group."""

    def syntax(self) -> str:
        return "[options] <LABELLED.jsonl>"

    def short_desc(self) -> str:
        return "Judge a hub model on labelled links (webprep)"

    def long_desc(self) -> str:
        return (
            "Links as for hub-train. The interval draws whole sites. With --pages, a file of pages with url, html, "
            "label and split, the rule method and the HTML + SVM method are trained and judged beside the URL method, "
            "with time and memory."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--model", default="default", help="default, seed, or the path of a model of your own")
        parser.add_argument("--split", default="test", help="judge rows of this split, where rows have one (test)")
        parser.add_argument("--no-text", action="store_true", help="as if no link text were known")
        parser.add_argument("--pages", metavar="FILE", help="pages to compare the methods on")
        parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1:
            raise UsageError("give one file of labelled links", print_help=False)
        evaluation = _evaluate(args[0], opts)
        outcomes = _compare(opts) if opts.pages else []
        if opts.json:
            print(json.dumps(_record(evaluation, outcomes)))
        else:
            _print(evaluation, outcomes)


def _evaluate(path: str, opts: argparse.Namespace) -> Evaluation:
    from webprep_spider.hub.evaluation import evaluate
    from webprep_spider.hub.labelled import read_labelled
    from webprep_spider.hub.model import HubModel

    model = HubModel.load(opts.model)
    rows = read_labelled(path)
    if any(row.split for row in rows):
        rows = [row for row in rows if row.split == opts.split]
    if not rows:
        raise ValueError(f"{path}: no rows of the split {opts.split!r}")
    links = [(row.url, "" if opts.no_text else row.text) for row in rows]
    return evaluate(rows, (model.decision(links) > 0).tolist())


def _compare(opts: argparse.Namespace) -> list[Outcome]:
    from webprep_spider.hub.comparison import compare

    return compare(opts.pages, train="train", test=opts.split, model=opts.model)


def _print(evaluation: Evaluation, outcomes: Sequence[Outcome]) -> None:
    cells, (low, high) = evaluation.cells, evaluation.interval
    print(f"{cells.rows} links from {evaluation.sites} sites, F1 {cells.f1:.4f} [{low:.4f}, {high:.4f}]")
    print(f"{'':28} {'tp':>6} {'fp':>6} {'fn':>6} {'tn':>6} {'P':>7} {'R':>7} {'F1':>7} {'acc':>7}")
    for name, group in {"all": cells, **evaluation.groups}.items():
        print(f"{name:28} {_row(group)}")
    if outcomes:
        print(f"\n{outcomes[0].cells.rows} pages{'':20} {'':64} {'CPU s':>8} {'MB':>6}")
        for outcome in outcomes:
            print(f"{outcome.method:28} {_row(outcome.cells)} {outcome.seconds:8.3f} {outcome.megabytes:6.0f}")


def _row(cells: Confusion) -> str:
    counts = f"{cells.tp:6} {cells.fp:6} {cells.fn:6} {cells.tn:6}"
    return f"{counts} {cells.precision:7.4f} {cells.recall:7.4f} {cells.f1:7.4f} {cells.accuracy:7.4f}"


def _record(evaluation: Evaluation, outcomes: Sequence[Outcome]) -> dict[str, object]:
    def shares(cells: Confusion) -> dict[str, float]:
        names = ("rows", "tp", "fp", "fn", "tn", "precision", "recall", "f1", "accuracy")
        return {name: getattr(cells, name) for name in names}

    return {
        "sites": evaluation.sites,
        "f1_interval": list(evaluation.interval),
        "all": shares(evaluation.cells),
        "groups": {name: shares(cells) for name, cells in evaluation.groups.items()},
        "methods": {
            outcome.method: shares(outcome.cells) | {"seconds": outcome.seconds, "megabytes": outcome.megabytes}
            for outcome in outcomes
        },
    }
