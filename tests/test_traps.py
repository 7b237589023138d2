from __future__ import annotations

import pytest

from webprep_spider.hub.traps import PATIENCE, TrapWatch, growing


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


def calendar_page(watch: TrapWatch, month: int) -> None:
    days = [f"http://a.example/cal?y=1&m={month}&d={day}" for day in range(28)]
    links = [f"http://a.example/cal?y=1&m={month + 1}", *days]
    watch.fetched(f"http://a.example/cal?y=1&m={month}", hub=True, fingerprints=[f"month {month}"], links=links)
    for day in days[:2]:
        watch.fetched(day, hub=True, fingerprints=[f"month {month}"], links=links)


def test_a_calendar_is_given_up() -> None:
    watch = TrapWatch()
    for month in range(2 * PATIENCE):
        calendar_page(watch, month)
    assert watch.given_up("http://a.example/cal?y=2&m=1")
    assert watch.given_up("http://a.example/cal?y=2&m=1&d=3")
    assert not watch.given_up("http://a.example/news/1.html")
    assert not watch.given_up("http://b.example/cal?y=2&m=1")


def test_pages_of_a_long_list_are_followed_to_the_end() -> None:
    watch = TrapWatch()
    for number in range(10 * PATIENCE):
        articles = [f"http://a.example/article/{number}-{i}.html" for i in range(5)]
        links = [f"http://a.example/list?page={number + 1}", *articles]
        watch.fetched(f"http://a.example/list?page={number}", hub=True, fingerprints=[str(number)], links=links)
        for article in articles:
            watch.fetched(article, hub=False, fingerprints=[article], links=["http://a.example/"])
    assert not watch.given_up("http://a.example/list?page=999")
    assert not watch.given_up("http://a.example/article/9-9.html")


def test_soft_404s_are_given_up() -> None:
    watch = TrapWatch()
    for number in range(PATIENCE + 1):
        watch.fetched(f"http://a.example/gone/{number}", hub=False, fingerprints=["no such page"], links=[])
    assert watch.given_up("http://a.example/gone/12345")
