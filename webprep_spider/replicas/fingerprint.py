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

# The low line, which is of the letters to Python's patterns, is taken out before.
_NOT_WORD = re.compile(r"\W+")
_NOT_WORD_IN_UNIT = re.compile(r"[^\w\n\x00]+")
# The same for plain ASCII, where it takes a tenth of the time.
_NOT_ASCII_WORD = {
    pattern: {point: None for point in range(128) if chr(point) == "_" or pattern.match(chr(point))}
    for pattern in (_NOT_WORD, _NOT_WORD_IN_UNIT)
}
# Both work on NFKC text, where full-width and half-width marks are one. A full stop ends a sentence before white space
# and beside Chinese characters, which have none; a comma or colon between digits ends no clause.
_STOP_ENDS = r"(?<=[。!?;])|(?<=\.)(?=[\s\u0080-\U0010ffff])|(?<=[\u0080-\U0010ffff]\.)"
_SENTENCE_END = re.compile(rf"[。!?;.](?:{_STOP_ENDS})")
_CLAUSE_END = re.compile(rf"[。!?;.,:](?:{_STOP_ENDS}|(?<=[,:])(?!\d))")
_CODE_MARKS = re.compile(r"[{}()\[\];=<>|\\/$#*&@_]")
_INVISIBLE = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_LISTINGS = frozenset({"pre", "code", "samp", "kbd"})


@dataclass(slots=True)
class _Unit:
    """A piece of text that can be fingerprinted."""

    text: str
    """As it is hashed."""
    importance: float
    weight: float
    notice: bool = False
    """Whether it is part of a legal or editorial notice."""


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
        text = "".join(char for char in text if unicodedata.category(char) not in _INVISIBLE and not _selector(char))
        return unicodedata.normalize("NFKC", text)  # marks may now stand beside the letter they belong to
    return _letters(_fold(text))


def _fold(text: str) -> str:
    """NFKC text in one case and script, its marks still there."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", simplify(text.casefold()))


def simplify(text: str) -> str:
    """``text`` with its traditional Chinese characters in their simplified form."""
    return text.translate(_simplified()) if _traditional().search(text) else text


def _letters(folded: str, marks: re.Pattern[str] = _NOT_WORD) -> str:
    if folded.isascii():
        return folded.translate(_NOT_ASCII_WORD[marks])
    text = marks.sub("", folded.replace("_", ""))
    # Letters that stood apart may now belong together.
    return text if unicodedata.is_normalized("NFKC", text) else _letters(unicodedata.normalize("NFKC", text), marks)


def _selector(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


@cache
def _simplified() -> dict[int, str]:
    text = files("webprep_spider").joinpath("data", "traditional-simplified.txt").read_text(encoding="utf-8")
    table = {line[0]: line[1] for line in text.splitlines() if line and line[0] != "#"}
    return {ord(char): table.get(simpler, simpler) for char, simpler in table.items()}


@cache
def _traditional() -> re.Pattern[str]:
    """What to look for before a text is translated. Beyond the basic plane any character will do: a list of single ones
    would be gone through for each character of the text."""
    basic = "".join(chr(point) for point in _simplified() if point < 0x10000)
    return re.compile(f"[{basic}\U00010000-\U0010ffff]")


def sketch(cleaned: Cleaned, rules: Rules = DEFAULT_RULES) -> tuple[str, ...]:
    """The fingerprints of a cleaned page: at most ``rules.sketch_size`` hexadecimal SHA-1 values, best first.

    Empty for a page without text; such a page is nobody's replica. A text shorter than ``rules.exact_below`` has one
    fingerprint, of all of it and of the names of its images: it equals only itself. Links say little about a page:
    lists with common entries are not one, and tomorrow both have moved on. So of a hub page its other text counts, and
    where that is little, it equals only a page that shows exactly the same: one taken for a hub by mistake is not lost.
    """
    text = cleaned.body
    if cleaned.type == "hub" and rules.exact_below:
        told = [block for block in cleaned.kept if block.reason != "links"]
        if sum(block.chars for block in told) < rules.hub_body_chars:
            shown = (normalise(block.text, rules) for block in cleaned.blocks if not block.hidden)
            return _whole(filter(None, shown), cleaned.images)
        text = "\n".join(block.text for block in told)
    if rules.unit == "block":
        units = list(_blocks(cleaned, rules))
    else:
        listings = {line.strip() for block in cleaned.kept if block.tag in _LISTINGS for line in block.text.split("\n")}
        units = list(_units(text, listings, rules))
    return _choose(units, cleaned.images, rules)


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
    # All lines are made even at once: white space and marks keep what stands beside them apart.
    normal = unicodedata.normalize("NFKC", text.replace("\x00", "\x01"))
    folds = rules.normalisation == "folded"
    end = _CLAUSE_END if rules.unit == "clause" else _SENTENCE_END
    ended = end.sub(lambda mark: mark[0] + "\x00", _fold(normal) if folds else normal)
    lines = ended.split("\n")
    if folds:
        plain = [_letters(line, _NOT_WORD_IN_UNIT) for line in lines]
    else:
        plain = ["\x00".join(normalise(part, rules) for part in line.split("\x00")) for line in lines]
    noticed = len(set(_notices().findall("\n".join(plain).replace("\x00", "")))) >= 2
    for line, parts, units in zip(text.split("\n"), lines, plain, strict=True):
        listing = line.strip() in listings
        marked = listing or _CODE_MARKS.search(parts) is not None
        notice = noticed and len(set(_notices().findall(units.replace("\x00", "")))) >= 2
        for part, unit in zip(parts.split("\x00"), units.split("\x00"), strict=True):
            if unit:
                yield _Unit(unit, len(text), _weight(part, listing, rules) if marked else 1.0, notice)


@cache
def _notices() -> re.Pattern[str]:
    words = files("webprep_spider").joinpath("data", "notices.txt").read_text(encoding="utf-8").splitlines()
    return re.compile("|".join(word for word in words if word and word[0] != "#"))


def _importance(block: Block, title: Block | None) -> float:
    """Of a block: its weight times its text outside links; the title comes first (S0.F6)."""
    return inf if block is title else block.weight * (block.chars - block.link_chars)


def _weight(part: str, listing: bool, rules: Rules) -> float:
    """How readily a unit is sampled. Program text says little about a page: every translation and every other
    chapter of a manual has the same listings."""
    marks = len(_CODE_MARKS.findall(part))
    return rules.listing_weight if listing or marks * 8 > len(part) else 1.0


def _choose(units: list[_Unit], images: Iterable[str], rules: Rules) -> tuple[str, ...]:
    units = [unit for unit in units if not unit.notice] or units
    if sum(len(unit.text) for unit in units) < rules.exact_below:
        return _whole((unit.text for unit in units), images)
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


def _whole(texts: Iterable[str], images: Iterable[str]) -> tuple[str, ...]:
    """One fingerprint of everything, in a form that no unit has; none of nothing."""
    text = "\n".join(texts)
    names = sorted({image.rpartition("/")[2] for image in images})
    return (_sha1("\n".join(("", text, *names))),) if text else ()


def _rank(value: str, weight: float) -> float:
    """Exponential rank of a weighted bottom-m sample: the smaller, the earlier; equal units get equal ranks on every
    page, and a unit is drawn in proportion to its weight."""
    return -log((int(value[:13], 16) + 1) / (16**13 + 1)) / weight


def _sha1(text: str) -> str:
    return sha1(text.encode("utf-8", "surrogatepass")).hexdigest()
