"""The order of a crawl: scores of links become few, additive priorities (S3.U1)."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.exceptions import IgnoreRequest

from webprep_spider.crawl import Crawl
from webprep_spider.exceptions import ModelError, StartError, StoreError
from webprep_spider.hub.model import HubModel
from webprep_spider.hub.trust import SiteTrust
from webprep_spider.hub.worth import SiteWorth, growing, leads_below
from webprep_spider.shared import Shared

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler

    from webprep_spider.config import Focus
    from webprep_spider.fetched import FetchedPage

logger = logging.getLogger(__name__)

_REMEMBERED = 50_000
_HOSTS = 2_000
BUCKETS = 10
"""Distinct priorities: few, since Scrapy keeps an open file for each of them and each site under JOBDIR."""


def bucket(chance: float, focus: Focus, *, worth: float = 1.0, depth: int = 0) -> int:
    """The bucket, 0 to 9, of a link.

    ``hub``: hub pages first. ``topic``: topic pages first, hub pages only when a site has no topic page left to
    fetch. ``balanced``: the hub pages near the seeds first, then topic pages, then hub pages farther away. In each
    of them, links of a kind that has brought nothing come later.

    :param chance: that the link leads to a hub page; NaN when it cannot be scored.
    :param worth: chance that the page brings something new.
    """
    if math.isnan(chance):
        return 0
    if focus == "hub":
        hub, topic = 1.0, 0.1
        chance = chance**2  # most links that wait are hub pages: this tells the sure ones from the likely
        worth = math.sqrt(worth)  # a list without new links is still a hub page
    elif focus == "topic":
        hub, topic = 0.2, 1.0
    else:
        hub, topic = max(1.0 - 0.2 * max(depth - 1, 0), 0.3), 0.7
    return round((BUCKETS - 1) * worth * (hub * chance + topic * (1 - chance)))


class LinkOrder(Shared):
    """Orders the links of each page, and learns from each page that was fetched.

    :raises StartError: if the hub model cannot be loaded.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawl = Crawl.of(crawler)
        self._config = self._crawl.config
        self._stats = crawler.stats
        try:
            self._model = HubModel.load(self._config.hub_model)
        except ModelError as error:
            raise StartError(f"WEBPREP_HUB_MODEL: {error}") from None
        self._worth = SiteWorth()
        self._scored: dict[tuple[str, str, str], float] = {}
        self._trust: dict[str, SiteTrust] = {}
        self._warned: set[tuple[str, str]] = set()

    async def learn(self, page: FetchedPage | None) -> None:
        """Compare the page type with what the link promised (S3.U2, S3.R7), and watch for traps."""
        if page is None:
            return
        if page.missing:
            self.failed(page.url)
            return
        hub = page.cleaned.type == "hub"
        if page.hub_score is not None:
            said_hub = page.hub_score > 0.5
            cell = ("tp" if hub else "fp") if said_hub else ("fn" if hub else "tn")
            self._stats.inc_value(f"webprep/hub_score/{cell}")
        if self._config.trust:
            trust = await self._trust_of(page.url)
            trust.observe(page.url, page.url_score, page.cleaned.type, page.cleaned.lead)
        links = [link.url for link in page.cleaned.links]
        self._worth.fetched(page.url, hub=hub, fingerprints=page.fingerprints, links=links)

    def failed(self, url: str) -> None:
        """A link led to no page."""
        self._worth.failed(url)

    def ordered(self, requests: Sequence[Request], referrer: str, page: FetchedPage | None) -> Iterator[Request]:
        """The requests of one page, scored in one batch, with the bucket added to their priorities.

        Requests that lead deeper into a trap are left out and counted.
        """
        texts = _link_texts(requests, page)
        scored = [request for request in requests if self._fit(request)]
        links = [(request.url, request.meta.get("link_text") or texts.get(request.url, "")) for request in scored]
        for request, chance in zip(scored, self._chances(links, referrer), strict=True):
            self._prioritise(request, chance)
        # The engine takes what comes while it has free slots, so the best comes first.
        for request in sorted(requests, key=lambda request: -request.priority):
            if (rule := self._trap(request.url, page)) is None:
                yield request
            else:
                self._note_trap(rule, request.url)

    def _chances(self, links: list[tuple[str, str]], referrer: str) -> list[float]:
        """What the model says of the links; those of a site's menu are on each of its pages, but scored once."""
        host = _host(referrer)
        new = list({link: None for link in links if (host, *link) not in self._scored})
        if len(self._scored) + len(new) > _REMEMBERED:
            self._scored.clear()
            new = list(dict.fromkeys(links))
        if new:
            for link, chance in zip(new, self._model.probability(new, referrer), strict=True):
                self._scored[host, *link] = float(chance)
        return [self._scored[host, *link] for link in links]

    @staticmethod
    def _fit(request: Request) -> bool:
        return "webprep_hub_score" not in request.meta and request.url.startswith("http")

    def _prioritise(self, request: Request, chance: float) -> None:
        if math.isnan(chance):
            self._stats.inc_value("webprep/url/invalid")
            return
        request.meta["webprep_url_score"] = round(chance, 3)
        score, place = self._judge(request)
        request.meta["webprep_hub_score"] = round(score, 3)
        request.meta["webprep_bucket"] = place
        request.meta["webprep_unfiltered"] = request.dont_filter
        self._stats.inc_value("webprep/url/scored")
        self._stats.inc_value("webprep/url/hub" if score > 0.5 else "webprep/url/topic")
        request.priority += self._config.priority_step * place

    def _judge(self, request: Request) -> tuple[float, int]:
        """Chance of a hub page and bucket, by what is known now."""
        score = request.meta["webprep_url_score"]
        trust = self._trust.get(_host(request.url)) if self._config.trust else None
        if trust is not None:
            score = trust.adjust(request.url, score)
        worth, depth = self._worth.worth(request.url), request.meta.get("depth", 0)
        return score, bucket(score, self._config.focus, worth=worth, depth=depth)

    def review(self, request: Request) -> Request | None:
        """The request again with a lower priority, if more is known now that speaks against it; else ``None``.

        :raises IgnoreRequest: if its kind has been given up meanwhile.
        """
        place = request.meta.get("webprep_bucket")
        if place is None:
            return None
        if (rule := self._trap(request.url)) is not None:
            self._note_trap(rule, request.url)
            raise IgnoreRequest(f"trap: {rule}")
        score, now = self._judge(request)
        if now >= place:
            return None
        meta = {**request.meta, "webprep_bucket": now, "webprep_hub_score": round(score, 3)}
        priority = request.priority - self._config.priority_step * (place - now)
        return request.replace(meta=meta, priority=priority, dont_filter=True)

    def _trap(self, url: str, page: FetchedPage | None = None) -> str | None:
        """The rule by which a link, found on ``page``, is not followed."""
        if not self._config.traps:
            return None
        if page is not None and leads_below(page.url, url):
            if page.missing:
                return "soft_404"
            if self._worth.echoed(page.url, page.fingerprints):
                return "echo"
        return growing(url) or ("barren_shape" if self._worth.given_up(url) else None)

    def _note_trap(self, rule: str, url: str) -> None:
        self._stats.inc_value(f"webprep/trap/{rule}")
        if (place := (rule, _host(url))) not in self._warned:
            self._warned.add(place)
            logger.info("Trap suspected on %s (%s): %.200s and its like are not followed", place[1], rule, url)

    # -- trust ---------------------------------------------------------------------------------------------------

    async def _trust_of(self, url: str) -> SiteTrust:
        host = _host(url)
        trust = self._trust.pop(host, None)
        if trust is None:
            remembered = await self._remembered(host)
            trust = self._trust.pop(host, remembered)  # another page of the host may have been quicker
        self._trust[host] = trust
        if len(self._trust) > _HOSTS:
            oldest = next(iter(self._trust))
            await self._keep({oldest: self._trust.pop(oldest)})
        return trust

    async def _remembered(self, host: str) -> SiteTrust:
        try:
            state = await (await self._crawl.store()).get_state(f"trust:{host}")
        except StoreError as error:  # what the crawl does without a store is decided where the pages are checked
            logger.debug("no trust state for %s: %s", host, error)
            state = None
        trust = SiteTrust.from_bytes(state) if state else SiteTrust()
        if state and trust.to_bytes() == SiteTrust().to_bytes() != state:
            self._stats.inc_value("webprep/store/bad_record")
        return trust

    async def save(self) -> None:
        """Keep what was learned about each site in the store, for the next crawl."""
        if not self._crawl.failed:
            await self._keep(self._trust)

    async def _keep(self, learned: Mapping[str, SiteTrust]) -> None:
        try:
            store = await self._crawl.store()
            for host, trust in learned.items():
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
