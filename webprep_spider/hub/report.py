"""What a training run found: one JSON file and three pictures (S3.M4, S3.M5, S3.R4)."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from webprep_spider.hub.search import C_RANGE, GAMMA_RANGE, Samples, cross_accuracy, draw_sites

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from webprep_spider.hub.evaluation import Confusion
    from webprep_spider.hub.search import GridPoint

CURVE_SIZES = (1_000, 2_000, 3_000)
"""Training sizes of the published curve: about 80%, 91% and 91% accuracy (S3.M5)."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Cross-validated accuracy at one training size, for each draw of sites."""

    rows: int
    accuracies: tuple[float, ...]

    @property
    def mean(self) -> float:
        return sum(self.accuracies) / len(self.accuracies)


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """The grid (best point first), the learning curve and the confusion cells of the cross-validation."""

    rows: int
    sites: int
    c: float
    gamma: float
    cells: Confusion
    grid: Sequence[GridPoint] = field(default_factory=tuple)
    curve: Sequence[CurvePoint] = field(default_factory=tuple)

    def to_dict(self) -> dict[str, Any]:
        shares = {name: getattr(self.cells, name) for name in ("precision", "recall", "f1", "accuracy")}
        curve = [{**asdict(point), "mean": point.mean} for point in self.curve]
        return {**asdict(self), "cells": asdict(self.cells) | shares, "curve": curve}

    def write(self, folder: Path) -> list[Path]:
        """Write ``report.json`` and, where matplotlib is installed, the pictures; returns what was written."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "report.json"
        path.write_text(json.dumps(self.to_dict(), indent=1) + "\n", encoding="utf-8")
        return [path, *self._draw(folder)]

    def _draw(self, folder: Path) -> list[Path]:
        try:
            from matplotlib.figure import Figure
        except ImportError:
            return []
        written = []
        for name, draw in (("grid", _draw_grid), ("curve", _draw_curve), ("confusion", _draw_confusion)):
            figure = Figure(figsize=(6, 4.5), layout="constrained")
            if draw(figure.subplots(), self):
                written.append(folder / f"{name}.png")
                figure.savefig(written[-1], dpi=120)
        return written


def learning_curve(
    samples: Samples,
    c: float,
    gamma: float,
    *,
    sizes: Sequence[int] = CURVE_SIZES,
    draws: int = 3,
    seed: int = 0,
    progress: Callable[[str], object] = lambda step: None,
) -> list[CurvePoint]:
    """Ten-fold accuracy by site at each size that the rows allow, on ``draws`` draws of whole sites."""
    points = []
    for size in sizes:
        if size > len(samples):
            continue
        found = []
        for draw in range(draws):
            progress(f"learning curve, {size} rows, draw {draw + 1} of {draws}")
            drawn = samples[draw_sites(samples.sites, size, seed + draw)]
            found.append(cross_accuracy(drawn, c, gamma, seed=seed))
        points.append(CurvePoint(size, tuple(found)))
    return points


def _draw_grid(axes: Any, report: TrainingReport) -> bool:
    if not report.grid:
        return False
    points = axes.scatter(
        [point.log2_gamma for point in report.grid],
        [point.log2_c for point in report.grid],
        c=[point.accuracy for point in report.grid],
        s=90,
        marker="s",
        cmap="viridis",
    )
    best = report.grid[0]
    axes.plot(best.log2_gamma, best.log2_c, "r*", markersize=16)
    axes.set(xlabel="log2 gamma", ylabel="log2 C", xlim=(GAMMA_RANGE[0] - 1, GAMMA_RANGE[1] + 1))
    axes.set_ylim(C_RANGE[0] - 1, C_RANGE[1] + 1)
    axes.set_title(f"accuracy by site, best {best.accuracy:.4f}")
    axes.figure.colorbar(points)
    return True


def _draw_curve(axes: Any, report: TrainingReport) -> bool:
    if not report.curve:
        return False
    for point in report.curve:
        axes.plot([point.rows] * len(point.accuracies), point.accuracies, "k.", alpha=0.4)
    axes.plot([point.rows for point in report.curve], [point.mean for point in report.curve], "o-")
    axes.set(xlabel="training rows", ylabel="accuracy, 10 folds by site", title="learning curve")
    return True


def _draw_confusion(axes: Any, report: TrainingReport) -> bool:
    cells = report.cells
    table = [[cells.tp, cells.fn], [cells.fp, cells.tn]]
    axes.imshow(table, cmap="Blues")
    for row, counts in enumerate(table):
        for column, count in enumerate(counts):
            axes.text(column, row, str(count), ha="center", va="center", fontsize=14)
    axes.set_xticks([0, 1], ["said hub", "said topic"])
    axes.set_yticks([0, 1], ["is hub", "is topic"])
    axes.set_title(f"F1 {cells.f1:.4f}, accuracy {cells.accuracy:.4f}")
    return True
