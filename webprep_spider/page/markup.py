"""The body as clean HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from webprep_spider.page.addresses import Base, base_href
from webprep_spider.page.tags import HEADINGS, PREFORMATTED

if TYPE_CHECKING:
    from webprep_spider.page.clean import Cleaned
    from webprep_spider.page.parse import Page
    from webprep_spider.page.tree import Block

_CELLS = ("td", "th")


def body_html(page: Page, cleaned: Cleaned) -> str:
    """The kept blocks as paragraphs, headings, lists, tables and preformatted text, with links and pictures, addresses
    absolute. Nothing else of the page's markup is taken over: no script, style or class."""
    base = Base(page.url, base_href(page.root), page.encoding)
    parts: list[str] = []
    inside = ""
    row = None
    for block in cleaned.blocks:
        if not block.kept:
            continue
        group = "ul" if block.tag == "li" else "table" if block.tag in _CELLS else ""
        if group != inside:
            parts.append(_closing(inside) + (f"<{group}>" if group else ""))
            inside, row = group, None
        content = _content(block, base)
        if group == "ul":
            parts.append(f"<li>{content}</li>")
        elif group == "table":
            parent = block.element.getparent()
            if parent is not row:
                parts.append("<tr>" if row is None else "</tr><tr>")
                row = parent
            parts.append(f"<{block.tag}>{content}</{block.tag}>")
        else:
            tag = block.tag if block.tag in HEADINGS else "pre" if block.tag in PREFORMATTED else "p"
            parts.append(f"<{tag}>{content}</{tag}>")
    parts.append(_closing(inside))
    return "\n".join(part for part in parts if part)


def _closing(group: str) -> str:
    return {"ul": "</ul>", "table": "</tr></table>"}.get(group, "")


def _content(block: Block, base: Base) -> str:
    """The block's text with its links where their texts stand, then its pictures."""
    rest = block.text
    parts: list[str] = []
    for link in block.links:
        place = rest.find(link.text) if link.text else -1
        address = base.absolute(link.href)
        if place >= 0 and address:
            parts.append(_escaped(rest[:place], block))
            parts.append(f'<a href="{escape(address)}">{_escaped(link.text, block)}</a>')
            rest = rest[place + len(link.text) :]
    parts.append(_escaped(rest, block))
    parts += [f'<img src="{escape(address)}">' for source in block.images if (address := base.absolute(source))]
    return "".join(parts)


def _escaped(text: str, block: Block) -> str:
    text = escape(text)
    return text if block.tag in PREFORMATTED else text.replace("\n", "<br>")
