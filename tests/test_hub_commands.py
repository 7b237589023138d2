"""``scrapy hub-train`` and ``scrapy hub-eval`` as a user runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.test_hub_model import ROWS
from webprep_spider import HubModel
from webprep_spider.hub import libsvm

if TYPE_CHECKING:
    from pathlib import Path


def scrapy(*args: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scrapy", *map(str, args)], capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "links.jsonl"
    sites = sorted({row.site for row in ROWS})
    with path.open("w", encoding="utf-8") as file:
        for row in ROWS:
            split = "test" if sites.index(row.site) % 4 == 0 else "train"
            record = {"url": row.url, "anchor_text": row.text, "label": "hub" if row.hub else "topic"}
            file.write(json.dumps({**record, "site": row.site, "lang": row.lang, "split": split}) + "\n")
    return path


@pytest.fixture(scope="module")
def trained(labelled: Path) -> Path:
    model = labelled.with_name("model.npz")
    done = scrapy("hub-train", "--c", 32, "--gamma", 0.0625, "-o", model, "--libsvm", labelled.parent / "svm", labelled)
    assert done.returncode == 0, done.stderr
    return model


def test_train_writes_model_report_and_libsvm_files(labelled: Path, trained: Path) -> None:
    model = HubModel.load(trained)
    assert model.record["rows"] == labelled.read_text("utf-8").count('"split": "train"')
    assert (trained.parent / "model.npz.report" / "report.json").exists()
    folder = labelled.parent / "svm"
    scaling = libsvm.read_ranges(folder / "links.range", 13)
    machine = libsvm.read_model(folder / "links.model", 13)
    data = libsvm.read_data(folder / "links.txt", 13)
    theirs = machine.decide(scaling(data.table))
    ours = model.svm.decide(model.scaling(data.table))
    assert theirs == pytest.approx(ours, abs=1e-3)
    again = HubModel.from_libsvm(folder / "links.model", folder / "links.range")
    links = [(row.url, row.text) for row in ROWS]
    assert again.decision(links) == pytest.approx(model.decision(links), abs=1e-3)
    assert ((theirs > 0) == (data.labels == libsvm.HUB)).mean() > 0.95


def test_eval_prints_cells_and_groups(labelled: Path, trained: Path) -> None:
    done = scrapy("hub-eval", "--model", trained, labelled)
    assert done.returncode == 0, done.stderr
    assert "F1" in done.stdout
    assert "language zh" in done.stdout
    record = json.loads(scrapy("hub-eval", "--model", trained, "--json", labelled).stdout)
    assert record["all"]["rows"] == 72
    assert record["all"]["accuracy"] > 0.9


def test_eval_compares_the_three_methods(labelled: Path, trained: Path) -> None:
    entry = "<li><a href='/a/{n}.html'>Entry number {n}</a></li>"
    hub = "<html><body><ul>" + "".join(entry.format(n=n) for n in range(30)) + "</ul></body></html>"
    topic = "<html><body><h1>Title</h1>" + "<p>A long sentence, and one more; and so on.</p>" * 30 + "</body></html>"
    pages = labelled.with_name("pages.jsonl")
    with pages.open("w", encoding="utf-8") as file:
        for number, row in enumerate(ROWS[:80]):
            record = {"url": row.url, "html": hub if row.hub else topic, "label": "hub" if row.hub else "topic"}
            file.write(json.dumps({**record, "site": row.site, "split": "test" if number % 2 else "train"}) + "\n")
    done = scrapy("hub-eval", "--model", trained, "--pages", pages, "--json", labelled)
    assert done.returncode == 0, done.stderr
    methods = json.loads(done.stdout)["methods"]
    assert list(methods) == ["url", "rules", "html+svm"]
    assert methods["rules"]["accuracy"] == methods["html+svm"]["accuracy"] == 1
    assert methods["url"]["seconds"] < methods["html+svm"]["seconds"]
    assert all(method["megabytes"] > 1 for method in methods.values())


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (["hub-train", "-o", "m.npz", "/no/such.jsonl"], "/no/such.jsonl"),
        (["hub-eval", "--model", "/no/such.npz", "LABELLED"], "/no/such.npz: cannot be read"),
        (["hub-eval", "--split", "none", "LABELLED"], "no rows of the split 'none'"),
        (["hub-train", "--split", "none", "-o", "m.npz", "LABELLED"], "at least 10 sites"),
    ],
)
def test_errors_are_one_line(labelled: Path, args: list[str], reason: str) -> None:
    done = scrapy(*(labelled if arg == "LABELLED" else arg for arg in args))
    assert done.returncode == 1
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1
    assert reason in lines[0]
