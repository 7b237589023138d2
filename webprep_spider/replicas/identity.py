"""Which address is which page: the identity of a page apart from how somebody came to it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from urllib.parse import unquote, urljoin, urlsplit

from w3lib.url import canonicalize_url

from webprep_spider.hub.address import registered_domain, split_address

LONGEST_CANONICAL = 8_000
"""Characters; a longer address keeps its form, only its fragment is cut off."""

_SESSION_VALUE = re.compile(r"(?=[^0-9]*[0-9])[0-9a-z_,!.-]{16,}", re.IGNORECASE)
_PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/;?]*", re.IGNORECASE)
_ASP_SESSION = re.compile(r"/\([A-Z]\([0-9a-z]{20,}\)\)(?=/)", re.IGNORECASE)
_TWIN_HOST = re.compile(r"(?:m|wap|mobile|3g|amp)\.")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


@dataclass(frozen=True, slots=True)
class _Noise:
    names: frozenset[str]
    prefixes: tuple[str, ...]
    values: dict[str, frozenset[str]]
    sessions: frozenset[str]

    def covers(self, argument: str) -> bool:
        name, _, value = argument.partition("=")
        name = unquote(name).lower()
        if name in self.names or name.startswith(self.prefixes):
            return True
        if name in self.sessions and _SESSION_VALUE.fullmatch(value):
            return True
        return value.lower() in self.values.get(name, ())


@cache
def _noise() -> _Noise:
    text = files("webprep_spider").joinpath("data", "url-noise.txt").read_text(encoding="utf-8")
    names, prefixes, values, sessions = set(), [], {}, set()
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        name, _, condition = (part.strip() for part in line.partition("="))
        if condition == "<token>":
            sessions.add(name)
        elif condition:
            values[name] = frozenset(condition.split())
        elif name.endswith("*"):
            prefixes.append(name[:-1])
        else:
            names.add(name)
    return _Noise(frozenset(names), tuple(prefixes), values, frozenset(sessions))


def canonical_url(url: str) -> str:
    """The identity of the page at ``url``: equal for addresses that differ only in how somebody came there.

    w3lib's canonical form (sorted query, ``.`` and ``..`` resolved, percent-encoding, host in lower case) without
    fragment, default port, user name and password, trackers and session numbers (``data/url-noise.txt``).
    Scheme, ``www.``, final slash and ``index.html`` stay: sites redirect from one to the other, and an address that
    redirects to its own identity could never be fetched; the text fingerprints see that such pages are one.

    Idempotent, and never raises: what is no http(s) address comes back without white space at its ends.
    """
    url = _CONTROL.sub("", url).strip().encode("utf-8", "replace").decode()
    if len(url) > LONGEST_CANONICAL:
        return url.partition("#")[0]
    if split_address(url) is None:
        return url
    try:
        return _settled(url)
    except ValueError:
        return url


@lru_cache(maxsize=32_768)  # the menu of a site is met on each of its pages
def _settled(url: str) -> str:
    return _canonical(_canonical(url))


def _canonical(url: str) -> str:
    parts = urlsplit(canonicalize_url(url))
    host = parts.netloc.rpartition("@")[2].lower()
    name, colon, port = host.rpartition(":")
    if colon and (not port or port == {"http": "80", "https": "443"}.get(parts.scheme)):
        host = name
    if host.endswith("."):
        host = host.rstrip(".")
    path = _ASP_SESSION.sub("", _PATH_SESSION.sub("", parts.path))
    noise = _noise()
    arguments = dict.fromkeys(parts.query.split("&"))  # one given twice with one value is a link that grows
    query = "&".join(argument for argument in arguments if argument and not noise.covers(argument))
    return f"{parts.scheme}://{host}{path or '/'}" + (f"?{query}" if query else "")


def declared_canonical(href: str, base_url: str) -> str:
    """The identity that a page at ``base_url`` declares by ``rel=canonical``, or ``""`` when it is not to be believed.

    ``href`` may be relative. It counts only on the same site, that is under the same registered domain; pages that
    declare the front page while they are not it are wrong and common, so that is not believed either.
    """
    try:
        target = urljoin(base_url, _CONTROL.sub("", href).strip())
    except ValueError:
        return ""
    there, here = split_address(target), split_address(base_url)
    if not href.strip() or there is None or here is None:
        return ""
    if _site(there.host) != _site(here.host):
        return ""
    if there.path == "/" and not there.query and (here.path != "/" or here.query):
        return ""
    return canonical_url(target)


def _site(host: str) -> str:
    return registered_domain(_TWIN_HOST.sub("", host, count=1) if _TWIN_HOST.match(host) else host)
