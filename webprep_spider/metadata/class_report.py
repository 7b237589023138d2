"""The confusion matrix of a classifier as a picture. Needs matplotlib (extra ``report``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webprep_spider.metadata.class_training import ClassScores

CHINESE_FONTS = (
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "WenQuanYi Micro Hei",
    "Microsoft YaHei",
    "SimHei",
    "PingFang SC",
)


def draw_confusion(scores: ClassScores, labels: Sequence[str], path: str) -> None:
    """Write a PNG: true classes down, best classes across.

    :raises ImportError: without matplotlib. :raises OSError: if the file cannot be written.
    """
    from matplotlib import font_manager
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    installed = {font.name for font in font_manager.fontManager.ttflist}
    font = next((name for name in CHINESE_FONTS if name in installed), None)
    names = [label if font or label.isascii() else f"class {place}" for place, label in enumerate(labels, 1)]
    size = 2.0 + 0.5 * len(labels)
    figure = Figure(figsize=(size, size), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.imshow(scores.confusion, cmap="Blues")
    axes.set_xticks(range(len(names)), names, rotation=90, fontfamily=font)
    axes.set_yticks(range(len(names)), names, fontfamily=font)
    axes.set_xlabel("best class")
    axes.set_ylabel("true class")
    axes.set_title(f"accuracy {scores.accuracy:.3f}, macro F1 {scores.macro_f1:.3f}")
    most = max((n for row in scores.confusion for n in row), default=0)
    for row, counts in enumerate(scores.confusion):
        for column, n in enumerate(counts):
            if n:
                axes.text(column, row, str(n), ha="center", va="center", color="white" if n * 2 > most else "black")
    figure.savefig(path, dpi=110, format="png")
