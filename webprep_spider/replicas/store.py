"""Stores remember which pages were kept, and by what fingerprints."""

from __future__ import annotations

import asyncio
import re
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit

from webprep_spider.exceptions import StoreError
from webprep_spider.replicas.fingerprint import form_of
from webprep_spider.rules import DEFAULT_RULES, Rules

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
    from typing import Self

    from webprep_spider.replicas.verdict import Verdict

STORE_VERSION = 2
"""Version of what the stores write; a store of another version is refused."""
KEPT_BYTES = 6
"""Bytes of each SHA-1 that a store keeps: 60 bytes a page of ten fingerprints. In a store of a million pages one
look-up in 28 million meets an equal beginning of another text, and a replica takes several unless it is very short."""
MOST_STATE = 1_000_000
"""Bytes of one value given to :meth:`Store.set_state`."""

_SERVER_LOGIN = re.compile(r"^((?:rediss?(?:\+\w+)?|unix):/*).*@", re.DOTALL | re.IGNORECASE)
_PARAMETER = re.compile(r"([?&](?!(?:db|protocol|ssl_c\w+|socket_\w+)=)[^=&#]*)=[^&#]*", re.IGNORECASE)

Clock: TypeAlias = "Callable[[], float]"
Pause: TypeAlias = "Callable[[float], Awaitable[None]]"


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """What ``scrapy store info`` shows. ``url`` has no password; ``size`` is in bytes, on disk or in memory."""

    url: str
    version: int
    form: str
    pages: int
    fingerprints: int
    claims: int
    """Pages that are claimed but not confirmed."""
    size: int


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A confirmed page as a store exports it; the fingerprints are the first bytes of the SHA-1 values, in hex."""

    page_id: str
    fingerprints: tuple[str, ...]


class Store(ABC):
    """What is common to all stores.

    An *owner* is one worker process of one run; give each its own name. A claim counts at once for its owner. For
    others it counts once it is confirmed, and lapses when it is not confirmed within ``lease`` seconds, so that a
    crash cannot hide a page for ever: until then whoever asks for such a page, or for a replica of it, waits.

    Every method raises :class:`StoreError` on trouble; :meth:`claim` and all others open the store when it is not
    open yet. ``clock`` gives seconds since 1970, which the workers of a shared store must agree on within the lease.
    """

    def __init__(
        self,
        url: str,
        rules: Rules = DEFAULT_RULES,
        *,
        lease: float = 60.0,
        clock: Clock = time.time,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self.url = safe_store_url(url)
        self.rules = rules
        self.form = form_of(rules)
        self.lease = lease
        self.on_trouble: Callable[[str], None] = _nothing
        """Called with the reason each time a question is going to be asked again because the server did not answer."""
        self._clock = clock
        self._pause = pause

    async def claim(self, page_id: str, fingerprints: tuple[str, ...], owner: str = "") -> Verdict:
        """Say what the page is and take it, in one atomic step, unless it is a replica or unchanged.

        A page without fingerprints is always new, and nothing is remembered of it. The same question of the same
        owner gets the same answer until the claim is confirmed, so that it can be asked again after a lost answer.

        :raises ValueError: if a fingerprint is not hexadecimal.
        """
        kept = tuple(dict.fromkeys(bytes.fromhex(value)[:KEPT_BYTES] for value in fingerprints))
        waited, pause = 0.0, 0.02
        while True:
            verdict = await self._claim(page_id, kept, owner)
            if not verdict.pending or waited > self.lease:
                return verdict
            await self._pause(pause)
            waited += pause
            pause = min(2 * pause, 1.0)

    @abstractmethod
    async def _claim(self, page_id: str, fingerprints: tuple[bytes, ...], owner: str) -> Verdict: ...

    @abstractmethod
    async def open(self) -> None:
        """Open or create the store. Opening an open store does nothing.

        :raises StoreError: also when the store holds another form of fingerprints or was written by another version.
        """

    @abstractmethod
    async def close(self) -> None:
        """Close the store; it can be opened again."""

    @abstractmethod
    async def confirm(self, page_id: str, owner: str = "") -> None:
        """The claimed page has been kept. Without such a claim of this owner nothing happens."""

    @abstractmethod
    async def release(self, page_id: str, owner: str = "") -> None:
        """The claimed page has not been kept: forget it. Without such a claim of this owner nothing happens."""

    @abstractmethod
    async def get_state(self, key: str) -> bytes | None:
        """A small value kept beside the pages; None when there is none."""

    @abstractmethod
    async def set_state(self, key: str, value: bytes) -> None:
        """Keep a small value beside the pages.

        :raises ValueError: if it has more than :data:`MOST_STATE` bytes.
        """

    @abstractmethod
    async def info(self) -> StoreInfo: ...

    @abstractmethod
    def pages(self) -> AsyncIterator[StoredPage]:
        """All confirmed pages, in the order in which they were first claimed."""

    @abstractmethod
    async def add(self, pages: Iterable[StoredPage]) -> int:
        """Take in confirmed pages without comparing them; known pages are left alone. How many were new."""

    @abstractmethod
    async def forget(self, what: str) -> int:
        """Forget one page by its identifier or all pages of a host by its name. How many there were."""

    @abstractmethod
    async def check(self) -> list[str]:
        """Look whether pages and index agree; one sentence for each fault found."""

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _refuse(self, version: str, form: str) -> None:
        """:raises StoreError: unless a store with this version and form can be used."""
        if version != str(STORE_VERSION):
            raise StoreError(
                f"{self.url}: the store was written by version {version} of the format, this is version"
                f" {STORE_VERSION}; use another store or export and import its pages"
            )
        if form != self.form:
            raise StoreError(
                f"{self.url}: the store holds fingerprints of form {form}, the rules ask for {self.form};"
                " use another store, or the rules it was made with"
            )


def _nothing(_: str) -> None:
    pass


def host_of(page_id: str) -> str:
    """The host of an identifier that is an address, in lower case; empty for any other."""
    try:
        return urlsplit(page_id).hostname or ""
    except ValueError:
        return ""


def safe_url(url: str) -> str:
    """``url`` without user name and password, fit for messages."""
    try:
        parts = urlsplit(url)
        if "@" not in parts.netloc:
            return url
        return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    except ValueError:
        return url.partition(":")[0] + ":..."


def safe_store_url(url: str) -> str:
    """The same for the address of a store: also a password with signs that divide an address, and without the values
    of parameters, which may be one."""
    return _PARAMETER.sub(r"\1=...", safe_url(_SERVER_LOGIN.sub(r"\1", url)))
