"""The published table (S3.R4, S3.R5) on other data: URL method, rules, HTML + SVM, and the learning curve (S3.M5).

    python benchmarks/hub_methods.py CORPUS_FOLDER [split]

The folder holds ``hub_urls.jsonl.xz`` (id, url, label, anchor_text, site, split) and ``hub_pages.jsonl.xz`` (id, url,
html, label, split). The stand-ins learn from the pages of the split ``train``.
"""

from __future__ import annotations

import json
import lzma
import sys
import tempfile
from pathlib import Path

from webprep_spider import HubModel
from webprep_spider.hub.comparison import compare
from webprep_spider.hub.evaluation import Confusion, evaluate
from webprep_spider.hub.labelled import read_labelled
from webprep_spider.hub.report import CURVE_SIZES
from webprep_spider.hub.search import draw_sites
from webprep_spider.hub.training import samples_of, train_seed

DRAWS = 3


def line(name: str, cells: Confusion, rest: str = "") -> None:
    counts = f"{cells.tp:5} {cells.fp:5} {cells.fn:5} {cells.tn:5}"
    print(f"{name:34} {counts}  {cells.precision:.4f} {cells.recall:.4f} {cells.f1:.4f} {cells.accuracy:.4f} {rest}")


def main(folder: Path, split: str) -> None:
    rows = read_labelled(folder / "hub_urls.jsonl.xz")
    test = [row for row in rows if row.split == split]
    train = [row for row in rows if row.split == "train"]
    print(f"{'links of ' + split:34} {'tp':>5} {'fp':>5} {'fn':>5} {'tn':>5}  P      R      F1     accuracy")
    for name in ("seed", "default"):
        model = HubModel.load(name)
        for hidden in (False, True):
            links = [(row.url, "" if hidden else row.text) for row in test]
            found = evaluate(test, (model.decision(links) > 0).tolist())
            low, high = found.interval
            shown = " (no text)" if hidden else ""
            line(f"{name}, all{shown}", found.cells, f"[{low:.3f}, {high:.3f}]")
            line(f"{name}, not link-derived{shown}", found.groups["not link-derived"])
    with tempfile.TemporaryDirectory() as scratch:
        pages = join_texts(folder, Path(scratch))
        for model_name in ("seed", "default"):
            for outcome in compare(pages, train="train", test=split, model=model_name):
                if outcome.method == "url" or model_name == "default":
                    name = f"pages: {outcome.method}" + (f" {model_name}" if outcome.method == "url" else "")
                    line(name, outcome.cells, f"{outcome.seconds:8.3f} CPU s {outcome.megabytes:5.0f} MB")
    links = [(row.url, row.text) for row in test]
    samples = samples_of(train)
    for size in (*CURVE_SIZES, len(train)):
        scores = []
        for draw in range(DRAWS if size < len(train) else 1):
            chosen = draw_sites(samples.sites, size, draw)
            model = train_seed([train[number] for number in chosen])
            cells = Confusion.of((row.hub for row in test), (model.decision(links) > 0).tolist())
            scores.append((cells.f1, cells.accuracy, model.record["cross_validation"]["accuracy"]))
        means = [sum(column) / len(scores) for column in zip(*scores, strict=True)]
        print(f"seed vector, {size:5} rows: F1 {means[0]:.4f}, accuracy {means[1]:.4f}, cross-validated {means[2]:.4f}")


def join_texts(folder: Path, scratch: Path) -> Path:
    """The pages with site and link text of the row that has their id."""
    known = {}
    with lzma.open(folder / "hub_urls.jsonl.xz", "rt", encoding="utf-8") as file:
        for text in file:
            row = json.loads(text)
            known[row["id"]] = row
    path = scratch / "pages.jsonl"
    with (
        lzma.open(folder / "hub_pages.jsonl.xz", "rt", encoding="utf-8") as file,
        path.open("w", encoding="utf-8") as out,
    ):
        for text in file:
            page = json.loads(text)
            row = known[page["id"]]
            out.write(json.dumps({**page, "site": row["site"], "anchor_text": row["anchor_text"]}) + "\n")
    return path


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "test")
