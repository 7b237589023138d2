"""Stories against the labels of a corpus: classes, k-means with one centre a class and with random centres, TF-IDF.

    python benchmarks/stories_quality.py CORPUS [--pages 1000,3000] [--words]

CORPUS is a folder with ``pages.jsonl.xz`` (one page a line: id, url, html, cluster). Pages are taken by whole clusters
in a seeded order; the first measure of each row is the adjusted Rand index, the second B-cubed F1.
"""

from __future__ import annotations

import argparse
import collections
import json
import lzma
import random
import resource
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sklearn.metrics import adjusted_rand_score

from webprep_spider import PageError, Rules, prepare
from webprep_spider.replicas.classes import centres_of, connected_classes, divide_loose, incidence, lloyd
from webprep_spider.stories import Grouping, StoryPage, group_by_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def sample(rows: list[dict[str, str]], count: int) -> list[dict[str, str]]:
    """Whole clusters in a seeded order until there are ``count`` pages."""
    clusters = collections.defaultdict(list)
    for row in rows:
        clusters[row["cluster"]].append(row)
    order = list(clusters)
    random.Random(7).shuffle(order)
    taken: list[dict[str, str]] = []
    for name in order:
        if len(taken) + len(clusters[name]) <= count:
            taken += clusters[name]
    return taken


def read(corpus: Path) -> list[dict[str, str]]:
    with lzma.open(corpus / "pages.jsonl.xz", "rt", encoding="utf-8") as lines:
        rows = (json.loads(line) for line in lines)
        return [row for row in rows if row["kind"] != "gen-split"]


def cleaned(row: dict[str, str], rules: Rules) -> StoryPage:
    try:
        docview = prepare(row["html"], row["url"], rules=rules)
    except PageError:
        return StoryPage(row["id"])
    return StoryPage(row["id"], docview.title, docview.fingerprints, docview.body)


def b_cubed(truth: Sequence[str], found: Sequence[int]) -> float:
    true_sets, found_sets = collections.defaultdict(set), collections.defaultdict(set)
    for place, (one, other) in enumerate(zip(truth, found, strict=True)):
        true_sets[one].add(place)
        found_sets[other].add(place)
    precision = recall = 0.0
    for one, other in zip(truth, found, strict=True):
        shared = len(true_sets[one] & found_sets[other])
        precision += shared / len(found_sets[other])
        recall += shared / len(true_sets[one])
    return 2 * precision * recall / (precision + recall) / len(truth)


def labels_of(grouping: Grouping, pages: Sequence[StoryPage]) -> list[int]:
    place = {member: number for number, story in enumerate(grouping.stories) for member in story.members}
    return [place[page.identifier] for page in pages]


def timed(name: str, truth: Sequence[str], work: Callable[[], Sequence[int]]) -> None:
    started = time.process_time()
    found = list(work())
    spent = time.process_time() - started
    print(
        f"{name:44} k {len(set(found)):5} (true {len(set(truth))})  ARI {adjusted_rand_score(truth, found):.3f}"
        f"  B-cubed {b_cubed(truth, found):.3f}  CPU {spent:.2f} s",
        flush=True,
    )


def compare(pages: Sequence[StoryPage], truth: Sequence[str], share: float) -> None:
    matrix = incidence(page.fingerprints for page in pages)
    classes = connected_classes(matrix, share)
    divided = divide_loose(matrix, classes, share)
    random_rows = np.random.default_rng(0).choice(len(pages), int(classes.max()) + 1, replace=False)
    timed(f"classes, t >= {share}", truth, lambda: connected_classes(matrix, share))
    timed("  k-means, one centre a class", truth, lambda: lloyd(matrix, centres_of(matrix, classes))[0])
    timed("  loose classes divided", truth, lambda: divide_loose(matrix, classes, share))
    timed("  divided, then k-means", truth, lambda: lloyd(matrix, centres_of(matrix, divided))[0])
    timed("  k-means, random centres", truth, lambda: lloyd(matrix, matrix[random_rows])[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--pages", default="1000,3000")
    parser.add_argument("--words", action="store_true", help="also TF-IDF with MiniBatchKMeans and the true k")
    args = parser.parse_args()
    rules = Rules()
    rows = read(args.corpus)
    docviews = {row["id"]: cleaned(row, rules) for row in rows}
    for count in map(int, args.pages.split(",")):
        chosen = sample(rows, count)
        truth = [row["cluster"] for row in chosen]
        pages = [docviews[row["id"]] for row in chosen]
        print(f"== {len(pages)} pages")
        for share in (0.2, 0.3, 0.4, 0.5, 0.6):
            compare(pages, truth, share)
        if args.words:
            k = len(set(truth))
            timed("TF-IDF, MiniBatchKMeans, true k", truth, lambda p=pages, k=k: labels_of(group_by_words(p, k), p))
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
