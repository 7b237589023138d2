"""What came out of grouping pages into stories: as text, as JSON, as one HTML page with a plot."""

from __future__ import annotations

import json
from collections import Counter
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webprep_spider.stories import Grouping

LARGEST = 20
"""Stories that a report shows in full."""


def report_dict(groupings: Mapping[str, Grouping]) -> dict[str, Any]:
    """Numbers of each way of grouping, by its name, and the largest stories of the first way."""
    ways = {
        name: {
            "pages": grouping.pages,
            "classes": grouping.classes,
            "stories": len(grouping.stories),
            "pages_moved_by_k_means": grouping.moved,
            "inertia": list(grouping.inertia),
            "stories_by_size": {str(size): count for size, count in sizes_of(grouping)},
        }
        for name, grouping in groupings.items()
    }
    first = next(iter(groupings.values()))
    return {"ways": ways, "largest": [story.to_dict() for story in first.stories[:LARGEST] if len(story.members) > 1]}


def sizes_of(grouping: Grouping) -> list[tuple[int, int]]:
    """Sizes of stories and how many have each, by size."""
    return sorted(Counter(len(story.members) for story in grouping.stories).items())


def report_json(groupings: Mapping[str, Grouping]) -> str:
    return json.dumps(report_dict(groupings), ensure_ascii=False, indent=2) + "\n"


def report_text(groupings: Mapping[str, Grouping]) -> str:
    lines = []
    for name, grouping in groupings.items():
        alone = dict(sizes_of(grouping)).get(1, 0)
        told = len(grouping.stories) - alone
        lines.append(f"{name}: {grouping.pages} pages, {told} stories of two pages and more, {alone} single pages")
        if grouping.inertia:
            steps = ", ".join(f"{value:.1f}" for value in grouping.inertia[:8])
            lines.append(f"  J by iteration: {steps}{' ...' if len(grouping.inertia) > 8 else ''}")
        if grouping.moved:
            lines.append(f"  {grouping.moved} pages were moved by k-means")
    first = next(iter(groupings.values()))
    for story in first.stories[:LARGEST]:
        if len(story.members) > 1:
            lines.append(f"{len(story.members):5}  {_shown(story.title) or '(no title)'}")
            lines += [f"       {_shown(member)}" for member in story.members[:5]]
            if len(story.members) > 5:
                lines.append(f"       and {len(story.members) - 5} more")
    return "\n".join(lines) + "\n"


def report_html(groupings: Mapping[str, Grouping]) -> str:
    """One page that needs nothing else: numbers, a plot of the sizes, the largest stories with their members."""
    parts = [_HEAD, "<h1>Stories</h1>"]
    for name, grouping in groupings.items():
        inertia = " &rarr; ".join(f"{value:.1f}" for value in grouping.inertia) or "&ndash;"
        parts += [
            f"<h2>{escape(name)}</h2>",
            f"<p>{grouping.pages} pages, {grouping.classes} classes, {len(grouping.stories)} stories,"
            f" {grouping.moved} pages moved by k-means. J by iteration: {inertia}</p>",
            _plot(sizes_of(grouping)),
        ]
    first = next(iter(groupings.values()))
    parts.append("<h2>Largest stories</h2>")
    for story in first.stories[:LARGEST]:
        if len(story.members) > 1:
            title = escape(story.title) or "(no title)"
            parts.append(f"<details><summary>{len(story.members)} &times; {title}</summary><ul>")
            parts += [f"<li>{_link(member)}</li>" for member in story.members]
            parts.append("</ul></details>")
    return "\n".join([*parts, "</body></html>", ""])


_HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Stories</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222 }
summary { cursor: pointer } li { overflow-wrap: anywhere } svg text { font-size: 11px; fill: #444 }
</style></head><body>"""


def _plot(sizes: Sequence[tuple[int, int]]) -> str:
    """Bars: how many stories there are of each size, on a logarithmic scale."""
    shown = sizes[:40]
    highest = max((count.bit_length() for _, count in shown), default=1)
    bars = []
    for place, (size, count) in enumerate(shown):
        x, height = 20 + 22 * place, round(110 * count.bit_length() / highest)
        bars.append(
            f'<rect x="{x}" y="{130 - height}" width="18" height="{height}" fill="#47a"><title>{count} of size {size}'
            f'</title></rect><text x="{x + 9}" y="{126 - height}" text-anchor="middle">{count}</text>'
            f'<text x="{x + 9}" y="144" text-anchor="middle">{size}</text>'
        )
    width = 40 + 22 * max(1, len(shown))
    return f'<svg width="{width}" height="160" role="img" aria-label="stories by size">{"".join(bars)}</svg>'


def _link(address: str) -> str:
    shown = escape(address)
    return f'<a href="{shown}">{shown}</a>' if address.startswith(("http://", "https://")) else shown


def _shown(text: str) -> str:
    """``text`` without the characters that steer a terminal."""
    return "".join(char if char.isprintable() else " " for char in text)
