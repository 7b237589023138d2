"""How far the URL score is trusted on one site, and what the site's own URL patterns say instead (S3.R7)."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING
from zlib import crc32

from webprep_spider.hub.shapes import shapes
from webprep_spider.rules import DEFAULT_RULES, Rules

if TYPE_CHECKING:
    from typing import Self

    from webprep_spider.docview import PageType

_HEAD = struct.Struct("<BHH")
_ENTRY = struct.Struct("<IHH")
_VERSION = 2
_PAGE = 16  # what a page counts that leaves no doubt
_FULL = 1_000 * _PAGE  # counts are halved here: a site that changes its ways is followed
_SETTLED = 2 * _PAGE  # of a finer pattern that also count for the coarser one


class SiteTrust:
    """What has been learned of one site by fetching its pages.

    For each URL pattern (:func:`~webprep_spider.hub.shapes.shapes`) it counts the pages fetched and those that were
    hub pages. A page of doubtful type that contradicts the score counts for less than a whole one: where the looks of
    a page leave doubt the score is mostly right, and pages of one pattern share their looks. A link's score is drawn
    from the model's value toward these shares, coarse pattern to fine, each the more strongly the more pages it rests
    on and the less mixed they were. The model's value counts for more the surer it is and the more often it has been
    right on this site. All of it is deterministic and bounded: ``rules.trust_shapes`` patterns, 8 bytes each.
    """

    __slots__ = ("_counts", "_right", "_rules", "_seen")

    def __init__(self, rules: Rules = DEFAULT_RULES) -> None:
        self._rules = rules
        self._seen = 0
        self._right = 0
        self._counts: dict[int, tuple[int, int]] = {}

    @property
    def agreement(self) -> float:
        """Share of the fetched pages on which the model was right, with a few right ones assumed at the start."""
        return (self._right + 4 * _PAGE) / (self._seen + 5 * _PAGE)

    def observe(self, url: str, score: float, page_type: PageType, lead: float = math.inf) -> None:
        """Learn from a fetched page: ``score`` is the model's own probability (not the adjusted one) before the fetch.

        Leave out pages that are no pages: soft 404s, login walls, errors. A NaN score teaches the pattern only.

        :param lead: how clearly the page shows its type (:attr:`~webprep_spider.page.clean.Cleaned.lead`).
        """
        hub, weight = page_type == "hub", _PAGE
        if score == score and (score > 0.5) != hub:
            weight = round(_PAGE * min(1.0, lead / self._rules.trust_lead) ** 2)
        if score == score:
            if self._seen >= _FULL:
                self._seen, self._right = self._seen // 2, self._right // 2
            self._seen += weight
            self._right += weight * ((score > 0.5) == hub)
        for key in reversed(_keys(url)):
            hubs, pages = self._counts.pop(key, (0, 0))
            if pages >= _FULL:
                hubs, pages = hubs // 2, pages // 2
            # Popped and set again: the dict stays ordered by last use.
            self._counts[key] = (hubs + weight * hub, pages + weight)
            if pages >= _SETTLED:
                break  # one well-known pattern must not outvote its unlike sisters in what they have in common
        while len(self._counts) > self._rules.trust_shapes:
            del self._counts[next(iter(self._counts))]

    def adjust(self, url: str, score: float) -> float:
        """The probability that ``url`` is a hub page, given the model's ``score`` and what is known of the site."""
        belief = score
        sure = max(0.0, 2.0 * self.agreement - 1.0) ** 3 * abs(2.0 * score - 1.0)
        prior = self._rules.trust_prior + self._rules.trust_bonus * sure
        for key in _keys(url):
            hubs, pages = self._counts.get(key, (0, 0))
            if pages:
                clear = 2.0 * (hubs + _PAGE) / (pages + 2 * _PAGE) - 1.0
                weight = pages / _PAGE * clear**2
                belief = (weight * hubs / pages + prior * belief) / (weight + prior)
        return belief

    def to_bytes(self) -> bytes:
        """The state for the store; at most ``5 + 8 * rules.trust_shapes`` bytes."""
        entries = (_ENTRY.pack(key, hubs, pages) for key, (hubs, pages) in self._counts.items())
        return _HEAD.pack(_VERSION, self._seen, self._right) + b"".join(entries)

    @classmethod
    def from_bytes(cls, state: bytes, rules: Rules = DEFAULT_RULES) -> Self:
        """The inverse of :meth:`to_bytes`. Bytes of another version or damaged ones give a fresh state."""
        trust = cls(rules)
        if len(state) < _HEAD.size or (len(state) - _HEAD.size) % _ENTRY.size or state[0] != _VERSION:
            return trust
        _, trust._seen, right = _HEAD.unpack_from(state)
        trust._right = min(right, trust._seen)
        entries = list(_ENTRY.iter_unpack(state[_HEAD.size :]))[-rules.trust_shapes :]
        trust._counts = {key: (min(hubs, pages), pages) for key, hubs, pages in entries}
        return trust


def _keys(url: str) -> list[int]:
    return [crc32(shape.encode("utf-8", "surrogatepass")) for shape in shapes(url)]
