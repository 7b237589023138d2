"""What is kept of a page leaves the process before the page counts as kept."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
import redis
from scrapy import Request, Spider
from scrapy.http import JsonRequest
from scrapy.utils.test import get_crawler

from webprep_spider import DocView
from webprep_spider.crawl import Crawl
from webprep_spider.exceptions import StartError
from webprep_spider.feeds import SureFeedExporter
from webprep_spider.shared_queue import JsonQueue, PatientScheduler

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.crawler import Crawler


async def crawler_with(feed: str, **settings: str) -> Crawler:
    feeds = {feed: {"format": "jsonlines"}}
    crawler = get_crawler(Spider, {"FEEDS": feeds, "ADDONS": {"webprep_spider.Addon": 500}, **settings})
    crawler.spider = crawler._create_spider("spider")
    return crawler


def test_an_item_is_in_the_file_at_once(tmp_path: Path) -> None:
    crawler = asyncio.run(crawler_with(str(tmp_path / "feed")))
    (feeds,) = [one for one in crawler.extensions.middlewares if isinstance(one, SureFeedExporter)]
    feeds.open_spider(crawler.spider)
    feeds.item_scraped(DocView("http://a.example/"), crawler.spider)
    assert json.loads((tmp_path / "feed").read_text())["identifier"] == "http://a.example/"


def test_a_full_disk_ends_the_crawl(caplog: pytest.LogCaptureFixture) -> None:
    reasons: list[str] = []

    async def closing(reason: str) -> None:
        reasons.append(reason)

    async def story() -> Crawl:
        crawler = await crawler_with("/dev/full")
        crawler.engine = SimpleNamespace(close_spider_async=closing)
        feeds = SureFeedExporter(crawler)
        feeds.open_spider(crawler.spider)
        for number in range(3):
            feeds.item_scraped(DocView(f"http://a.example/{number}"), crawler.spider)
        await feeds.close_spider(crawler.spider)
        return Crawl.of(crawler)

    crawl = asyncio.run(story())
    assert crawl.unwritable
    assert reasons == ["webprep_feed_unwritable"]
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == [crawl.failed]
    assert "the feed /dev/full cannot be written: No space left on device" in crawl.failed


def test_a_feed_that_scrapy_would_switch_off_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="no-such"):
        asyncio.run(crawler_with("no-such://a.example/feed"))


def test_what_stands_in_a_shared_queue_is_never_run(redis_url: str, tmp_path: Path) -> None:
    crawler = asyncio.run(crawler_with(str(tmp_path / "feed")))
    spider, server = crawler.spider, redis.Redis.from_url(redis_url)
    queue = JsonQueue(server, spider, "%(spider)s:requests")
    marker = tmp_path / "marker"
    planted = b"cposix\nsystem\n(S'touch %s'\ntR." % bytes(marker), b"[]", b"\xff", b'{"_class": "os.system", "url": 1}'
    server.zadd(queue.key, {record: -1000 + place for place, record in enumerate(planted)})
    request = JsonRequest(
        "http://a.example/", data={"q": "渡口"}, headers={"X": b"\xff\xe6"}, meta={"link_text": "桥"}, priority=3
    )
    queue.push(Request("http://a.example/later"))
    queue.push(request)
    found = queue.pop()
    assert found is not None
    for name in ("url", "method", "body", "headers", "meta", "priority", "callback"):
        assert getattr(found, name) == getattr(request, name)
    assert queue.pop().url == "http://a.example/later"
    assert queue.pop() is None
    assert not marker.exists()
    assert crawler.stats.get_value("webprep/queue/bad_record") == len(planted)


def test_a_shared_queue_that_is_away_for_a_moment_loses_nothing(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reasons: list[str] = []

    async def closing(reason: str) -> None:
        reasons.append(reason)

    def away(*_: object) -> None:
        raise redis.ConnectionError("away")

    async def story() -> None:
        names = {"SCHEDULER_QUEUE_KEY": "away", "SCHEDULER_DUPEFILTER_KEY": "away:seen"}
        crawler = await crawler_with(
            str(tmp_path / "feed"),
            REDIS_URL=redis_url,
            DUPEFILTER_CLASS="scrapy_redis.dupefilter.RFPDupeFilter",
            SCHEDULER_QUEUE_CLASS="webprep_spider.shared_queue.JsonQueue",
            **names,
        )
        crawler.engine = SimpleNamespace(close_spider_async=closing)
        scheduler = PatientScheduler.from_crawler(crawler)
        scheduler.open(crawler.spider)
        with monkeypatch.context() as trouble:
            for method in ("push", "pop"):
                trouble.setattr(JsonQueue, method, away)
            assert scheduler.enqueue_request(Request("http://a.example/"))
            assert not scheduler.enqueue_request(Request("http://a.example/"))
            assert scheduler.next_request() is None
            assert scheduler.has_pending_requests()
        found = scheduler.next_request()
        assert found is not None
        assert found.url == "http://a.example/"
        assert not scheduler.has_pending_requests()
        assert reasons == []
        redis.Redis.from_url(redis_url).delete("away:workers")
        assert not scheduler.has_pending_requests()
        await asyncio.sleep(0)
        assert reasons == ["webprep_queue_emptied"]
        scheduler.close("finished")

    asyncio.run(story())
