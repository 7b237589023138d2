"""Fingerprints of a cleaned page: SHA-1 of its normalised clauses, sentences or blocks, sampled (S0.F)."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from hashlib import sha1
from importlib.resources import files
from math import inf, log
from typing import TYPE_CHECKING

from webprep_spider.rules import DEFAULT_RULES, Rules

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from webprep_spider.page.clean import Cleaned
    from webprep_spider.page.tree import Block

_NOT_WORD = re.compile(r"[\W_]+")
# Both work on NFKC text, where full-width and half-width marks are one. A full stop ends a sentence before white space
# and beside Chinese characters, which have none; a comma or colon between digits ends no clause.
_SENTENCE_END = re.compile(r"(?<=[。!?;])|(?<=\.)(?=[\s\u0080-\U0010ffff])|(?<=[\u0080-\U0010ffff]\.)|\s*\n\s*")
_CLAUSE_END = re.compile(_SENTENCE_END.pattern + r"|(?<=[,:])(?!\d)")
_CODE_MARKS = re.compile(r"[{}()\[\];=<>|\\/$#*&@_]")
_INVISIBLE = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_LISTINGS = frozenset({"pre", "code", "samp", "kbd"})


@dataclass(frozen=True, slots=True)
class _Unit:
    """A piece of text that can be fingerprinted."""

    text: str
    """As it is hashed."""
    importance: float
    weight: float


def form_of(rules: Rules = DEFAULT_RULES) -> str:
    """The tag of the fingerprints that ``rules`` ask for; a store holds fingerprints of one form only (S0.F5)."""
    normal = {"folded": "folded1", "visible": "visible1"}[rules.normalisation]
    return "-".join(
        (
            normal,
            rules.unit,
            rules.order,
            f"m{rules.sketch_size}",
            f"min{rules.min_unit_chars}",
            f"exact{rules.exact_below}",
            f"listing{rules.listing_weight:g}",
        )
    )


def normalise(text: str, rules: Rules = DEFAULT_RULES) -> str:
    """``text`` as it is hashed; normalising twice changes nothing.

    ``folded``: NFKC, case folded, traditional Chinese characters in their simplified form, and only letters and
    digits kept, so that width, spacing, quotes, invisible characters and script do not count. ``visible``: NFKC
    without invisible characters and white space (S0.F5), nothing else.
    """
    text = unicodedata.normalize("NFKC", text)
    if rules.normalisation == "visible":
        return "".join(char for char in text if unicodedata.category(char) not in _INVISIBLE and not _selector(char))
    folded = _NOT_WORD.sub("", text).casefold().translate(_simplified())
    return _NOT_WORD.sub("", unicodedata.normalize("NFKC", folded))


def _selector(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


@cache
def _simplified() -> dict[int, str]:
    table = files("webprep_spider").joinpath("data", "traditional-simplified.txt").read_text(encoding="utf-8")
    return {ord(line[0]): line[1] for line in table.splitlines() if line and line[0] != "#"}


def sketch(cleaned: Cleaned, rules: Rules = DEFAULT_RULES) -> tuple[str, ...]:
    """The fingerprints of a cleaned page: at most ``rules.sketch_size`` hexadecimal SHA-1 values, best first.

    Empty for a page without text; such a page is nobody's replica. A text shorter than ``rules.exact_below``, and the
    links of a hub page, have one fingerprint, of all of it and of the names of the images: they equal only themselves.
    """
    if rules.unit == "block":
        units = list(_blocks(cleaned, rules))
    else:
        listings = {line.strip() for block in cleaned.kept if block.tag in _LISTINGS for line in block.text.split("\n")}
        units = list(_units(cleaned.body, listings, rules))
    # The text of a hub page is its links: two lists with common entries are not one, and tomorrow both have moved on.
    return _choose(units, cleaned.images, rules, whole=cleaned.type == "hub")


def fingerprints(blocks: Iterable[str], title: str = "", rules: Rules = DEFAULT_RULES) -> tuple[str, ...]:
    """The fingerprints of a page given as the texts of its blocks; the title, when given, is one of them (S0.F2).

    The same form as :func:`sketch`; where the order is by importance, a block's importance is its length and the
    title comes first (S0.F6).
    """
    units = [_Unit(text, inf, 1.0)] if (text := normalise(title, rules)) else []
    for block in blocks:
        units += _units(block, (), rules)
    return _choose(units, (), rules)


def _blocks(cleaned: Cleaned, rules: Rules) -> Iterator[_Unit]:
    title = next((block for block in cleaned.kept if block.tag == "h1"), None)
    for block in cleaned.kept:
        if text := normalise(block.text, rules):
            yield _Unit(text, _importance(block, title), _weight(block.text, block.tag in _LISTINGS, rules))


def _units(text: str, listings: Container[str], rules: Rules) -> Iterator[_Unit]:
    """The units of a text; ``listings`` are the lines of it that are program text."""
    if rules.unit == "block":
        if whole := normalise(text, rules):
            yield _Unit(whole, len(text), _weight(text, False, rules))
        return
    end = _CLAUSE_END if rules.unit == "clause" else _SENTENCE_END
    for line in text.split("\n"):
        listing = line.strip() in listings
        for part in end.split(unicodedata.normalize("NFKC", line)):
            if part and (unit := normalise(part, rules)):
                yield _Unit(unit, len(text), _weight(part, listing, rules))


def _importance(block: Block, title: Block | None) -> float:
    """Of a block: its weight times its text outside links; the title comes first (S0.F6)."""
    return inf if block is title else block.weight * (block.chars - block.link_chars)


def _weight(part: str, listing: bool, rules: Rules) -> float:
    """How readily a unit is sampled. Program text says little about a page: every translation and every other
    chapter of a manual has the same listings."""
    marks = len(_CODE_MARKS.findall(part))
    return rules.listing_weight if listing or marks * 8 > len(part) else 1.0


def _choose(units: list[_Unit], images: Iterable[str], rules: Rules, *, whole: bool = False) -> tuple[str, ...]:
    if not units:
        return ()
    if (whole and rules.exact_below) or sum(len(unit.text) for unit in units) < rules.exact_below:
        names = sorted({image.rpartition("/")[2] for image in images})
        return (_sha1("\n".join(("", *(unit.text for unit in units), *names))),)
    first: dict[str, _Unit] = {}
    for unit in units:
        first.setdefault(unit.text, unit)
    long_enough = [unit for unit in first.values() if len(unit.text) >= rules.min_unit_chars or unit.importance == inf]
    distinct = long_enough or list(first.values())
    if rules.order == "importance":
        distinct.sort(key=lambda unit: -unit.importance)
        return tuple(_sha1(unit.text) for unit in distinct[: rules.sketch_size])
    ranked = sorted((_rank(value := _sha1(unit.text), unit.weight), value) for unit in distinct)
    return tuple(value for _, value in ranked[: rules.sketch_size])


def _rank(value: str, weight: float) -> float:
    """Exponential rank of a weighted bottom-m sample: the smaller, the earlier; equal units get equal ranks on every
    page, and a unit is drawn in proportion to its weight."""
    return -log((int(value[:13], 16) + 1) / (16**13 + 1)) / weight


def _sha1(text: str) -> str:
    return sha1(text.encode("utf-8", "surrogatepass")).hexdigest()
