"""A small web site on 127.0.0.1, written in the test that needs it."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Self
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class Answer:
    """What the site says to one request. Text is encoded as UTF-8."""

    body: str | bytes = ""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    cut: int = 0
    """Bytes of the body that are announced but never sent."""

    @property
    def data(self) -> bytes:
        return self.body.encode() if isinstance(self.body, str) else self.body


class Site:
    """``pages`` maps a path (with its query, if any) to an answer or a function of (query, cookies) that makes one."""

    def __init__(self, pages: dict[str, str | Answer | Callable[..., Answer]]) -> None:
        self.pages = pages
        self.requests: list[str] = []
        self.logins: dict[str, str] = {}
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site.requests.append(self.path)
                site.logins[self.path] = self.headers.get("Authorization") or ""
                answer = site.answer(self.path, self.headers.get("Cookie") or "")
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.content_type)
                self.send_header("Content-Length", str(len(answer.data) + answer.cut))
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.data)
                self.close_connection = bool(answer.cut)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def answer(self, path: str, cookie: str) -> Answer:
        parts = urlsplit(path)
        found = self.pages.get(path, self.pages.get(parts.path, self.pages.get("*")))
        if found is None:
            return Answer("<p>not here</p>", status=404)
        if callable(found):
            found = found(path=parts.path, query=parse_qs(parts.query), cookie=cookie)
        return Answer(found) if isinstance(found, str) else found

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
