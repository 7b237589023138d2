"""The description of a feature."""

from __future__ import annotations

from typing import NamedTuple


class Column(NamedTuple):
    """One feature: name in model files, kind (``count``, ``mean``, ``share``, ``flag`` or ``level``), meaning."""

    name: str
    kind: str
    meaning: str
