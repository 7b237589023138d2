"""The visible text of a piece of a page: white space folded, invisible characters removed."""

from __future__ import annotations

import re

LINE = "\x00"
"""Stands for a line break of the page; cannot stand in the text of a parsed page."""

# Arabic and Indic letters, symbols and emoji, which joiners and variation selectors behind them spell differently.
_JOINED = (
    "\u0600-\u06ff\u0750-\u077f\u0870-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u18af\u20e3\u2190-\u2bff\ua840-\ua87f"
    "\ufb50-\ufdff\ufe0f\ufe70-\ufefc\U0001f000-\U0001faff"
)
_INVISIBLE = re.compile(
    "[\x01-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0e\ufeff]+"
    f"|(?<![{_JOINED}])[\u200c\u200d\ufe0f]"
)


def one_line(text: str) -> str:
    """The text in one line."""
    if text.isprintable() and "  " not in text:
        return text.strip(" ")
    text = " ".join(text.split())
    return text if text.isprintable() else " ".join(_INVISIBLE.sub("", text).split())


def fold(raw: str, *, preformatted: bool) -> str:
    """The text with the lines that :data:`LINE` ends; all white space of preformatted text stays."""
    if preformatted:
        text = "" if raw.isspace() else raw.replace("\r\n", "\n").replace(LINE, "\n").strip("\r\n")
        return text if text.isprintable() else _INVISIBLE.sub("", text)
    if LINE in raw:
        return "\n".join(line for part in raw.split(LINE) if (line := one_line(part)))
    return one_line(raw)


def visible_chars(text: str) -> int:
    """Characters of folded text that are not white space."""
    return len(text) - text.count(" ") - text.count("\n")
