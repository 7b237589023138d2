"""Train the two models of page cleaning: a block's chance of being body text, and a page's type.

    python benchmarks/clean_train.py EXTRACTION_DIR HUB_DIR [--out webprep_spider/data]

EXTRACTION_DIR holds *.jsonl.xz with html, body_gold, must_have, must_not_have, page_type, site and split; HUB_DIR holds
hub_pages.jsonl.xz with html, url, label and split. Only rows of split "dev" (and "train" of the hub pages) are read.
Both models are scored by site-wise cross-validation and written with what it found. The model of the page type learns
from chances of blocks that come from a body model which has not seen their page: chances of pages that it was fitted
to are better than any that it will meet.
"""

from __future__ import annotations

import argparse
import glob
import json
import lzma
import math
import os
import re
import unicodedata
import warnings
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np
from clean_net import Recipe, fit_networks

from webprep_spider.net import NetModel
from webprep_spider.page.choose import choose
from webprep_spider.page.described import says_description
from webprep_spider.page.features import FEATURES, block_features
from webprep_spider.page.measures import Measures
from webprep_spider.page.pagetype import TYPE_FEATURES, decide, page_features, says_article
from webprep_spider.page.parse import parse_text
from webprep_spider.page.walk import build_tree
from webprep_spider.page.weights import weigh
from webprep_spider.rules import DEFAULT_RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_TOKEN = re.compile(f"[{_CJK}]|[^\\W{_CJK}]+")
_LARGEST_TABLE = 60_000_000
TYPES = ("topic", "hub", "picture")
_ANY_URL = "http://page.example/"
_FOLDS = 5
_BLOCKS = 160
_SEED = 0
_COMMAND = "python benchmarks/clean_train.py EXTRACTION_DIR HUB_DIR"


@dataclass(slots=True)
class Sample:
    """One page as the training sees it; ``url`` is empty where the corpus does not know it."""

    site: str
    corpus: str
    chinese: bool
    kind: str | None
    url: str
    measures: Measures
    rows: NDArray[np.float32]
    article: float
    share: NDArray[np.float32] | None
    """Share of each block's tokens that the gold body holds; NaN where that is not known."""
    gold: list[str]


def tokens_of(text: str) -> list[str]:
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())


def aligned(gold: list[str], page: list[str]) -> NDArray[np.bool_]:
    """Which page tokens are part of one longest common subsequence with the gold body."""
    numbers: dict[str, int] = {}
    wanted = np.array([numbers.setdefault(token, len(numbers)) for token in gold], np.int32)
    found = np.array([numbers.get(token, -1) for token in page], np.int32)
    table = np.zeros((len(wanted) + 1, len(found) + 1), np.uint16)
    for i, token in enumerate(wanted, 1):
        row = np.maximum(table[i - 1, 1:], np.where(found == token, table[i - 1, :-1] + 1, 0))
        np.maximum.accumulate(row, out=table[i, 1:])
    matched = np.zeros(len(found), bool)
    i, j = len(wanted), len(found)
    while i and j:
        if table[i, j] == table[i, j - 1]:
            j -= 1
        elif table[i, j] == table[i - 1, j]:
            i -= 1
        else:
            matched[j - 1] = True
            i, j = i - 1, j - 1
    return matched


def shingled(gold: list[str], page: list[str], width: int = 5) -> NDArray[np.bool_]:
    """Which page tokens stand in a run of ``width`` that the gold body holds too."""
    known = Counter(tuple(gold[i : i + width]) for i in range(len(gold) - width + 1))
    matched = np.zeros(len(page), bool)
    for i in range(len(page) - width + 1):
        if tuple(page[i : i + width]) in known:
            matched[i : i + width] = True
    return matched


