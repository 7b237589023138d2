"""Train the ranking of keywords, ``data/keywords-*.npz``, on texts with their authors' keywords, or score it.

    python benchmarks/metadata_keywords.py train CORPUS [--split train,dev]
    python benchmarks/metadata_keywords.py score CORPUS [--split dev]

CORPUS is a folder with ``keywords.jsonl.xz``: id, kind, split, title, text or html, keywords. Trained on are the kinds
csl and blog for Chinese, inspec and semeval2017 for English. Reported is F1 of the first five, exact.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from clean_train import fit
from lxml import html as lxml_html

from webprep_spider.metadata.keywords import FEATURES, keyword_candidates, rank_keywords, spell
from webprep_spider.metadata.reading import Part, Reading, read
from webprep_spider.metadata.words import fold
from webprep_spider.rules import DEFAULT_RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA = Path(__file__).parent.parent / "webprep_spider" / "data"
KINDS = {"zh": ("csl", "blog"), "other": ("inspec", "semeval2017")}


def rows(corpus: Path, split: str) -> Iterator[dict[str, Any]]:
    with lzma.open(corpus / "keywords.jsonl.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["split"] in split.split(","):
                yield row


def reading_of(row: dict[str, Any]) -> Reading:
    parts = [Part(line) for line in row["text"].split("\n") if line.strip()]
    if row.get("html"):
        parts = []
        for element in lxml_html.fromstring(row["html"]).iter("h1", "h2", "h3", "h4", "p", "li", "td", "th"):
            text = element.text_content().strip()
            strong = "\n".join(entry.text_content() for entry in element.iter("strong", "b", "em")).lower()
            if text:
                parts.append(Part(text, element.tag, 1.0, strong))
    return read(row["title"], [part for part in parts if fold(part.text) != fold(row["title"])], DEFAULT_RULES)


def key(text: str) -> str:
    """Plural folded, as a reader would count it."""
    folded = fold(text)
    return folded[:-1] if folded.isascii() and len(folded) > 3 and folded.endswith("s") else folded


def train(corpus: Path, split: str) -> None:
    for name, kinds in KINDS.items():
        samples, wanted, kind_of = [], [], []
        texts = 0
        for row in rows(corpus, split):
            if row["kind"] in kinds:
                texts += 1
                gold = {key(keyword) for keyword in row["keywords"]}
                phrases, features, written = keyword_candidates(reading_of(row), DEFAULT_RULES)
                samples.append(features)
                wanted.extend(key(spell(phrase, written)) in gold for phrase in phrases)
                kind_of.extend([row["kind"]] * len(phrases))
        sizes = Counter(kind_of)
        weights = np.array([1.0 / sizes[kind] for kind in kind_of])  # each kind counts the same
        header = {
            "data": "keywords.jsonl.xz: " + ", ".join(kinds), "split": split, "texts": texts, "seed": 0,
            "command": f"benchmarks/metadata_keywords.py train CORPUS --split {split}",
        }  # fmt: skip
        model = fit(np.vstack(samples), np.array(wanted), weights, FEATURES, ("keyword",), nets=3, units=24, alpha=0.1,
                    epochs=20, batch=256, header=header)  # fmt: skip
        model.save(DATA / f"keywords-{name}.npz")
        print(f"{name}: {texts} texts, {len(wanted)} candidates, {sum(wanted)} of them keywords")


def score(corpus: Path, split: str) -> None:
    found: dict[str, list[float]] = defaultdict(list)
    for row in rows(corpus, split):
        gold = {key(keyword) for keyword in row["keywords"]}
        got = list(dict.fromkeys(key(word) for word, _ in rank_keywords(reading_of(row), DEFAULT_RULES)))[:5]
        hits = len(gold & set(got))
        found[row["kind"]].append(2 * hits / (len(gold) + len(got)) if hits else 0.0)
    for kind, values in found.items():
        print(f"{kind:20} {len(values):5} F1@5 {np.mean(values):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=["train", "score"])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--split", default="dev")
    args = parser.parse_args()
    if args.task == "train":
        train(args.corpus, args.split)
    else:
        score(args.corpus, args.split)


if __name__ == "__main__":
    main()
