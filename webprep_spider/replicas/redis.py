"""The store that many machines share: Redis or Valkey."""

from __future__ import annotations

import asyncio
import logging
import secrets
import struct
import time
from functools import cache, partial
from hashlib import sha1
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urldefrag, urlsplit

from redis import asyncio as redis
from redis import exceptions as trouble

from webprep_spider.exceptions import StoreError, StoreReset
from webprep_spider.replicas.store import (
    KEPT_BYTES,
    MOST_STATE,
    STORE_VERSION,
    Clock,
    Pause,
    Store,
    StoredPage,
    StoreInfo,
    host_of,
)
from webprep_spider.replicas.verdict import Verdict
from webprep_spider.rules import DEFAULT_RULES, Rules

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable

logger = logging.getLogger(__name__)

CONNECTIONS = 8
OPENING_SECONDS = 5.0
"""How long one question may take on opening, where somebody waits for the crawl to begin."""
PAGES_A_LIST = 64
"""As in ``store.lua``."""
_ENTRY = struct.Struct(">4sI")
_HEAD = struct.Struct(">IH")

_PASSING = (
    trouble.ConnectionError,
    trouble.TimeoutError,
    trouble.BusyLoadingError,
    trouble.ReadOnlyError,
    trouble.TryAgainError,
    trouble.ClusterDownError,
    trouble.MasterDownError,
    trouble.InvalidResponse,
    trouble.OutOfMemoryError,
    ConnectionError,
    TimeoutError,
)
"""Troubles that may pass by themselves and are waited for."""
_PASSING_WORDS = ("READONLY", "OOM", "MISCONF", "NOREPLICAS")
"""How errors begin that may pass too: a failover, memory or a disk that is full. Inside a script they have no class."""
_REFUSED = (trouble.AuthenticationError, trouble.NoPermissionError)
"""Kinds of the above that will not pass where the server has not been reached before."""


@cache
def _program() -> str:
    return files("webprep_spider.replicas").joinpath("store.lua").read_text(encoding="utf-8")


async def _greet(connection: Any) -> None:
    """Log in and choose the database, without a word about the client: where each answer may be a connection's last
    (a proxy, a server that is being closed), the first must be that to our question."""
    connection.driver_info = connection.lib_name = connection.lib_version = None
    await connection.on_connect()


def _address_hint(page_id: str) -> bytes:
    return sha1(page_id.encode()).digest()[:4]


def _may_pass(error: Exception) -> bool:
    return isinstance(error, _PASSING) or any(word in str(error) for word in _PASSING_WORDS)


