from __future__ import annotations

import pytest

from webprep_spider.hub.worth import PATIENCE, SiteWorth, growing, leads_below


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("http://a.example/" + "x" * 3000, "long_url"),
        ("http://a.example/" + "a/b/c/d/e/f/g/h/" * 2 + "i/j/k/l/m/n/", "deep_path"),
        ("http://a.example/products/products/products/", "repeated_segment"),
        ("http://a.example/grow?amp;amp;p=2", "escaped_again"),
        ("http://a.example/2026/05/18/t20260518_1.html", ""),
        ("http://a.example/news/news/1.html", ""),
        ("http://a.example/", ""),
        ("not an address", ""),
    ],
)
def test_growing_addresses_are_known_by_themselves(url: str, rule: str) -> None:
    assert growing(url) == rule


def calendar_page(site: SiteWorth, month: int) -> None:
    days = [f"http://a.example/cal?y=1&m={month}&d={day}" for day in range(28)]
    links = [f"http://a.example/cal?y=1&m={month + 1}", *days]
    site.fetched(f"http://a.example/cal?y=1&m={month}", hub=True, fingerprints=[f"month {month}"], links=links)
    for day in days[:2]:
        site.fetched(day, hub=True, fingerprints=[f"month {month}"], links=links)


def test_a_calendar_is_given_up() -> None:
    site = SiteWorth()
    for month in range(2 * PATIENCE):
        calendar_page(site, month)
    assert site.given_up("http://a.example/cal?y=2&m=1")
    assert site.given_up("http://a.example/cal?y=2&m=1&d=3")
    assert not site.given_up("http://a.example/news/1.html")
    assert not site.given_up("http://b.example/cal?y=2&m=1")


def test_pages_of_a_long_list_are_followed_to_the_end() -> None:
    site = SiteWorth()
    for number in range(10 * PATIENCE):
        articles = [f"http://a.example/article/{number}-{i}.html" for i in range(5)]
        links = [f"http://a.example/list?page={number + 1}", *articles]
        site.fetched(f"http://a.example/list?page={number}", hub=True, fingerprints=[str(number)], links=links)
        for article in articles:
            site.fetched(article, hub=False, fingerprints=[article], links=["http://a.example/"])
    assert not site.given_up("http://a.example/list?page=999")
    assert not site.given_up("http://a.example/article/9-9.html")


def test_soft_404s_are_given_up() -> None:
    site = SiteWorth()
    for number in range(PATIENCE + 1):
        site.fetched(f"http://a.example/gone/{number}", hub=False, fingerprints=["no such page"], links=[])
    assert site.given_up("http://a.example/gone/12345")


def test_worth_follows_what_a_shape_has_brought() -> None:
    site = SiteWorth()
    article, profile = "http://a.example/news/2026/0518/{}.html", "http://a.example/space-uid-{}.html"
    fresh = site.worth(profile.format(1))
    for number in range(6):
        site.fetched(article.format(number), hub=False, fingerprints=[f"text {number}"], links=[])
        site.fetched(profile.format(number), hub=False, fingerprints=["please log in"], links=[])
    assert site.worth(profile.format(99)) < 0.4 < fresh < site.worth(article.format(99))
    assert site.worth("http://b.example/space-uid-99.html") == fresh


def test_dead_links_speak_against_their_like() -> None:
    site = SiteWorth()
    for number in range(3):
        site.failed(f"http://a.example/pipermail/{number}.html")
    assert site.worth("http://a.example/pipermail/77.html") < 0.4


def test_memory_is_bounded() -> None:
    site = SiteWorth()
    for number in range(2_000):
        site.failed(f"http://h{number}.example/a")
    for number in range(5_000):
        links = [f"http://a.example/{number}/{i}" for i in range(10)]
        site.fetched(
            f"http://a.example/{chr(97 + number % 26) * 3}{number}/x", hub=True, fingerprints=[str(number)], links=links
        )
    assert len(site._hosts) <= 512
    host = site._host("http://a.example/")
    assert len(host.links) <= 20_000
    assert len(host.pages) <= 2_000


def test_a_server_that_answers_alike_is_known() -> None:
    site, page = SiteWorth(), "http://a.example/products/{}/"
    for number in range(3):
        assert not site.echoed(page.format(number), ["sorry"])
        site.fetched(page.format(number), hub=False, fingerprints=["sorry"], links=[])
    assert site.echoed(page.format(9), ["sorry"])
    assert not site.echoed(page.format(9), ["a text of its own"])
    assert not site.echoed("http://b.example/products/9/", ["sorry"])


def test_what_lies_below_a_page() -> None:
    page = "http://a.example/products/x/?page=2"
    assert leads_below(page, "http://a.example/products/x/products/")
    assert not leads_below(page, "http://a.example/products/")
    assert not leads_below("http://a.example/", "http://a.example/news/")
