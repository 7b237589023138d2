"""A fetched page as the core sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Page:
    """One page: an address and a parsed tree. The tree belongs to the caller (often ``response.selector.root``)
    and is never changed."""

    url: str
    root: Any
    """The lxml element of the document."""
    encoding: str = "utf-8"
    encoding_source: str = "text"
    """``bom``, ``header``, ``meta``, ``detection``, ``repair`` or ``text`` (the caller gave text)."""
    flags: list[str] = field(default_factory=list)
