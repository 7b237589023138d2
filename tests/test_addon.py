"""Spiders of other people, which know nothing of this package, in projects that have its add-on line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scrapy import Request
from scrapy.settings import Settings
from w3lib.http import basic_auth_header

from tests.crawling import Outcome, Project
from tests.test_crawl import TITLES, clean, news_site, paragraphs
from webprep_spider import Addon
from webprep_spider.exceptions import StartError
from webprep_spider.middlewares import _without_login

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.site import Site

CRAWL_SPIDER = """
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

class Theirs(CrawlSpider):
    name = "theirs"
    rules = [Rule(LinkExtractor(allow=r"/news/2026/"), callback="parse_item"), Rule(LinkExtractor())]

    def __init__(self, url, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [url]

    def parse_item(self, response):
        yield {"link": response.url, "heading": response.css("h1::text").get()}
"""

DATACLASS_SPIDER = """
from dataclasses import dataclass
import scrapy

@dataclass
class Story:
    link: str
    heading: str

class Theirs(scrapy.Spider):
    name = "theirs"

    def __init__(self, url, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [url]

    def parse(self, response):
        yield from response.follow_all(css="li a", callback=self.parse_story)

    async def parse_story(self, response):
        heading = response.css("h1::text").get()
        if heading:
            yield Story(response.url, heading)
"""

BARE_SPIDER = """
import scrapy

class Theirs(scrapy.Spider):
    name = "theirs"

    def __init__(self, url, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [url]
"""

REQUESTS_SPIDER = (
    BARE_SPIDER
    + """
    def parse(self, response):
        yield from response.follow_all(css="a")
"""
)

FAILING_SPIDER = (
    BARE_SPIDER
    + """
    def parse(self, response):
        yield from response.follow_all(css="li a", callback=self.parse_story, errback=self.lost)
        yield response.follow("/missing.html", callback=self.parse_story, errback=self.lost)
        raise KeyError("theirs")

    def parse_story(self, response):
        yield {"link": response.url, "heading": response.css("h1::text").get()}

    def lost(self, failure):
        yield {"link": failure.request.url, "heading": None}
"""
)

HTML_SPIDER = (
    BARE_SPIDER
    + """
    def parse(self, response):
        for link in response.css("li a"):
            yield response.follow(link, callback=self.parse_story)

    def parse_story(self, response):
        yield {"url": response.url, "page": response.text, "text": ""}
"""
)


@pytest.fixture
def site() -> Iterator[Site]:
    with news_site() as site:
        yield site


def theirs(outcome: Outcome) -> list[dict[str, object]]:
    return [item for item in outcome.items if "heading" in item]


def crawl(tmp_path: Path, spider: str, site: Site, **settings: object) -> Outcome:
    return clean(Project.foreign(tmp_path, spider, **settings).crawl("theirs", url=site.url + "/"))


@pytest.mark.parametrize("spider", [CRAWL_SPIDER, DATACLASS_SPIDER], ids=["CrawlSpider", "dataclass"])
def test_items_stay_and_docviews_stand_beside_them(tmp_path: Path, site: Site, spider: str) -> None:
    outcome = crawl(tmp_path, spider, site)
    assert {item["heading"] for item in theirs(outcome)} >= set(TITLES.values())
    docviews = outcome.by_path()
    assert paragraphs("茶园的一天")[2] in docviews["/news/2026/0518/1002.html"]["body"]


def test_a_spider_that_yields_only_requests(tmp_path: Path, site: Site) -> None:
    docviews = crawl(tmp_path, REQUESTS_SPIDER, site).by_path()
    assert docviews["/"]["type"] == "hub"
    assert set(docviews) >= set(TITLES) - {"/news/2026/0518/1001.html"}


def test_a_callback_that_fails_loses_nothing_that_it_made(tmp_path: Path, site: Site) -> None:
    outcome = Project.foreign(tmp_path, FAILING_SPIDER).crawl("theirs", url=site.url + "/")
    assert outcome.stat("spider_exceptions/KeyError") == 1
    assert {"/", "/about.html", *TITLES} <= set(outcome.by_path())


def test_an_error_page_whose_errback_makes_an_item_is_no_page(tmp_path: Path, site: Site) -> None:
    outcome = Project.foreign(tmp_path, FAILING_SPIDER).crawl("theirs", url=site.url + "/")
    assert site.url + "/missing.html" in {item["link"] for item in theirs(outcome)}
    assert "/missing.html" not in outcome.by_path()


def test_docviews_take_the_place_of_items(tmp_path: Path, site: Site) -> None:
    outcome = crawl(tmp_path, CRAWL_SPIDER, site, WEBPREP_EMIT="docview")
    assert theirs(outcome) == []
    assert "/news/2026/0518/1002.html" in outcome.by_path()


def test_docviews_nested_in_dicts(tmp_path: Path, site: Site) -> None:
    outcome = crawl(tmp_path, CRAWL_SPIDER, site, WEBPREP_EMIT="nested")
    assert {item["heading"] for item in outcome.items} >= set(TITLES.values()) - {"渡口的一天"}
    for item in outcome.items:
        assert item["docview"]["title"] == item["heading"]
        assert item["docview"]["url"] == item["link"]


def test_typed_items_without_room_get_a_docview_beside_them(tmp_path: Path, site: Site) -> None:
    outcome = crawl(tmp_path, DATACLASS_SPIDER, site, WEBPREP_EMIT="nested")
    assert theirs(outcome)
    assert "/news/2026/0518/1002.html" in outcome.by_path()


def test_the_extraction_of_an_existing_spider_is_mended_too(tmp_path: Path, site: Site) -> None:
    outcome = clean(Project.foreign(tmp_path, DATACLASS_SPIDER).crawl("theirs", url=site.url + "/news/"))
    assert "旧粮仓改成图书馆" in {item["heading"] for item in theirs(outcome)}


def test_items_that_carry_html(tmp_path: Path, site: Site) -> None:
    outcome = crawl(tmp_path, HTML_SPIDER, site, WEBPREP_HTML_FIELD="page", WEBPREP_TEXT_FIELD="text")
    carried = {item["url"].partition("/news/2026")[2]: item for item in outcome.items if "docview" in item}
    one = carried["/0518/1002.html"]
    assert one["docview"]["title"] == "茶园的一天"
    assert paragraphs("茶园的一天")[0] in one["text"]
    assert "版权所有" not in one["text"]


def test_an_item_whose_html_cannot_be_read_is_kept(tmp_path: Path, site: Site) -> None:
    spider = HTML_SPIDER.replace('"url": response.url', '"url": "no address"')
    outcome = crawl(tmp_path, spider, site, WEBPREP_HTML_FIELD="page")
    assert len(outcome.items) > len(TITLES)
    assert outcome.stat("item_error_count") == 0
    assert outcome.stat("webprep/dropped/unreadable") >= len(TITLES)


HAND_LISTED = {
    "ADDONS": {},
    "SPIDER_MIDDLEWARES": {
        "webprep_spider.middlewares.HubPriorityMiddleware": 850,
        "webprep_spider.middlewares.PagePairingMiddleware": 75,
    },
    "ITEM_PIPELINES": {
        "webprep_spider.pipelines.CleanPipeline": 100,
        "webprep_spider.pipelines.ReplicaPipeline": 200,
        "webprep_spider.pipelines.DocViewPipeline": 300,
    },
}


def test_components_listed_by_hand(tmp_path: Path, site: Site) -> None:
    outcome = crawl(tmp_path, REQUESTS_SPIDER, site, **HAND_LISTED)
    assert outcome.stat("webprep/dropped/replica") == 1
    assert "/news/2026/0518/1002.html" in outcome.by_path()


def test_one_pipeline_alone(tmp_path: Path, site: Site) -> None:
    settings = {
        "ADDONS": {},
        "ITEM_PIPELINES": {"webprep_spider.pipelines.CleanPipeline": 100},
        "WEBPREP_HTML_FIELD": "page",
        "WEBPREP_TEXT_FIELD": "text",
    }
    outcome = crawl(tmp_path, HTML_SPIDER, site, **settings)
    texts = {item["url"].rpartition("/")[2]: item["text"] for item in outcome.items}
    assert paragraphs("茶园的一天")[0] in texts["1002.html"]
    assert all("docview" not in item for item in outcome.items)


def test_switched_off_it_does_nothing(tmp_path: Path, site: Site) -> None:
    outcome = crawl(tmp_path, CRAWL_SPIDER, site, WEBPREP_ENABLED=False)
    assert theirs(outcome) == outcome.items
    assert not any(name.startswith("webprep/") for name in outcome.stats)


def test_a_login_in_an_address_of_any_spider_is_used_and_hidden() -> None:
    plain = Request("http://a.example/a@b")
    assert _without_login(plain) is plain
    given = Request("http://user:p%40ss@a.example:81/1.html?a=@", meta={"a": 1}, headers={"X": "y"})
    found = _without_login(given)
    assert found.url == "http://a.example:81/1.html?a=@"
    assert found.headers["Authorization"] == basic_auth_header("user", "p@ss")
    assert found.headers["X"] == b"y"
    assert found.meta == {"a": 1}
    own = _without_login(given.replace(headers={"Authorization": "Bearer x"}))
    assert own.headers["Authorization"] == b"Bearer x"


def test_the_project_s_own_settings_win(tmp_path: Path, site: Site) -> None:
    outcome = crawl(tmp_path, REQUESTS_SPIDER, site, ITEM_PIPELINES={"webprep_spider.pipelines.ReplicaPipeline": None})
    assert outcome.stat("webprep/dropped/replica") == 0
    assert "/mirror/9.html" in outcome.by_path()


def test_another_reactor_is_refused_by_name() -> None:
    with pytest.raises(StartError, match="TWISTED_REACTOR"):
        Addon().update_settings(Settings({"TWISTED_REACTOR": "twisted.internet.selectreactor.SelectReactor"}))