class RedisBase(Store):
    """Connection, patience and small values, common to both forms of the store.

    The part of the address after ``#`` names the corpus (``default`` without it); stores of different names in one
    database do not touch. Trouble that may pass (no connection, loading, failover, memory full) is waited for
    ``patience`` seconds in mid-crawl and ``start_patience`` seconds on opening.
    """

    def __init__(
        self,
        url: str,
        rules: Rules = DEFAULT_RULES,
        *,
        lease: float = 60.0,
        clock: Clock = time.time,
        pause: Pause = asyncio.sleep,
        patience: float = 30.0,
        start_patience: float = 3.0,
    ) -> None:
        super().__init__(url, rules, lease=lease, clock=clock, pause=pause)
        self._address, fragment = urldefrag(url)
        self.name = unquote(fragment) or "default"
        self._tag = f"{{webprep:{self.name}}}"
        self._patience = patience
        self._start_patience = start_patience
        self._client: redis.Redis | None = None

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            try:
                await client.aclose(close_connection_pool=True)
            except (*_PASSING, trouble.RedisError):
                logger.debug("%s: closing failed", self.url)

    async def get_state(self, key: str) -> bytes | None:
        value: bytes | None = await self._reach(lambda: self._redis.hget(f"{self._tag}:state", key))
        return value

    async def set_state(self, key: str, value: bytes) -> None:
        if len(value) > MOST_STATE:
            raise ValueError(f"{key}: {len(value)} bytes are too much for a state, {MOST_STATE} is the limit")
        await self._reach(lambda: self._redis.hset(f"{self._tag}:state", key, value))

    @property
    def _redis(self) -> redis.Redis:
        assert self._client is not None
        return self._client

    def _connect(self) -> None:
        try:
            pool = redis.BlockingConnectionPool.from_url(
                self._address,
                max_connections=CONNECTIONS,
                timeout=60,
                socket_timeout=15,
                socket_connect_timeout=5,
                protocol=2,
                redis_connect_func=_greet,
            )
            number = urlsplit(self._address).path.strip("/")
            if number and not number.isdecimal() and not self._address.startswith("unix:"):
                raise ValueError(f"{number!r} is no number of a database")
            pool.connection_class(**pool.connection_kwargs)  # takes offence at options that there are not
        except (ValueError, TypeError) as error:
            # The client's message may quote what stands where it expects the port: a part of the login.
            quotes = isinstance(error, ValueError) and "@" in self._address + self.name
            why = "is its login written with %23 and the like?" if quotes else error
            raise StoreError(f"{self.url}: not the address of a Redis server: {why}") from None
        self._client = redis.Redis(connection_pool=pool)

    async def _reach(self, ask: Callable[[], Awaitable[Any]]) -> Any:
        """What ``ask`` answers; the store is opened first, and again if it was closed while trouble was waited for."""

        async def opened() -> Any:
            await self.open()
            return await ask()

        return await self._patiently(opened)

    async def _patiently(self, ask: Callable[[], Awaitable[Any]], patience: float | None = None) -> Any:
        """What ``ask`` answers; trouble that may pass is waited for, longer from time to time."""
        opening, patience = bool(patience), self._patience if patience is None else patience
        begin, waited, pause = time.monotonic(), 0.0, 0.05
        while True:
            try:
                async with asyncio.timeout(OPENING_SECONDS if opening else None):
                    return await ask()
            except (*_PASSING, trouble.RedisError) as error:
                passing = not (opening and isinstance(error, _REFUSED)) and _may_pass(error)
                if not passing or max(waited, time.monotonic() - begin) >= patience:
                    raise StoreError(self._describe(error)) from None
                self.on_trouble(self._describe(error))
            await self._pause(pause)
            waited += pause
            pause = min(2 * pause, 2.0)

    def _describe(self, error: Exception) -> str:
        # The client's own messages quote commands at most, never the address with its password.
        text = str(error).partition("\n")[0][:200]
        if isinstance(error, trouble.AuthenticationError):
            return f"{self.url}: Redis refuses the user or password: {text}"
        if "OOM" in text or isinstance(error, trouble.OutOfMemoryError):
            return f"{self.url}: Redis is out of memory; raise maxmemory or use another store"
        if "MISCONF" in text:
            return f"{self.url}: Redis cannot save to its disk and refuses to write: {text}"
        if isinstance(error, _PASSING):
            reason = text or type(error).__name__
            return f"{self.url}: Redis does not answer ({reason}); is it running, is the address right?"
        return f"{self.url}: Redis answers with an error: {text}"


