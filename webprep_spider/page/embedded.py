"""Bodies that a page holds where readers only see them after a script ran: JSON-LD, the data that the script draws the
page from, ``textarea``, ``noscript``."""

from __future__ import annotations

import re
from heapq import nlargest
from typing import TYPE_CHECKING, Any

from webprep_spider.page.parse import parse_text
from webprep_spider.page.scripts import data_of_programs, json_of, string_after, texts_of
from webprep_spider.page.walk import build_tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webprep_spider.page.tree import TagTree

_ENOUGH = 400
"""Characters of a body found in the open, from which on nothing else is looked at."""
_LEAST = 60
_SENTENCE_END = re.compile(r"[。！？]|[.!?](?=\s|$)", re.M)
_MOST = 500_000
_SENTENCES = 3  # in a string of a program, of which few are texts
_LONGEST = 8  # strings that are looked at
_WARNING = re.compile(r"javascript|\bcookies?\b", re.IGNORECASE)
_LONGEST_WARNING = 400


def better_body(root: Any, tree: TagTree) -> str | None:
    """A body held in a hidden place of the page if it is running text and clearly more than what the page shows of a
    body; None otherwise."""
    shown = sum(block.chars for block in tree.blocks if block.kept and block.reason != "links")
    if shown >= _ENOUGH:
        return None
    found = max((article_body(root), noscript_body(tree), textarea_body(root)), key=len)
    if not found and sum(block.chars for block in tree.blocks if not block.hidden) < _ENOUGH:
        # A page that shows anything else, such as a list, has the texts of many in its state.
        found = state_body(root) or program_body(root)
    if len(found) <= max(_LEAST, 2 * shown) or len(_SENTENCE_END.findall(found)) < 2:
        return None
    if len(found) < _LONGEST_WARNING and _WARNING.search(found):
        return None
    return found


def article_body(root: Any) -> str:
    """``articleBody`` of the page's JSON-LD."""
    for script in root.iter("script"):
        if "ld+json" not in (script.get("type") or "") or "articleBody" not in (text := script.text or ""):
            continue
        if found := _find(json_of(text)) or string_after("articleBody", text):
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
    """The text in the JSON that a script draws the page from, such as ``__NEXT_DATA__``."""
    scripts = (script.text for script in root.iter("script") if script.get("type") == "application/json")
    return _text_among(json_of(text) for text in scripts if text)


def program_body(root: Any) -> str:
    """The text that a program of the page writes into it."""
    found = _text_among(data_of_programs(root))
    return found if len(_SENTENCE_END.findall(found)) >= _SENTENCES else ""


def _text_among(records: Iterable[Any]) -> str:
    """Of the longest strings the one with most sentences, as text."""
    longest = nlargest(_LONGEST, (text for record in records for text in texts_of(record)), key=len)
    return max(map(text_of_markup, longest), key=lambda text: len(_SENTENCE_END.findall(text)), default="")


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
