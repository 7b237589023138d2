"""Content classes: trained models, the shipped default, and whether cleaning helps (S4.E1a).

    python benchmarks/metadata_classes.py CORPUS [--split test]

CORPUS is a folder with ``classes.jsonl.xz`` (task, label, split, title, text), ``classes_html.jsonl.xz`` (task, label,
split, html) and ``pages.jsonl.xz`` (lang, split, site, html). For the noise table, texts of one class each get the
text that cleaning drops from a real page, other pages for training and for the test.
"""

from __future__ import annotations

import argparse
import json
import lzma
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from collections.abc import Iterator

# The labels of the corpora that the shipped word lists know.
SHARED = {
    "体育": "sports", "娱乐": "entertainment", "家居": "home", "彩票": "lottery", "房产": "property",
    "教育": "education", "时尚": "fashion", "时政": "politics", "科技": "technology", "财经": "finance",
    "股票": "finance", "游戏": "games", "sport": "sports", "business": "finance", "politics": "politics",
    "entertainment": "entertainment", "tech": "technology",
}  # fmt: skip
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
    for learner in ("svm", "nb", "knn", "rocchio"):
        line = []
        for name, learned, asked in (
            ("clean/clean", train, test), ("noisy/noisy", noisy_train, noisy_test), ("clean/noisy", train, noisy_test),
        ):  # fmt: skip
            model = train_classes(learned, selection="chi", features=5000, learner=learner)
            line.append(f"{name} {evaluate_classes(model, asked).accuracy:.3f}")
        print(f"  {learner:8} {'  '.join(line)}")


def one_site(corpus: Path, split: str) -> None:
    path = corpus / "classes_html.jsonl.xz"
    cleaned = read_labelled(str(path))
    raw = []
    for row in rows(path):
        page = parse_page(row["html"], "http://page.invalid/x.html")
        text = " ".join(page.root.xpath("//body//text()[not(parent::script or parent::style)]"))
        raw.append(LabelledText(row["label"], "", text, row["split"]))
    for name, texts in (("raw", raw), ("cleaned", cleaned)):
        model = train_classes(texts, selection="chi", features=5000)
        scores = evaluate_classes(model, [text for text in texts if text.split == split])
        print(f"  {name:8} accuracy {scores.accuracy:.3f}  macro F1 {scores.macro_f1:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--split", default="test")
    args = parser.parse_args()
    tasks: dict[str, list[LabelledText]] = {}
    for row in rows(args.corpus / "classes.jsonl.xz"):
        text = LabelledText(row["label"], row["title"], row["text"], row["split"])
        tasks.setdefault(row["task"], []).append(text)
    for task in ("thucnews12", "bbc5"):
        print(f"{task}, trained:")
        trained(tasks[task], args.split)
        print(f"{task}, the shipped word lists:")
        shipped([text for text in tasks[task] if text.split == args.split])
    print("does cleaning help? thucnews12 with the dropped text of real pages (train/test):")
    simulated(tasks["thucnews12"], args.corpus, args.split)
    print("pages of one site, whose labels are its own columns:")
    one_site(args.corpus, args.split)


if __name__ == "__main__":
    main()
