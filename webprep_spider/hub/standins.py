"""Stand-ins for the two methods the URL method was compared with; both need the fetched page (S3.R2, S3.R3)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import numpy as np
from lxml import etree
from lxml import html as lxml_html

from webprep_spider.hub.address import registered_domain, split_address

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

HTML_FEATURES = (
    "internal_links",
    "external_links",
    "anchor_chars",
    "other_chars",
    "anchor_share",
    "punctuation",
    "paragraphs",
    "images",
)
"""The eight features of the HTML + SVM method; which eight the original used is not known."""

RULE_CONSTANT = 0.6
"""Taken from the link-text share by the rule method, whose decision value is then swept from -0.2 to 0.6 (S3.R2)."""
RULE_SWEEP = tuple(step / 20 for step in range(-4, 13))

_PUNCTUATION = re.compile(r"[，。、；：？！,.;:?!]")
_SPACE = re.compile(r"\s+")
_DROPPED = ("script", "style", "applet", "noscript")


def html_features(page: str, url: str) -> tuple[float, ...]:
    """The values of :data:`HTML_FEATURES` of one page; all 0 where there is nothing to parse."""
    try:
        root = lxml_html.document_fromstring(page.encode("utf-8", "replace"), parser=_parser())
    except (etree.ParserError, ValueError):
        return (0.0,) * len(HTML_FEATURES)
    etree.strip_elements(root, *_DROPPED, etree.Comment, with_tail=False)
    text = _SPACE.sub("", "".join(map(str, root.itertext())))
    internal = external = anchor_chars = 0
    for anchor in root.iter("a"):
        anchor_chars += len(_SPACE.sub("", "".join(map(str, anchor.itertext()))))
        if _same_site(anchor.get("href", ""), url):
            internal += 1
        else:
            external += 1
    return (
        internal,
        external,
        anchor_chars,
        max(0, len(text) - anchor_chars),
        anchor_chars / max(1, len(text)),
        len(_PUNCTUATION.findall(text)),
        sum(1 for _ in root.iter("p")),
        sum(1 for _ in root.iter("img")),
    )


def html_table(pages: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
    """:func:`html_features` of ``(html, url)`` pairs, a row each."""
    return np.array([html_features(page, url) for page, url in pages], dtype=np.float64)


def rule_values(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rule method's value of each row of an :func:`html_table`: its link-text share less the constant."""
    values: NDArray[np.float64] = table[:, HTML_FEATURES.index("anchor_share")] - RULE_CONSTANT
    return values


def best_threshold(values: NDArray[np.float64], hub: NDArray[np.bool_]) -> float:
    """The decision value of :data:`RULE_SWEEP` with the highest accuracy; the smallest of equals."""
    return max(RULE_SWEEP, key=lambda value: (float(((values > value) == hub).mean()), -value))


def _parser() -> lxml_html.HTMLParser:
    return lxml_html.HTMLParser(encoding="utf-8", huge_tree=True)


def _same_site(href: str, url: str) -> bool:
    try:
        target = split_address(urljoin(url, href))
    except ValueError:
        return False
    origin = split_address(url)
    return (
        target is not None
        and origin is not None
        and (target.host == origin.host or registered_domain(target.host) == registered_domain(origin.host))
    )
