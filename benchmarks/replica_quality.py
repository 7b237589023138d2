"""Near-duplicates of a corpus through the product's own cleaning: scores of pairs by kind, and a crawl in small.

    python -m benchmarks.replica_quality CORPUS [--split train] [--shares 0.2,0.3,0.4] [--seed-form]

CORPUS is a folder with ``pages.jsonl.xz`` (id, url, html, split, cluster) and ``pairs.jsonl.xz`` (a, b, label, kind,
lang, split; label 1 near-duplicate, 0 not). Case 1 is the same content in another template, kept; case 2 another
content in the same template, removed (S4.P5). ``gen-split`` pairs are shown and stand outside the totals. The crawl in
small claims all pages from a store in the order of the file and counts what was removed rightly and wrongly by cluster.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import json
import lzma
from pathlib import Path
from typing import Any

from webprep_spider import PageError, Rules
from webprep_spider.page.clean import clean
from webprep_spider.page.parse import parse_page
from webprep_spider.replicas.fingerprint import form_of, sketch
from webprep_spider.replicas.memory import MemoryStore
from webprep_spider.replicas.verdict import resemblance
from webprep_spider.rules import DEFAULT_RULES, SEED_RULES

OUTSIDE = {"gen-split"}
CASE_1 = {"template", "template+edited", "gen-template"}
CASE_2 = {"neg-template", "neg-gen-template"}


def rows(path: Path, split: str) -> list[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [row for row in map(json.loads, lines) if row["split"] == split]


def fingerprints_of(page: dict[str, Any], rules: Rules) -> tuple[str, ...]:
    try:
        return sketch(clean(parse_page(page["html"], page["url"], rules=rules), rules), rules)
    except PageError:
        return ()


def f1(shares: list[tuple[float, int]], least: float) -> tuple[float, float, float]:
    hits = sum(share >= least and label for share, label in shares)
    found, wanted = sum(share >= least for share, _ in shares), sum(label for _, label in shares)
    precision, recall = hits / max(1, found), hits / max(1, wanted)
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def score(pairs: list[dict[str, Any]], prints: dict[str, tuple[str, ...]], least: float, *, by_kind: bool) -> None:
    kinds: dict[str, list[float]] = collections.defaultdict(list)
    languages: dict[str, list[tuple[float, int]]] = collections.defaultdict(list)
    for pair in pairs:
        share = resemblance(prints[pair["a"]], prints[pair["b"]])
        kinds[pair["kind"]].append(share)
        if pair["kind"] not in OUTSIDE:
            languages[pair["lang"]].append((share, pair["label"]))
    every = [each for shares in languages.values() for each in shares]
    case_1 = [share for kind in CASE_1 for share in kinds[kind]]
    case_2 = [share for kind in CASE_2 for share in kinds[kind]]
    precision, recall, total = f1(every, least)
    kept, removed = (sum(share < least for share in case_1), sum(share >= least for share in case_2))
    print(
        f"t >= {least:.2f}  P {precision:.4f}  R {recall:.4f}  F1 {total:.4f}"
        f"  case 1 {kept / max(1, len(case_1)):.4f}  case 2 {removed / max(1, len(case_2)):.5f}  "
        + "  ".join(f"{name} {f1(shares, least)[2]:.4f}" for name, shares in sorted(languages.items()))
    )
    if by_kind:
        for kind, shares in sorted(kinds.items()):
            called = sum(share >= least for share in shares) / len(shares)
            print(f"    {kind:18} called near-duplicates {called:.4f} of {len(shares)}")


async def crawl(pages: list[dict[str, Any]], prints: dict[str, tuple[str, ...]], rules: Rules) -> None:
    store, kept, counts = MemoryStore(rules), set(), collections.Counter()
    clusters = {page["id"]: page["cluster"] for page in pages}
    for page in pages:
        verdict = await store.claim(page["id"], prints[page["id"]])
        if verdict.kind == "replica":
            right = clusters[verdict.twin or ""] == page["cluster"]
            counts["removed, rightly" if right else "removed, wrongly"] += 1
        else:
            counts["kept, a copy of what was kept" if page["cluster"] in kept else "kept, rightly"] += 1
            kept.add(page["cluster"])
    print("crawl in small: " + ", ".join(f"{count} {name}" for name, count in sorted(counts.items())))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--split", default="train")
    parser.add_argument("--shares", default="0.2,0.3,0.4")
    parser.add_argument("--seed-form", action="store_true", help="fingerprints in the first form of the method")
    args = parser.parse_args()
    rules = SEED_RULES if args.seed_form else DEFAULT_RULES
    pages = rows(args.corpus / "pages.jsonl.xz", args.split)
    pairs = [pair for pair in rows(args.corpus / "pairs.jsonl.xz", args.split) if pair["label"] >= 0]
    prints = {page["id"]: fingerprints_of(page, rules) for page in pages}
    mean = sum(map(len, prints.values())) / max(1, len(prints))
    print(f"{len(pages)} pages, {len(pairs)} pairs, form {form_of(rules)}, {mean:.1f} fingerprints a page")
    for least in map(float, args.shares.split(",")):
        score(pairs, prints, least, by_kind=least == rules.replica_share)
    asyncio.run(crawl(pages, prints, rules))


if __name__ == "__main__":
    main()
