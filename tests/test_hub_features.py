"""The URL vector: golden values, malformed addresses, bounds of work."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webprep_spider.hub.address import registered_domain, split_address
from webprep_spider.hub.features import COLUMNS, FEATURES, SEED_FEATURES, date_level, feature_table, features
from webprep_spider.hub.tables import SEED_TABLES, Tables


def slots(url: str, *names: str) -> tuple[float, ...]:
    values = features(url)
    assert values is not None
    return tuple(values[SEED_FEATURES.index(name)] for name in names)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://news.example.cn/china/", (60.4, 60.4, 82.4)),
        ("http://www.example.com/list.asp?id=5", (30.6, 24.6, 10.4)),
        ("http://www.example.com/2016/0125/content_123.shtml", (0, 15, 82.4)),
        ("http://www.example.com/a/view.do?p=2", (9, 0, 7.2)),
        ("http://www.example.com/INDEX_2.HTML", (30.6, 15, 82.4)),
        ("http://www.example.com/list-3.jsp?ID=4&p=2", (30.6, 24.6, 10.4)),
    ],
)
def test_tables_give_the_published_values(url: str, expected: tuple[float, ...]) -> None:
    """S3.F8: slots 6, 7 and 9."""
    assert slots(url, "fname_w", "ext_w", "param_w") == expected


def test_whole_vector() -> None:
    """S3.F6, all thirteen slots."""
    values = features("http://www.news.example.com/a/b/2016-01/25/c_12.html?x=1&y=23", "三月 要闻")
    assert values == (54, 1, 3, 25, 4, 9, 15, 5, 7.2, 13, 2, 2, 3)


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("/20160125/", 2),
        ("/2016-01/25/", 2),
        ("/2016/0125/", 2),
        ("/t20160125_88.htm", 2),
        ("/201601251830.html", 2),
        ("/2016/1/5/", 2),
        ("/2016-11/", 1),
        ("/201601/", 1),
        ("/2016", 1),
        ("/12016/", 0),
        ("/20169999/", 0),
        ("/a/b", 0),
    ],
)
def test_dates(text: str, level: int) -> None:
    assert date_level(text) == level


def test_same_site_needs_the_linking_page() -> None:
    url = "http://news.example.com.cn/a/"
    place = SEED_FEATURES.index("same_site")
    for referrer, expected in [
        (None, 1),
        ("http://www.example.com.cn/", 1),
        ("http://www.other.com.cn/", 0),
        ("not an address", 1),
    ]:
        values = features(url, "", referrer)
        assert values is not None
        assert values[place] == expected


def test_private_suffixes_are_sites_of_their_own() -> None:
    assert registered_domain("a.github.io") != registered_domain("b.github.io")
    assert registered_domain("x.y.example.com.cn") == "example.com.cn"
    assert registered_domain("203.0.113.9") == "203.0.113.9"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "tel:12345",
        "ftp://ftp.example/news/",
        "javascript:void(0)",
        "mailto:a@b.example",
        "/relative/path",
        "//no.scheme.example/",
        "http://",
        "http:///path",
        "http://?q",
        "http://[URL='http://x.example'][IMG]",
        "http://[2001:db8::7/",
        "http://[::1]x/",
        "http://a..b/",
        "http://.example/",
        "http://a b.example/",
        "http://a.example:port/",
        "http://a.example:99999/",
        "http://999.1.1.1/",
        "http://\udc80.example/",
        "http://" + "a" * 300 + ".example/",
    ],
)
def test_what_no_crawler_can_fetch(url: str) -> None:
    assert split_address(url) is None
    assert features(url) is None


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("HTTP://WWW.Example.COM./News/", "example.com"),
        ("http://user:word@example.com:8080/a", "example.com"),
        ("http://[2001:DB8::7]:80/", "[2001:db8::7]"),
        ("http://中文.example/路径?查询=值", "中文.example"),
        ("http://xn--fiq228c.example/", "xn--fiq228c.example"),
        (" http://example.com/a b ", "example.com"),
        ("http://www.com/", "www.com"),
        ("http://203.0.113.9/index.php", "203.0.113.9"),
        ("http://example.com/%D6%D0%B9%FA/", "example.com"),
        ("http://example.com?q=1", "example.com"),
    ],
)
def test_what_a_crawler_can_fetch(url: str, host: str) -> None:
    address = split_address(url)
    assert address is not None
    assert address.host == host
    assert address.path.startswith("/")


def test_the_two_spellings_of_a_home_page_are_one() -> None:
    assert features("http://example.com") == features("http://example.com/")


@given(st.text(), st.text())
def test_no_text_raises(url: str, text: str) -> None:
    features(url, text, names=FEATURES)
    features("http://example.com/" + url, text, url, names=FEATURES)


@given(st.lists(st.tuples(st.sampled_from(["http://a.example/x", "http://b.example/1.htm?id=3", "tel:1"]), st.text())))
def test_alone_as_in_a_table(links: list[tuple[str, str]]) -> None:
    table = feature_table([split_address(url) for url, _ in links], [text for _, text in links], names=FEATURES)
    for row, (url, text) in zip(table.tolist(), links, strict=True):
        alone = features(url, text, names=FEATURES)
        assert row[0] != row[0] if alone is None else tuple(row) == alone


@pytest.mark.parametrize("piece", ["a/", "%41", "9", "-", "?", "a=1&", ".", "["])
def test_a_huge_address_costs_no_more_than_a_long_one(piece: str) -> None:
    url = "http://a.example/" + piece * (1_000_000 // len(piece))
    features(url, "text", names=FEATURES)
    start = time.process_time()
    for _ in range(10):
        features(url, "text", names=FEATURES)
    assert (time.process_time() - start) / 10 < 0.005  # meant: 1 ms, with room for a busy machine
    values = features(url)
    assert values is not None
    assert values[0] == len(url) - len("http://")


def test_columns_are_named_once_and_chosen_by_name() -> None:
    assert len(set(FEATURES)) == len(COLUMNS)
    assert features("http://a.example/b/", names=("path_len", "url_len")) == (3, 12)
    with pytest.raises(ValueError, match="no_such"):
        features("http://a.example/", names=("no_such",))


def test_tables_counted_anew() -> None:
    """S3.F3: on addresses in the seed's proportions the seed's values come out."""
    urls = ["http://a.example/x/"] * 302 + ["http://a.example/list.html"] * 75 + ["http://a.example/index.php"] * 78
    urls += ["http://a.example/more.asp"] * 45 + ["tel:1"]
    urls = [f"{url}?id={n}" if n < 52 else f"{url}?p=2" if n < 88 else url for n, url in enumerate(urls)]
    assert Tables.count(urls) == SEED_TABLES
    with pytest.raises(ValueError, match="no hub page"):
        Tables.count(["tel:1"])
