from __future__ import annotations

import sys
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.articles import NOW, docview, page
from webprep_spider.metadata.dates import date_in_text, date_in_url, declared_date
from webprep_spider.rules import DEFAULT_RULES

PLAIN = "http://news.example/item.html"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-01 07:05", datetime(2026, 3, 1, 7, 5)),
        ("2026年3月1日 07:05:09 来源：滨河日报", datetime(2026, 3, 1, 7, 5, 9)),
        ("2026年03月01日07时05分", datetime(2026, 3, 1, 7, 5)),
        ("2026/3/1", datetime(2026, 3, 1)),
        ("2026.03.01", datetime(2026, 3, 1)),
        ("2026年3月1日（星期日）07:05", datetime(2026, 3, 1, 7, 5)),
        ("二〇二六年三月二十一日", datetime(2026, 3, 21)),
        ("二零二五年十二月十日", datetime(2025, 12, 10)),
        ("Posted on March 1st, 2026 by the desk", datetime(2026, 3, 1)),
        ("1 Mar 2026", datetime(2026, 3, 1)),
        ("更新时间：2026-03-09 10:00 发布时间：2026-03-01 07:05", datetime(2026, 3, 1, 7, 5)),
        ("2026-03-01T07:05:00+08:00", datetime(2026, 3, 1, 7, 5, tzinfo=timezone(timedelta(hours=8)))),
    ],
)
def test_forms_beside_the_title(text: str, expected: datetime) -> None:
    assert date_in_text([text], NOW) == expected


@pytest.mark.parametrize(
    "text",
    [
        "3小时前",
        "昨天 08:00",
        "2 days ago",
        "版权所有 2026-03-01",
        "2026-13-01",
        "2026-02-30",
        "2031-01-01",
        "13-2026-4",
    ],
)
def test_what_is_no_date(text: str) -> None:
    assert date_in_text([text], NOW) is None


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a.example/whyw/202509/t20250921_875251.htm", datetime(2025, 9, 21)),
        ("http://a.example/2026/03/01/water.html", datetime(2026, 3, 1)),
        ("http://a.example/2026-03-01-water", datetime(2026, 3, 1)),
        ("http://a.example/2026/0301/c12.html", datetime(2026, 3, 1)),
        ("http://a.example/20260301/x.html", datetime(2026, 3, 1)),
        ("http://a.example/content/2026-03/01/content_9.htm", datetime(2026, 3, 1)),
        ("http://a.example/2026/03/water.html", None),
        ("http://a.example/item/20263301.html", None),
        ("http://a.example/?d=2026-03-01", None),
    ],
)
def test_dates_in_addresses(url: str, expected: datetime | None) -> None:
    assert date_in_url(url, NOW) == expected


def test_the_head_is_believed_first() -> None:
    head = '<meta property="article:published_time" content="2026-02-03T04:05:06+08:00">'
    found = docview(page(head=head, before='<div class="info">2026-03-01 07:05</div>'), PLAIN)
    assert found.published is not None
    assert found.published.isoformat() == "2026-02-03T04:05:06+08:00"


def test_json_ld_is_read_and_a_broken_one_passed_over() -> None:
    good = (
        '<script type="application/ld+json">{"@graph":[{"@type":"NewsArticle","datePublished":"2026-02-03"}]}</script>'
    )
    bad = '<script type="application/ld+json">{"@type": "NewsArticle", "datePublished": </script>'
    deep = f'<script type="application/ld+json">{"[" * 50_000}</script>'
    assert docview(page(head=bad + deep + good), PLAIN).published == datetime(2026, 2, 3)


def test_a_date_in_the_future_is_not_believed() -> None:
    head = '<meta name="pubdate" content="2029-01-01">'
    assert docview(page(head=head, before="<div>2026-03-01</div>"), PLAIN).published == datetime(2026, 3, 1)


def test_neither_the_footer_nor_the_article_gives_the_date() -> None:
    found = docview(page(footer="最后更新 2026-01-01 滨河新闻网 2001-02-03 成立"), PLAIN)
    assert found.published is None


