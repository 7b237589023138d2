"""Chinese text into words: by rjieba where it is installed, else by jieba."""

from __future__ import annotations

import contextlib
import marshal
import os
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Cut = Callable[[str], list[str]]


def load() -> Cut:
    """A function that cuts runs of Chinese, one a line; line ends are words of their own. Loads for up to a second."""
    try:
        import rjieba
    except ImportError:
        return _load_jieba()
    rjieba.cut("词")
    cut: Cut = rjieba.cut
    return cut


def _load_jieba() -> Cut:
    with warnings.catch_warnings():
        # jieba 0.42.1 is unmaintained: invalid escapes, pkg_resources, a dictionary handle left open.
        warnings.simplefilter("ignore")
        import jieba

        jieba.setLogLevel(60)
        tokenizer: Any = jieba.Tokenizer()
        folder = _cache_folder()
        tokenizer.cache_file = "jieba.cache"
        with contextlib.suppress(OSError):  # jieba then reads its dictionary each time: a second, nothing else
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryDirectory(prefix="webprep-") as elsewhere:
            tokenizer.tmp_dir = elsewhere
            if _is_private(folder) and _is_private(folder / tokenizer.cache_file):
                tokenizer.tmp_dir = str(folder)
                # jieba reads the cache from the open file, which takes three times as long as from memory.
                with contextlib.suppress(OSError, ValueError, EOFError, TypeError):  # jieba then writes its cache anew
                    tokenizer.FREQ, tokenizer.total = marshal.loads((folder / tokenizer.cache_file).read_bytes())
                    tokenizer.initialized = True
            tokenizer.initialize()
        tokenizer.lcut("词")
    cut: Cut = tokenizer.lcut
    return cut


def _cache_folder() -> Path:
    """Per user: jieba's cache is a marshal file, which nobody else may write."""
    base = os.environ.get("WEBPREP_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "webprep"


def _is_private(path: Path) -> bool:
    """Whether nobody else can have written what stands there, if anything does."""
    try:
        found = path.stat()
    except OSError:
        return True
    return os.name != "posix" or (found.st_uid == os.getuid() and not found.st_mode & 0o022)
