from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.redis_server import redis_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

settings.register_profile("webprep", deadline=None, print_blob=True)
settings.load_profile("webprep")


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """A real Redis server for this run, on 127.0.0.1."""
    with redis_server() as url:
        yield url


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Caches go to a folder of the test run, not to the home of whoever runs it."""
    folder = tmp_path_factory.mktemp("cache")
    os.environ["XDG_CACHE_HOME"] = str(folder)
    return folder
