"""Content classes: trained models, the shipped default, another source, and whether cleaning helps (S4.E1a).

    python benchmarks/metadata_classes.py CORPUS [--split test] [--part cleaning]

CORPUS is a folder with ``classes.jsonl.xz`` (task, label, split, title, text), ``classes_html.jsonl.xz`` (task, label,
split, html) and ``pages.jsonl.xz`` (lang, split, site, html).

Another source: a model of thucnews12 is asked for the class of real pages whose host names their column.
Cleaning: texts of several sources with the text that cleaning drops from a real page, other pages for training and for
the test; and whole pages of one site whose labels are its own columns, so that its menus and breadcrumbs name them.
"""

from __future__ import annotations

import argparse
import json
import lzma
import tempfile
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from webprep_spider import prepare
from webprep_spider.metadata.class_training import (
    LabelledText,
    Learner,
    Selection,
    class_words_of,
    evaluate_classes,
    train_classes,
)  # fmt: skip
from webprep_spider.metadata.classes import default_model
from webprep_spider.metadata.labelled import read_labelled
from webprep_spider.page.clean import clean
from webprep_spider.page.parse import parse_page
from webprep_spider.rules import DEFAULT_RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

# The labels of the corpora that the shipped word lists know.
SHARED = {
    "体育": "sports", "娱乐": "entertainment", "家居": "home", "彩票": "lottery", "房产": "property",
    "教育": "education", "时尚": "fashion", "时政": "politics", "科技": "technology", "财经": "finance",
    "股票": "finance", "游戏": "games", "sport": "sports", "business": "finance", "politics": "politics",
    "entertainment": "entertainment", "tech": "technology",
}  # fmt: skip
# What the hosts of portals call the columns that thucnews12 has.
COLUMNS = {
    "finance": {"财经", "股票"}, "money": {"财经", "股票"}, "business": {"财经", "股票"}, "biz": {"财经", "股票"},
    "stock": {"财经", "股票"}, "sports": {"体育"}, "ent": {"娱乐"}, "yule": {"娱乐"}, "tech": {"科技"},
    "house": {"房产"}, "games": {"游戏"}, "fashion": {"时尚"}, "learning": {"教育"}, "politics": {"时政"},
}  # fmt: skip
WHOLE_PAGES = replace(DEFAULT_RULES, words_chars=20_000)
"""Else menus would push the text of a raw page out of what is read."""
TRAINED: tuple[tuple[Selection, int, Learner], ...] = (
    ("ig", 8000, "svm"), ("chi", 5000, "svm"), ("df", 2000, "svm"), ("ig", 8000, "nb"), ("chi", 8000, "knn"),
    ("ig", 8000, "rocchio"), ("mi", 5000, "svm"), ("ts", 5000, "svm"),
)  # fmt: skip


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def trained(texts: list[LabelledText], split: str) -> None:
    for selection, features, learner in TRAINED:
        model = train_classes(texts, selection=selection, features=features, learner=learner)
        with tempfile.NamedTemporaryFile(suffix=".npz") as file:
            model.save(file.name)
            size = Path(file.name).stat().st_size
        scores = evaluate_classes(model, [text for text in texts if text.split == split])
        print(
            f"  {selection:4} {features:5} {learner:8} accuracy {scores.accuracy:.3f}  macro F1 {scores.macro_f1:.3f}"
            f"  thresholds: micro F1 {scores.micro_f1:.3f}, answered {scores.answered:.1%}  {size / 1e6:.2f} MB"
        )


def shipped(texts: list[LabelledText]) -> None:
    model = default_model()
    best = right = answered = 0
    for text in texts:
        words, label = class_words_of(text), SHARED[text.label]
        best += model.labels[int(model.scores(words).argmax())] == label
        answer = model.classify(words)
        answered += bool(answer)
        right += bool(answer) and answer[0][0] == label
    size = len(texts)
    print(f"  best class {best / size:.3f}, first answer right {right / size:.3f}, answered {answered / size:.1%}")


