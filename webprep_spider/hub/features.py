"""What is known of a link before it is fetched, as named columns (S3.F)."""

from __future__ import annotations

import re
from functools import lru_cache
from struct import Struct
from typing import TYPE_CHECKING

import numpy as np

from webprep_spider.hub.address import (
    LONGEST_LOOKED_AT,
    Address,
    PathParts,
    registered_domain,
    split_address,
    split_path,
)
from webprep_spider.hub.columns import Column
from webprep_spider.hub.rich import PATH_COLUMNS, TEXT_COLUMNS, rich_row
from webprep_spider.hub.tables import SEED_TABLES, Tables, extension_row, file_row, parameter_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SEED_COLUMNS = (
    Column("url_len", "count", "characters after scheme://"),
    Column("same_site", "flag", "on the registered domain of the linking page; 1 when that page is not known"),
    Column("dir_depth", "level", "directories of the path, at most 3"),
    Column("path_len", "count", "characters of the path"),
    Column("mean_seg_len", "mean", "mean characters of a path segment"),
    Column("fname_w", "share", "table A: share of the file name among hub pages"),
    Column("ext_w", "share", "table B: share of the extension among hub pages"),
    Column("anchor_len", "count", "visible characters of the link text, 0 if unknown"),
    Column("param_w", "share", "table C: share of the parameters among hub pages"),
    Column("digits", "count", "digits in path and query"),
    Column("date", "level", "0 no date, 1 year or year and month, 2 full date"),
    Column("n_params", "level", "query parameters, at most 3"),
    Column("host_labels", "level", "labels of the host without www, at most 4"),
)
"""The thirteen slots of the seed vector, in order (S3.F6)."""

COLUMNS = SEED_COLUMNS + PATH_COLUMNS + TEXT_COLUMNS
"""All columns there are. A model names those it uses, in its own order."""

SEED_FEATURES = tuple(column.name for column in SEED_COLUMNS)
FEATURES = tuple(column.name for column in COLUMNS)

_FULL_DATE = re.compile(
    r"(?<!\d)(?:19|20)\d\d"
    r"(?:[-/_.](?:1[0-2]|0?[1-9])[-/_.](?:3[01]|[12]\d|0?[1-9])(?!\d)"
    r"|[-/_.]?(?:1[0-2]|0[1-9])[-/_.]?(?:3[01]|[12]\d|0[1-9])(?:\d{4}|\d{6})?(?!\d))",
    re.ASCII,
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?:0[1-9]|1[0-2])?(?!\d)", re.ASCII)
_DIGITS = re.compile(r"\d+", re.ASCII)
_NOT_A_NAME = frozenset("0123456789]")  # how the host ends where it is an IP address


def features(
    url: str,
    link_text: str = "",
    referrer: str | None = None,
    *,
    names: Sequence[str] = SEED_FEATURES,
    tables: Tables = SEED_TABLES,
) -> tuple[float, ...] | None:
    """The values of one link, in the order of ``names``: the seed vector (S3.F6) if not told otherwise.

    A pure function: the same arguments give the same values on every machine. ``referrer`` is the address of the page
    that holds the link. ``None`` if the address cannot be fetched.

    :raises ValueError: if a name is not one of :data:`FEATURES`.
    """
    row = feature_table([split_address(url)], [link_text], referrer, names=names, tables=tables)[0]
    return None if np.isnan(row[0]) else tuple(row.tolist())


def feature_table(
    addresses: Sequence[Address | None],
    texts: Sequence[str],
    referrer: str | None = None,
    *,
    names: Sequence[str] = SEED_FEATURES,
    tables: Tables = SEED_TABLES,
) -> NDArray[np.float64]:
    """:func:`features` of many links of one page: a row each, all NaN where there is no address."""
    origin = split_address(referrer) if referrer else None
    rich = not _SEED_NAMES.issuperset(names)
    rows: list[tuple[float, ...]] = []
    for address, text in zip(addresses, texts, strict=True):
        if address is None:
            rows.append(_ALL_UNKNOWN if rich else _SEED_UNKNOWN)
            continue
        parts = split_path(address.path)
        row = seed_row(address, parts, text, same_site(address, origin), tables)
        rows.append(row + rich_row(address, parts, text) if rich else row)
    width = len(FEATURES if rich else SEED_FEATURES)
    pack = Struct(f"{width}d").pack  # np.array takes eight times as long
    table = np.frombuffer(bytearray().join([pack(*row) for row in rows])).reshape(len(rows), width)
    columns = _columns(tuple(names))
    return table if columns is None else table[:, columns]


@lru_cache(maxsize=16)
def _columns(names: tuple[str, ...]) -> list[int] | None:
    """Where the values of ``names`` are in a whole row; ``None`` if they are the whole row."""
    try:
        columns = [_PLACES[name] for name in names]
    except KeyError as error:
        raise ValueError(f"no feature is named {error}") from None
    return None if names in (FEATURES, SEED_FEATURES) else columns


def same_site(address: Address, origin: Address | None) -> float:
    """1 if ``address`` is on the site of the linking page ``origin`` or that is not known, else 0."""
    if origin is None or origin.host == address.host:
        return 1.0
    return float(registered_domain(origin.host) == registered_domain(address.host))


def date_level(text: str) -> int:
    """2 if ``text`` holds a full date (``20160125``, ``2016-01/25``), 1 for a year or year and month, else 0."""
    if _FULL_DATE.search(text):
        return 2
    return 1 if _YEAR.search(text) else 0


def seed_row(address: Address, parts: PathParts, link_text: str, on_site: float, tables: Tables) -> tuple[float, ...]:
    """Values of :data:`SEED_COLUMNS`."""
    host, path, query, length = address
    segments, stem, extension, numbers = parts
    digits = sum([len(number) for number in numbers])
    if query:
        digits += sum([len(number) for number in _DIGITS.findall(query)])
    return (
        length,
        on_site,
        min(3, len(segments) - (path[-1] != "/")),
        len(path),
        sum([len(segment) for segment in segments]) / len(segments) if segments else 0.0,
        tables.file_name[file_row(stem)],
        tables.extension[extension_row(extension)],
        len(link_text[:LONGEST_LOOKED_AT].strip()),
        tables.parameter[parameter_row(query)],
        digits,
        date_level(f"{path}?{query}" if query else path) if digits >= 4 else 0,
        min(3, query.count("&") + 1) if query else 0,
        min(4, host.count(".") + 1) if host[-1] not in _NOT_A_NAME else 1,
    )


_PLACES = {name: place for place, name in enumerate(FEATURES)}
_SEED_NAMES = frozenset(SEED_FEATURES)
_SEED_UNKNOWN = (float("nan"),) * len(SEED_FEATURES)
_ALL_UNKNOWN = (float("nan"),) * len(FEATURES)
