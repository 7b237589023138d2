"""Parts of which each crawler has one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class Shared(ABC):
    """What all components of one crawler share; each gets it with :meth:`of`."""

    _made: ClassVar[WeakKeyDictionary[Crawler, Any]]

    def __init_subclass__(cls) -> None:
        cls._made = WeakKeyDictionary()

    @abstractmethod
    def __init__(self, crawler: Crawler) -> None: ...

    @classmethod
    def of(cls, crawler: Crawler) -> Self:
        """The one of a crawler, made when it is first asked for."""
        made: Self | None = cls._made.get(crawler)
        if made is None:
            made = cls._made[crawler] = cls(crawler)
        return made
