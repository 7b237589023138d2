"""Several workers on one queue: scrapy-redis schedules, the Redis store keeps the fingerprints (extra ``cluster``).

    SCRAPY_PROJECT=cluster REDIS_URL=redis://host:6379/0 scrapy crawl hub -a seeds=https://example.org/

Give the same seeds to every worker. A worker that is killed loses the requests it had in flight.
"""

import os

from settings.base import *  # noqa: F403

REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")
WEBPREP_STORE_URL = REDIS_URL

SCHEDULER = "webprep_spider.shared_queue.PatientScheduler"
DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter"
SCHEDULER_PERSIST = True
SCHEDULER_QUEUE_CLASS = "webprep_spider.shared_queue.JsonQueue"
# Seconds for which a worker that finds the queue empty waits for the others to fill it.
SCHEDULER_IDLE_BEFORE_CLOSE = 5