def noise_of(corpus: Path, training: bool) -> list[str]:
    """What cleaning drops from real pages; those of the train split for training, others for the test."""
    found = []
    for row in rows(corpus / "pages.jsonl.xz"):
        if row["lang"] == "zh" and (row["split"] == "train") == training:
            cleaned = clean(parse_page(row["html"], f"http://{row['site']}/x.html"))
            text = "\n".join(block.text for block in cleaned.blocks if not block.kept and block.text)
            if len(text) > 500:
                found.append(text[:3000])
        if len(found) == 60:
            break
    return found


def noisy(texts: list[LabelledText], noise: list[str]) -> list[LabelledText]:
    return [
        replace(text, text=noise[place % len(noise)] + "\n" + text.text) for place, text in enumerate(texts)
    ]  # noise before text, as menus are


def simulated(texts: list[LabelledText], corpus: Path, split: str) -> None:
    train = [text for text in texts if text.split in ("train", "dev")]
    test = [text for text in texts if text.split == split]
    noisy_train, noisy_test = noisy(train, noise_of(corpus, True)), noisy(test, noise_of(corpus, False))
    parts = {
        "clean": (train, test),
        "noisy": (noisy_train, noisy_test),
        "trained clean, asked noisy": (train, noisy_test),
    }
    compare("texts of several sources", parts)


def one_site(corpus: Path, split: str) -> None:
    path = corpus / "classes_html.jsonl.xz"
    cleaned = read_labelled(str(path))
    raw = []
    for row in rows(path):
        page = parse_page(row["html"], "http://page.invalid/x.html")
        text = " ".join(page.root.xpath("//body//text()[not(parent::script or parent::style)]"))
        raw.append(LabelledText(row["label"], "", text, row["split"]))
    parts = {
        name: ([text for text in texts if text.split != split], [text for text in texts if text.split == split])
        for name, texts in (("clean", cleaned), ("noisy", raw))
    }
    compare("pages of one site, labelled by its columns", parts)


def compare(title: str, parts: dict[str, tuple[list[LabelledText], list[LabelledText]]]) -> None:
    """One line of a Markdown table for each learner: accuracy on each pair of texts to learn and to ask."""
    print(f"| {title} | {' | '.join(parts)} |\n|---|{'---|' * len(parts)}")
    for learner in get_args(Learner):
        found = []
        for learned, asked in parts.values():
            model = train_classes(learned, selection="chi", features=5000, learner=learner, rules=WHOLE_PAGES)
            found.append(f"{evaluate_classes(model, asked, WHOLE_PAGES).accuracy:.3f}")
        print(f"| {learner} | {' | '.join(found)} |", flush=True)


def another_source(texts: list[LabelledText], corpus: Path) -> None:
    model = train_classes(texts)
    right: dict[str, list[bool]] = defaultdict(list)
    for row in rows(corpus / "pages.jsonl.xz"):
        wanted = COLUMNS.get(row["site"].partition(".")[0])
        if row["lang"] == "zh" and wanted:
            page = prepare(row["html"], f"http://{row['site']}/x.html")
            scores = model.scores(class_words_of(LabelledText("", page.title, page.body)))
            right["/".join(sorted(wanted))].append(model.labels[int(scores.argmax())] in wanted)
    for column, hits in right.items():
        print(f"  {column:12} {len(hits):4} pages, best class right {sum(hits) / len(hits):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--split", default="test")
    parser.add_argument("--part", choices=["models", "source", "cleaning"], help="all by default")
    args = parser.parse_args()
    tasks: dict[str, list[LabelledText]] = {}
    for row in rows(args.corpus / "classes.jsonl.xz"):
        text = LabelledText(row["label"], row["title"], row["text"], row["split"])
        tasks.setdefault(row["task"], []).append(text)
    if args.part in (None, "models"):
        for task in ("thucnews12", "bbc5"):
            print(f"{task}, trained:")
            trained(tasks[task], args.split)
            print(f"{task}, the shipped word lists:")
            shipped([text for text in tasks[task] if text.split == args.split])
    if args.part in (None, "source"):
        print("thucnews12, asked for pages of other sites:")
        another_source(tasks["thucnews12"], args.corpus)
    if args.part in (None, "cleaning"):
        print("does cleaning help? accuracy")
        simulated(tasks["thucnews12"], args.corpus, args.split)
        one_site(args.corpus, args.split)


if __name__ == "__main__":
    main()
