"""Related links (S4.M7): those of the body's own topic, not navigation, adverts or hot lists."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from webprep_spider.docview import Link
from webprep_spider.metadata.words import bigrams, fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webprep_spider.page.clean import Cleaned
    from webprep_spider.page.tree import Block
    from webprep_spider.rules import Rules

_RELATED = re.compile(
    r"相关|相關|关联|延伸|扩展阅读|拓展阅读|更多.{0,12}(?:关于|相关)|类似|同类|关键词阅读"
    r"|related|more on th|see also|read more on|also read|you (?:may|might) also|similar|more from this (?:story|topic)"
    r"|further reading",
    re.I,
)


@dataclass(slots=True)
class LinkGroup:
    """Links that stand together, as a list under one heading."""

    heading: str = ""
    blocks: list[Block] = field(default_factory=list)
    container: Any = None


def related_links(
    url: str, cleaned: Cleaned, title: str, keywords: Sequence[tuple[str, float]], rules: Rules
) -> list[Link]:
    """Links to pages on the topic of this one, best first; ``score`` in (0, 1]."""
    topic = bigrams("\n".join([title, *(word for word, _ in keywords)]))
    own = fold(title)
    found: dict[str, Link] = {}
    for group in link_groups(cleaned.blocks):
        worth = _worth(group.heading)
        if worth <= 0.0:
            continue
        for block in group.blocks:
            for anchor in block.links:
                target = _absolute(url, anchor.href)
                key = fold(anchor.text)
                if not target or len(key) < rules.anchor_chars or key == own or target in found:
                    continue
                score = min(1.0, worth + 0.4 * _likeness(anchor.text, topic))
                found[target] = Link(target, anchor.text, round(score, 4))
    best = sorted(found.values(), key=lambda link: -link.score)
    return best[: rules.max_related_links]


def link_groups(blocks: Sequence[Block]) -> list[LinkGroup]:
    groups: list[LinkGroup] = []
    heading: Block | None = None
    for block in blocks:
        if not block.links or block.link_chars * 2 < block.chars:
            if 0 < block.chars <= 40:
                heading = block
            elif block.chars:
                heading = None
            continue
        container = _container(block)
        if not groups or groups[-1].container is not container:
            groups.append(LinkGroup(container=container))
            own = _own_heading(block)
            groups[-1].heading = own or (heading.text if heading is not None else "")
        groups[-1].blocks.append(block)
    return groups


def _container(block: Block) -> Any:
    element = block.element
    while element.tag in ("li", "dd", "dt", "a", "span", "p", "h3", "h4") and element.getparent() is not None:
        element = element.getparent()
    return element


def _own_heading(block: Block) -> str:
    """Text of the block before its first link."""
    first = block.links[0].text
    place = block.text.find(first) if first else -1
    return block.text[:place].strip()[-40:] if place > 0 else ""


def _worth(heading: str) -> float:
    if _RELATED.search(heading):
        return 0.6
    return 0.0


def _likeness(text: str, topic: set[str]) -> float:
    pairs = bigrams(text)
    return len(pairs & topic) / len(pairs) if pairs else 0.0


def _absolute(url: str, href: str) -> str:
    try:
        target = urljoin(url, href.strip()).partition("#")[0]
        return target if urlsplit(target).scheme in ("http", "https") and target != url else ""
    except ValueError:
        return ""
