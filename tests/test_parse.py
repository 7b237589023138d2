from __future__ import annotations

import time
from contextlib import suppress
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webprep_spider.exceptions import PageError
from webprep_spider.page.clean import clean
from webprep_spider.page.parse import parse_page, require_readable
from webprep_spider.rules import Rules

URL = "http://news.example/a.html"


@pytest.mark.parametrize(
    "url", ["", "a.html", "ftp://x.example/", "mailto:a@b.example", "http://", "http://[::1", "hard::x"]
)
def test_an_address_that_is_not_of_the_web_is_refused(url: str) -> None:
    with pytest.raises(PageError):
        parse_page("<p>文</p>", url)


@pytest.mark.parametrize(
    "body", [b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", b"\x89PNG\r\n\x1a\n\x00\x00", b"PK\x03\x04\x14\x00\xff", bytes(5000)]
)
def test_a_binary_file_is_refused(body: bytes) -> None:
    with pytest.raises(PageError):
        parse_page(body, URL)


@pytest.mark.parametrize("seed", range(20))
def test_random_bytes_are_read_with_a_warning_and_refused_in_a_crawl(seed: int) -> None:
    page = parse_page(Random(seed).randbytes(5000), "http://a.example/")
    assert "encoding_suspect" in page.flags
    with pytest.raises(PageError):
        require_readable("".join(page.root.itertext()))


@pytest.mark.parametrize("body", [b"", "", b"   \n", "<!-- only a comment -->", "\x00\x00"])
def test_an_empty_page_is_no_error(body: bytes | str) -> None:
    assert clean(parse_page(body, URL)).body == ""


def test_how_the_encoding_was_found_is_told() -> None:
    page = parse_page("<meta charset=gbk><p>人民的生活</p>".encode("gbk"), URL)
    assert (page.encoding, page.encoding_source, page.flags) == ("gb18030", "meta", [])
    assert parse_page("<p>文", URL).encoding_source == "text"


def test_a_long_page_is_cut_with_a_flag() -> None:
    page = parse_page("<p>头</p>" + "<p>段落</p>" * 5000, URL, rules=Rules(max_page_bytes=10_000))
    assert page.flags == ["truncated_size"]
    assert next(page.root.iter("p")).text == "头"


def test_text_after_the_end_of_the_document_is_kept() -> None:
    page = parse_page("<html><body><p>一</p></body><p>二</p></html><p>三</p>", URL)
    assert [block.text for block in clean(page).blocks] == ["一", "二", "三"]


def test_nul_characters_do_not_end_the_page() -> None:
    assert "前后" in "".join(parse_page("<p>前\x00后</p>", URL).root.itertext())


def test_a_flood_of_attributes_costs_no_time() -> None:
    flood = " ".join(f"a{i}=1" for i in range(200_000))
    started = time.process_time()
    page = parse_page(f"<div {flood}><p>文</p></div>", URL)
    assert time.process_time() - started < 2
    assert page.flags == ["long_tags"]
    assert "".join(page.root.itertext()) == "文"


@pytest.mark.parametrize("tag", ["div", "span", "b", "table", "ul", "font"])
def test_deep_nesting_keeps_its_text_or_says_so(tag: str) -> None:
    page = parse_page("<p>头</p>" + f"<{tag}>" * 20_000 + "底" + f"</{tag}>" * 20_000 + "<p>尾</p>", URL)
    text = "".join(block.text for block in clean(page).blocks)
    assert "头" in text
    assert "尾" in text or "truncated_depth" in page.flags


@given(st.binary(max_size=300))
def test_any_bytes_make_a_page_or_a_page_error(body: bytes) -> None:
    with suppress(PageError):
        clean(parse_page(body, URL)).body.encode("utf-8")


@given(st.text(max_size=300))
def test_any_text_makes_a_page(body: str) -> None:
    clean(parse_page(body, URL)).body.encode("utf-8")
