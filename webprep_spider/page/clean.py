"""Cleaning: which blocks of a page are its body (S4.B, S4.C)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from webprep_spider.page import embedded
from webprep_spider.page.addresses import Base, page_images, page_links
from webprep_spider.page.body import body_text, next_part
from webprep_spider.page.choose import choose
from webprep_spider.page.features import FEATURES, Measures, block_features
from webprep_spider.page.model import TreesModel
from webprep_spider.page.pagetype import page_type
from webprep_spider.page.tree import build_tree
from webprep_spider.page.weights import weigh
from webprep_spider.rules import DEFAULT_RULES, Rules

if TYPE_CHECKING:
    from webprep_spider.docview import Link, PageType
    from webprep_spider.page.parse import Page
    from webprep_spider.page.tree import Block

Reason: TypeAlias = Literal[
    "body",  # kept: the model takes it for body text
    "links",  # kept: a group of links on a hub page; dropped: mostly links on a page of another type
    "caption",  # kept: text around the pictures of a picture page
    "embedded",  # kept: text that the page holds in noscript, textarea or JSON-LD only
    "rule",  # kept or dropped by a rule given for the site
    "hidden",  # dropped: not shown
    "empty",  # dropped: no text
    "outside",  # dropped: not in the container of the body
    "noise",  # dropped: in the container of the body, but not of it
]
REASONS = get_args(Reason)
"""The closed list of ``Block.reason``."""

_DATA = Path(__file__).parent.parent / "data"


@dataclass(slots=True)
class Cleaned:
    """A page after cleaning."""

    type: PageType
    body: str
    """The kept text, paragraphs joined by line ends."""
    blocks: list[Block] = field(default_factory=list)
    """All leaves of the page in document order, each with its verdict."""
    links: list[Link] = field(default_factory=list)
    """All links of the page: absolute, http(s) only, without fragment, first text that is not empty, no duplicates."""
    images: list[str] = field(default_factory=list)
    """Absolute addresses of the images of the body, on picture pages the largest first."""
    flags: list[str] = field(default_factory=list)
    next_part: str = ""
    """Address of the next part of a body that goes on on another page; also among ``links``."""

    @property
    def kept(self) -> list[Block]:
        return [block for block in self.blocks if block.kept]


def clean(page: Page, rules: Rules = DEFAULT_RULES) -> Cleaned:
    """Find the body of a page from the page alone (S4.P4). The page's tree is not changed.

    Topic page: the text of the blocks that make its body. Hub page: its groups of links, one link a line. Picture page:
    the text around its pictures. A page without text has an empty body; no page raises.
    """
    tree = build_tree(page.root, rules)
    blocks = tree.blocks
    base = Base(page.url, base_href(page.root))
    flags = [*page.flags, *tree.flags]
    if not blocks:
        text = embedded.article_body(page.root)
        return Cleaned("topic", text, flags=flags)
    weigh(tree, rules)
    measures = Measures(tree)
    title = page.root.findtext(".//title") or ""
    chance = body_model().chance(block_features(measures, title))
    choice = choose(measures, chance, rules)
    kind = page_type(measures, choice, page.url, rules)
    mark(measures, choice, kind, rules)
    body = body_text(tree)
    replacement = embedded.better_body(page.root, tree, body)
    if replacement is not None:
        body = replacement
        kind = "topic"
    images = page_images((block for block in blocks if block.kept), base)
    links = page_links(blocks, base, rules.max_links)
    if sum(len(block.links) for block in blocks) > rules.max_links:
        flags.append("truncated_links")
    return Cleaned(kind, body, blocks, links, images, flags, next_part(blocks, base))


@cache
def body_model() -> TreesModel:
    """The shipped model of a block's chance of being body text."""
    return TreesModel.load(_DATA / "clean-body.npz", FEATURES)


def base_href(root: Any) -> str | None:
    base = root.find(".//base[@href]")
    return None if base is None else base.get("href")


def mark(measures: Measures, choice: Any, kind: PageType, rules: Rules) -> None:
    """Write the verdict into the blocks."""
    tree = measures.tree
    low, high = tree.first[choice.node], tree.last[choice.node]
    hub = kind == "hub"
    for block, kept, link_share, tokens in zip(
        tree.blocks, choice.kept.tolist(), measures.link_share.tolist(), measures.tokens.tolist(), strict=True
    ):
        block.kind = block_kind(block, link_share, tokens, rules)
        if kept:
            block.kept, block.reason = True, "body"
        elif not block.text:
            block.reason = "empty"
        elif block.hidden:
            block.reason = "hidden"
        elif hub and block.kind == "hub" and mean_anchor(block) >= rules.hub_anchor_chars:
            block.kept, block.reason = True, "links"
        elif block.kind == "hub":
            block.reason = "links"
        else:
            block.reason = "noise" if low <= block.order < high else "outside"


def block_kind(block: Block, link_share: float, tokens: float, rules: Rules) -> Any:
    """Type of a block from its terms, images and anchor terms (S4.B1-B3)."""
    if not block.text:
        return "picture" if block.images else "empty"
    if block.images and tokens / len(block.images) < rules.terms_per_image:
        return "picture"
    return "hub" if link_share > rules.link_share else "topic"


def mean_anchor(block: Block) -> float:
    return block.link_chars / len(block.links) if block.links else 0.0


def total_kept(kept: Any, measures: Measures) -> float:
    return float(np.sum(measures.tokens[kept]))
