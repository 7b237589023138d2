"""How good a link scorer is: confusion cells, precision, recall, F1, accuracy, interval by site (S3.R1, S3.R4)."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from webprep_spider.hub.labelled import LabelledLink

LINK_DERIVED = ("breadcrumb", "rel=tag", "main menu", "headline in a list")
"""Evidence of rows whose label comes from their place as a link: their link text is part of how they were chosen."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """The four cells; hub is the positive class. Each share is 0 where there is nothing to divide by."""

    tp: int
    fp: int
    fn: int
    tn: int

    @classmethod
    def of(cls, truth: Iterable[bool], predicted: Iterable[bool]) -> Confusion:
        cells = [0, 0, 0, 0]
        for hub, said in zip(truth, predicted, strict=True):
            cells[(0 if said else 2) if hub else (1 if said else 3)] += 1
        return cls(*cells)

    def __add__(self, other: Confusion) -> Confusion:
        return Confusion(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn, self.tn + other.tn)

    @property
    def rows(self) -> int:
        return self.tp + self.fp + self.fn + self.tn

    @property
    def precision(self) -> float:
        return _share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        return _share(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float:
        return _share(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def accuracy(self) -> float:
        return _share(self.tp + self.tn, self.rows)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The cells of all rows, the 95% interval of F1 when sites are drawn anew, and the cells of each group of rows."""

    cells: Confusion
    sites: int
    interval: tuple[float, float]
    groups: Mapping[str, Confusion]


def evaluate(
    rows: Sequence[LabelledLink], predicted: Sequence[bool], *, draws: int = 1_000, seed: int = 1
) -> Evaluation:
    """Judge ``predicted`` (True = hub), one value a row.

    Rows of one site are alike, so the interval draws sites and not rows; and it is to be read together with the groups
    ``not link-derived`` and ``no link text``, because link text is known more often for hub pages.
    """
    by_site: defaultdict[str, Confusion] = defaultdict(lambda: Confusion(0, 0, 0, 0))
    for row, said in zip(rows, predicted, strict=True):
        by_site[row.site] += Confusion.of([row.hub], [said])
    return Evaluation(
        cells=Confusion.of((row.hub for row in rows), predicted),
        sites=len(by_site),
        interval=_interval(list(by_site.values()), draws, seed),
        groups=_groups(rows, predicted),
    )


def _interval(sites: Sequence[Confusion], draws: int, seed: int) -> tuple[float, float]:
    chance = random.Random(seed)
    scores = []
    for _ in range(draws):
        drawn = chance.choices(sites, k=len(sites))
        errors = sum(cells.fp + cells.fn for cells in drawn)
        hits = 2 * sum(cells.tp for cells in drawn)
        scores.append(_share(hits, hits + errors))
    scores.sort()
    return scores[int(0.025 * draws)], scores[min(draws - 1, int(0.975 * draws))]


def _groups(rows: Sequence[LabelledLink], predicted: Sequence[bool]) -> dict[str, Confusion]:
    names: dict[str, Callable[[LabelledLink], str | None]] = {
        "link text": lambda row: "with link text" if row.text else "without link text",
        "evidence": lambda row: None if any(mark in row.evidence for mark in LINK_DERIVED) else "not link-derived",
        "lang": lambda row: f"language {row.lang if row.lang in ('zh', 'en') else 'other'}" if row.lang else None,
        "category": lambda row: f"category {row.category}" if row.category else None,
    }
    groups: dict[str, Confusion] = {}
    for name_of in names.values():
        members = defaultdict(list)
        for row, said in zip(rows, predicted, strict=True):
            if name := name_of(row):
                members[name].append((row.hub, said))
        for name in sorted(members):
            groups[name] = Confusion.of(*zip(*members[name], strict=True))
    return groups


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
