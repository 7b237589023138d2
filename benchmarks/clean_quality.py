"""Score page cleaning on a corpus, and its cost against the parse alone.

    python benchmarks/clean_quality.py EXTRACTION_DIR [--split dev] [--limit N]

Prints the mean F1 of the longest common subsequence of tokens by corpus and language, the F1 of wanted and unwanted
snippets, the accuracy of the page type, and CPU milliseconds a page for lxml's parse, for decoding and parsing, and for
cleaning.
"""

from __future__ import annotations

import argparse
import glob
import os
import time
from collections import defaultdict

import numpy as np
from clean_train import f1, read, tokens_of
from lxml import etree

from webprep_spider.page.clean import clean
from webprep_spider.page.parse import parse_page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus")
    parser.add_argument("--split", default="dev")
    parser.add_argument("--limit", type=int, default=0)
    args = parser.parse_args()
    scores: dict[str, list[float]] = defaultdict(list)
    right: dict[str, list[bool]] = defaultdict(list)
    found, foreign, missed = 0, 0, 0
    spent = dict.fromkeys(("lxml parse", "decode and parse", "clean"), 0.0)
    pages = 0
    for path in sorted(glob.glob(os.path.join(args.corpus, "*.jsonl.xz"))):
        for row in read(path):
            if row["split"] != args.split or (args.limit and pages >= args.limit):
                continue
            url = row["url"] if (row["url"] or "").startswith("http") else "http://page.example/"
            data = row["html"].encode("utf-8", "replace")
            started = time.process_time()
            if data.strip():
                etree.fromstring(data, etree.HTMLParser(encoding="utf-8", huge_tree=True))
            parsed = time.process_time()
            page = parse_page(data, url)
            decoded = time.process_time()
            cleaned = clean(page)
            ended = time.process_time()
            for name, seconds in zip(spent, (parsed - started, decoded - parsed, ended - decoded), strict=True):
                spent[name] += seconds
            pages += 1
            language = row["lang"] if row["lang"] in ("zh", "en") else "other"
            if row["body_gold"]:
                score = f1(tokens_of(row["body_gold"]), tokens_of(cleaned.body))
                for name in ("all", f"all {language}", f"{row['corpus']} {language}"):
                    scores[name].append(score)
            if row["must_have"]:
                flat = " ".join(cleaned.body.split())
                hits = sum(" ".join(snippet.split()) in flat for snippet in row["must_have"])
                found, missed = found + hits, missed + len(row["must_have"]) - hits
                foreign += sum(" ".join(snippet.split()) in flat for snippet in row["must_not_have"])
            if row["page_type"]:
                for name in ("all", f"{row['page_type']} {language}"):
                    right[name].append(cleaned.type == row["page_type"])
    for name, values in sorted(scores.items()):
        print(f"body F1       {name:22} {np.mean(values):.3f}  {len(values)} pages")
    if found:
        print(f"snippets F1   {2 * found / (2 * found + foreign + missed):.3f}")
    for name, hits in sorted(right.items()):
        print(f"page type     {name:22} {np.mean(hits):.3f}  {len(hits)} pages")
    for name, seconds in spent.items():
        print(f"CPU           {name:22} {1000 * seconds / max(pages, 1):.2f} ms a page")


if __name__ == "__main__":
    main()
