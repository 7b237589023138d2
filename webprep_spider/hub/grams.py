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
    """The n-grams of a batch: hash bucket and owner of each, and how many each owner has.

    The owners are the addresses of the links and then their texts: the text of link i is owner ``links + i``.
    """

    links: int
    bucket: NDArray[np.intp]
    owner: NDArray[np.intp]
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
    codes = np.frombuffer(laid_out.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    codes = np.where(codes - _ZERO < _TEN, _ZERO, codes)  # all digits are one; below "0" the difference wraps around
    sizes = np.fromiter(map(len, texts), dtype=np.intp, count=len(texts)) + 1
    ends = sizes.cumsum()
    places = len(codes) - _URL_LENGTHS + 1
    owner = np.arange(len(texts)).repeat(sizes)
    longest = ends.repeat(sizes) - np.arange(1, places + 1)  # characters from here to the end of the text
    state = np.zeros(places, dtype=np.uint32)
    text_start = int(ends[len(url_texts) - 1])
    state[text_start:] = _GOLDEN  # so that the same characters differ in address and link text
    np.minimum(longest[text_start:], _TEXT_LENGTHS, out=longest[text_start:])
    states = np.empty((_URL_LENGTHS, places), dtype=np.uint32)
    for length in range(_URL_LENGTHS):
        state = np.multiply(state ^ codes[length : length + places], _PRIME, out=states[length])
    whole = np.nonzero(longest >= _LENGTHS)
    mixed = states[whole]
    bucket = ((mixed ^ (mixed >> _HALF)) * _GOLDEN) >> _UNUSED
    owner = owner[whole[1]]
    return Grams(len(url_texts), bucket.astype(np.intp), owner, np.bincount(owner, minlength=len(texts)))


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

    def sums(self, grams: Grams, *, read_text: bool = True) -> NDArray[np.float64]:
        """For each link, the sum of its n-grams' weights; address and link text each over the root of their number."""
        texts = 2 * grams.links
        total = np.bincount(grams.owner, weights=self.weights[grams.bucket], minlength=texts)
        mean = total * self.step / np.sqrt(np.maximum(grams.sizes, 1))
        return mean[: grams.links] + mean[grams.links :] if read_text else mean[: grams.links]


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

    def decide(self, grams: Grams, scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        values: NDArray[np.float64] = (
            self.grams.sums(grams, read_text=self.read_text) + scaled @ self.columns + self.bias
        )
        return values
