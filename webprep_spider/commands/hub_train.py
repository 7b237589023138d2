"""``scrapy hub-train``: makes a hub model from labelled links."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from webprep_spider.commands.console import Command

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from webprep_spider.hub.labelled import LabelledLink
    from webprep_spider.hub.model import HubModel
    from webprep_spider.hub.report import TrainingReport


class HubTrainCommand(Command):
    """Trains on JSON lines with ``url``, ``label`` and what else is known, and writes a model and a report."""

    def syntax(self) -> str:
        return "[options] -o MODEL.npz <LABELLED.jsonl>"

    def short_desc(self) -> str:
        return "Train a hub model on labelled links (webprep)"

    def long_desc(self) -> str:
        return (
            "Each line is a JSON object: url, label (hub or topic), and optionally anchor_text, site, lang, category, "
            "split. Files may be packed (.xz, .gz). Sites are never divided between training and validation. Where rows"
            " have a split, those of --split are used."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("-o", "--model", metavar="FILE", help="where the model is written")
        parser.add_argument(
            "--kind",
            choices=("seed", "stacked"),
            default="seed",
            help="seed: 13 features and an RBF SVM; stacked: n-grams and all features",
        )
        parser.add_argument(
            "--split", default="train", help="train on rows of this split (or A,B), where rows have one"
        )
        parser.add_argument("--c", type=float, help="C of the seed model; with --gamma: no grid search")
        parser.add_argument("--gamma", type=float, help="gamma of the seed model")
        parser.add_argument("--grid-rows", type=int, default=2_000, help="rows the grid search draws, by site (2000)")
        parser.add_argument("--no-link-text", action="store_true", help="a pure URL model: leaves out anchor_len")
        parser.add_argument("--count-tables", action="store_true", help="count tables A to C from these hub pages")
        parser.add_argument("--seed", type=int, default=0, help="of every random draw (0)")
        parser.add_argument("--report", metavar="DIR", help="folder of the report (MODEL.report)")
        parser.add_argument("--libsvm", metavar="DIR", help="also write the seed model as LibSVM files")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1 or not opts.model:
            raise UsageError("give one file of labelled links, and -o MODEL.npz", print_help=False)
        if (opts.c is None) != (opts.gamma is None):
            raise UsageError("give both --c and --gamma, or neither", print_help=False)
        from webprep_spider.hub.labelled import read_labelled

        rows = read_labelled(args[0])
        if any(row.split for row in rows):
            rows = [row for row in rows if row.split in opts.split.split(",")]
        if len({row.site for row in rows if row.hub}) < 10 or len({row.site for row in rows if not row.hub}) < 10:
            raise ValueError(f"{args[0]}: needs hub pages and topic pages of at least 10 sites each to train on")
        self._train(rows, args[0], opts)

    def _train(self, rows: Sequence[LabelledLink], source: str, opts: argparse.Namespace) -> None:
        from pathlib import Path

        from webprep_spider.hub.training import digest_of

        folder = Path(opts.report or f"{opts.model}.report")
        if opts.kind == "stacked":
            from webprep_spider.hub.stacking import train_stacked

            model = train_stacked(rows, seed=opts.seed, progress=_say)
            command = "scrapy hub-train --kind stacked"
        else:
            model, report = _train_seed(rows, opts)
            for path in report.write(folder):
                _say(f"wrote {path}")
            command = f"scrapy hub-train --c {report.c:g} --gamma {report.gamma:g}"
            if opts.libsvm:
                _write_libsvm(model, rows, Path(opts.libsvm))
        model.record |= {
            "data": Path(source).name,
            "sha256": digest_of(source),
            "rows": len(rows),
            "sites": len({row.site for row in rows}),
            "splits": sorted({row.split for row in rows}),
            "seed": opts.seed,
            "command": f"{command} --split {opts.split} --seed {opts.seed}",
        }
        model.save(opts.model)
        _say(f"wrote {opts.model}: {model.record}")


def _train_seed(rows: Sequence[LabelledLink], opts: argparse.Namespace) -> tuple[HubModel, TrainingReport]:
    from webprep_spider.hub.evaluation import Confusion
    from webprep_spider.hub.features import SEED_FEATURES
    from webprep_spider.hub.report import TrainingReport, learning_curve
    from webprep_spider.hub.search import cross_decisions, draw_sites, grid_search
    from webprep_spider.hub.tables import SEED_TABLES, Tables
    from webprep_spider.hub.training import samples_of, train_seed

    names = [name for name in SEED_FEATURES if name != "anchor_len" or not opts.no_link_text]
    tables = Tables.count(row.url for row in rows if row.hub) if opts.count_tables else SEED_TABLES
    samples = samples_of(rows, names=names, tables=tables)
    c, gamma, grid = opts.c, opts.gamma, []
    if c is None:
        drawn = samples[draw_sites(samples.sites, opts.grid_rows, opts.seed)]
        grid = grid_search(drawn, seed=opts.seed, progress=_bar)
        c, gamma = 2.0 ** grid[0].log2_c, 2.0 ** grid[0].log2_gamma
    _say(f"C = {c:g}, gamma = {gamma:g}")
    curve = learning_curve(samples, c, gamma, seed=opts.seed, progress=_say)
    unseen = cross_decisions(samples, c, gamma, seed=opts.seed)
    report = TrainingReport(
        rows=len(rows),
        sites=len({row.site for row in rows}),
        c=c,
        gamma=gamma,
        cells=Confusion.of(samples.hub.tolist(), (unseen > 0).tolist()),
        grid=grid,
        curve=curve,
    )
    return train_seed(rows, c=c, gamma=gamma, names=names, tables=tables, seed=opts.seed), report


def _write_libsvm(model: HubModel, rows: Sequence[LabelledLink], folder: Path) -> None:
    from webprep_spider.hub import libsvm
    from webprep_spider.hub.training import samples_of

    folder.mkdir(parents=True, exist_ok=True)
    samples = samples_of(rows, names=model.names, tables=model.tables)
    labels = samples.hub.astype(int).tolist()
    libsvm.write_data(folder / "links.txt", samples.table, labels)
    libsvm.write_data(folder / "links.scaled.txt", model.scaling(samples.table), labels)
    libsvm.write_ranges(folder / "links.range", model.scaling)
    libsvm.write_model(folder / "links.model", model.svm)
    _say(f"wrote links.txt, links.scaled.txt, links.range and links.model to {folder}")


def _bar(title: str, points: Iterable[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    from tqdm import tqdm

    bar: Iterable[tuple[int, int]] = tqdm(points, desc=title, unit="point")
    return bar


def _say(text: str) -> None:
    print(text, file=sys.stderr)
