"""Takes an address apart for scoring, quickly and without ever raising."""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import NamedTuple

LONGEST_LOOKED_AT = 1_024
"""Characters of an address that are looked at; longer ones keep their true length and are judged by their beginning."""

_ADDRESS = re.compile(r"https?://([^/?#\\]*)([^?#]*)(?:\?([^#]*))?", re.IGNORECASE)
_HOST = re.compile(r"(?!-)[\w-]{1,63}(?:\.[\w-]{1,63})*\.?")
_NUMBERS = re.compile(r"[0-9]+")
_PORT = re.compile(r":[0-9]{0,5}")


class Address(NamedTuple):
    """The parts of an http(s) address. ``path`` is never empty; ``length`` counts everything after ``scheme://``."""

    host: str
    path: str
    query: str
    length: int


class PathParts(NamedTuple):
    """What of a path several features need: its segments, file name and extension, and the numbers in it."""

    segments: list[str]
    stem: str
    extension: str
    numbers: list[str]


def split_path(path: str) -> PathParts:
    """Take a path apart. Path parameters (``;jsessionid=``) are no part of the file name; extensions are lower case."""
    name = path[path.rfind("/") + 1 :]
    if ";" in name:
        name = name[: name.index(";")]
    stem, dot, extension = name.rpartition(".")
    if not dot:
        stem = name
    return PathParts(
        [part for part in path.split("/") if part], stem, extension.lower() if dot else "", _NUMBERS.findall(path)
    )


def split_address(url: str) -> Address | None:
    """Take ``url`` apart; ``None`` for what no crawler can fetch: another scheme, no host, a host that cannot exist.

    The fragment is left out, the host is in lower case without ``www.`` and final dot. Linear in the first
    :data:`LONGEST_LOOKED_AT` characters.
    """
    if url[:1].isspace() or url[-1:].isspace():
        url = url.strip()
    found = _ADDRESS.match(url, 0, LONGEST_LOOKED_AT)
    if found is None:
        return None
    netloc, path, query = found.groups()
    host = _host(netloc)
    if host is None:
        return None
    length = found.end() - found.start(1) if len(url) <= LONGEST_LOOKED_AT else len(url) - found.start(1)
    if not path:
        path = "/"
        length += 1
    return Address(host, path, query or "", length)


@lru_cache(maxsize=4096)
def _host(netloc: str) -> str | None:
    host = netloc.rpartition("@")[2]
    if host.startswith("["):
        inner, bracket, port = host[1:].partition("]")
        if not bracket or (port and not _valid_port(port)):
            return None
        try:
            return f"[{IPv6Address(inner.partition('%')[0]).compressed}]"
        except AddressValueError:
            return None
    host, colon, port = host.partition(":")
    if (colon and not _valid_port(colon + port)) or len(host) > 253 or not _HOST.fullmatch(host):
        return None
    host = host.rstrip(".").lower()
    if host.rpartition(".")[2].isdecimal():
        try:
            return str(IPv4Address(host))
        except AddressValueError:
            return None
    return host[4:] if host.startswith("www.") and host.count(".") > 1 else host


def _valid_port(port: str) -> bool:
    return _PORT.fullmatch(port) is not None and int(port[1:] or 0) < 65_536


@lru_cache(maxsize=4096)
def registered_domain(host: str) -> str:
    """The part of ``host`` that somebody registered (``a.b.example.com.cn`` -> ``example.com.cn``).

    Names under a private suffix such as ``github.io`` count as sites of their own. Where there is no such part, as
    for IP addresses and ``localhost``, the host itself.
    """
    return _suffixes()(host).top_domain_under_public_suffix or host


@lru_cache(maxsize=1)
def _suffixes():  # type: ignore[no-untyped-def]
    from tldextract import TLDExtract  # loads the suffix list, which only links with a referrer need

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
