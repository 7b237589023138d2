"""The spider of this project: from seeds to all pages of their sites, hub pages known before they are fetched."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from scrapy import Request, Spider, signals
from scrapy.exceptions import IgnoreRequest
from scrapy.linkextractors import IGNORED_EXTENSIONS
from scrapy.utils.url import url_has_any_extension
from w3lib.http import basic_auth_header

from webprep_spider.demo import DemoSite
from webprep_spider.exceptions import StartError
from webprep_spider.hub.address import split_address
from webprep_spider.pages import CrawlPages
from webprep_spider.replicas.store import safe_url

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

_NO_PAGES = tuple(f".{extension}" for extension in IGNORED_EXTENSIONS)


class HubSpider(Spider):
    """``scrapy crawl hub -a seeds=URL[,URL...]``

    :param seeds: addresses to start from, separated by commas or white space; ``demo`` serves and crawls the
        bundled site. User name and password in an address are sent to its host only, and shown nowhere.
    :param seeds_file: a file with one address a line; lines that begin with ``#`` are comments.
    :param allowed_domains: domains to stay on, separated by commas; default: the hosts of the seeds.
    :raises StartError: naming the seed that is no http(s) address, or saying that there is none.
    """

    name = "hub"

    def __init__(self, seeds: str = "", seeds_file: str = "", allowed_domains: str = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.demo = DemoSite() if seeds == "demo" else None
        given = [self.demo.url] if self.demo else _seeds(seeds, seeds_file)
        self._logins = {urlsplit(safe_url(seed)).netloc: login for seed in given if (login := _login(seed))}
        self.seeds = list(map(safe_url, given))
        self.allowed_domains = _words(allowed_domains) or sorted({_domain(seed) for seed in self.seeds})

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        if spider.demo:
            # The bundled site is on this machine, so there is nobody to be polite to.
            crawler.settings.setdict({"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False}, priority="spider")
            crawler.signals.connect(spider.demo.close, signal=signals.engine_stopped)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        for seed in self.seeds:
            yield self._request(seed)

    def parse(self, response: Response) -> Iterator[Request]:
        """Follow every link that may lead to a page; what becomes of this one is the add-on's part."""
        with CrawlPages.of(self.crawler).hold(response) as page:
            for link in page.cleaned.links if page else ():
                if split_address(link.url) and not url_has_any_extension(link.url, _NO_PAGES):
                    yield self._request(link.url, {"link_text": link.text})

    def lost(self, failure: Failure) -> Failure | None:
        """Say in one line, without a traceback, what could not be fetched."""
        if isinstance(failure.value, IgnoreRequest):
            return failure  # called off on purpose, or counted where it was
        url = safe_url(failure.request.url)  # type: ignore[attr-defined]
        self.logger.warning("not fetched: %s: %s", url, failure.value or type(failure.value).__name__)
        return None

    def _request(self, url: str, meta: dict[str, Any] | None = None) -> Request:
        login = self._logins.get(urlsplit(url).netloc) if self._logins else None
        headers = {"Authorization": login} if login else None
        return Request(url, meta=meta, headers=headers, errback=self.lost)


def _words(text: str) -> list[str]:
    # In a locale without the address's letters they come from the command line as single bytes.
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace").replace(",", " ").split()


def _seeds(seeds: str, seeds_file: str) -> list[str]:
    found = _words(seeds)
    if seeds_file:
        try:
            lines = Path(seeds_file).read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise StartError(f"seeds_file={seeds_file}: {error}") from None
        found += [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not found:
        raise StartError("no seeds. Give -a seeds=URL[,URL...] or -a seeds_file=FILE; -a seeds=demo shows a small site")
    wrong = [seed for seed in found if not _is_address(seed)]
    if wrong:
        told = ", ".join(map(safe_url, wrong))
        raise StartError(f"no http(s) address among the seeds: {told}. Write it out: https://example.org/")
    return list(dict.fromkeys(found))


def _is_address(seed: str) -> bool:
    try:
        parts = urlsplit(seed)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False


def _login(seed: str) -> bytes:
    parts = urlsplit(seed)
    if not parts.username and not parts.password:
        return b""
    return basic_auth_header(unquote(parts.username or ""), unquote(parts.password or ""))


def _domain(seed: str) -> str:
    host = urlsplit(seed).hostname or ""
    return host.removeprefix("www.")
