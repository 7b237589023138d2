"""What the pages of a site have been worth: which shapes of addresses bring something new, and which never do."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webprep_spider.hub.shapes import shapes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

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
ECHOES = 3
"""Pages of a host with one and the same text, from which on links that lead below such a page are not followed: a
server that answers every address alike makes relative links grow without end."""
KNOWN_SHARE = 0.6
"""Share of a page's fingerprints met on the host before, from which on its text is nothing new."""
START = 0.8
"""Worth of a page of a site of which nothing is known."""
PRIOR = 2.0
"""Fetched pages that the worth of the coarser shape counts for."""
_HOSTS = 512
_SHAPES = 2_000
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


def leads_below(url: str, link: str) -> bool:
    """Whether ``link`` is an address in the directory of ``url``, or under it; never for a front page."""
    folder = url.partition("?")[0].rpartition("/")[0] + "/"
    return link != url and folder.count("/") > 3 and link.startswith(folder)


@dataclass(slots=True)
class _Host:
    barren: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    """Pages of a shape that brought nothing since the last one that did."""
    good: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    pages: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    links: set[int] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    echoes: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    """Pages with a text, by the hash of all its fingerprints."""

    def has_room(self, shape: str) -> bool:
        return shape in self.pages or len(self.pages) < _SHAPES


class SiteWorth:
    """Learns, host by host and shape by shape, what fetching a page brings.

    A page brings something if it is no hub page and has a text that was not met on the host before, or if it is a hub
    page with a promising link: one that is new, has another shape than the page and a shape that has not been barren
    of late. Memory is bounded: the hosts longest not met are forgotten first.
    """

    def __init__(self) -> None:
        self._hosts: OrderedDict[str, _Host] = OrderedDict()

    def fetched(self, url: str, *, hub: bool, fingerprints: Collection[str], links: Iterable[str]) -> None:
        """Take in a page: whether it is a hub page, its fingerprints, the addresses it links to."""
        host = self._host(url)
        promising = self._promising(host, url, links)
        known = sum(value in host.texts for value in fingerprints) >= KNOWN_SHARE * len(fingerprints)
        if len(host.texts) < _SEEN:
            host.texts.update(fingerprints)
            host.echoes[hash(tuple(fingerprints))] += bool(fingerprints)
        self._count(host, url, promising if hub else not known)

    def echoed(self, url: str, fingerprints: Collection[str]) -> bool:
        """Whether the host has given the text of the page at ``url`` for several addresses already."""
        return self._host(url).echoes.get(hash(tuple(fingerprints)), 0) >= ECHOES

    def failed(self, url: str) -> None:
        """Take in an address that gave no page: not found, gone, refused."""
        self._count(self._host(url), url, False)

    def worth(self, url: str) -> float:
        """The chance, above 0 and below 1, that the page at ``url`` brings something."""
        host, worth = self._host(url), START
        for shape in shapes(url):
            pages = host.pages.get(shape, 0)
            worth = (host.good.get(shape, 0) + PRIOR * worth) / (pages + PRIOR)
        return worth

    def given_up(self, url: str) -> bool:
        """Whether the last :data:`PATIENCE` pages of this shape brought nothing."""
        return self._host(url).barren.get(_shape(url), 0) >= PATIENCE

    def _host(self, url: str) -> _Host:
        name = urlsplit(url).netloc
        host = self._hosts.pop(name, None) or _Host()
        self._hosts[name] = host
        if len(self._hosts) > _HOSTS:
            self._hosts.popitem(last=False)
        return host

    @staticmethod
    def _promising(host: _Host, url: str, links: Iterable[str]) -> bool:
        own, promising = _shape(url), False
        for link in links:
            key = hash(link)
            if key not in host.links:
                promising = promising or (own != (other := _shape(link)) and host.barren.get(other, 0) < DOUBT)
                if len(host.links) < _SEEN:
                    host.links.add(key)
        return promising

    @staticmethod
    def _count(host: _Host, url: str, good: bool) -> None:
        for shape in shapes(url):
            if host.has_room(shape):
                host.pages[shape] += 1
                host.good[shape] += good
        own = _shape(url)
        if good:
            host.barren.pop(own, None)
        elif host.has_room(own):
            host.barren[own] += 1


def _shape(url: str) -> str:
    return next(reversed(shapes(url)), "")
