"""The fast form of the Redis store: a plain set of SHA-1 values (S4.R4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webprep_spider.exceptions import StoreError
from webprep_spider.replicas.redis import RedisBase
from webprep_spider.replicas.store import STORE_VERSION, StoredPage, StoreInfo
from webprep_spider.replicas.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable


class RedisSetStore(RedisBase):
    """One plain Redis set of SHA-1 values, as in the first form of the method.

    ST is taken against everything seen so far: the share of a page's fingerprints that the set had already, as the
    reply of one ``SADD`` tells. Its limits: it cannot name a twin; two halves of different pages look like one copy;
    a page that is fetched again is a replica of itself; a claim cannot be released, so that a page whose worker dies
    is lost, and an answer that is lost is not asked for again. Use it for single passes over very large corpora.
    """

    async def open(self) -> None:
        if self._client is None:
            self._connect()
            key = f"{self._tag}:set-form"
            made = f"{STORE_VERSION} {self.form}"

            async def read() -> Any:
                await self._redis.setnx(key, made)
                return await self._redis.get(key)

            try:
                version, _, form = (await self._patiently(read, self._start_patience)).decode().partition(" ")
                self._refuse(version, form)
            except StoreError:
                await self.close()
                raise

    async def claim(self, page_id: str, fingerprints: tuple[str, ...], owner: str = "") -> Verdict:
        return await self._claim(page_id, tuple(bytes.fromhex(value) for value in fingerprints), owner)

    async def _claim(self, page_id: str, fingerprints: tuple[bytes, ...], owner: str) -> Verdict:
        await self.open()
        if not fingerprints:
            return Verdict("new")
        new = await self._patiently(lambda: self._redis.sadd(f"{self._tag}:set", *fingerprints), 0.0)
        share = 1.0 - new / len(set(fingerprints))
        return Verdict("replica" if share >= self.rules.replica_share else "new", None, share)

    async def confirm(self, page_id: str, owner: str = "") -> None:
        pass

    async def release(self, page_id: str, owner: str = "") -> None:
        pass

    async def info(self) -> StoreInfo:
        await self.open()
        key = f"{self._tag}:set"
        members = await self._patiently(lambda: self._redis.scard(key))
        size = await self._patiently(lambda: self._redis.memory_usage(key)) or 0
        return StoreInfo(self.url, STORE_VERSION, self.form, 0, members, 0, size)

    async def pages(self) -> AsyncIterator[StoredPage]:
        raise StoreError(f"{self.url}: a plain set does not know pages; there is nothing to export")
        yield  # pragma: no cover

    async def add(self, pages: Iterable[StoredPage]) -> int:
        raise StoreError(f"{self.url}: a plain set holds whole SHA-1 values, an export only their beginnings")

    async def forget(self, what: str) -> int:
        raise StoreError(f"{self.url}: a plain set does not know pages; it cannot forget one")

    async def check(self) -> list[str]:
        await self.open()
        return []
