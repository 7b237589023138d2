"""What the store says of a page, and the rule by which it says so (S0.S)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from webprep_spider.rules import Rules

T = TypeVar("T")
Kind: TypeAlias = Literal["new", "same", "changed", "replica"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a page is to the store.

    ``new``: never seen. ``same``: this very page, with this text. ``changed``: this very page, with another text;
    ``share`` is what the two texts have in common. ``replica``: a near-duplicate of ``twin``, another page that was
    kept, with which it shares ``share`` of its fingerprints.
    """

    kind: Kind
    twin: str | None = None
    share: float = 0.0
    story: str | None = None
    """The page that first told the story of a new or changed page, when the store knows one (7.17)."""
    pending: bool = False
    """Whether the verdict rests on another owner's claim that is not confirmed yet."""


def resemblance(first: Iterable[T], second: Iterable[T]) -> float:
    """ST of two pages: shared fingerprints by the number of the larger set (S0.S1, S0.S3); 0 if either is empty."""
    one, other = set(first), set(second)
    return len(one & other) / max(len(one), len(other)) if one and other else 0.0


def weight_of(pages: int, rules: Rules) -> float:
    """What a fingerprint counts that ``pages`` known pages have: disclaimers and licence texts count for little."""
    return min(1.0, rules.common_pages / pages) if pages else 1.0


def weighted_resemblance(weights: Mapping[bytes, float], other: Iterable[bytes]) -> float:
    """ST of a page with known weights of its fingerprints and a page in the store.

    With all weights 1 this is S0.S3. A shared fingerprint counts its weight on both sides.
    """
    known = list(other)
    among = set(known)
    shared = [weight for fingerprint, weight in weights.items() if fingerprint in among]
    larger = max(sum(weights.values()), len(known) - sum(1.0 - weight for weight in shared))
    return sum(shared) / larger if shared else 0.0
