"""Crawls the sites of the start pages with Scrapy, tuned: pages.py FILE START..."""

import sys
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess

SETTINGS = {
    "AUTOTHROTTLE_ENABLED": False,
    "CONCURRENT_REQUESTS": 64,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "COOKIES_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "LOG_ENABLED": False,
    "MEMUSAGE_ENABLED": False,
    "REDIRECT_ENABLED": False,
    "REFERER_ENABLED": False,
    "RETRY_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "TELNETCONSOLE_ENABLED": False,
}
try:
    import uvloop  # noqa: F401

    SETTINGS["ASYNCIO_EVENT_LOOP"] = "uvloop.Loop"
except ImportError:
    pass


class Pages(scrapy.Spider):
    name = "pages"

    def __init__(self, file, starts):
        super().__init__()
        self.file = file
        self.start_urls = starts
        self.sites = {urlsplit(start).netloc for start in starts}

    def parse(self, response):
        self.file.write(response.body)
        if not isinstance(response, scrapy.http.HtmlResponse):
            return
        for href in response.xpath("//a/@href").getall():
            try:
                url = response.urljoin(href)
                if urlsplit(url).netloc in self.sites:
                    yield scrapy.Request(url)
            except ValueError:
                pass


with open(sys.argv[1], "wb") as file:
    process = CrawlerProcess(SETTINGS)
    process.crawl(Pages, file, sys.argv[2:])
    process.start()
