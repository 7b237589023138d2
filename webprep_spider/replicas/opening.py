"""From the address of a store to the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webprep_spider.exceptions import StoreError
from webprep_spider.replicas.store import safe_store_url
from webprep_spider.rules import DEFAULT_RULES, Rules

if TYPE_CHECKING:
    from webprep_spider.replicas.store import Store


def open_store(
    url: str, rules: Rules = DEFAULT_RULES, *, lease: float = 60.0, patience: float = 30.0, expire: float = 0.0
) -> Store:
    """The store at ``url``; it is opened on first use.

    ``memory:``, ``sqlite:///relative/path.db`` (``sqlite:////absolute/path.db``),
    ``redis://[user:password@]host[:port][/db][#name]`` (``rediss://`` for TLS, ``unix://`` for a socket), or the same
    with ``redis+set://`` for a plain Redis set, which is fast and small but cannot tell one page from another (S4.R4).

    :param lease: seconds after which the claim of a silent owner lapses.
    :param patience: seconds for which trouble of a server that may pass is waited for.
    :param expire: seconds after which a page is forgotten, 0 for never; only ``redis://`` forgets by itself.
    :raises StoreError: if the address is none of these, or cannot do what is asked.
    """
    scheme, colon, rest = url.partition(":")
    if "\0" in url:
        raise StoreError(f"{safe_store_url(url)!r}: not the address of a store: it holds a NUL character")
    if expire and scheme not in ("redis", "rediss", "unix"):
        raise StoreError(f"{safe_store_url(url)}: only a store in Redis can let pages expire")
    if url in ("memory:", "memory://"):
        from webprep_spider.replicas.memory import MemoryStore

        return MemoryStore(rules, lease=lease)
    if scheme == "sqlite" and rest.startswith("///") and len(rest) > 3:
        from webprep_spider.replicas.sqlite import SqliteStore

        return SqliteStore(rest[3:], rules, lease=lease)
    if colon and scheme in ("redis", "rediss", "unix"):
        from webprep_spider.replicas.redis import RedisStore

        return RedisStore(url, rules, lease=lease, patience=patience, expire=expire)
    if colon and scheme in ("redis+set", "rediss+set"):
        from webprep_spider.replicas.redisset import RedisSetStore

        return RedisSetStore(url.replace("+set", "", 1), rules, lease=lease, patience=patience)
    raise StoreError(
        f"{safe_store_url(url)}: not the address of a store; use memory:, sqlite:///path/store.db or redis://host:6379/0"
    )
