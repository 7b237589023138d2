from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.articles import ENGLISH, docview, page
from webprep_spider import prepare
from webprep_spider.metadata import SiteNames

TITLE = "北山水厂向新城供水"


@pytest.mark.parametrize(
    "written",
    [
        f"{TITLE}_滨河新闻网",
        f"{TITLE} - 滨河新闻网",
        f"{TITLE}-滨河新闻网",
        f"{TITLE} | 本市 | 滨河新闻网",
        f"{TITLE}——滨河新闻网",
        f"{TITLE}_本市_滨河新闻网_滨河在线",
        f"{TITLE}｜滨河新闻网",
        f"滨河新闻网 | 本市 | {TITLE}",
        TITLE,
    ],
)
@pytest.mark.parametrize("heading", [f"<h1>{TITLE}</h1>", ""], ids=["h1", "no heading"])
def test_names_of_site_and_column_are_cut_off(written: str, heading: str) -> None:
    assert docview(page(written, heading)).title == TITLE


def test_english_suffixes() -> None:
    for suffix in (
        " | The Harbour Times",
        " - The Harbour Times",
        " – Local – The Harbour Times",
        " :: harbour.example",
    ):
        html = page(f"Lighthouse gallery opens in the harbour museum{suffix}", "", paragraphs=ENGLISH, lang="en")
        assert docview(html).title == "Lighthouse gallery opens in the harbour museum"


def test_dashes_inside_a_title_stay() -> None:
    title = "滨河—北山夜班公交K4-2线改走新桥"
    assert docview(page(f"{title}-滨河新闻网", f"<h1>{title}</h1>")).title == title


def test_the_logo_is_no_title() -> None:
    heading = f'<h1 class="logo"><a href="/">滨河新闻网</a></h1><div class="t">{TITLE}</div>'
    assert docview(page(heading=heading)).title == TITLE


def test_a_declared_headline_that_names_the_site_is_no_title() -> None:
    head = '<meta property="og:title" content="滨河新闻网 - 滨河人的报纸">'
    assert docview(page(heading="", head=head)).title == TITLE


@pytest.mark.parametrize("heading", [f"<h1>{TITLE}</h1>", f"<h2>{TITLE}</h2>", f'<div class="t">{TITLE}</div>'])
def test_a_page_that_gives_its_own_title_as_the_name_of_the_site_keeps_it(heading: str) -> None:
    head = f'<meta property="og:site_name" content="{TITLE}"><meta property="og:title" content="{TITLE}">'
    found = docview(page(f"{TITLE}_滨河新闻网", heading, head=head))
    assert (found.title, found.source) == (TITLE, "滨河新闻网")


def test_the_name_of_the_site_may_be_the_whole_of_what_stands_in_the_head() -> None:
    title = "Lighthouse gallery opens in the harbour museum"
    whole = f"{title} | The Harbour Times"
    head = f'<meta property="og:site_name" content="{whole}">'
    assert docview(page(whole, f"<h2>{title}</h2>", head=head, paragraphs=ENGLISH, lang="en")).title == title


@pytest.mark.parametrize("nothing", ["Untitled Document", "无标题文档", "New Page 1", "index.html"])
def test_what_an_editor_writes_for_want_of_a_title_is_none(nothing: str) -> None:
    assert docview(page(nothing)).title == TITLE


def test_a_title_cut_short_before_the_name_of_the_site_is_read_whole_from_its_heading() -> None:
    assert docview(page(f"{TITLE[:8]}...-滨河新闻网")).title == TITLE


def test_a_heading_that_holds_half_of_what_the_head_says_twice_is_not_enough() -> None:
    whole = "Ferry strike ends on the fifth day talks go on in the harbour hall"
    halves = "<h1>Ferry strike ends on the fifth day</h1><h2>Talks go on in the harbour hall</h2>"
    head = f'<meta property="og:title" content="{whole}">'
    assert docview(page(whole, halves, head=head, paragraphs=ENGLISH, lang="en")).title == whole
    named = f"{whole} Harbour Times"
    head = f'<meta property="og:title" content="{named}"><meta property="og:site_name" content="Harbour Times">'
    heading = f"<h1>{whole}</h1>"
    assert docview(page(named, heading, head=head, paragraphs=ENGLISH, lang="en")).title == whole


def test_a_heading_that_is_one_word_of_the_title_is_not_the_title() -> None:
    headings = "<h1>Lighthouse</h1><h2>Gallery</h2>"
    whole = "Opening hours of the lighthouse gallery and its cafe"
    assert docview(page(whole, headings, paragraphs=ENGLISH, lang="en")).title == whole
    set_off = "Harbour - Gallery - Opening"
    assert docview(page(set_off, headings, paragraphs=ENGLISH, lang="en")).title == "Gallery"


def test_bars_that_set_nothing_off_are_left_out() -> None:
    assert docview(page("Ferry strike ends | |", "", paragraphs=ENGLISH, lang="en")).title == "Ferry strike ends"


def test_a_shortened_title_is_completed_from_the_heading() -> None:
    whole = "北山水厂向新城供水三年工程全部完工验收"
    assert docview(page("北山水厂向新城供水三年工程...", f"<h1>{whole}</h1>")).title == whole


def test_without_a_title_element_the_heading_is_taken() -> None:
    assert docview(page("", f"<h1>{TITLE}</h1>")).title == TITLE
    assert (
        docview(
            page("滨河新闻网", f"<h1>{TITLE}</h1>", head='<meta property="og:site_name" content="滨河新闻网">')
        ).title
        == TITLE
    )


def test_a_page_without_any_title_has_none() -> None:
    assert docview("<p>北山水厂昨天开始向新城供水，二十万居民不再喝井水。</p>").title == ""


def test_a_site_name_is_learned_from_several_pages() -> None:
    names = SiteNames()
    titles = ("北山开闸", "南桥合龙", "东城通车", "西区供水")
    found = [docview(page(f"{title} - 一个并不短的报社的全名", ""), site_names=names).title for title in titles]
    assert found[-1] == "西区供水"
    assert names.names("http://news.example/other") == ["一个并不短的报社的全名"]
    assert names.names("http://elsewhere.example/") == []


def test_what_is_learned_of_sites_is_bounded() -> None:
    names = SiteNames()
    for n in range(1000):
        names.observe(f"http://s{n % 3}.example/{n}", f"标题{n} - 栏目{n} - 报社")
    assert names.names("http://s1.example/") == ["报社"]
    assert all(len(seen) <= 201 for seen in names._sites.values())


def test_permalinks_and_emoji() -> None:
    assert docview(page("Install the pump — Manual", "<h1>Install the pump¶</h1>")).title == "Install the pump"
    assert docview(page("🚰新水厂🎉通水了_滨河新闻网", "<h1>🚰新水厂🎉通水了</h1>")).title == "🚰新水厂🎉通水了"


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_any_text_in_the_head_is_survived(title: str, heading: str, headline: str) -> None:
    html = f'<title>{title}</title><meta property="og:title" content="{headline}"><h1>{heading}</h1><p>水</p>'
    assert isinstance(prepare(html, "http://a.example/x").title, str)
