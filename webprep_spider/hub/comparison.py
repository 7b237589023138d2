"""The published comparison on one's own pages: URL method, rules, HTML + SVM, with time and memory (S3.R2-S3.R5)."""

from __future__ import annotations

import json
import multiprocessing
import resource
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from webprep_spider.hub.evaluation import Confusion
from webprep_spider.hub.labelled import open_text
from webprep_spider.hub.model import HubModel
from webprep_spider.hub.search import Samples, fit_svm
from webprep_spider.hub.svm import RbfSvm, Scaling

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

METHODS = ("url", "rules", "html+svm")

_HTML_C, _HTML_GAMMA = 8.0, 0.5
_BATCH = 100


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page with its html; ``text`` is the text of a link to it, if known."""

    url: str
    html: str
    hub: bool
    site: str
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """Cells of one method, CPU seconds for all pages without reading them, peak memory of its process in MB."""

    method: str
    cells: Confusion
    seconds: float
    megabytes: float


@dataclass(frozen=True, slots=True)
class _Judges:
    """What the two methods that read pages learned from the training pages."""

    threshold: float
    scaling: Scaling
    svm: RbfSvm


def read_pages(path: str | Path, split: str) -> Iterator[LabelledPage]:
    """Pages of a JSON lines file with ``url``, ``html``, ``label`` and ``split``, one at a time."""
    with open_text(path) as file:
        for line in file:
            try:
                row = json.loads(line)
                url, html, label, of_split = row["url"], row["html"], row["label"], row.get("split")
            except (ValueError, TypeError, KeyError):
                raise ValueError(f"{path}: not all lines are JSON objects with url, html, label and split") from None
            if of_split == split:
                yield LabelledPage(url, html, label == "hub", row.get("site", url), row.get("anchor_text", ""))


def compare(path: str | Path, *, train: str, test: str, model: str | None = None) -> list[Outcome]:
    """Train the stand-ins on the pages of one split and run all methods on those of another.

    Each method runs in a process of its own, so that its peak memory is its own: interpreter, NumPy, and what it
    needs itself, one page at a time where it reads pages; the URL method is handed the addresses. Works where the
    operating system reports peak memory (not on Windows).
    """
    from webprep_spider.hub.standins import best_threshold, rule_values

    table, hub = _training_table(path, train)
    scaling = Scaling.of(table)
    svm = fit_svm(Samples(scaling(table), hub, np.full(len(hub), "")), _HTML_C, _HTML_GAMMA)
    judges = _Judges(best_threshold(rule_values(table), hub), scaling, svm)
    links = [(page.url, page.text, page.hub) for page in read_pages(path, test)]
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        outcomes = [pool.apply(_judge_links, (links, model))]
        outcomes += [pool.apply(_judge_pages, (method, str(path), test, judges)) for method in METHODS[1:]]
    return outcomes


def _training_table(path: str | Path, split: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    from webprep_spider.hub.standins import html_features

    rows, hub = [], []
    for page in read_pages(path, split):
        rows.append(html_features(page.html, page.url))
        hub.append(page.hub)
    if not any(hub) or all(hub):
        raise ValueError(f"{path}: needs hub pages and topic pages in the split {split!r}")
    return np.array(rows), np.array(hub)


def _judge_links(links: list[tuple[str, str, bool]], model: str | None) -> Outcome:
    scorer = HubModel.load(model)
    said: list[bool] = []
    start = time.process_time()
    for first in range(0, len(links), _BATCH):
        batch = [(url, text) for url, text, _ in links[first : first + _BATCH]]
        said.extend((scorer.decision(batch) > 0).tolist())
    seconds = time.process_time() - start
    return Outcome(METHODS[0], Confusion.of((hub for _, _, hub in links), said), seconds, _peak_megabytes())


def _judge_pages(method: str, path: str, split: str, judges: _Judges) -> Outcome:
    from webprep_spider.hub.standins import html_table, rule_values

    truth: list[bool] = []
    said: list[bool] = []
    seconds = 0.0
    for page in read_pages(path, split):
        start = time.process_time()
        table = html_table([(page.html, page.url)])
        if method == "rules":
            hub = rule_values(table)[0] > judges.threshold
        else:
            hub = judges.svm.decide(judges.scaling(table))[0] > 0
        seconds += time.process_time() - start
        truth.append(page.hub)
        said.append(bool(hub))
    return Outcome(method, Confusion.of(truth, said), seconds, _peak_megabytes())


def _peak_megabytes() -> float:
    status = Path("/proc/self/status")
    if status.exists():  # Linux: ru_maxrss would still remember the process that started this one
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