def body_share(texts: list[str], gold: list[str]) -> NDArray[np.float32]:
    tokens = [tokens_of(text) for text in texts]
    page = [token for block in tokens for token in block]
    sizes = np.array([len(block) for block in tokens])
    owner = np.repeat(np.arange(len(texts)), sizes)
    matched = shingled(gold, page)
    if len(gold) * len(page) <= _LARGEST_TABLE:
        # Long blocks without any common run are left out, or their stray words would match.
        support = np.bincount(owner, matched, len(texts)) / np.maximum(sizes, 1)
        allowed = (support > 0.15) | (sizes < 8)
        matched = aligned(gold, [token if allowed[block] else "\x00" for token, block in zip(page, owner, strict=True)])
    return np.where(sizes, np.bincount(owner, matched, len(texts)) / np.maximum(sizes, 1), np.nan).astype(np.float32)


def snippet_share(texts: list[str], wanted: list[str], unwanted: list[str]) -> NDArray[np.float32]:
    """1 and 0 for the blocks that hold a wanted or an unwanted snippet, NaN for all others."""
    share = np.full(len(texts), np.nan, np.float32)
    for snippets, value in ((wanted, 1.0), (unwanted, 0.0)):
        for snippet in (" ".join(snippet.split()) for snippet in snippets):
            for i, text in enumerate(texts):
                if len(snippet) > 3 and snippet in " ".join(text.split()):
                    share[i] = value
    return share


def samples(extraction: str, hub: str) -> Iterator[Sample]:
    held_out: set[str] = set()
    for path in sorted(glob.glob(os.path.join(extraction, "*.jsonl.xz"))):
        for row in read(path):
            if row["split"] == "dev":
                if (sample := sample_of(row, row["corpus"], row["site"], row["page_type"])) is not None:
                    yield sample
            else:
                held_out |= {row["site"], site_of(row["url"] or "")}
    for row in read(os.path.join(hub, "hub_pages.jsonl.xz")):
        if row["split"] in ("train", "dev") and site_of(row["url"]) not in held_out:
            sample = sample_of(row, "hub_pages", site_of(row["url"]), row["label"])
            if sample is not None:
                yield sample


def sample_of(row: dict[str, Any], corpus: str, site: str, kind: str | None) -> Sample | None:
    root, _ = parse_text(row["html"])
    tree = build_tree(root)
    if not tree.blocks:
        return None
    weigh(tree)
    measures = Measures(tree, root.findtext(".//title") or "")
    texts = [block.text for block in tree.blocks]
    gold = tokens_of(row.get("body_gold") or "")
    share = None
    if gold:
        share = body_share(texts, gold)
    elif row.get("must_have"):
        share = snippet_share(texts, row["must_have"], row["must_not_have"])
    url = row["url"] or ""
    rows = np.ascontiguousarray(block_features(measures, says_description(root)))
    for block in tree.blocks:
        block.element = None  # or the parsed page would be held too
    tree.element.clear()
    return Sample(site, corpus, row["lang"] == "zh", kind, url, measures, rows, says_article(root), share, gold)


