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
    limit: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limit


@cache
def _controller() -> Any:
    import numpy as np  # noqa: F401 - the library must be loaded before it can be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
