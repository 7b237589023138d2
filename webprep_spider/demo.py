"""The bundled site, served on 127.0.0.1, so that a first crawl needs no network."""

from __future__ import annotations

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any

PORT = 18_766
"""The same each time, so that the store knows the pages of a second crawl."""


class _Handler(SimpleHTTPRequestHandler):
    """Names the encoding ISO-8859-1 where a page is not UTF-8: the server default that garbles many Chinese sites."""

    def guess_type(self, path: Any) -> str:
        kind = super().guess_type(path)
        if kind != "text/html":
            return kind
        try:
            with open(path, encoding="utf-8") as file:
                file.read()
        except (OSError, UnicodeDecodeError):
            return "text/html; charset=ISO-8859-1"
        return "text/html; charset=utf-8"

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the crawl tells what it fetched."""


class DemoSite:
    """A small news site: hub pages, articles in Chinese and English, a page in GBK that the server labels wrongly, a
    repost in another template, a picture page and adverts. Everything in it is invented."""

    def __init__(self) -> None:
        folder = str(files("webprep_spider") / "data" / "demo")
        handler = partial(_Handler, directory=folder)
        try:
            self._server = ThreadingHTTPServer(("127.0.0.1", PORT), handler)
        except OSError:  # somebody else uses it
            self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        threading.Thread(target=self._server.serve_forever, name="webprep-demo", daemon=True).start()

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