@given(st.text(max_size=80))
def test_no_value_breaks_it(value: str) -> None:
    for date in (
        declared_date([value], NOW),
        date_in_text([value], NOW),
        date_in_url("http://a.example/" + value, NOW),
    ):
        assert date is None or date.year >= 1990


class OtherLibrary(ModuleType):
    """Stands for htmldate: answers ``found``."""

    def __init__(self, found: str | None) -> None:
        super().__init__("htmldate")
        self.found = found
        self.asked: list[str] = []

    def find_date(self, html: str, url: str, **options: Any) -> str | None:
        assert "北山水厂" in html
        assert options["max_date"] == NOW.strftime("%Y-%m-%d")
        self.asked.append(url)
        return self.found


ASK = replace(DEFAULT_RULES, date_second_opinion=True)


def test_a_second_opinion_is_asked_where_the_page_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    library = OtherLibrary("2026-02-11")
    monkeypatch.setitem(sys.modules, "htmldate", library)
    undated = "http://news.example/story.html"
    assert docview(page(), undated).published is None
    assert not library.asked
    found = docview(page(), undated, ASK)
    assert found.published == datetime(2026, 2, 11)
    dated = docview(page(before='<div class="info">2026-03-01 07:05</div>'), undated, ASK)
    assert dated.published == datetime(2026, 3, 1, 7, 5)
    assert library.asked == [undated]


@pytest.mark.parametrize("found", [None, "", "soon", "2031-01-01", "1912-02-12"])
def test_a_second_opinion_is_checked_like_any_other_date(monkeypatch: pytest.MonkeyPatch, found: str | None) -> None:
    monkeypatch.setitem(sys.modules, "htmldate", OtherLibrary(found))
    assert docview(page(), "http://news.example/story.html", ASK).published is None


def test_without_the_library_there_is_no_second_opinion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "htmldate", None)
    assert docview(page(), "http://news.example/story.html", ASK).published is None


def test_what_htmldate_itself_finds_is_taken() -> None:
    hidden = page(after='<div class="entry-date"><time datetime="2026-02-11">Wednesday</time></div>')
    assert docview(hidden, "http://news.example/story.html").published is None
    assert docview(hidden, "http://news.example/story.html", ASK).published == datetime(2026, 2, 11)


def test_author_and_source_beside_the_title() -> None:
    line = '<div class="info"><span>2026-03-01 07:05</span> <span>来源：滨河日报</span> <span>作者：林小雨</span></div>'
    found = docview(page(before=line))
    assert (found.author, found.source) == ("林小雨", "滨河日报")
    declared = docview(
        page(head='<meta name="author" content="Ann Lee"><meta property="og:site_name" content="Harbour Times">')
    )
    assert (declared.author, declared.source) == ("Ann Lee", "Harbour Times")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("2026年3月1日 下午3:05", datetime(2026, 3, 1, 15, 5)),
        ("２０２６年３月１日", datetime(2026, 3, 1)),
        ("March 1, 2026 at 7:05 PM", datetime(2026, 3, 1, 19, 5)),
        ("Mar. 1, 2026 12:05 am", datetime(2026, 3, 1, 0, 5)),
        ("01 Mar 2026, 07:05", datetime(2026, 3, 1, 7, 5)),
        ("13/03/2026", datetime(2026, 3, 13)),
        ("03/13/2026", datetime(2026, 3, 13)),
        ("01.03.2026", datetime(2026, 3, 1)),
        ("02/03/2026", None),
        ("2026-03-01 07:05 +99:99", datetime(2026, 3, 1, 7, 5)),
        ("今天是2026年5月31日 星期日", None),
        ('<time datetime="2026-03-01T07:05">3 months ago</time>', datetime(2026, 3, 1, 7, 5)),
        ('<span itemprop="datePublished" content="2026-03-01">in spring</span>', datetime(2026, 3, 1)),
        (
            'Updated <time datetime="2026-03-05">5 Mar</time>, first on <time datetime="2026-03-01">1 Mar</time>',
            datetime(2026, 3, 1),
        ),
    ],
)
def test_dates_as_they_are_written_for_readers(line: str, expected: datetime | None) -> None:
    assert (
        docview(page(before=f'<div class="info">{line}</div>'), "http://news.example/story.html").published == expected
    )


