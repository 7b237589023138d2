"""The tables of the SQLite store."""

from __future__ import annotations

from hashlib import sha1
from typing import TYPE_CHECKING

from webprep_spider.replicas.claims import Claim, Record
from webprep_spider.replicas.store import KEPT_BYTES

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from typing import Any

# A page is its site and the rest of its identifier. The two indexes hold the first bytes of what they find, which is
# enough to find it and half as large as all of it; what was found is then compared in full. By three bytes of a
# fingerprint less than one wrong page is found in a million, and it is not even read: one fingerprint is too small a
# share.
SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE site (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE page (
    number INTEGER PRIMARY KEY AUTOINCREMENT, site INTEGER NOT NULL, path TEXT NOT NULL, fingerprints BLOB NOT NULL,
    story INTEGER NOT NULL
);
CREATE TABLE address (hint INTEGER, page INTEGER, PRIMARY KEY (hint, page)) WITHOUT ROWID;
CREATE TABLE posting (hint INTEGER, page INTEGER, PRIMARY KEY (hint, page)) WITHOUT ROWID;
CREATE TABLE claim (page INTEGER PRIMARY KEY, owner TEXT NOT NULL, since REAL NOT NULL, kind TEXT NOT NULL);
CREATE TABLE state (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
"""

RECORD = """
SELECT page.number, site.name || path, fingerprints, story, owner, since, kind
FROM page JOIN site ON site.number = page.site LEFT JOIN claim ON claim.page = page.number
"""


def _hint(fingerprint: bytes) -> int:
    return int.from_bytes(fingerprint[:3], "big", signed=True)


def _address_hint(page_id: str) -> int:
    return int.from_bytes(sha1(page_id.encode("utf-8", "surrogatepass")).digest()[:4], "big", signed=True)


def record_of(row: tuple[Any, ...]) -> Record:
    number, page_id, packed, story, owner, since, kind = row
    kept = tuple(packed[at : at + KEPT_BYTES] for at in range(0, len(packed), KEPT_BYTES))
    return Record(number, page_id, kept, story, None if kind is None else Claim(owner, since, kind))


class SqlTables:
    """The ledger as SQL, inside a transaction of the caller."""

    def __init__(self, connection: sqlite3.Connection, most_postings: int) -> None:
        self._sql = connection.execute
        self._most_postings = most_postings

    def find(self, page_id: str) -> Record | None:
        rows = self._sql(
            RECORD + "WHERE page.number IN (SELECT page FROM address WHERE hint = ?)", (_address_hint(page_id),)
        )
        return next((record for row in rows if (record := record_of(row)).page_id == page_id), None)

    def get(self, number: int) -> Record | None:
        row = self._sql(RECORD + "WHERE page.number = ?", (number,)).fetchone()
        return None if row is None else record_of(row)

    def postings(self, fingerprint: bytes) -> Sequence[int]:
        return [page for (page,) in self._sql("SELECT page FROM posting WHERE hint = ?", (_hint(fingerprint),))]

    def add(self, record: Record) -> Record:
        number = self._insert(record, None)
        return Record(number, record.page_id, record.fingerprints, record.story, record.claim)

    def put(self, record: Record) -> None:
        known = self.get(record.number)
        if known is not None and known.fingerprints != record.fingerprints:
            self.remove(known)
            known = None
        if known is None:
            self._insert(record, record.number)
            return
        self._claim(record.number, record.claim)

    def remove(self, record: Record) -> None:
        self._sql("DELETE FROM page WHERE number = ?", (record.number,))
        self._sql("DELETE FROM claim WHERE page = ?", (record.number,))
        self._sql("DELETE FROM address WHERE hint = ? AND page = ?", (_address_hint(record.page_id), record.number))
        for fingerprint in record.fingerprints:
            self._sql("DELETE FROM posting WHERE hint = ? AND page = ?", (_hint(fingerprint), record.number))

    def _insert(self, record: Record, number: int | None) -> int:
        site, path = _site_and_path(record.page_id)
        self._sql("INSERT OR IGNORE INTO site (name) VALUES (?)", (site,))
        inserted = self._sql(
            "INSERT INTO page SELECT ?, number, ?, ?, ? FROM site WHERE name = ?",
            (number, path, b"".join(record.fingerprints), record.story, site),
        )
        number = inserted.lastrowid
        assert number is not None
        self._sql("INSERT INTO address VALUES (?, ?)", (_address_hint(record.page_id), number))
        for fingerprint in record.fingerprints:
            hint = _hint(fingerprint)
            self._sql(
                "INSERT OR IGNORE INTO posting SELECT ?, ? WHERE (SELECT count(*) FROM posting WHERE hint = ?) < ?",
                (hint, number, hint, self._most_postings),
            )
        self._claim(number, record.claim)
        return number

    def _claim(self, number: int, claim: Claim | None) -> None:
        if claim is None:
            self._sql("DELETE FROM claim WHERE page = ?", (number,))
        else:
            self._sql("REPLACE INTO claim VALUES (?, ?, ?, ?)", (number, claim.owner, claim.since, claim.kind))


def _site_and_path(page_id: str) -> tuple[str, str]:
    scheme, mark, rest = page_id.partition("://")
    if not mark:
        return "", page_id
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host}", slash + path
