"""Which requests are the same request."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy.utils.misc import build_from_crawler, load_object

from webprep_spider.replicas.identity import canonical_url

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.utils.request import RequestFingerprinterProtocol

_DEFAULT = "scrapy.utils.request.RequestFingerprinter"


class PageFingerprinter:
    """Takes two addresses of one page for one request: the canonical address goes to the fingerprinter that the
    project had before, which also looks at method and body. The page is fetched under the address as found.

    A redirect that leads to the same page again (``http`` to ``https``, a cookie that must be set first) is a request
    of its own, or it would be filtered as a repetition of itself.
    """

    def __init__(self, crawler: Crawler) -> None:
        path = crawler.settings.get("WEBPREP_FALLBACK_REQUEST_FINGERPRINTER_CLASS") or _DEFAULT
        self._fallback: RequestFingerprinterProtocol = build_from_crawler(load_object(path), crawler)
        self._known: WeakKeyDictionary[Request, bytes] = WeakKeyDictionary()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def fingerprint(self, request: Request) -> bytes:
        known = self._known.get(request)
        if known is None:
            known = self._known[request] = self._fingerprint(request)
        return known

    def _fingerprint(self, request: Request) -> bytes:
        if not request.url.startswith("http"):
            return self._fallback.fingerprint(request)
        identity = canonical_url(request.url)
        fingerprint = self._fallback.fingerprint(request.replace(url=identity) if identity != request.url else request)
        if identity in map(canonical_url, request.meta.get("redirect_urls", ())):
            hop = str(request.meta.get("redirect_times", 0)).encode()
            return hashlib.sha1(fingerprint + hop, usedforsecurity=False).digest()
        return fingerprint