def read(path: str) -> Iterator[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def site_of(url: str) -> str:
    """A rough registrable domain, enough to keep sites apart."""
    try:
        labels = (urlsplit(url).hostname or "").removeprefix("www.").split(".")
    except ValueError:
        return ""
    return ".".join(labels[-3:] if len(labels[-1]) == 2 and len(labels) > 2 and len(labels[-2]) <= 3 else labels[-2:])


def page_weights(sample: Sample) -> NDArray[np.float64]:
    """Weights of a page's blocks: by their tokens, damped; all pages together weigh the same, hand-made gold in Chinese
    more, snippets, which say nothing of most blocks, less."""
    weights = sample.measures.tokens.astype(np.float64) ** 0.7
    weights[np.isnan(sample.share)] = 0
    scale = 100.0 if sample.gold else 30.0
    if sample.chinese and sample.corpus != "silver-zh":
        scale *= 2
    return weights / max(weights.sum(), 1e-9) * scale


def fit(rows: NDArray[Any], labels: NDArray[Any], weights: NDArray[Any] | None, names: tuple[str, ...],
classes: tuple[str, ...],
        *, nets: int, units: int, alpha: float, epochs: int, batch: int,
        header: dict[str, Any]) -> NetModel:  # fmt: skip
    """The mean of several networks that differ by their seeds, as one wide network."""
    from sklearn.neural_network import MLPClassifier

    mean, scale = rows.mean(0), 1 / (rows.std(0) + 1e-3)
    inner = np.clip((rows - mean) * scale, -5, 5).astype(np.float32)
    fitted = []
    for seed in range(nets):
        net = MLPClassifier(
            (units,),
            alpha=alpha,
            max_iter=epochs,
            learning_rate_init=2e-3,
            batch_size=min(batch, len(rows)),
            random_state=seed,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            net.fit(inner, labels, sample_weight=None if weights is None else weights / weights.mean())
        fitted.append(net)
    return NetModel(
        names, classes, mean.astype(np.float32), scale.astype(np.float32),
        np.concatenate([net.coefs_[0] for net in fitted], axis=1).astype(np.float32),
        np.concatenate([net.intercepts_[0] for net in fitted]).astype(np.float32),
        (np.concatenate([net.coefs_[1] for net in fitted]) / nets).astype(np.float32),
        np.mean([net.intercepts_[1] for net in fitted], axis=0).astype(np.float32),
        header,
    )  # fmt: skip


def fit_body(train: list[Sample], header: dict[str, Any]) -> NetModel:
    """Targets are the shares of the blocks' tokens that the gold holds."""
    rows, targets, weights = [], [], []
    rng = np.random.default_rng(_SEED)
    for sample in train:
        if sample.share is None:
            continue
        weight = page_weights(sample)
        usable = np.flatnonzero(weight > 0)
        if len(usable) > _BLOCKS:
            # Very long pages would outvote all others in the time it takes to learn them.
            chosen = rng.choice(usable, _BLOCKS, replace=False)
            weight[chosen] *= weight[usable].sum() / weight[chosen].sum()
            usable = chosen
        rows.append(sample.rows[usable])
        targets.append(sample.share[usable])
        weights.append(weight[usable])
    table = np.concatenate(rows)
    mean, scale = table.mean(0), 1 / (table.std(0) + 1e-3)
    inner = np.clip((table - mean) * scale, -5, 5)
    learnt = fit_networks(inner, np.concatenate(targets), np.concatenate(weights).astype(np.float32), Recipe())
    return NetModel(FEATURES, ("body",), mean, scale, *learnt, header=header)


def out_of_fold(data: list[Sample]) -> list[NDArray[np.float32]]:
    """For each page the chances of its blocks by a model that has seen no page of its site."""
    from sklearn.model_selection import GroupKFold

    chances: list[NDArray[np.float32]] = [np.zeros(0, np.float32)] * len(data)
    for known, unseen in GroupKFold(_FOLDS).split(data, groups=[sample.site for sample in data]):
        model = fit_body([data[i] for i in known], {})
        for i in unseen:
            chances[i] = model.chance(data[i].rows)
    return chances


def type_row(sample: Sample, chance: NDArray[np.float32]) -> NDArray[np.float32]:
    return page_features(
        sample.measures, choose(sample.measures, chance, DEFAULT_RULES), chance, sample.url, sample.article
    )


def fit_type(train: list[Sample], rows: list[NDArray[np.float32]], header: dict[str, Any]) -> NetModel:
    """Networks and, as one more of them, a linear model, which is as good and errs on other pages."""
    from sklearn.linear_model import LogisticRegression

    labels = np.array([TYPES.index(sample.kind) for sample in train if sample.kind])
    # Picture pages are few; hub pages come mostly from a corpus whose topics are not like those of the others.
    weights = np.where(labels == TYPES.index("picture"), 4.0, 1.0)
    weights *= np.array([0.5 if sample.corpus == "hub_pages" else 1.0 for sample in train])
    table = np.concatenate(rows)
    nets = fit(table, labels, weights, TYPE_FEATURES, TYPES, nets=6, units=12, alpha=1.0,
               epochs=60, batch=128, header=header)  # fmt: skip
    inner = np.clip((table - nets.mean) * nets.scale, -5, 5)
    linear = LogisticRegression(C=0.03, max_iter=300).fit(inner, labels, sample_weight=weights / weights.mean())
    slopes = linear.coef_.T.astype(np.float32)
    # x = max(x, 0) - max(-x, 0)
    eye = np.eye(len(TYPES), dtype=np.float32)
    return replace(
        nets,
        hidden=np.concatenate([nets.hidden, slopes, -slopes], axis=1),
        hidden_bias=np.concatenate([nets.hidden_bias, np.zeros(2 * len(TYPES), np.float32)]),
        output=np.concatenate([nets.output, eye, -eye]) / 2,
        output_bias=(nets.output_bias + linear.intercept_.astype(np.float32)) / 2,
    )


def body_scores(data: list[Sample], chances: list[NDArray[np.float32]]) -> dict[str, str]:
    """Mean F1 and number of pages by group."""
    scores: dict[str, list[float]] = defaultdict(list)
    for sample, chance in zip(data, chances, strict=True):
        if sample.gold:
            kept = choose(sample.measures, chance, DEFAULT_RULES).kept
            text = "\n".join(block.text for block, keep in zip(sample.measures.tree.blocks, kept, strict=True) if keep)
            for name in groups_of(sample):
                scores[name].append(f1(sample.gold, tokens_of(text)))
    return {name: f"{np.mean(values):.3f} of {len(values)}" for name, values in sorted(scores.items())}


def type_scores(typed: list[Sample], rows: list[NDArray[np.float32]]) -> dict[str, str]:
    """Share of right types, the address left aside, and number of pages by group."""
    from sklearn.model_selection import GroupKFold

    right: dict[str, list[bool]] = defaultdict(list)
    for known, unseen in GroupKFold(_FOLDS).split(typed, groups=[sample.site for sample in typed]):
        model = fit_type([typed[i] for i in known], [rows[i] for i in known], {})
        for i in unseen:
            sample = typed[i]
            kind, _ = decide(model, rows[i], lambda: math.nan, DEFAULT_RULES)
            for name in ("all", sample.corpus, f"{'zh' if sample.chinese else 'other'} {sample.kind}"):
                right[name].append(kind == sample.kind)
    return {name: f"{np.mean(values):.3f} of {len(values)}" for name, values in sorted(right.items())}


def groups_of(sample: Sample) -> tuple[str, ...]:
    if sample.chinese:
        return "all", "zh", "zh silver" if sample.corpus == "silver-zh" else "zh gold"
    return "all", "other"


def f1(gold: list[str], found: list[str]) -> float:
    """F1 of the longest common subsequence, by bit-parallel counting."""
    if not found:
        return 0.0
    places: dict[str, int] = {}
    for i, token in enumerate(gold):
        places[token] = places.get(token, 0) | (1 << i)
    full = (1 << len(gold)) - 1
    open_places = full
    for token in found:
        hits = open_places & places.get(token, 0)
        open_places = ((open_places + hits) | (open_places - hits)) & full
    return 2 * (len(gold) - open_places.bit_count()) / (len(gold) + len(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("extraction")
    parser.add_argument("hub")
    parser.add_argument("--out", default="webprep_spider/data")
    args = parser.parse_args()
    data = list(samples(args.extraction, args.hub))
    print(f"{len(data)} pages, {sum(len(sample.rows) for sample in data)} blocks")
    record = {"seed": _SEED, "command": _COMMAND, "validation": f"{_FOLDS} folds by site"}
    chances = out_of_fold(data)
    scores = body_scores(data, chances)
    print("body F1", scores)
    pages = dict(Counter(sample.corpus for sample in data if sample.share is not None))
    fit_body(data, {**record, "data": pages, "scores": scores}).save(os.path.join(args.out, "clean-body.npz"))
    typed, rows = [], []
    for sample, chance in zip(data, chances, strict=True):
        if sample.kind:
            # A crawl always knows the address; what a page shows must count where it tells nothing.
            for url in dict.fromkeys((sample.url, sample.url or _ANY_URL)):
                typed.append(replace(sample, url=url))
                rows.append(type_row(typed[-1], chance))
    scores = type_scores(typed, rows)
    print("page type", scores)
    pages = dict(Counter(sample.corpus for sample in typed))
    fit_type(typed, rows, {**record, "data": pages, "scores": scores}).save(os.path.join(args.out, "clean-type.npz"))


if __name__ == "__main__":
    main()
