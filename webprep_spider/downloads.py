"""Scrapy's own downloader middlewares where they would lose a page, or lose it without a word."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.exceptions import DownloadCancelledError, IgnoreRequest

from webprep_spider.replicas.identity import canonical_url
from webprep_spider.replicas.store import safe_url

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

_MARKUP = re.compile(rb"[\s\xef\xbb\xbf]*<(?:!doctype|!--|html|head|body|\?xml)", re.IGNORECASE)
_GZIP = b"\x1f\x8b\x08"


class BodyMiddleware(HttpCompressionMiddleware):
    """Unpacks bodies as the parent does, and

    - leaves a body alone that is plain although it is said to be packed, and unpacks a page that is packed though it is
      not said to be;
    - asks again for a body that was cut on its way, and takes what there is when it is cut again;
    - counts what is too large or damaged (``webprep/dropped/too_large``, ``/damaged``) instead of raising.
    """

    def __init__(self, *, crawler: Crawler) -> None:
        super().__init__(crawler=crawler)
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return super().from_crawler(crawler)

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        spider = self._crawler.spider
        if "dataloss" in response.flags and spider is not None:
            again = get_retry_request(request, spider=spider, reason="body cut on its way")
            if again is not None:
                return again
        packed = response.headers.getlist("Content-Encoding")
        if packed and _MARKUP.match(response.body, 0, 1000):
            del response.headers["Content-Encoding"]
        elif (
            not packed and response.body.startswith(_GZIP) and b"html" in (response.headers.get("Content-Type") or b"")
        ):
            response.headers["Content-Encoding"] = b"gzip"
        try:
            return super().process_response(request, response)
        except IgnoreRequest:
            self._count("too_large")
            raise
        except Exception as error:  # each of the four ways to pack a body fails in its own way
            self._count("damaged")
            logger.warning("%s: the body cannot be unpacked: %s", safe_url(response.url), error)
            raise IgnoreRequest("damaged body") from error

    def process_exception(self, request: Request, exception: Exception) -> None:
        if isinstance(exception, DownloadCancelledError):
            self._count("too_large")

    def _count(self, why: str) -> None:
        self._crawler.stats.inc_value(f"webprep/dropped/{why}")


class PageRedirectMiddleware(RedirectMiddleware):
    """Follows redirects as the parent does; counts those that are given up (``webprep/dropped/redirects``), lets an
    answer pass that leads to no address at all, and sends no user name or password that an answer brought in."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        try:
            result = super().process_response(request, response)
        except ValueError:
            return response
        except IgnoreRequest:
            self.crawler.stats.inc_value("webprep/dropped/redirects")
            raise
        if isinstance(result, Request) and "@" in result.url:
            return result.replace(url=safe_url(result.url))
        return result


class PageRefreshMiddleware(MetaRefreshMiddleware):
    """Follows refreshes as the parent does, but not round in a circle: a page that still refreshes to where the request
    came from is taken as it is."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        try:
            result = super().process_response(request, response)
        except ValueError:  # an address that cannot be read, be it that of the page's base element
            return response
        if isinstance(result, Request):
            before = map(canonical_url, request.meta.get("redirect_urls", ()))
            if canonical_url(result.url) in before:
                return response
        return result
