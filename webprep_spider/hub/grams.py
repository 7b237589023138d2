"""A linear SVM over hashed character n-grams of address and link text, scored with NumPy.

The n-grams of a whole batch are hashed at once: the texts are laid out as one array of code points, and the hash of
the n characters from each place is the hash of its first n-1 and one more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote_to_bytes

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webprep_spider.hub.address import Address

BITS = 18
"""Binary logarithm of the number of hash buckets, shared by addresses and link texts; few n-grams collide."""

NONE = 1 << BITS
"""The bucket of no n-gram."""

_URL_LENGTHS = 5
_TEXT_LENGTHS = 2
_LENGTHS = np.arange(1, _URL_LENGTHS + 1)[:, None]
_URL_CHARS = 200
_TEXT_CHARS = 80

_YEAR = re.compile(r"(?:19|20)(?<!\d\d\d)\d\d", re.ASCII)  # a look behind in front would double the time
_LONG_NUMBER = re.compile(r"\d{6,}", re.ASCII)
_PRIME = np.uint32(0x01000193)
_GOLDEN = np.uint32(0x9E3779B1)
_HALF = np.uint32(15)
_UNUSED = np.uint32(32 - BITS)
_ZERO = np.uint32(ord("0"))
_TEN = np.uint32(10)


class Grams(NamedTuple):
    """The n-grams of a batch of links: hash buckets, a row for each length and a column for each place.

    The bucket is :data:`NONE` where an n-gram would end outside its text. The texts are the addresses of the links
    and then their link texts: that of link i is text ``links + i``. ``starts`` is the first place of each,
    ``sizes`` the number of its n-grams.
    """

    links: int
    bucket: NDArray[np.uint32]
    starts: NDArray[np.intp]
    sizes: NDArray[np.intp]


def url_text(address: Address) -> str:
    """What is left of an address for its n-grams: subdomains, path and query, decoded, lower case.

    Years become ``Y`` and numbers of six or more digits ``#``.
    """
    path, query = address.path, address.query
    place = f"{path}?{query}" if query else path
    if "%" in place:
        place = _decoded(place)
    place = _LONG_NUMBER.sub("#", _YEAR.sub("Y", place.lower()))
    return f"{_subdomains(address.host)}|{place[:_URL_CHARS]}$"


def text_text(link_text: str) -> str:
    """Link text for its n-grams: white space folded, lower case, its ends marked; empty if there is none."""
    words = " ".join(link_text[: 4 * _TEXT_CHARS].split())
    return f"^{words[:_TEXT_CHARS].lower()}$" if words else ""


def hash_grams(url_texts: Sequence[str], link_texts: Sequence[str]) -> Grams:
    """Hash the n-grams of a batch of links, given as :func:`url_text` and :func:`text_text` make them.

    There is at least one link.
    """
    texts = [*url_texts, *link_texts]
    laid_out = "\0".join(texts) + "\0" * _URL_LENGTHS
    codes = np.frombuffer(bytearray(laid_out.encode("utf-32-le", "surrogatepass")), dtype=np.uint32)
    np.putmask(codes, codes - _ZERO < _TEN, _ZERO)  # all digits are one; below "0" the difference wraps around
    lengths = [len(text) for text in texts]
    sizes = np.array(lengths) + 1
    ends = sizes.cumsum()
    starts = ends - sizes
    places = len(codes) - _URL_LENGTHS + 1
    longest = ends.repeat(sizes)
    longest -= np.arange(1, places + 1)  # characters from here to the end of the text
    text_start = int(starts[len(url_texts)])
    state = np.zeros(places, dtype=np.uint32)
    state[text_start:] = _GOLDEN  # so that the same characters differ in address and link text
    bucket = np.empty((_URL_LENGTHS, places), dtype=np.uint32)
    for length in range(_URL_LENGTHS):
        state = np.multiply(state ^ codes[length : length + places], _PRIME, out=bucket[length])
    bucket ^= bucket >> _HALF
    bucket *= _GOLDEN
    bucket >>= _UNUSED
    np.putmask(bucket, longest < _LENGTHS, NONE)
    bucket[_TEXT_LENGTHS:, text_start:] = NONE
    counts = [_count(length, _URL_LENGTHS) for length in lengths[: len(url_texts)]]
    counts += [_count(length, _TEXT_LENGTHS) for length in lengths[len(url_texts) :]]
    return Grams(len(url_texts), bucket, starts, np.array(counts))


def _count(length: int, longest: int) -> int:
    """How many n-grams of one to ``longest`` characters a text of ``length`` has."""
    longest = min(length, longest)
    return longest * (2 * length - longest + 1) // 2


def _decoded(place: str) -> str:
    raw = unquote_to_bytes(place.encode("utf-8", "surrogatepass"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("gb18030", "replace")


@lru_cache(maxsize=4_096)
def _subdomains(host: str) -> str:
    if host[-1] in "0123456789]":
        return ""  # an IP address
    labels = host.split(".")
    # two labels, or three where the last two are like co.uk: near enough, and a suffix list would cost ten times more
    own = 3 if len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3 else 2
    return ".".join(labels[:-own])


@dataclass(frozen=True, slots=True)
class GramWeights:
    """Weights of the hash buckets as small integers; times ``step`` they are the weights of the linear SVM."""

    weights: NDArray[np.int8]
    step: float

    @classmethod
    def rounded(cls, weights: NDArray[np.float64]) -> GramWeights:
        step = float(np.abs(weights).max()) / 127 or 1.0
        return cls(np.rint(weights / step).astype(np.int8), step)


@dataclass(frozen=True, slots=True)
class LinearSvm:
    """A linear SVM over n-grams and scaled feature columns: positive for hub pages.

    ``direct`` is what its decision value counts for in the model's, beside being a column of the RBF SVM: that of a
    machine which reads link texts where there is one, that of another where there is none.
    """

    grams: GramWeights
    columns: NDArray[np.float64]
    bias: float
    read_text: bool = True
    direct: float = 0.0


class LinearSvms:
    """Several linear SVMs, applied together: the weights of an n-gram lie side by side and are looked up once."""

    def __init__(self, machines: Sequence[LinearSvm]) -> None:
        self.machines = tuple(machines)
        weights = np.zeros((NONE + 1, len(self.machines)), dtype=np.int8)
        for number, machine in enumerate(self.machines):
            weights[:NONE, number] = machine.grams.weights
        self._weights = weights.view(f"V{len(self.machines)}")[:, 0]
        self._steps = np.array([machine.grams.step for machine in self.machines])
        self._text_steps = np.array([machine.grams.step * machine.read_text for machine in self.machines])
        self._columns = np.column_stack([machine.columns for machine in self.machines])
        self._bias = np.array([machine.bias for machine in self.machines])
        self._direct = np.array(
            [[machine.direct * (machine.read_text == known) for machine in self.machines] for known in (False, True)]
        )

    def decide(self, grams: Grams, scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        """The decision values, a row for each link. Address and link text each count over the root of their size."""
        found = self._weights.take(grams.bucket).view(np.int8)
        at_place = np.add.reduce(found, axis=0, dtype=np.int32).reshape(-1, len(self.machines))
        sums = np.add.reduceat(at_place, grams.starts, axis=0) / np.sqrt(np.maximum(grams.sizes, 1))[:, None]
        values: NDArray[np.float64] = scaled.dot(self._columns)  # a quarter of the time of @ for one link
        values += sums[: grams.links] * self._steps
        values += sums[grams.links :] * self._text_steps
        values += self._bias
        return values

    def direct(self, values: NDArray[np.float64], known: Sequence[bool]) -> NDArray[np.float64]:
        """What the decision values count for in that of the model, by whether a link text is known."""
        summed: NDArray[np.float64] = np.einsum("ij,ij->i", values, self._direct[np.array(known, dtype=np.intp)])
        return summed
