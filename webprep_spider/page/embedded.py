"""Bodies that a page holds where readers only see them after a script ran: JSON-LD, the JSON that the script draws the
page from, ``textarea``, ``noscript``."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from webprep_spider.page.parse import parse_text
from webprep_spider.page.walk import build_tree

if TYPE_CHECKING:
    from webprep_spider.page.tree import TagTree

_ENOUGH = 400
"""Characters of a body found in the open, from which on nothing else is looked at."""
_LEAST = 60
_SENTENCE_END = re.compile(r"[。！？]|[.!?](?=\s|$)", re.M)
_MOST = 500_000


def better_body(root: Any, tree: TagTree) -> str | None:
    """A body held in a hidden place of the page if it is running text and clearly more than what the page shows of a
    body; None otherwise."""
    shown = sum(block.chars for block in tree.blocks if block.kept and block.reason != "links")
    if shown >= _ENOUGH:
        return None
    found = max((article_body(root), noscript_body(tree), textarea_body(root)), key=len)
    if not found and sum(block.chars for block in tree.blocks if not block.hidden) < _ENOUGH:
        found = state_body(root)  # a page that shows anything else, such as a list, has the texts of many in its state
    if len(found) <= max(_LEAST, 2 * shown) or len(_SENTENCE_END.findall(found)) < 2:
        return None
    return found


def article_body(root: Any) -> str:
    """``articleBody`` of the page's JSON-LD."""
    for script in root.iter("script"):
        if (
            "ld+json" in (script.get("type") or "")
            and (text := script.text)
            and "articleBody" in text
            and len(text) < _MOST
        ):
            try:
                found = _find(json.loads(text, strict=False))
            except (ValueError, RecursionError):
                continue
            if found:
                return text_of_markup(found)
    return ""


def _find(record: Any) -> str:
    queue = [record]
    while queue:
        value = queue.pop()
        if isinstance(value, dict):
            if isinstance(body := value.get("articleBody"), str):
                return body
            queue.extend(value.values())
        elif isinstance(value, list):
            queue.extend(value)
    return ""


def state_body(root: Any) -> str:
    """The longest text in the JSON that a script draws the page from, such as ``__NEXT_DATA__``: one string, or the
    strings of one list of paragraphs."""
    best = ""
    for script in root.iter("script"):
        if script.get("type") == "application/json" and (text := script.text) and _LEAST < len(text) < _MOST:
            try:
                best = max(best, _longest(json.loads(text, strict=False)), key=len)
            except (ValueError, RecursionError):
                continue
    return text_of_markup(best)


def _longest(record: Any) -> str:
    best, queue = "", [record]
    while queue:
        value = queue.pop()
        if isinstance(value, dict):
            value = list(value.values())
        elif isinstance(value, list):
            paragraphs = [_longest_string(entry) for entry in value]
            best = max(best, "\n".join(filter(None, paragraphs)), key=len)
        if isinstance(value, list):
            queue.extend(entry for entry in value if isinstance(entry, dict | list))
            best = max([best, *(entry for entry in value if isinstance(entry, str))], key=len)
    return best


def _longest_string(entry: Any) -> str:
    values = entry.values() if isinstance(entry, dict) else (entry,)
    return max((value for value in values if isinstance(value, str)), key=len, default="")


def noscript_body(tree: TagTree) -> str:
    """The longest text in a ``noscript``."""
    best = ""
    for node, tag in enumerate(tree.tag):
        if tag == "noscript":
            inside = [
                b for b in tree.blocks[tree.first[node] : tree.last[node]] if b.text and 2 * b.link_chars < b.chars
            ]
            text = "\n".join(block.text for block in inside)
            best = max(best, text, key=len)
    return best


def textarea_body(root: Any) -> str:
    """The longest text in a ``textarea``, which often holds markup."""
    texts = [text for area in root.iter("textarea") if (text := area.text) and _LEAST < len(text) < _MOST]
    return text_of_markup(max(texts, key=len)) if texts else ""


def text_of_markup(text: str) -> str:
    """The text of a piece of markup, or the text itself, paragraphs joined by line ends."""
    if "<" not in text:
        return "\n".join(line for part in text.splitlines() if (line := part.strip()))
    blocks = build_tree(parse_text(text)[0]).blocks
    return "\n".join(b.text for b in blocks if b.text and not b.hidden and 2 * b.link_chars <= b.chars)
