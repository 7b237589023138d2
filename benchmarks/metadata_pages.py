"""Titles, abstracts and related links of real pages, as ``prepare`` gives them.

    python benchmarks/metadata_pages.py CORPUS [--split dev]

CORPUS is a folder with ``pages.jsonl.xz`` (id, site, lang, split, title, html), ``abstracts.jsonl.xz`` (kind, split,
title, text, summary) and ``related_links.jsonl.xz`` (id of a page, lang, label_source, links with href and label).
Titles: share that is exactly the given one. Abstracts: ROUGE-1 F1 over Chinese characters and other words, beside that
of the first sentence.
Related links: mean F1 of a page; links labelled unsure do not count, addresses are compared without fragment. No
split is held out for related links: nothing of them is trained.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from webprep_spider import prepare
from webprep_spider.metadata.words import HAN, sentences

UNITS = re.compile(rf"[{HAN}]|[^\W_{HAN}]+")


def rows(path: Path) -> list[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def address(row: dict[str, Any]) -> str:
    return f"http://{row['site']}/x/{row['id']}.html"


def show(name: str, found: dict[str, list[float]]) -> None:
    for group, values in sorted(found.items()):
        print(f"{name:10} {group:32} {len(values):5} {sum(values) / len(values):.3f}")


def titles(corpus: Path, split: str) -> None:
    found: dict[str, list[float]] = defaultdict(list)
    for row in rows(corpus / "pages.jsonl.xz"):
        if row["split"] == split and row["title"]:
            found[row["lang"]].append(float(prepare(row["html"], address(row)).title == row["title"].strip()))
    show("title", found)


def rouge1(one: str, other: str) -> float:
    first, second = Counter(UNITS.findall(one.lower())), Counter(UNITS.findall(other.lower()))
    shared = sum((first & second).values())
    return 2.0 * shared / (first.total() + second.total()) if shared else 0.0


def abstracts(corpus: Path, split: str) -> None:
    found: dict[str, list[float]] = defaultdict(list)
    for row in rows(corpus / "abstracts.jsonl.xz"):
        if row["split"] == split:
            text = "".join(f"<p>{line}</p>" for line in row["text"].split("\n") if line.strip())
            title = row.get("title", "")
            html = f"<title>{title}</title><h1>{title}</h1>{text}"
            found[row["kind"]].append(
                rouge1(prepare(html, address({"site": "a.example", **row})).abstract, row["summary"])
            )
            first = next(iter(sentences(row["text"])), "")
            found[row["kind"] + ", first sentence"].append(rouge1(first, row["summary"]))
    show("abstract", found)


def related(corpus: Path) -> None:
    pages = {row["id"]: row for row in rows(corpus / "pages.jsonl.xz")}
    found: dict[str, list[float]] = defaultdict(list)
    for row in rows(corpus / "related_links.jsonl.xz"):
        page = pages[row["id"]]
        url = address(page)
        labels: dict[str, set[str]] = defaultdict(set)
        for link in row["links"]:
            labels[urljoin(url, link["href"]).partition("#")[0]].add(link["label"])
        gold = {target for target, said in labels.items() if "related" in said}
        got = {link.url for link in prepare(page["html"], url).related_links if labels[link.url] != {"unsure"}}
        shared = len(gold & got)
        score = 2.0 * shared / (len(gold) + len(got)) if gold or got else 1.0
        found[f"{row['lang']}, all"].append(score)
        found[f"{row['lang']}, {row['label_source']}"].append(score)
    show("related", found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--split", default="test")
    args = parser.parse_args()
    titles(args.corpus, args.split)
    abstracts(args.corpus, args.split)
    related(args.corpus)


if __name__ == "__main__":
    main()
