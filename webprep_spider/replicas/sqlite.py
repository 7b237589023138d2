"""The default store: one SQLite file, shared by the crawls and processes of one machine."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from webprep_spider.exceptions import StoreError, StoreReset
from webprep_spider.replicas import claims
from webprep_spider.replicas.claims import Claimant, Record
from webprep_spider.replicas.sql import RECORD, SCHEMA, SqlTables, record_of
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
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator

    from webprep_spider.replicas.verdict import Verdict

T = TypeVar("T")

CACHE_KB = 32_768
"""Pages of the file held in memory: fingerprints fall all over the index."""
BUSY_SECONDS = 30.0
"""How long a transaction waits for another process's transaction to end."""


class SqliteStore(Store):
    """Keeps pages in a file at ``path``; ``~`` and missing folders are taken care of.

    Each claim is one immediate transaction, so that processes of one machine can share the file; one that finds it
    locked tries again. It takes a millisecond and is done at once: a thread of its own would wait many times that for
    its turns beside a busy crawl, and a crash would find pages that are emitted and not yet confirmed. What is
    confirmed survives the death of the process; after a power cut the last moments may be missing, but the file stays
    whole (WAL, ``synchronous=NORMAL``).
    """

    def __init__(
        self,
        path: str,
        rules: Rules = DEFAULT_RULES,
        *,
        lease: float = 60.0,
        clock: Clock = time.time,
        pause: Pause = asyncio.sleep,
    ) -> None:
        super().__init__(f"sqlite:///{path}", rules, lease=lease, clock=clock, pause=pause)
        self.path = Path(path).expanduser()
        self._connection: sqlite3.Connection | None = None
        self._file = ""

    async def open(self) -> None:
        await self._run(lambda: None)

    async def close(self) -> None:
        self._disconnect()

    async def _claim(self, page_id: str, fingerprints: tuple[bytes, ...], owner: str) -> Verdict:
        claimant = Claimant(owner, self._clock(), self.lease, self.rules)
        return await self._run(lambda: claims.claim(self._tables(), page_id, fingerprints, claimant))

    async def confirm(self, page_id: str, owner: str = "") -> None:
        await self._run(lambda: claims.confirm(self._tables(), page_id, owner))

    async def release(self, page_id: str, owner: str = "") -> None:
        await self._run(lambda: claims.release(self._tables(), page_id, owner))

    async def get_state(self, key: str) -> bytes | None:
        row = await self._run(lambda: self._sql("SELECT value FROM state WHERE key = ?", key).fetchone())
        return None if row is None else bytes(row[0])

    async def set_state(self, key: str, value: bytes) -> None:
        if len(value) > MOST_STATE:
            raise ValueError(f"{key}: {len(value)} bytes are too much for a state, {MOST_STATE} is the limit")
        await self._run(lambda: self._sql("REPLACE INTO state VALUES (?, ?)", key, value))

    async def info(self) -> StoreInfo:
        def look() -> StoreInfo:
            (pages,) = self._sql("SELECT count(*) FROM page").fetchone()
            (hints,) = self._sql("SELECT count(*) FROM (SELECT DISTINCT hint FROM posting)").fetchone()
            (claimed,) = self._sql("SELECT count(*) FROM claim").fetchone()
            (size,) = self._sql("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()
            return StoreInfo(self.url, STORE_VERSION, self.form, pages, hints, claimed, size)

        return await self._run(look)

    async def pages(self) -> AsyncIterator[StoredPage]:
        last = 0
        while True:
            records = await self._run(partial(self._some_after, last))
            for record in records:
                if record.claim is None:
                    yield StoredPage(record.page_id, tuple(value.hex() for value in record.fingerprints))
            if not records:
                return
            last = records[-1].number

    async def add(self, pages: Iterable[StoredPage]) -> int:
        def take_in() -> int:
            tables, new = self._tables(), 0
            for page in pages:
                if tables.find(page.page_id) is None:
                    kept = tuple(bytes.fromhex(value)[:KEPT_BYTES] for value in page.fingerprints)
                    tables.add(Record(0, page.page_id, kept))
                    new += 1
            return new

        return await self._run(take_in)

    async def forget(self, what: str) -> int:
        def drop() -> int:
            tables = self._tables()
            page = tables.find(what)
            found = [] if page is None else [page]
            for number, name in self._sql("SELECT number, name FROM site").fetchall():
                if host_of(name) == what.lower():
                    found += map(record_of, self._sql(RECORD + "WHERE page.site = ?", number).fetchall())
            for record in found:
                tables.remove(record)
            return len(found)

        return await self._run(drop)

    async def check(self) -> list[str]:
        def look() -> list[str]:
            faults = [text for (text,) in self._sql("PRAGMA integrity_check") if text != "ok"]
            for table in ("posting", "address", "claim"):
                (lost,) = self._sql(
                    f"SELECT count(*) FROM {table} WHERE page NOT IN (SELECT number FROM page)"
                ).fetchone()
                if lost:
                    faults.append(f"{lost} rows of table {table} are of pages that are not known")
            return faults

        return await self._run(look)

    async def _run(self, work: Callable[[], T]) -> T:
        waited, pause = 0.0, 0.001
        while True:
            try:
                self._notice_removal()
                with _immediate(self._connect()):
                    return work()
            except (sqlite3.Error, OSError) as error:
                if not _is_busy(error) or waited >= BUSY_SECONDS:
                    raise StoreError(f"{self.url}: {error}; {_mend(error)}") from error
            await self._pause(pause)
            waited += pause
            pause = min(2 * pause, 0.05)

    def _notice_removal(self) -> None:
        """A file that was deleted or replaced goes on to take in what nobody will read again."""
        if self._connection is not None and _identity(self.path) != self._file:
            self._disconnect()  # the next question opens the store that is there now
            raise StoreReset(
                f"{self.url}: the store was removed or replaced in mid-crawl; what it knew is gone", self._file
            )

    def _connect(self) -> sqlite3.Connection:
        if self._connection is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self.path, timeout=0, isolation_level=None)
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.execute(f"PRAGMA cache_size = -{CACHE_KB}")
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            self._connection, self._file = connection, _identity(self.path)
        return self._connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        with _immediate(connection):
            if connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
                for statement in SCHEMA.split(";"):
                    connection.execute(statement)
                connection.executemany(
                    "INSERT INTO meta VALUES (?, ?)", [("version", str(STORE_VERSION)), ("form", self.form)]
                )
            try:
                meta = dict(connection.execute("SELECT key, value FROM meta"))
            except sqlite3.OperationalError:
                raise StoreError(f"{self.url}: the file is a database, but not a store; use another path") from None
        if "version" not in meta:
            raise StoreError(f"{self.url}: the file is damaged or no store; move it away to start anew")
        self._refuse(meta.get("version", "unknown"), meta.get("form", "unknown"))

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                connection.close()
            except sqlite3.Error as error:
                raise StoreError(f"{self.url}: {error}") from error

    def _tables(self) -> SqlTables:
        return SqlTables(self._connect(), self.rules.max_postings)

    def _sql(self, statement: str, *values: object) -> sqlite3.Cursor:
        return self._connect().execute(statement, values)

    def _some_after(self, number: int) -> list[Record]:
        rows = self._sql(RECORD + "WHERE page.number > ? ORDER BY page.number LIMIT 1000", number)
        return [record_of(row) for row in rows]


def _identity(path: Path) -> str:
    try:
        found = path.stat()
    except OSError:
        return "none"
    return f"{found.st_dev}:{found.st_ino}"


@contextmanager
def _immediate(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite ends it by itself when the disk is full
            connection.execute("ROLLBACK")
        raise


def _is_busy(error: Exception) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _mend(error: Exception) -> str:
    text = str(error).lower()
    if "full" in text or "no space" in text:
        return "the disk is full: make room and start again, nothing that was confirmed is lost"
    if "readonly" in text or "read-only" in text or "permission" in text or "unable to open" in text:
        return "the file and its folder must be writable"
    if "locked" in text or "busy" in text:
        return f"another process kept the store for {BUSY_SECONDS:.0f} seconds"
    if "not a database" in text or "malformed" in text:
        return "the file is damaged or no store; move it away to start anew"
    return "see whether the path is right and can be written"
