"""The queue that the workers of a cluster share through scrapy-redis: what stands in it is data, not code."""

from __future__ import annotations

import json
import logging
import time
from typing import TYPE_CHECKING, Any

from redis.exceptions import RedisError
from scrapy.utils.request import request_from_dict
from scrapy_redis.queue import PriorityQueue
from scrapy_redis.scheduler import Scheduler

from webprep_spider.crawl import Crawl

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class JsonQueue(PriorityQueue):  # type: ignore[misc]
    """``SCHEDULER_QUEUE_CLASS`` for scrapy-redis, whose own queues unpickle, and so run, what anybody wrote into them.

    Requests are JSON; so must be their ``meta`` and ``cb_kwargs``. A record that is no request is counted
    (``webprep/queue/bad_record``) and passed over.
    """

    def pop(self, timeout: int = 0) -> Request | None:
        while True:
            try:
                request: Request | None = super().pop(timeout)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                logger.warning("%s: a record that is no request is passed over: %s", self.key, error)
                self.spider.crawler.stats.inc_value("webprep/queue/bad_record")
            else:
                return request

    def _encode_request(self, request: Request) -> bytes:
        record = request.to_dict(spider=self.spider)
        record.pop("_class", None)  # what a form or JSON request adds stands in its body; a class would be imported
        record["body"] = request.body.decode("latin-1")
        record["headers"] = {
            name.decode("latin-1"): [value.decode("latin-1") for value in values]
            for name, values in request.headers.items()
        }
        return json.dumps(record).encode()

    def _decode_request(self, encoded_request: bytes) -> Request:
        record: dict[str, Any] = json.loads(encoded_request)
        record.pop("_class", None)
        record["body"] = record["body"].encode("latin-1")
        record["headers"] = {
            name.encode("latin-1"): [value.encode("latin-1") for value in values]
            for name, values in record["headers"].items()
        }
        return request_from_dict(record, spider=self.spider)


class PatientScheduler(Scheduler):  # type: ignore[misc]
    """The scheduler of scrapy-redis, but a Redis that is away for a moment loses no request and is told of once.

    What cannot be pushed waits here and is pushed later, even if it counts as seen already. When the trouble lasts
    longer than ``WEBPREP_STORE_PATIENCE`` the crawl is given up (finish reason ``webprep_queue_unavailable``), as it is
    when the queue was emptied by somebody meanwhile (``webprep_queue_emptied``).
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        scheduler: Self = super().from_crawler(crawler)
        scheduler.stats = None  # counted here: scrapy-redis does it in a way that Scrapy has given up
        scheduler._crawler = crawler
        scheduler._waiting = {}
        scheduler._trouble_since = 0.0
        return scheduler

    def open(self, spider: Spider) -> None:
        super().open(spider)
        self._workers = f"{self.queue.key}:workers"
        self.server.hset(self._workers, Crawl.of(self._crawler).owner, 1)  # lost when Redis is flushed

    def close(self, reason: str) -> None:
        try:
            self.server.hdel(self._workers, Crawl.of(self._crawler).owner)
            super().close(reason)
        except RedisError as error:
            self._note(error)

    def enqueue_request(self, request: Request) -> bool:
        try:
            stored = bool(super().enqueue_request(request))
            self._crawler.stats.inc_value("scheduler/enqueued/redis", int(stored))
            return stored
        except RedisError as error:
            self._note(error)
            self._waiting[self.df.request_fingerprint(request)] = request  # once, however many pages link to it
            return True

    def next_request(self) -> Request | None:
        try:
            for fingerprint, waiting in list(self._waiting.items()):
                self.df.request_seen(waiting)
                self.queue.push(waiting)
                del self._waiting[fingerprint]
            request: Request | None = super().next_request()
        except RedisError as error:
            self._note(error)
            return None
        self._trouble_since = 0.0
        self._crawler.stats.inc_value("scheduler/dequeued/redis", int(request is not None))
        return request

    def has_pending_requests(self) -> bool:
        try:
            if self._waiting or super().has_pending_requests():
                return True
            crawl = Crawl.of(self._crawler)
            if not self.server.hexists(self._workers, crawl.owner):
                crawl.give_up(
                    self._crawler, "the shared queue was emptied in mid-crawl; crawl again", "webprep_queue_emptied"
                )
            return False
        except RedisError as error:
            self._note(error)
            return True

    def _note(self, error: RedisError) -> None:
        crawl, now = Crawl.of(self._crawler), time.monotonic()
        self._crawler.stats.inc_value("webprep/queue/retried")
        if not self._trouble_since:
            self._trouble_since = now
            logger.warning("the shared queue does not answer: %s", error)
        elif now - self._trouble_since > crawl.config.store_patience:
            why = f"the shared queue does not answer: {error}; is Redis running, is REDIS_URL right?"
            crawl.give_up(self._crawler, why, "webprep_queue_unavailable")
