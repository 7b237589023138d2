"""``scrapy class-train``: a content classifier of your own."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from webprep_spider.commands.console import Command

if TYPE_CHECKING:
    import argparse

    from webprep_spider.metadata.class_training import ClassScores


class ClassTrainCommand(Command):
    """Trains on labelled pages or texts, prints how well the model does, and writes it."""

    def syntax(self) -> str:
        return "[options] <LABELLED> -o <model.npz>"

    def short_desc(self) -> str:
        return "Train a content classifier on labelled pages (webprep)"

    def long_desc(self) -> str:
        return (
            "LABELLED is a folder with a folder of .html or .txt files per class, or a JSON Lines file (.jsonl, "
            ".jsonl.xz) with label and html (url) or text (title), and perhaps split (train, dev, test). Pages are "
            "cleaned first. The thresholds are calibrated on the dev split, or on every fifth text."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("-o", "--output", metavar="MODEL", help="file to write, .npz")
        parser.add_argument("--select", default="ig", choices=["df", "ig", "chi", "mi", "ts"], help="feature selection")
        parser.add_argument("--features", type=int, default=8000, help="words to keep (default 8000)")
        parser.add_argument("--learner", default="svm", choices=["svm", "nb", "rocchio", "knn"])
        parser.add_argument("--neighbours", type=int, default=15, help="k of kNN")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--report", metavar="PNG", help="draw the confusion matrix into this file")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1 or not opts.output:
            raise UsageError("give one labelled folder or file, and -o MODEL", print_help=False)
        from webprep_spider.metadata.class_training import evaluate_classes, train_classes
        from webprep_spider.metadata.labelled import read_labelled

        texts = read_labelled(args[0])
        model = train_classes(
            texts,
            selection=opts.select,
            features=opts.features,
            learner=opts.learner,
            neighbours=opts.neighbours,
            seed=opts.seed,
        )
        model.save(opts.output)
        print(f"{len(texts)} texts, {len(model.labels)} classes, {len(model.words)} words -> {opts.output}")
        tested = [text for text in texts if text.split == "test" and text.label in model.labels]
        scores = evaluate_classes(model, tested or texts)
        print(f"on the {'test split' if tested else 'texts themselves (no test split)'}:")
        print(f"  accuracy {scores.accuracy:.3f}   macro F1 {scores.macro_f1:.3f}")
        print(f"  with thresholds: micro F1 {scores.micro_f1:.3f}   answered {scores.answered:.1%}")
        for label, threshold, row in zip(model.labels, model.thresholds, scores.confusion, strict=True):
            print(f"  {label:<24} threshold {threshold:.2f}   {' '.join(f'{n:4}' for n in row)}")
        if opts.report:
            self._draw(scores, model.labels, opts.report)

    def _draw(self, scores: ClassScores, labels: tuple[str, ...], path: str) -> None:
        from webprep_spider.metadata.class_report import draw_confusion

        try:
            draw_confusion(scores, labels, path)
        except (ImportError, OSError) as error:
            self.exitcode = 1
            advice = " (pip install webprep-spider[report])" if isinstance(error, ImportError) else ""
            print(f"webprep: no report: {error}{advice}", file=sys.stderr)
