"""Cleaning: which blocks of a page are its body (S4.B, S4.C)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from webprep_spider.hub.model import HubModel
from webprep_spider.net import NetModel
from webprep_spider.page import embedded
from webprep_spider.page.addresses import Base, base_href, page_images, page_links
from webprep_spider.page.body import body_text, next_part
from webprep_spider.page.choose import choose
from webprep_spider.page.comments import with_replies, without_comments
from webprep_spider.page.described import says_description
from webprep_spider.page.extras import without_advertising, without_extras
from webprep_spider.page.features import FEATURES, block_features
from webprep_spider.page.inserts import with_inserts
from webprep_spider.page.mark import mark
from webprep_spider.page.measures import Measures
from webprep_spider.page.pagetype import TYPE_FEATURES, decide, page_features, says_article
from webprep_spider.page.pictures import body_pictures, picture_group
from webprep_spider.page.teasers import without_teasers
from webprep_spider.page.walk import build_tree
from webprep_spider.page.weights import weigh
from webprep_spider.rules import DEFAULT_RULES, Rules

if TYPE_CHECKING:
    from webprep_spider.docview import Link, PageType
    from webprep_spider.page.parse import Page
    from webprep_spider.page.site_rules import SiteRule
    from webprep_spider.page.tree import Block

Reason: TypeAlias = Literal[
    "body",  # kept: text of the body
    "links",  # kept: a group of links on a hub page; dropped: a group of links on any other page
    "caption",  # kept: text around the pictures of a picture page
    "rule",  # kept or dropped by the rule for the site
    "hidden",  # dropped: not shown
    "empty",  # dropped: no text
    "outside",  # dropped: not in the container of the body
    "noise",  # dropped: in the container of the body, but not of it
    "replaced",  # dropped: the body was found in JSON-LD, noscript or textarea instead
]
REASONS: tuple[str, ...] = get_args(Reason)
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
    title: str = ""
    """The title that a rule for the site found; empty without such a rule."""
    lead: float = math.inf
    """How clearly the page shows whether it is a hub page, in log odds, its address left aside."""

    @property
    def kept(self) -> list[Block]:
        return [block for block in self.blocks if block.kept]


def clean(page: Page, rules: Rules = DEFAULT_RULES, *, site_rule: SiteRule | None = None) -> Cleaned:
    """Find the body of a page from the page alone (S4.P4). The page's tree is not changed.

    Topic page: the text of the blocks that make its body. Hub page: that and its groups of links, one block a line.
    Picture page: the text around its pictures. A page without text has an empty body; no page raises.

    :param site_rule: the rule for the page's site, whose selectors go before the general way.
    """
    tree = build_tree(page.root, rules)
    blocks = tree.blocks
    flags = [*page.flags, *tree.flags]
    base = Base(page.url, base_href(page.root), page.encoding)
    if not blocks:
        links = page_links(blocks, page.root, base, rules.max_links)
        body = embedded.better_body(page.root, tree) or ""
        flags += [] if body else ["no_body"]
        return Cleaned("topic", body, links=links, flags=flags, lead=0.0)
    weigh(tree, rules)
    measures = Measures(tree, page.root.findtext(".//title") or "")
    chance = body_model().chance(block_features(measures, says_description(page.root)))
    choice = choose(measures, chance, rules)
    article = says_article(page.root)
    row = page_features(measures, choice, chance, page.url, article)
    kind, lead = decide(type_model(), row, lambda: float(address_model().decision([(page.url, "")])[0]), rules)
    choice = with_replies(measures, with_inserts(measures, choice), page.url)
    if kind == "topic":
        choice = without_teasers(measures, choice, article)
    choice = without_comments(measures, choice, chance, page.url)
    choice = without_advertising(measures, without_extras(measures, choice), chance)
    mark(measures, choice, kind, rules)
    if site_rule is not None:
        site_rule.apply(page.root, tree)
    body = body_text(tree)
    if (better := embedded.better_body(page.root, tree)) is not None:
        body, kind, lead = better, "topic", math.inf
        for block in blocks:
            if block.kept:
                block.kept, block.reason = False, "replaced"
    if kind == "picture":
        pictured = [blocks[i] for i in picture_group(measures)[0]]
        images = page_images(pictured, base, largest_first=True)
    else:
        images = page_images(body_pictures(measures, choice), base)
    links = page_links(blocks, page.root, base, rules.max_links)
    if len(links) == rules.max_links:
        flags.append("truncated_links")
    if not body and kind != "picture":
        flags.append("no_body")
    title = site_rule.title_of(page.root) if site_rule is not None else ""
    return Cleaned(kind, body, blocks, links, images, flags, next_part(blocks, base), title, lead)


@cache
def body_model() -> NetModel:
    """The shipped model of a block's chance of being body text."""
    return NetModel.load(_DATA / "clean-body.npz", FEATURES)


@cache
def address_model() -> HubModel:
    """The shipped model that tells hub pages by their addresses."""
    return HubModel.load()


@cache
def type_model() -> NetModel:
    """The shipped model of a page's type."""
    return NetModel.load(_DATA / "clean-type.npz", TYPE_FEATURES)