class RedisStore(RedisBase):
    """Keeps pages in Redis; a claim is one round trip, decided inside the server.

    What is confirmed survives what Redis itself survives: with ``appendonly yes`` a crash, with ``appendfsync
    everysec`` up to a second less. The server should have no eviction policy. With ``expire`` a page is forgotten that
    many seconds, and at most a sixteenth more, after its first claim.
    """

    def __init__(self, url: str, rules: Rules = DEFAULT_RULES, *, expire: float = 0.0, **options: Any) -> None:
        super().__init__(url, rules, **options)
        self._expire = expire
        self._epoch = ""
        self._opening = asyncio.Lock()

    async def open(self) -> None:
        if self._epoch:
            return
        async with self._opening:
            if not self._epoch:
                try:
                    self._epoch = await self._enter()
                except StoreError:
                    await self.close()
                    raise
                await self._warn_of_eviction()

    async def _enter(self) -> str:
        if self._client is None:
            self._connect()
        self._script = self._redis.register_script(_program())
        wanted: list[str | int] = ["open", secrets.token_hex(4), STORE_VERSION, self.form]
        version, form, epoch = await self._patiently(
            lambda: self._redis.eval(_program(), 1, self._tag, *wanted), self._start_patience
        )
        self._refuse(version.decode("utf-8", "replace"), form.decode("utf-8", "replace"))
        return str(epoch.decode())

    async def close(self) -> None:
        self._epoch = ""
        await super().close()

    async def _warn_of_eviction(self) -> None:
        try:
            policy = (await self._redis.config_get("maxmemory-policy")).get("maxmemory-policy", "noeviction")
        except (*_PASSING, trouble.RedisError):  # hosted servers often do not tell
            return
        if policy not in ("noeviction", b"noeviction"):
            logger.warning("%s: maxmemory-policy is %s, so Redis may silently forget pages", self.url, policy)

    async def _ask(self, op: str, *args: Any) -> Any:
        async def ask() -> Any:
            epoch = self._epoch
            try:
                return await self._script(keys=[self._tag], args=[op, epoch, *args])
            except trouble.ResponseError as error:
                if not str(error).startswith("WEBPREPRESET"):
                    raise
                if self._epoch == epoch:
                    self._epoch = ""  # the next question opens the store that is there now
                text = f"{self.url}: the store was flushed or replaced in mid-crawl; what it knew is gone"
                raise StoreReset(text, epoch) from None

        return await self._reach(ask)

    async def _claim(self, page_id: str, fingerprints: tuple[bytes, ...], owner: str) -> Verdict:
        if not fingerprints:
            return Verdict("new")
        rules = self.rules
        kind, twin, share, story, pending = await self._ask(
            "claim",
            page_id,
            _address_hint(page_id),
            owner,
            repr(self._clock()),
            self.lease,
            rules.replica_share,
            rules.story_share,
            rules.common_pages,
            rules.max_postings,
            self._expire,
            rules.same_site_factor,
            *fingerprints,
        )
        return Verdict(kind.decode(), twin.decode() or None, float(share), story.decode() or None, bool(pending))

    async def confirm(self, page_id: str, owner: str = "") -> None:
        await self._ask("confirm", page_id, _address_hint(page_id), owner)

    async def release(self, page_id: str, owner: str = "") -> None:
        await self._ask("release", page_id, _address_hint(page_id), owner)

    async def info(self) -> StoreInfo:
        await self.open()
        last, pages, hints, buckets, _, swept = await self._counters()
        claimed = await self._patiently(lambda: self._redis.hlen(self._key("claims")))
        lists = range(swept, -(-last // PAGES_A_LIST))
        size = await self._sampled_size("b", range(buckets)) + await self._sampled_size("p", lists)
        return StoreInfo(self.url, STORE_VERSION, self.form, pages, hints - pages, claimed, size)

    async def pages(self) -> AsyncIterator[StoredPage]:
        async for _, page_id, kept, claimed in self._records():
            if not claimed:
                yield StoredPage(page_id, tuple(value.hex() for value in kept))

    async def add(self, pages: Iterable[StoredPage]) -> int:
        new = 0
        for page in pages:
            kept = [bytes.fromhex(value)[:KEPT_BYTES] for value in page.fingerprints]
            most = self.rules.max_postings
            new += await self._ask("add", page.page_id, _address_hint(page.page_id), most, *kept)
        return new

    async def forget(self, what: str) -> int:
        found = [
            page_id async for _, page_id, _, _ in self._records() if page_id == what or host_of(page_id) == what.lower()
        ]
        return sum([await self._ask("forget", page_id, _address_hint(page_id)) for page_id in found])

    async def check(self) -> list[str]:
        await self.open()
        _, pages, hints, buckets, floor, _ = await self._counters()
        known = {number: (page_id, kept) async for number, page_id, kept, _ in self._records()}
        faults = []
        if len(known) != pages and not floor:
            faults.append(f"{pages} pages are counted, {len(known)} are there")
        posted, lost = set(), 0
        for place in range(buckets):
            content = await self._patiently(partial(self._redis.get, self._key(f"b:{place}"))) or b""
            for hint, number in _ENTRY.iter_unpack(content):
                posted.add((hint, number))
                lost += number > floor and number not in known
        if lost:
            faults.append(f"{lost} entries of the index are of pages that are not known")
        if len(posted) != hints:
            faults.append(f"{hints} entries of the index are counted, {len(posted)} are there")
        unfound = sum((_address_hint(page_id), number) not in posted for number, (page_id, _) in known.items())
        if unfound:
            faults.append(f"{unfound} pages cannot be found by their identifier")
        return faults

    def _key(self, rest: str) -> str:
        return f"{self._tag}:{self._epoch}:{rest}"

    async def _counters(self) -> list[int]:
        fields = ["last", "pages", "hints", "buckets", "floor", "swept"]
        values = await self._patiently(lambda: self._redis.hmget(f"{self._tag}:meta", fields))
        return [int(value or 0) for value in values]

    async def _sampled_size(self, kind: str, keys: range) -> int:
        """Bytes of all keys of a kind, from about 500 of them."""
        sample = keys[:: max(1, len(keys) // 500)]
        pipe = self._redis.pipeline(transaction=False)
        for place in sample:
            pipe.memory_usage(self._key(f"{kind}:{place}"))
        sizes = await self._patiently(pipe.execute) if sample else []
        return round(sum(size or 0 for size in sizes) * len(keys) / max(1, len(sample)))

    async def _records(self) -> AsyncIterator[tuple[int, str, list[bytes], bool]]:
        await self.open()
        claimed = {int(number) for number in await self._patiently(lambda: self._redis.hkeys(self._key("claims")))}
        last, *_, floor, swept = await self._counters()
        for place in range(swept, -(-last // PAGES_A_LIST)):
            packed = await self._patiently(partial(self._redis.lrange, self._key(f"p:{place}"), 0, -1))
            for number, record in enumerate(packed, place * PAGES_A_LIST + 1):
                if record and number > floor:
                    _, count = _HEAD.unpack_from(record)
                    end = _HEAD.size + count * KEPT_BYTES
                    kept = [record[at : at + KEPT_BYTES] for at in range(_HEAD.size, end, KEPT_BYTES)]
                    yield number, record[end:].decode(), kept, number in claimed
