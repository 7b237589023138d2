"""The pictures of a page, and on picture pages the text around them (S4.C5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webprep_spider.page.tags import HINT_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from webprep_spider.page.choose import Choice
    from webprep_spider.page.measures import Measures
    from webprep_spider.page.tree import Block

_NEAR = 2  # blocks before the first and behind the last one of a body: its first and last picture, or their captions
ASIDE = sum(1 << HINT_NAMES.index(name) for name in ("nav", "foot", "head", "related", "advert", "share", "comment"))


def body_pictures(measures: Measures, choice: Choice) -> Iterator[Block]:
    """Blocks with the pictures of a body of text: those kept, and those without text between them or at its ends."""
    kept = np.flatnonzero(choice.kept)
    if not len(kept):
        return
    low, high = measures.tree.first[choice.node], measures.tree.last[choice.node]
    for place in range(max(0, kept[0] - _NEAR), min(len(measures.tree.blocks), kept[-1] + 1 + _NEAR)):
        block = measures.tree.blocks[place]
        if not block.images:
            continue
        inside = kept[0] <= place <= kept[-1] or not measures.all_hints[measures.node[place]] & ASIDE
        if block.kept or (not block.text and low <= place < high and inside):
            yield block


def picture_group(measures: Measures) -> tuple[NDArray[np.int64], int, int]:
    """The blocks that hold a picture page's pictures, and the range of blocks in which their captions stand.

    Pictures of one template belong together; the group with the most pictures wins, where pictures that lead elsewhere
    and those in parts that name themselves navigation or advertising count little.
    """
    tree = measures.tree
    with_images = np.flatnonzero(measures.image_count > 0)
    if not len(with_images):
        return with_images, 0, 0
    node = measures.node[with_images]
    aside = (measures.all_hints[node] & ASIDE) > 0
    worth = (
        measures.image_count[with_images]
        * np.where(aside, 0.1, 1.0)
        * np.where(measures.link_share[with_images] > 0.9, 0.3, 1.0)
    )
    shape = measures.shape[with_images]
    best = int(np.argmax(np.bincount(shape, worth)))
    group = with_images[shape == best]
    around = int(measures.node[group[0]])
    while around > 0 and not (tree.first[around] <= group[0] and tree.last[around] > group[-1]):
        around = tree.parent[around]
    if len(group) == 1 and tree.parent[around] >= 0:
        around = tree.parent[around]
    low = max(tree.first[around], int(group[0]) - _NEAR)
    return group, low, min(tree.last[around], int(group[-1]) + 1 + _NEAR)
