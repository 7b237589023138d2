from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.utils.test import get_crawler

from webprep_spider.fingerprinter import PageFingerprinter


class Constant:
    """A fingerprinter of somebody's project."""

    def fingerprint(self, request: Request) -> bytes:
        return b"%d %s" % (len(request.body), request.url.encode())


@pytest.fixture
def fingerprinter() -> PageFingerprinter:
    return PageFingerprinter.from_crawler(get_crawler())


def test_addresses_of_one_page_are_one_request(fingerprinter: PageFingerprinter) -> None:
    one = fingerprinter.fingerprint(Request("http://www.a.example/t/1.html?b=2&a=1"))
    assert one == fingerprinter.fingerprint(Request("http://www.a.example/t/1.html?a=1&b=2&utm_source=x#top"))
    assert one != fingerprinter.fingerprint(Request("http://www.a.example/t/2.html?a=1&b=2"))


def test_method_and_body_still_count(fingerprinter: PageFingerprinter) -> None:
    url = "http://a.example/search"
    seen = {
        fingerprinter.fingerprint(request)
        for request in (Request(url), Request(url, method="POST", body="q=1"), Request(url, method="POST", body="q=2"))
    }
    assert len(seen) == 3


def test_a_redirect_to_the_same_page_is_not_a_repetition(fingerprinter: PageFingerprinter) -> None:
    first = Request("http://a.example/x?utm_source=y")
    hop = Request("http://a.example/x", meta={"redirect_urls": [first.url], "redirect_times": 1})
    second = Request("http://a.example/x", meta={"redirect_urls": [first.url, hop.url], "redirect_times": 2})
    assert len({fingerprinter.fingerprint(request) for request in (first, hop, second)}) == 3
    elsewhere = Request("http://a.example/z", meta={"redirect_urls": [first.url], "redirect_times": 1})
    assert fingerprinter.fingerprint(elsewhere) == fingerprinter.fingerprint(Request("http://a.example/z"))


def test_the_project_s_own_fingerprinter_is_asked() -> None:
    settings = {"WEBPREP_FALLBACK_REQUEST_FINGERPRINTER_CLASS": f"{__name__}.Constant"}
    fingerprinter = PageFingerprinter.from_crawler(get_crawler(settings_dict=settings))
    assert fingerprinter.fingerprint(Request("http://a.example/?fbclid=1")) == b"0 http://a.example/"


def test_other_schemes_are_left_to_it(fingerprinter: PageFingerprinter) -> None:
    assert fingerprinter.fingerprint(Request("data:,x")) != fingerprinter.fingerprint(Request("data:,y"))
