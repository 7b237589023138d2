"""Rules for single sites: where the general way of cleaning fails, a file says where title, body and noise are."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lxml import etree

from webprep_spider.exceptions import SiteRulesError
from webprep_spider.page.tags import BLOCK, ROLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webprep_spider.page.parse import Page
    from webprep_spider.page.tree import TagTree

_KEYS = ("title", "body", "noise")


@dataclass(frozen=True, slots=True)
class Selector:
    """An XPath or CSS expression as written, and its compiled form."""

    source: str
    find: Any

    @classmethod
    def compile(cls, source: str) -> Selector:
        """Text that starts with ``/``, ``./`` or ``(`` is XPath, all other is CSS.

        :raises ValueError: if it is neither.
        """
        try:
            if source.startswith(("/", "./", "(")):
                return cls(source, etree.XPath(source))
            from parsel.csstranslator import HTMLTranslator

            return cls(source, etree.XPath(HTMLTranslator().css_to_xpath(source)))
        except (etree.XPathError, SyntaxError, ValueError) as error:
            raise ValueError(f"{source!r}: {error}") from None

    def elements(self, root: Any) -> list[Any]:
        """The elements it finds, in document order; matched attributes and texts are not counted."""
        found = self.find(root)
        return [item for item in found if isinstance(item, etree._Element)] if isinstance(found, list) else []


@dataclass(frozen=True, slots=True)
class SiteRule:
    """Where the parts of one host's pages are. Selectors of ``body`` and ``title`` are tried in order, the first one
    that finds text counts; all of ``noise`` is taken out of the body."""

    host: str
    title: tuple[Selector, ...] = ()
    body: tuple[Selector, ...] = ()
    noise: tuple[Selector, ...] = ()

    def title_of(self, root: Any) -> str:
        """Text of the first title found, white space folded; empty if none is."""
        for selector in self.title:
            for element in selector.elements(root):
                if text := " ".join("".join(element.itertext()).split()):
                    return text
        return ""

    def bodies_of(self, root: Any) -> list[Any]:
        """The elements of the first body selector that finds any text."""
        for selector in self.body:
            found = selector.elements(root)
            if any("".join(element.itertext()).strip() for element in found):
                return found
        return []

    def noise_of(self, root: Any) -> list[Any]:
        """All elements that the noise selectors find."""
        return [element for selector in self.noise for element in selector.elements(root)]

    def apply(self, root: Any, tree: TagTree) -> None:
        """Let the rule decide on the blocks of a page. Without a body selector that finds text only noise is dropped.
        Noise must be a container (``div``, ``p``, ``li`` ...): words within a line are not cut out."""
        noise = {element for element in self.noise_of(root) if ROLES.get(element.tag) == BLOCK}
        bodies = _containers(self.bodies_of(root))
        under_noise, under_body = [False] * len(tree.parent), [False] * len(tree.parent)
        for node, (parent, element) in enumerate(zip(tree.parent, tree.element, strict=True)):
            inherited = parent >= 0
            under_noise[node] = element in noise or (inherited and under_noise[parent])
            under_body[node] = element in bodies or (inherited and under_body[parent])
        for block in tree.blocks:
            if under_noise[block.node]:
                block.kept, block.reason = False, "rule"
            elif bodies and block.text:
                block.kept, block.reason = under_body[block.node], "rule"


@dataclass(frozen=True, slots=True)
class SiteRules:
    """The rules of all hosts of a file."""

    by_host: Mapping[str, SiteRule]

    @classmethod
    def load(cls, path: str | Path) -> SiteRules:
        """Read a TOML file (or JSON, by its name) with a table for each host::

            ["news.example.com"]
            title = "h1.headline"                    # CSS
            body = ["//div[@id='text']", "article"]  # XPath or CSS, the first that finds text
            noise = [".share", ".related"]

        :raises SiteRulesError: if it cannot be read, or holds an unknown key or a wrong selector.
        """
        path = Path(path)
        try:
            text = path.read_text("utf-8")
            record = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        except (OSError, ValueError) as error:
            raise SiteRulesError(f"site rules {path}: {error}") from None
        return cls.from_record(record, str(path))

    @classmethod
    def from_record(cls, record: Any, name: str = "") -> SiteRules:
        """The same from a mapping host -> {title, body, noise}."""
        if not isinstance(record, dict):
            raise SiteRulesError(f"site rules {name}: a table for each host is wanted")
        return cls({host.lower().removeprefix("www."): _rule(host, entry, name) for host, entry in record.items()})

    def for_url(self, url: str) -> SiteRule | None:
        """The rule for the address' host or its nearest parent domain."""
        try:
            host = (urlsplit(url).hostname or "").removeprefix("www.")
        except ValueError:
            return None
        while host:
            if (rule := self.by_host.get(host)) is not None:
                return rule
            host = host.partition(".")[2]
        return None


def _containers(elements: list[Any]) -> set[Any]:
    """The elements as a set; an inline element counts as the container around it."""
    found = set()
    for element in elements:
        while element is not None and ROLES.get(element.tag) != BLOCK:
            element = element.getparent()
        found.add(element)
    return found


def _rule(host: str, entry: Any, name: str) -> SiteRule:
    if not isinstance(entry, dict):
        raise SiteRulesError(f"site rules {name}: {host}: a table with title, body or noise is wanted")
    if unknown := sorted(set(entry) - set(_KEYS)):
        raise SiteRulesError(f"site rules {name}: {host}: unknown key {unknown[0]!r}; known are {', '.join(_KEYS)}")
    compiled: dict[str, tuple[Selector, ...]] = {}
    for key, value in entry.items():
        sources = [value] if isinstance(value, str) else value
        if not isinstance(sources, list) or not all(isinstance(source, str) and source.strip() for source in sources):
            raise SiteRulesError(f"site rules {name}: {host}: {key} must be a selector or a list of selectors")
        try:
            compiled[key] = tuple(Selector.compile(source.strip()) for source in sources)
        except ValueError as error:
            raise SiteRulesError(f"site rules {name}: {host}: {key}: {error}") from None
    return SiteRule(host, **compiled)


@dataclass(frozen=True, slots=True)
class Check:
    """What one selector of a rule finds on one page."""

    key: str
    selector: str
    elements: int
    text: str
    """The first text found, cut to 60 characters."""


def check(page: Page, rule: SiteRule) -> list[Check]:
    """Try each selector of a rule on a page, so that its author sees which one no longer fits."""
    found = []
    for key in _KEYS:
        for selector in getattr(rule, key):
            elements = selector.elements(page.root)
            texts = (" ".join("".join(element.itertext()).split()) for element in elements)
            found.append(Check(key, selector.source, len(elements), next((t for t in texts if t), "")[:60]))
    return found
