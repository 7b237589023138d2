"""Labelled links: the rows that models are trained and judged on."""

from __future__ import annotations

import gzip
import json
import lzma
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from webprep_spider.hub.address import registered_domain, split_address

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LABELS = {"hub": True, "1": True, "true": True, "topic": False, "0": False, "false": False}


@dataclass(frozen=True, slots=True)
class LabelledLink:
    """One row: a link and whether it leads to a hub page.

    ``site`` groups rows that must not be divided between training and test; ``evidence`` says how the label is known.
    """

    url: str
    text: str
    hub: bool
    site: str
    lang: str = ""
    category: str = ""
    split: str = ""
    evidence: str = ""


def read_labelled(path: str | Path) -> list[LabelledLink]:
    """The rows of a JSON lines file, plain or packed (``.xz``, ``.gz``).

    Each line is an object with ``url`` and ``label`` (``hub`` or ``topic``, 1 or 0), and optionally ``anchor_text`` or
    ``link_text``, ``site`` (else the registered domain), ``lang``, ``category``, ``split`` and ``evidence``.

    :raises ValueError: naming the file, the line and what is wrong with it.
    :raises OSError: if the file cannot be read.
    """
    rows = []
    with open_text(path) as file:
        for number, line in enumerate(_lines(file, path), start=1):
            if not line.strip():
                continue
            try:
                rows.append(_row(line))
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None
    if not rows:
        raise ValueError(f"{path}: no rows")
    return rows


def open_text(path: str | Path) -> IO[str]:
    """Open a UTF-8 file for reading, unpacking ``.xz`` and ``.gz`` by their names."""
    name = str(path)
    if name.endswith(".xz"):
        return lzma.open(name, "rt", encoding="utf-8")
    if name.endswith(".gz"):
        return gzip.open(name, "rt", encoding="utf-8")
    return open(name, encoding="utf-8")


def _lines(file: IO[str], path: str | Path) -> Iterator[str]:
    try:
        yield from file
    except (lzma.LZMAError, EOFError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not a readable text file: {error}") from None


def _row(line: str) -> LabelledLink:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg}") from None
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    url = row.get("url")
    address = split_address(url) if isinstance(url, str) else None
    if address is None or not isinstance(url, str):
        raise ValueError(f"url is {url!r}, not an http(s) address")
    hub = _LABELS.get(str(row.get("label")).lower())
    if hub is None:
        raise ValueError(f"label is {row.get('label')!r}, not hub or topic")

    def text(*names: str) -> str:
        return next((str(row[name]) for name in names if row.get(name)), "")

    return LabelledLink(
        url=url,
        text=text("anchor_text", "link_text"),
        hub=hub,
        site=text("site") or registered_domain(address.host),
        lang=text("lang"),
        category=text("category"),
        split=text("split"),
        evidence=text("evidence"),
    )
