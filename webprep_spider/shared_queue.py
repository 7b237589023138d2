"""The queue that the workers of a cluster share through scrapy-redis: what stands in it is data, not code."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

from scrapy.utils.request import request_from_dict
from scrapy_redis.queue import PriorityQueue

if TYPE_CHECKING:
    from scrapy import Request

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
