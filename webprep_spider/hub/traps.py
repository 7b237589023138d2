"""Crawler traps: addresses that grow without end, and families of pages that bring nothing new."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webprep_spider.hub.shapes import shapes

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_URL = 2083
"""Longer addresses are followed by no browser that set the habit, and grow mostly in traps."""
MAX_SEGMENTS = 20
"""As Heritrix' TooManyPathSegments rule."""
MAX_REPEATS = 3
"""A path segment this often is a loop of relative links (Nutch and StormCrawler use the same number)."""
PATIENCE = 30
"""Pages of one shape in a row that bring nothing before the shape is given up."""
DOUBT = 10
"""Such pages before links of the shape no longer speak for the page they stand on."""
_HOSTS = 512
_SHAPES = 1_000
_SEEN = 20_000


def growing(url: str) -> str:
    """The rule by which an address alone looks like a trap, or an empty string.

    ``long_url``, ``deep_path``, ``repeated_segment``, ``escaped_again`` (``&amp;amp;p=2``).
    """
    if len(url) > MAX_URL:
        return "long_url"
    if "amp;amp;" in url or "%2525" in url:
        return "escaped_again"
    path = url.partition("?")[0].split("/")[3:]
    if len(path) > MAX_SEGMENTS:
        return "deep_path"
    if len(path) >= MAX_REPEATS and any(path.count(part) >= MAX_REPEATS for part in set(path) if part):
        return "repeated_segment"
    return ""


def _shape(url: str) -> str:
    return next(reversed(shapes(url)), "")


@dataclass(slots=True)
class _Host:
    barren: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    links: set[int] = field(default_factory=set)
    texts: set[int] = field(default_factory=set)


class TrapWatch:
    """Learns, host by host, which shapes of addresses only lead to more of the same.

    A page is barren if its text was met on the host before, or if it is a hub page without a single promising link:
    one that is new, has another shape than the page and a shape that has not been barren of late. Memory is bounded:
    the hosts longest not met are forgotten first.
    """

    def __init__(self) -> None:
        self._hosts: OrderedDict[str, _Host] = OrderedDict()

    def _host(self, url: str) -> _Host:
        name = urlsplit(url).netloc
        host = self._hosts.pop(name, None) or _Host()
        self._hosts[name] = host
        if len(self._hosts) > _HOSTS:
            self._hosts.popitem(last=False)
        return host

    def fetched(self, url: str, *, hub: bool, fingerprints: Iterable[str], links: Iterable[str]) -> None:
        """Take in a page that was fetched: whether it is a hub page, its fingerprints, the addresses it links to."""
        host, own = self._host(url), _shape(url)
        text = hash(tuple(fingerprints))
        known_text = text in host.texts
        promising = False
        for link in links:
            key = hash(link)
            if key not in host.links:
                promising = promising or (own != (other := _shape(link)) and host.barren.get(other, 0) < DOUBT)
                if len(host.links) < _SEEN:
                    host.links.add(key)
        if len(host.texts) < _SEEN:
            host.texts.add(text)
        if known_text or (hub and not promising):
            if own in host.barren or len(host.barren) < _SHAPES:
                host.barren[own] += 1
        else:
            host.barren.pop(own, None)

    def given_up(self, url: str) -> bool:
        """Whether the last ``PATIENCE`` pages of this shape brought nothing."""
        return self._host(url).barren.get(_shape(url), 0) >= PATIENCE
