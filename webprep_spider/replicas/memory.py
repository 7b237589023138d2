"""The store of a single run: nothing is left of it afterwards."""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from webprep_spider.replicas import claims
from webprep_spider.replicas.claims import Claimant, Record
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
from webprep_spider.rules import DEFAULT_RULES, Rules

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Sequence

    from webprep_spider.replicas.verdict import Verdict


class _Tables:
    """The ledger as dictionaries."""

    def __init__(self, most_postings: int) -> None:
        self.most_postings = most_postings
        self.numbers: dict[str, int] = {}
        self.records: dict[int, Record] = {}
        self.index: dict[bytes, list[int]] = {}
        self.last = 0

    def find(self, page_id: str) -> Record | None:
        number = self.numbers.get(page_id)
        return None if number is None else self.records[number]

    def get(self, number: int) -> Record | None:
        return self.records.get(number)

    def postings(self, fingerprint: bytes) -> Sequence[int]:
        return self.index.get(fingerprint, ())

    def add(self, record: Record) -> Record:
        self.last += 1
        record = replace(record, number=self.last)
        self.put(record)
        return record

    def put(self, record: Record) -> None:
        known = self.records.get(record.number)
        if known is not None and known.fingerprints != record.fingerprints:
            self.remove(known)
            known = None
        if known is None:
            for fingerprint in record.fingerprints:
                pages = self.index.setdefault(fingerprint, [])
                if len(pages) < self.most_postings:
                    pages.append(record.number)
        self.numbers[record.page_id] = record.number
        self.records[record.number] = record

    def remove(self, record: Record) -> None:
        del self.numbers[record.page_id], self.records[record.number]
        for fingerprint in record.fingerprints:
            pages = self.index[fingerprint]
            if record.number in pages:
                pages.remove(record.number)
            if not pages:
                del self.index[fingerprint]


class MemoryStore(Store):
    """Keeps everything in this process; for tries, tests and single runs."""

    def __init__(
        self,
        rules: Rules = DEFAULT_RULES,
        *,
        lease: float = 60.0,
        clock: Clock = time.time,
        pause: Pause = asyncio.sleep,
    ) -> None:
        super().__init__("memory:", rules, lease=lease, clock=clock, pause=pause)
        self._tables = _Tables(rules.max_postings)
        self._state: dict[str, bytes] = {}

    async def open(self) -> None:
        pass

    async def close(self) -> None:
        pass

    async def _claim(self, page_id: str, fingerprints: tuple[bytes, ...], owner: str) -> Verdict:
        claimant = Claimant(owner, self._clock(), self.lease, self.rules)
        return claims.claim(self._tables, page_id, fingerprints, claimant)

    async def confirm(self, page_id: str, owner: str = "") -> None:
        claims.confirm(self._tables, page_id, owner)

    async def release(self, page_id: str, owner: str = "") -> None:
        claims.release(self._tables, page_id, owner)

    async def get_state(self, key: str) -> bytes | None:
        return self._state.get(key)

    async def set_state(self, key: str, value: bytes) -> None:
        if len(value) > MOST_STATE:
            raise ValueError(f"{key}: {len(value)} bytes are too much for a state, {MOST_STATE} is the limit")
        self._state[key] = value

    async def info(self) -> StoreInfo:
        tables = self._tables
        size = sum(
            sys.getsizeof(record.page_id) + sys.getsizeof(record.fingerprints) + len(record.fingerprints) * KEPT_BYTES
            for record in tables.records.values()
        ) + sum(sys.getsizeof(pages) + sys.getsizeof(key) for key, pages in tables.index.items())
        claimed = sum(record.claim is not None for record in tables.records.values())
        return StoreInfo(self.url, STORE_VERSION, self.form, len(tables.records), len(tables.index), claimed, size)

    async def pages(self) -> AsyncIterator[StoredPage]:
        for record in sorted(self._tables.records.values(), key=lambda record: record.number):
            if record.claim is None:
                yield StoredPage(record.page_id, tuple(value.hex() for value in record.fingerprints))

    async def add(self, pages: Iterable[StoredPage]) -> int:
        new = 0
        for page in pages:
            if self._tables.find(page.page_id) is None:
                kept = tuple(bytes.fromhex(value)[:KEPT_BYTES] for value in page.fingerprints)
                self._tables.add(Record(0, page.page_id, kept))
                new += 1
        return new

    async def forget(self, what: str) -> int:
        found = [
            record
            for record in self._tables.records.values()
            if record.page_id == what or host_of(record.page_id) == what.lower()
        ]
        for record in found:
            self._tables.remove(record)
        return len(found)

    async def check(self) -> list[str]:
        return [
            f"fingerprint {fingerprint.hex()} is posted for page number {number}, which is not known"
            for fingerprint, pages in self._tables.index.items()
            for number in pages
            if number not in self._tables.records
        ]
