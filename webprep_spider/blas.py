"""Matrix products in one thread."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


def one_thread() -> AbstractContextManager[Any]:
    """Within this context the BLAS library of NumPy starts no threads.

    The products of one page are so small that waking threads for them costs several times the product, and beside
    other busy processes more still.
    """
    return _OneThread()


class _OneThread:
    """As threadpoolctl's own limit, in a fifth of its time: that of a whole scored link."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = [(library, threads) for library in _libraries() if (threads := library.num_threads) != 1]
        for library, _ in self._before:
            library.set_num_threads(1)

    def __exit__(self, *_: object) -> None:
        for library, threads in self._before:
            library.set_num_threads(threads)


@cache
def _libraries() -> tuple[Any, ...]:
    import numpy as np  # noqa: F401 - the library must be loaded before it can be found
    from threadpoolctl import ThreadpoolController

    return tuple(library for library in ThreadpoolController().lib_controllers if library.user_api == "blas")
