"""The verdict on each block, given the type of its page (S4.C3-C5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webprep_spider.page.pictures import ASIDE, picture_group
from webprep_spider.page.tags import HEADINGS, HINT_NAMES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webprep_spider.docview import PageType
    from webprep_spider.page.choose import Choice
    from webprep_spider.page.measures import Measures
    from webprep_spider.page.tree import Block, BlockKind
    from webprep_spider.rules import Rules

_FRAME = sum(1 << HINT_NAMES.index(name) for name in ("nav", "foot", "advert", "share"))
_LEAST_LISTED = 0.2


def mark(measures: Measures, choice: Choice, kind: PageType, rules: Rules) -> None:
    """Write type, verdict and reason into the blocks."""
    tree = measures.tree
    low, high = tree.first[choice.node], tree.last[choice.node]
    caption_low = caption_high = 0
    if kind == "picture":
        _, caption_low, caption_high = picture_group(measures)
    listed = listed_blocks(measures, choice, rules) if kind == "hub" else np.zeros(len(tree.blocks), bool)
    rows = zip(
        tree.blocks,
        (choice.kept & (kind != "hub") | listed).tolist(),
        choice.barred.tolist(),
        measures.link_share.tolist(),
        measures.tokens.tolist(),
        strict=True,
    )
    for block, kept, barred, link_share, tokens in rows:
        block.kind = block_kind(block, link_share, tokens, rules)
        links = block.kind == "hub"
        if kept and block.tag != "textarea":
            block.kept, block.reason = True, "links" if links and kind == "hub" else "body"
        elif not block.text:
            block.reason = "empty"
        elif block.hidden:
            block.reason = "hidden"
        elif links:
            block.reason = "links"
        elif caption_low <= block.order < caption_high and not (barred or tree.all_hints[block.node] & ASIDE):
            block.kept, block.reason = True, "caption"
        else:
            block.reason = "noise" if low <= block.order < high else "outside"


def listed_blocks(measures: Measures, choice: Choice, rules: Rules) -> NDArray[np.bool_]:
    """Which blocks of a hub page belong to what it lists: those of templates whose link texts are long, the headings
    between them, and the text that would be the body of a topic page.

    Menus, footers and advertising are left out where names tell them, unless hardly a link would remain; where
    all link texts are short, all links that stand in none of those are the list.
    """
    tree = measures.tree
    shown = (measures.tokens > 0) & (measures.hidden == 0) & ~choice.barred
    links = measures.link_count * shown
    shape = measures.shape
    link_chars = measures.link_share * measures.chars
    held = np.bincount(shape, links)
    long = np.bincount(shape, link_chars * shown)[shape] >= rules.hub_anchor_chars * held[shape]
    frame = (measures.all_hints[measures.node] & _FRAME) > 0
    if float((link_chars * shown)[~frame].sum()) < _LEAST_LISTED * float((link_chars * shown).sum()):
        frame[:] = False
    open_links = shown & ~frame & (links > 0)
    items = open_links & long
    if not items.any():
        items = open_links if open_links.any() else shown & (links > 0)
    headings = np.array([block.tag in HEADINGS for block in tree.blocks])
    text = choice.kept & (measures.link_share <= rules.link_share)
    return np.asarray(items | text | (shown & headings & ~frame))


def block_kind(block: Block, link_share: float, tokens: float, rules: Rules) -> BlockKind:
    """Type of a block from its terms, images and anchor terms (S4.B1-B3)."""
    if block.images and tokens < rules.terms_per_image * len(block.images):
        return "picture"
    if not block.text:
        return "empty"
    return "hub" if link_share > rules.link_share else "topic"
