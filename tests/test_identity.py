from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webprep_spider import canonical_url
from webprep_spider.replicas.identity import declared_canonical

PAGE = "http://news.example.cn/a/1.html"


@pytest.mark.parametrize(
    "other",
    [
        "HTTP://News.Example.CN:80/a/1.html",
        "http://news.example.cn./a/1.html#comments",
        "http://user:secret@news.example.cn/a/b/../1.html",
        "http://news.example.cn/a/1.html?utm_source=wx&UTM_Medium=x&spm=1.2.3",
        "http://news.example.cn/a/1.html?from=timeline&isappinstalled=0",
        "http://news.example.cn/a/1.html;jsessionid=0A1B2C3D?PHPSESSID=77ab",
        "http://news.example.cn/a/1.html?sid=9f8e7d6c5b4a39281706f5e4d3c2b1a0",
        "http://news.example.cn/(S(abcdefghijklmnopqrstuvwx))/a/1.html?",
        "  http://news.example.cn/a/\n1.html ",
        "http://news.example.cn/a/\t1.html\u3000",
    ],
)
def test_how_somebody_came_to_a_page_does_not_count(other: str) -> None:
    assert canonical_url(other) == PAGE


@pytest.mark.parametrize(
    "other",
    [
        "http://news.example.cn/A/1.html",
        "http://m.news.example.cn/a/1.html",
        "http://news.example.cn/a/1.html?page=2",
        "http://news.example.cn/a/1.html?from=20",
        "http://news.example.cn/a/1.html?sid=7",
        "http://news.example.cn:8080/a/1.html",
        "http://news.example.cn/a/1.html%2376",
        "http://news.example.cn/a%2F1.html",
    ],
)
def test_what_may_be_another_page_stays_another(other: str) -> None:
    assert canonical_url(other) != PAGE


@pytest.mark.parametrize(
    "redirects_to",
    ["https://news.example.cn/a/", "http://www.news.example.cn/a/", "http://news.example.cn/a/index.html"],
)
def test_addresses_that_redirect_to_each_other_can_both_be_fetched(redirects_to: str) -> None:
    assert canonical_url(redirects_to) != canonical_url("http://news.example.cn/a/")


def test_a_blank_inside_an_address_is_part_of_its_name() -> None:
    assert canonical_url("http://a.example/a b.html") == canonical_url("http://a.example/a%20b.html")
    assert canonical_url("http://a.example/a b.html") != canonical_url("http://a.example/ab.html")


def test_a_parameter_repeated_with_the_same_value_counts_once() -> None:
    assert canonical_url("http://a.example/s?q=&q=&q=") == canonical_url("http://a.example/s?q=")
    assert canonical_url("http://a.example/s?a=1&b=2&a=1") == canonical_url("http://a.example/s?a=1&b=2")
    assert canonical_url("http://a.example/s?a=1&a=2") != canonical_url("http://a.example/s?a=1")


def test_order_of_parameters_and_escapes_do_not_count() -> None:
    assert canonical_url("http://a.example/s?b=2&a=1") == canonical_url("http://a.example/s?a=1&b=2")
    assert canonical_url("http://a.example/新/a") == canonical_url("http://a.example/%e6%96%b0/a")
    assert canonical_url("http://a.example/s?q=%B2%E8") != canonical_url("http://a.example/s?q=%E8%8C%B6")


@given(st.one_of(st.text(), st.text().map("http://a.example/".__add__), st.from_regex(r"https?://[\x20-\x7e]{1,60}")))
def test_any_text_has_a_stable_identity(text: str) -> None:
    once = canonical_url(text)
    assert canonical_url(once) == once
    once.encode()


@pytest.mark.parametrize(
    "hostile", ["http://[::1/x", "http://a:99999/", "http://\ud800/", "x" * 10**6, "http://a/?" + "&" * 10**6]
)
def test_hostile_addresses_do_no_harm(hostile: str) -> None:
    once = canonical_url(hostile)
    assert canonical_url(once) == once


def test_a_declared_canonical_address_counts_on_the_same_site() -> None:
    here = "http://m.news.example.cn/a/1.html"
    assert declared_canonical("//www.news.example.cn/a/1.html#top", here) == "http://www.news.example.cn/a/1.html"
    assert declared_canonical("../b/2.html?utm_source=x", here) == "http://m.news.example.cn/b/2.html"


@pytest.mark.parametrize("href", ["", "http://other.example.org/a/1.html", "/", "javascript:void(0)", "http://[::1"])
def test_a_declared_canonical_address_that_cannot_be_right_is_not_believed(href: str) -> None:
    assert declared_canonical(href, "http://news.example.cn/a/1.html") == ""
