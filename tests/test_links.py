from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.articles import docview, page
from webprep_spider import prepare

RELATED = "".join(
    f'<li><a href="/2026/05/{n}.html#top">{text}</a></li>'
    for n, text in enumerate(("北山水库蓄水过半", "新城居民告别井水", "水厂的净水工艺如何工作"), 1)
)
HOT = "".join(
    f'<li><a href="/hot/{n}.html">{text}</a></li>'
    for n, text in enumerate(("歌手夏夜开唱一票难求", "球队客场三比一取胜", "老街夜市重新划线"), 1)
)


def urls(html: str) -> list[str]:
    return [link.url for link in docview(html).related_links]


def test_the_list_under_a_fitting_heading_is_related() -> None:
    found = docview(page(after=f"<div><h3>相关阅读</h3><ul>{RELATED}</ul></div>")).related_links
    assert {link.url for link in found} == {f"http://news.example/2026/05/{n}.html" for n in (1, 2, 3)}
    assert all(0 < link.score <= 1 for link in found)
    assert {link.href for link in found} == {f"/2026/05/{n}.html#top" for n in (1, 2, 3)}, "as the page writes it"


def test_menus_hot_lists_and_adverts_are_not() -> None:
    html = page(
        after=f'<div><h3>延伸阅读</h3><ul>{RELATED}</ul></div><div class="hot"><h3>热门排行</h3><ul>{HOT}</ul></div>'
        '<div class="ad"><a href="http://ad.example/x">限时特惠 点此领券</a></div>'
    )
    assert len(urls(html)) == 3
    assert not any("hot" in url or "ad.example" in url or url.endswith("/sport/") for url in urls(html))


def test_links_after_a_label_in_their_own_block() -> None:
    links = '<a href="/w/1.html">水厂怎么消毒</a> <a href="/w/2.html">管网如何铺设</a>'
    html = page(after=f'<div class="xg"><b>延伸阅读：</b>{links}</div>')
    assert urls(html) == ["http://news.example/w/1.html", "http://news.example/w/2.html"]


def test_cards_are_one_list() -> None:
    cards = "".join(
        f'<div class="card"><h4><a href="/c/{n}.html">{text}</a></h4><span>2026-05-0{n}</span></div>'
        for n, text in enumerate(("水厂向社会开放参观", "新城供水管网竣工", "北山水库水质报告"), 1)
    )
    assert len(urls(page(after=f'<div><h2>相关推荐</h2><div class="list">{cards}</div></div>'))) == 3


def test_one_link_of_another_topic_far_from_the_body_is_not_enough() -> None:
    lone = '<div><h2>相关文章</h2><h3><a href="/y.html">歌手夏夜开唱</a></h3></div>'
    html = page(after=f'<div class="hot"><h3>热门排行</h3><ul>{HOT}{HOT}</ul></div>{lone}')
    assert "http://news.example/y.html" not in urls(html)


def test_english_lists() -> None:
    items = '<li><a href="/a">Keepers of the old lighthouse</a></li><li><a href="/b">The museum in winter</a></li>'
    related = f"<div><h3>Related stories</h3><ul>{items}</ul></div>"
    html = page("Lighthouse", "<h1>Lighthouse gallery opens</h1>", after=related, lang="en")
    assert urls(html) == ["http://news.example/a", "http://news.example/b"]


@pytest.mark.parametrize(
    "heading", ["関連記事", "Mehr zum Thema", "À lire aussi", "Читайте также", "관련 기사", "Read more:"]
)
def test_headings_of_other_languages(heading: str) -> None:
    assert len(urls(page(after=f"<div><h3>{heading}</h3><ul>{RELATED}</ul></div>"))) == 3


def test_of_a_list_of_recommendations_only_what_is_of_the_topic() -> None:
    for heading in ("推荐阅读", "猜你喜欢", "Recommended for you"):
        mixed = f"<div><h3>{heading}</h3><ul>{RELATED}{HOT}</ul></div>"
        found = urls(page(after=mixed))
        assert found
        assert not any("hot" in url for url in found)


def test_each_page_once_from_its_base_and_never_the_page_itself() -> None:
    items = "".join(
        f'<li><a href="{href}">水厂供水的第{n}篇文章</a></li>'
        for n, href in enumerate(("a.html", "a.html?utm_source=x", "a.html#b", "/2026/05/2101.html?utm_medium=y", "#c"))
    )
    html = page(head='<base href="/base/">', after=f"<div><h3>相关阅读</h3><ul>{items}</ul></div>")
    assert urls(html) == ["http://news.example/base/a.html"]


def test_a_link_to_more_of_them_is_none() -> None:
    more = '<li><a href="/all/">查看更多文章 >></a></li>'
    assert len(urls(page(after=f"<div><h3>相关阅读</h3><ul>{RELATED}{more}</ul></div>"))) == 3


@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=20)), max_size=8))
def test_any_address_and_text_is_survived(links: list[tuple[str, str]]) -> None:
    items = "".join(f"<li><a href='{href}'>{text}</a></li>" for href, text in links)
    for link in prepare(f"<h1>水厂</h1><h3>相关阅读</h3><ul>{items}</ul>", "http://a.example/x.html").related_links:
        assert link.url.startswith(("http://", "https://"))
        assert "#" not in link.url
