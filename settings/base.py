"""Settings of `scrapy crawl` in this project: polite, bounded, and everything webprep_spider does by its add-on."""

BOT_NAME = "webprep_spider"
SPIDER_MODULES = ["webprep_spider.spiders"]
ADDONS = {"webprep_spider.Addon": 500}

# Polite: robots.txt is obeyed, one site is asked slowly, a site that answers slowly more slowly still.
USER_AGENT = "webprep_spider (+https://pypi.org/project/webprep-spider/)"
ROBOTSTXT_OBEY = True
CONCURRENT_REQUESTS = 32
CONCURRENT_REQUESTS_PER_DOMAIN = 4
DOWNLOAD_DELAY = 0.25
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 0.5
AUTOTHROTTLE_TARGET_CONCURRENCY = 2.0

# Within one priority the oldest link comes first: lists from the top, front pages before what they lead to.
SCHEDULER_MEMORY_QUEUE = "scrapy.squeues.FifoMemoryQueue"
SCHEDULER_DISK_QUEUE = "scrapy.squeues.PickleFifoDiskQueue"

# Bounded: no body over 10 MB (a small compressed one may hide gigabytes), no endless waiting, no endless path.
DOWNLOAD_MAXSIZE = 10_000_000
DOWNLOAD_WARNSIZE = 5_000_000
DOWNLOAD_TIMEOUT = 60
DEPTH_LIMIT = 30

FEED_EXPORT_ENCODING = "utf-8"
LOG_LEVEL = "WARNING"
TELNETCONSOLE_ENABLED = False

# The command line knows only formats that stand here: -O docviews.xml:dc
FEED_EXPORTERS = {
    "csv": "webprep_spider.exporters.SafeCsvItemExporter",
    "dc": "webprep_spider.exporters.DublinCoreItemExporter",
    "ead": "webprep_spider.exporters.EadItemExporter",
}
