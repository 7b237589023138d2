"""One fetched page, from the response to the docview."""

from __future__ import annotations

import asyncio
import math
from functools import cached_property
from typing import TYPE_CHECKING

from webprep_spider.exceptions import StoreReset
from webprep_spider.metadata import describe
from webprep_spider.page.clean import clean
from webprep_spider.page.markup import body_html
from webprep_spider.page.soft404 import is_soft_404
from webprep_spider.replicas.fingerprint import sketch
from webprep_spider.replicas.identity import canonical_url

if TYPE_CHECKING:
    from webprep_spider.crawl import Crawl
    from webprep_spider.docview import DocView
    from webprep_spider.page.clean import Cleaned
    from webprep_spider.page.parse import Page
    from webprep_spider.page.site_rules import SiteRule
    from webprep_spider.replicas.verdict import Verdict


class FetchedPage:
    """One page on its road from the response to the docview. Each step is done once, when first asked for.

    :raises PageError: from any step, if the page cannot be read at all.
    """

    def __init__(self, crawl: Crawl, page: Page) -> None:
        self._crawl = crawl
        self._page = page
        self._claim: asyncio.Future[Verdict] | None = None
        self.url = page.url
        self.identifier = canonical_url(page.url)
        self.hub_score: float | None = None
        """Chance of a hub page, as it stood before the fetch."""
        self.url_score = math.nan
        """The same by the model alone, without what was learned of the site."""
        self.flags: list[str] = []
        self._done: set[str] = set()
        self.response_id = 0
        self.repeated = False
        """Whether this crawl has emitted the same page before."""
        self.confirmed = False

    @property
    def claimed(self) -> bool:
        """Whether the store holds a claim of this crawl on the page."""
        return self._claim is not None and self._claim.done() and self._claim.exception() is None

    def first(self, step: str) -> bool:
        """Whether nobody asked for this step before: several items of one page are counted once."""
        if step in self._done:
            return False
        self._done.add(step)
        return True

    def flag(self, flag: str) -> None:
        """Add a flag to the docview that will be made of the page."""
        if flag not in self.flags:
            self.flags.append(flag)

    @cached_property
    def site_rule(self) -> SiteRule | None:
        rules = self._crawl.site_rules
        return rules.for_url(self.url) if rules else None

    @cached_property
    def cleaned(self) -> Cleaned:
        return clean(self._page, self._crawl.config.rules, site_rule=self.site_rule)

    @cached_property
    def missing(self) -> bool:
        """Whether the page only says that there is no such page."""
        return is_soft_404(self._page, self.cleaned)

    @cached_property
    def fingerprints(self) -> tuple[str, ...]:
        return sketch(self.cleaned, self._crawl.config.rules)

    async def claim(self) -> Verdict:
        """Ask the store what this page is; items of the same page share one question.

        :raises StoreError: if the store gives no answer.
        """
        if self._claim is None:
            self._claim = asyncio.ensure_future(self._ask())
        return await self._claim

    async def _ask(self) -> Verdict:
        store = await self._crawl.store()
        try:
            return await store.claim(self.identifier, self.fingerprints, self._crawl.owner)
        except StoreReset as reset:  # nothing is known any more, but nothing is lost either: the crawl goes on
            self._crawl.note_reset(reset)
            return await store.claim(self.identifier, self.fingerprints, self._crawl.owner)

    async def confirm(self) -> None:
        """Tell the store that the page has been kept.

        :raises StoreError: if the store gives no answer.
        """
        store = await self._crawl.store()
        try:
            await store.confirm(self.identifier, self._crawl.owner)
        except StoreReset as reset:  # the claim went with all the rest
            self._crawl.note_reset(reset)
            await store.claim(self.identifier, self.fingerprints, self._crawl.owner)
            await store.confirm(self.identifier, self._crawl.owner)

    async def release(self) -> None:
        """Tell the store that the page has not been kept.

        :raises StoreError: if the store gives no answer.
        """
        store = await self._crawl.store()
        try:
            await store.release(self.identifier, self._crawl.owner)
        except StoreReset as reset:
            self._crawl.note_reset(reset)

    def docview(self) -> DocView:
        """A new docview of the page; flags collected on the road included."""
        config = self._crawl.config
        docview = describe(
            self._page,
            self.cleaned,
            self.fingerprints,
            config.rules,
            class_model=self._crawl.class_model,
            site_names=self._crawl.site_names,
        )
        if self.site_rule is not None:
            docview.title = self.site_rule.title_of(self._page.root) or docview.title
        if config.body_html:
            docview.body_html = body_html(self._page, self.cleaned)
        docview.hub_score = self.hub_score
        docview.flags += [flag for flag in self.flags if flag not in docview.flags]
        if self._claim is not None and self.claimed:
            verdict = self._claim.result()
            docview.story = verdict.story or ""
            if verdict.kind == "replica":
                docview.replica_of = verdict.twin or ""
        return docview
