"""How a page is claimed: the rule that every store follows, written once for those that run in this process.

The Redis store follows the same rule inside the server (``store.lua``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from webprep_spider.replicas.verdict import Kind, Verdict, resemblance, weight_of, weighted_resemblance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webprep_spider.rules import Rules


@dataclass(frozen=True, slots=True)
class Claim:
    """A page that ``owner`` has taken but not confirmed."""

    owner: str
    since: float
    kind: Kind


@dataclass(frozen=True, slots=True)
class Record:
    """What a store knows of a page. ``story`` is the number of the page that first told its story, 0 for itself."""

    number: int
    page_id: str
    fingerprints: tuple[bytes, ...]
    story: int = 0
    claim: Claim | None = None


class Ledger(Protocol):
    """The tables of a store: pages, their claims, and the inverted index from fingerprints to page numbers (S0.S6).

    ``add`` takes a record without a number and gives it the next one. ``put`` replaces the record of that number.
    Both keep the index in step; a fingerprint is posted for at most ``Rules.max_postings`` pages.
    """

    def find(self, page_id: str) -> Record | None: ...
    def get(self, number: int) -> Record | None: ...
    def postings(self, fingerprint: bytes) -> Sequence[int]: ...
    def add(self, record: Record) -> Record: ...
    def put(self, record: Record) -> None: ...
    def remove(self, record: Record) -> None: ...


@dataclass(frozen=True, slots=True)
class Claimant:
    """Who asks, when, and by which rules. An owner is one worker process; its claims lapse ``lease`` seconds after
    they were made unless it confirms them."""

    owner: str
    now: float
    lease: float
    rules: Rules

    def passes_over(self, record: Record) -> bool:
        """Whether the record is a claim of somebody else that has lapsed, so that it hides nothing."""
        claim = record.claim
        return claim is not None and claim.owner != self.owner and self.now - claim.since > self.lease

    def awaits(self, record: Record) -> bool:
        """Whether somebody else may still confirm the record, or not."""
        return record.claim is not None and record.claim.owner != self.owner

    def claim(self, kind: Kind) -> Claim:
        return Claim(self.owner, self.now, kind)


def claim(ledger: Ledger, page_id: str, fingerprints: tuple[bytes, ...], claimant: Claimant) -> Verdict:
    """Say what the page is and, unless it is a replica or unchanged, take it in one step."""
    if not fingerprints:
        return Verdict("new")
    known = ledger.find(page_id)
    if known is not None and known.claim is not None and claimant.passes_over(known) and known.claim.kind == "new":
        ledger.remove(known)  # nobody ever kept it: it is judged as if it had not been seen
        known = None
    if known is None:
        return _claim_unknown(ledger, page_id, fingerprints, claimant)
    if set(known.fingerprints) == set(fingerprints):
        return _claim_again(ledger, known, claimant)
    share = resemblance(known.fingerprints, fingerprints)
    ledger.remove(known)
    twin, nearness, _ = _nearest(ledger, page_id, fingerprints, claimant)
    story = _first_of_story(twin, nearness, claimant.rules)
    ledger.put(Record(known.number, page_id, fingerprints, story, claimant.claim("changed")))
    return Verdict("changed", None, share, _story_id(ledger, twin, story))


def confirm(ledger: Ledger, page_id: str, owner: str) -> None:
    """The page has been kept: from now on it hides its replicas from everybody."""
    known = ledger.find(page_id)
    if known is not None and known.claim is not None and known.claim.owner == owner:
        ledger.put(replace(known, claim=None))


def release(ledger: Ledger, page_id: str, owner: str) -> None:
    """The page has not been kept after all: forget it."""
    known = ledger.find(page_id)
    if known is not None and known.claim is not None and known.claim.owner == owner:
        ledger.remove(known)


def _claim_unknown(ledger: Ledger, page_id: str, fingerprints: tuple[bytes, ...], claimant: Claimant) -> Verdict:
    twin, nearness, share = _nearest(ledger, page_id, fingerprints, claimant)
    story = _first_of_story(twin, nearness, claimant.rules)
    if twin is not None and nearness >= claimant.rules.replica_share:
        return Verdict("replica", twin.page_id, share, _story_id(ledger, twin, story), claimant.awaits(twin))
    ledger.add(Record(0, page_id, fingerprints, story, claimant.claim("new")))
    return Verdict("new", None, share, _story_id(ledger, twin, story))


def _claim_again(ledger: Ledger, known: Record, claimant: Claimant) -> Verdict:
    """The same page with the same text."""
    if known.claim is None:
        return Verdict("same", known.page_id, 1.0, _story_id(ledger, None, known.story))
    if claimant.awaits(known) and not claimant.passes_over(known):
        return Verdict("same", known.page_id, 1.0, _story_id(ledger, None, known.story), pending=True)
    # The owner asks again because the first answer was lost, or takes over what lapsed: the answer is the same.
    ledger.put(replace(known, claim=claimant.claim(known.claim.kind)))
    return Verdict(known.claim.kind, None, 0.0, _story_id(ledger, None, known.story))


def _nearest(
    ledger: Ledger, page_id: str, fingerprints: tuple[bytes, ...], claimant: Claimant
) -> tuple[Record | None, float, float]:
    """The nearest page that hides others, its nearness and its share; the earliest one of equals.

    Nearness is the share, discounted for pages of one site. None below the range of stories.
    """
    weights: dict[bytes, float] = {}
    shared: dict[int, float] = {}
    for fingerprint in fingerprints:
        pages = ledger.postings(fingerprint)
        weights[fingerprint] = weight = weight_of(len(pages), claimant.rules)
        for number in pages:
            shared[number] = shared.get(number, 0.0) + weight
    total, site = sum(weights.values()), site_of(page_id)
    best, best_nearness, best_share = None, 0.0, 0.0
    for number in sorted(shared, key=lambda number: (-shared[number], number)):
        most = shared[number] / total
        if most < best_nearness or most < claimant.rules.story_share:
            break
        record = ledger.get(number)
        if record is None or claimant.passes_over(record):
            continue
        share = nearness = weighted_resemblance(weights, record.fingerprints)
        if site and site == site_of(record.page_id):
            nearness *= claimant.rules.same_site_factor
        if nearness > best_nearness or (best is not None and nearness == best_nearness and number < best.number):
            best, best_nearness, best_share = record, nearness, share
    if best is None or best_nearness < claimant.rules.story_share:
        return None, 0.0, 0.0
    return best, best_nearness, best_share


def site_of(page_id: str) -> str:
    """Host and port of an identifier that is an address; empty for any other."""
    return page_id.partition("://")[2].partition("/")[0]


def _first_of_story(twin: Record | None, share: float, rules: Rules) -> int:
    return twin.story or twin.number if twin is not None and share >= rules.story_share else 0


def _story_id(ledger: Ledger, twin: Record | None, story: int) -> str | None:
    """The page that first told the story; when it is gone, the nearest page that still does."""
    first = ledger.get(story) if story else None
    if first is not None:
        return first.page_id
    return twin.page_id if twin is not None else None