def test_a_date_in_the_title_is_what_the_page_is_about() -> None:
    title = "2025年1月5日天气回顾"
    dated = page(f"{title}_滨河新闻网", f"<h1>{title}</h1>", before='<div class="info">2026-03-01 07:05</div>')
    assert docview(dated).published == datetime(2026, 3, 1, 7, 5)


@pytest.mark.parametrize(
    "script",
    [
        '//<![CDATA[\n{"@type":"NewsArticle","datePublished":"2026-03-01"}\n//]]>',
        '<!-- {"@type":"NewsArticle","datePublished":"2026-03-01"} -->',
        '{"@type":"NewsArticle","datePublished":"2026-03-01",}',
        '{"@context":"https://contexts.example/cambrian.jsonld","pubDate":"2026-03-01"}',
    ],
)
def test_json_ld_is_read_as_templates_write_it(script: str) -> None:
    html = page(head=f'<script type="application/ld+json">{script}</script>')
    assert docview(html, "http://news.example/story.html").published == datetime(2026, 3, 1)


@pytest.mark.parametrize(
    ("line", "author"),
    [
        ("BY ANN MILLER", "ANN MILLER"),
        ("By Ann Miller March 1, 2026", "Ann Miller"),
        ('<a rel="author" href="/ann">Ann Miller</a>', "Ann Miller"),
        ('<span itemprop="author"><span itemprop="name">Élise Núñez</span></span>', "Élise Núñez"),
        ("文 | 张三", "张三"),
        ("Photo by Joe Lens", ""),
        ('<span class="author">By Ann Miller, Staff Writer</span>', "Ann Miller"),
        ('<span class="author">2026-03-01 07:05 作者：张三 责任编辑：王五</span>', "张三"),
        ('<span class="author">责任编辑：王五</span>', ""),
    ],
)
def test_authors_below_the_title(line: str, author: str) -> None:
    assert docview(page(before=f'<div class="info">{line}</div>')).author == author


@pytest.mark.parametrize(
    ("declared", "author"),
    [
        ('<meta name="byl" content="By Ann Miller">', "Ann Miller"),
        ('<meta name="author" content="null"><meta name="dc.creator" content="Ann Miller">', "Ann Miller"),
        ('<meta name="author" content="ann@harbour.example">', ""),
        ('<meta name="author" content="{{author}}">', ""),
        (
            '<script type="application/ld+json">{"@graph":[{"@type":"Article","author":{"@id":"#a"}},'
            '{"@type":"Person","@id":"#a","name":"Tom &amp; Ann"}]}</script>',
            "Tom & Ann",
        ),
    ],
)
def test_authors_in_the_head(declared: str, author: str) -> None:
    assert docview(page(head=declared)).author == author


@pytest.mark.parametrize(
    "line",
    [
        "（来源：滨河日报）",
        "转自：滨河日报",
        "来源于：滨河日报",
        "来源 | 滨河日报",
        "来源：《滨河日报》",
        "来源：滨河日报2026-03-01 07:05",
        "来源：“滨河日报”微信公众号",
        "来源单位：滨河日报",
        "图片来源：林小雨 来源：滨河日报",
    ],
)
def test_sources_below_the_title(line: str) -> None:
    assert docview(page(before=f'<div class="info">{line}</div>')).source == "滨河日报"


@pytest.mark.parametrize(
    "line", ["来源：2026-03-01", "来源：https://a.example/", "消息来源：厂长透露，水厂停水", "来源："]
)
def test_what_follows_the_word_source_may_be_none(line: str) -> None:
    assert docview(page(before=f'<div class="info">{line}</div>')).source in ("", "滨河新闻网")
