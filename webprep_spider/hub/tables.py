"""Tables A, B and C: how common a file name, an extension and a parameter are among hub pages (S3.F3)."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from webprep_spider.hub.address import split_address, split_path

if TYPE_CHECKING:
    from collections.abc import Iterable

Row: TypeAlias = tuple[str, float]

_INDEX = re.compile(r"(?:index|class|default|list)(?:[_-]?\d+)*", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:article|content)(?:[_-]?\d+)*", re.IGNORECASE)
_EXTENSIONS = dict.fromkeys(("asp", "jsp", "aspx", "php"), 1) | dict.fromkeys(("shtml", "html", "htm"), 2) | {"": 0}


def file_row(stem: str) -> int:
    """Row of table A: 0 no name, 1 index-like, 2 article-like, 3 other."""
    if not stem:
        return 0
    if _INDEX.fullmatch(stem):
        return 1
    return 2 if _ARTICLE.fullmatch(stem) else 3


def extension_row(extension: str) -> int:
    """Row of table B: 0 no extension, 1 a page made on demand, 2 a stored page, 3 other."""
    return _EXTENSIONS.get(extension, 3)


def parameter_row(query: str) -> int:
    """Row of table C: 0 no parameters, 1 one of them named ``id``, 2 others only."""
    if not query:
        return 0
    return 1 if any(part.partition("=")[0].lower() == "id" for part in query.split("&")) else 2


@dataclass(frozen=True, slots=True)
class Tables:
    """The values of the three tables, each a share of hub pages times 100, in the row order of the functions above."""

    file_name: tuple[float, float, float, float] = (60.4, 30.6, 0.0, 9.0)
    extension: tuple[float, float, float, float] = (60.4, 24.6, 15.0, 0.0)
    parameter: tuple[float, float, float] = (82.4, 10.4, 7.2)

    @classmethod
    def count(cls, hub_urls: Iterable[str]) -> Tables:
        """Count the tables anew from addresses of known hub pages; what is not an address is passed over.

        :raises ValueError: if there is no address among them.
        """
        files: Counter[int] = Counter()
        extensions: Counter[int] = Counter()
        parameters: Counter[int] = Counter()
        for url in hub_urls:
            address = split_address(url)
            if address is None:
                continue
            parts = split_path(address.path)
            files[file_row(parts.stem)] += 1
            extensions[extension_row(parts.extension)] += 1
            parameters[parameter_row(address.query)] += 1
        total = files.total()
        if not total:
            raise ValueError("no hub page address to count the tables from")

        def share(counts: Counter[int], row: int) -> float:
            return round(100 * counts[row] / total, 4)

        return cls(
            file_name=(share(files, 0), share(files, 1), share(files, 2), share(files, 3)),
            extension=(share(extensions, 0), share(extensions, 1), share(extensions, 2), share(extensions, 3)),
            parameter=(share(parameters, 0), share(parameters, 1), share(parameters, 2)),
        )


SEED_TABLES = Tables()
"""The published values, counted on 500 hub pages."""
