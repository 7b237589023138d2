"""The order of a crawl: scores of links become few, additive priorities (S3.U1)."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webprep_spider.exceptions import ModelError, StartError, StoreError
from webprep_spider.hub.model import HubModel
from webprep_spider.hub.traps import TrapWatch, growing
from webprep_spider.hub.trust import SiteTrust

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler

    from webprep_spider.config import Focus
    from webprep_spider.crawl import Crawl, FetchedPage

logger = logging.getLogger(__name__)

BUCKETS = 10
"""Distinct priorities: few, since Scrapy keeps an open file for each of them and each site under JOBDIR."""


def bucket(probability: float, focus: Focus, depth: int = 0) -> int:
    """The bucket, 0 to 9, of a link that leads to a hub page with this probability.

    ``hub``: hub pages first. ``topic``: topic pages first, hub pages only when a site has no topic page left to
    fetch. ``balanced``: the hub pages near the seeds first, then topic pages, then hub pages farther away.
    """
    if math.isnan(probability):
        return 0
    top = BUCKETS - 1
    if focus == "hub":
        return round(top * probability)
    if focus == "topic":
        return round(top * (1 - probability))
    hub_bucket = max(top - 2 * max(depth - 1, 0), 3)
    return round(hub_bucket * probability + 6 * (1 - probability))


class LinkOrder:
    """Orders the links of each page, and learns from each page that was fetched.

    :raises StartError: if the hub model cannot be loaded.
    """

    def __init__(self, crawler: Crawler, crawl: Crawl) -> None:
        self._crawl = crawl
        self._config = crawl.config
        self._stats = crawler.stats
        try:
            self._model = HubModel.load(self._config.hub_model)
        except ModelError as error:
            raise StartError(f"WEBPREP_HUB_MODEL: {error}") from None
        self._traps = TrapWatch()
        self._trust: dict[str, SiteTrust] = {}
        self._warned: set[tuple[str, str]] = set()

    async def learn(self, page: FetchedPage | None) -> None:
        """Compare the page type with what the link promised (S3.U2, S3.R7), and watch for traps."""
        if page is None:
            return
        hub = page.cleaned.type == "hub"
        if page.hub_score is not None:
            said_hub = page.hub_score > 0.5
            cell = ("tp" if hub else "fp") if said_hub else ("fn" if hub else "tn")
            self._stats.inc_value(f"webprep/hub_score/{cell}")
        if self._config.trust:
            trust = await self._trust_of(page.url)
            trust.observe(page.url, page.url_score, page.cleaned.type)
        if self._config.traps:
            links = [link.url for link in page.cleaned.links]
            self._traps.fetched(page.url, hub=hub, fingerprints=page.fingerprints, links=links)

    def ordered(self, requests: Sequence[Request], referrer: str, page: FetchedPage | None) -> Iterator[Request]:
        """The requests of one page, scored in one batch, with the bucket added to their priorities.

        Requests that lead deeper into a trap are left out and counted.
        """
        texts = _link_texts(requests, page)
        scored = [request for request in requests if self._fit(request)]
        links = [(request.url, request.meta.get("link_text") or texts.get(request.url, "")) for request in scored]
        chances = self._model.probability(links, referrer) if links else ()
        for request, chance in zip(scored, chances, strict=True):
            self._prioritise(request, float(chance))
        for request in requests:
            if (rule := self._trap(request.url)) is None:
                yield request
            else:
                self._note_trap(rule, request.url)

    @staticmethod
    def _fit(request: Request) -> bool:
        return "webprep_hub_score" not in request.meta and request.url.startswith("http")

    def _prioritise(self, request: Request, chance: float) -> None:
        if math.isnan(chance):
            self._stats.inc_value("webprep/url/invalid")
            return
        trust = self._trust.get(_host(request.url)) if self._config.trust else None
        score = trust.adjust(request.url, chance) if trust else chance
        request.meta["webprep_url_score"] = round(chance, 3)
        request.meta["webprep_hub_score"] = round(score, 3)
        self._stats.inc_value("webprep/url/scored")
        self._stats.inc_value("webprep/url/hub" if score > 0.5 else "webprep/url/topic")
        depth = request.meta.get("depth", 0)
        request.priority += self._config.priority_step * bucket(score, self._config.focus, depth)

    def _trap(self, url: str) -> str | None:
        if not self._config.traps:
            return None
        return growing(url) or ("barren_shape" if self._traps.given_up(url) else None)

    def _note_trap(self, rule: str, url: str) -> None:
        self._stats.inc_value(f"webprep/trap/{rule}")
        if (place := (rule, _host(url))) not in self._warned:
            self._warned.add(place)
            logger.info("Trap suspected on %s (%s): %.200s and its like are not followed", place[1], rule, url)

    # -- trust ---------------------------------------------------------------------------------------------------

    async def _trust_of(self, url: str) -> SiteTrust:
        host = _host(url)
        trust = self._trust.get(host)
        if trust is None:
            trust = await self._remembered(host)
            trust = self._trust.setdefault(host, trust)
        return trust

    async def _remembered(self, host: str) -> SiteTrust:
        try:
            state = await (await self._crawl.store()).get_state(f"trust:{host}")
        except StoreError as error:  # what the crawl does without a store is decided where the pages are checked
            logger.debug("no trust state for %s: %s", host, error)
            state = None
        return SiteTrust.from_bytes(state) if state else SiteTrust()

    async def save(self) -> None:
        """Keep what was learned about each site in the store, for the next crawl."""
        if self._crawl.failed:
            return
        try:
            store = await self._crawl.store()
            for host, trust in self._trust.items():
                await store.set_state(f"trust:{host}", trust.to_bytes())
        except StoreError as error:
            logger.warning("what was learned about the sites could not be kept: %s", error)


def _host(url: str) -> str:
    return urlsplit(url).netloc.lower()


def _link_texts(requests: Sequence[Request], page: FetchedPage | None) -> dict[str, str]:
    """Text of the page's own anchors, for requests whose spider gave none."""
    if page is None or all("link_text" in request.meta for request in requests):
        return {}
    return {link.url: link.text for link in page.cleaned.links}
