"""The text of the body as it is emitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webprep_spider.page.addresses import Base
    from webprep_spider.page.tree import Block, TagTree

_NEXT = frozenset(
    (
        "下一页",
        "下页",
        "next page",
        "next",
        "后一页",
        "下一頁",
        "下頁",
        "下一页>",
        "下一页>>",
        "下一页»",
        "next »",
        "next>",
        "next page »",
        "older posts",
    )
)


def body_text(tree: TagTree) -> str:
    """Kept blocks in document order, one a line; the cells of one table row stand in one line, tabs between them."""
    parts: list[str] = []
    row = -1
    for block in tree.blocks:
        if not block.kept or not block.text:
            continue
        if block.tag in ("td", "th"):
            parent = tree.parent[block.node]
            parts.append("\t" if parent == row else "\n")
            row = parent
        else:
            parts.append("\n")
            row = -1
        parts.append(block.text)
    return "".join(parts[1:])


def next_part(blocks: Iterable[Block], base: Base) -> str:
    """Address that a "next page" link leads to if it is a further part of the same page: ``museum_2.html`` beside
    ``museum.html``, ``?page=3`` beside ``?page=2``. Empty where there is none."""
    for block in blocks:
        for anchor in block.links:
            if anchor.text.strip(" >»›[]()").lower() not in _NEXT:
                continue
            if (address := base.absolute(anchor.href)) and _same_but_number(base.url, address):
                return address
    return ""


def _same_but_number(one: str, other: str) -> bool:
    """Whether two addresses differ in a number, or in a short numbered suffix, only."""
    if one == other:
        return False
    head = 0
    shortest = min(len(one), len(other))
    while head < shortest and one[head] == other[head]:
        head += 1
    tail = 0
    while tail < shortest - head and one[-1 - tail] == other[-1 - tail]:
        tail += 1
    rest, more = one[head : len(one) - tail], other[head : len(other) - tail]
    numbered = more.strip("_-/?&.=pageindxPAG")
    return (
        len(more) <= 16
        and numbered.isdigit()
        and (not rest or rest.strip("_-/?&.=pageindxPAG").isdigit() or len(rest) < 6)
    )
