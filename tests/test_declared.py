from __future__ import annotations

import importlib
import json
import pkgutil
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import webprep_spider.metadata
from tests.articles import ENGLISH, docview, page
from webprep_spider.metadata.declared import read_declared
from webprep_spider.metadata.language import language_of
from webprep_spider.page.parse import parse_page


def test_canonical_is_absolute_and_without_fragment() -> None:
    head = (
        '<link rel="canonical" href="../water.html?id=3#top"><meta property="og:url" content="http://other.example/">'
    )
    assert docview(page(head=head)).canonical == "http://news.example/2026/water.html?id=3"
    assert docview(page()).canonical == ""


def test_a_mobile_twin_names_its_desktop_page() -> None:
    head = '<link rel="canonical" href="/water.html">'
    assert (
        docview(page(head=head), "http://m.news.example/water.html").canonical == "http://www.news.example/water.html"
    )


@pytest.mark.parametrize("href", ["javascript:void(0)", "http://[broken", "mailto:a@b.example", ""])
def test_a_canonical_that_is_no_address_is_passed_over(href: str) -> None:
    assert docview(page(head=f'<link rel="canonical" href="{href}">')).canonical == ""


def test_the_language_is_that_of_the_text() -> None:
    assert docview(page()).language == "zh"
    assert docview(page("Lighthouse", "<h1>Lighthouse</h1>", paragraphs=ENGLISH, lang="zh-CN")).language == "en"
    assert language_of("今日は図書館で本を読みました。とても静かでした。", "zh-CN") == "ja"
    assert language_of("Сегодня мы открыли новый мост через реку", "uk") == "uk"
    assert language_of("12 34", "") == ""


@pytest.mark.parametrize(
    ("text", "declared", "language"),
    [
        ("北山浄水場、オゾン処理を導入。新市街住民二十万人対象。", "ja", "ja"),
        (
            "Il museo del porto ha aperto la nuova galleria dopo quattro anni, e i visitatori possono salire.",
            "en",
            "it",
        ),
        ("O museu do porto abriu uma nova galeria após quatro anos e não cobra aos visitantes.", "", "pt"),
        ("Het museum heeft na vier jaar de nieuwe galerij geopend en de bezoekers zijn er blij mee.", "", "nl"),
        ("Музей відкрив нову галерею після чотирьох років, і її вже можна оглянути.", "", "uk"),
        ("موزه پس از چهار سال گالری جدید را گشود", "", "fa"),
        ("বন্দর জাদুঘর নতুন গ্যালারি খুলেছে", "", "bn"),
        ("港口博物馆的灯塔展厅", "yue", "zh"),
    ],
)
def test_languages_are_told_by_their_commonest_words_and_their_letters(text: str, declared: str, language: str) -> None:
    assert language_of(text, declared) == language


def test_the_first_place_that_names_a_language_counts() -> None:
    head = '<meta http-equiv="Content-Language" content="sv"><meta property="og:locale" content="de_DE">'
    for lang in ("", "x-default", "{{ lang }}"):
        root = parse_page(page(head=head, lang=lang), "http://a.example/x").root
        assert read_declared(root, "http://a.example/x").language == "sv"


def test_code_is_in_no_language() -> None:
    code = "<pre>" + "for line in open(name): print(line, end='') or continue as of on\n" * 12 + "</pre>"
    assert docview(page(paragraphs=("先打开文件，再逐行读取。", code)), url="http://a.example/x.html").language == "zh"


def test_json_ld_of_an_article_is_read_wherever_it_is() -> None:
    head = (
        '<script type="application/ld+json">[{"@type":"WebSite","name":"Harbour Times"},{"@graph":[{"@type":["Report",'
        '"NewsArticle"],"headline":"H","author":[{"name":"Ann Lee"},"Bo"],"keywords":["a","b"]}]}]</script>'
    )
    said = read_declared(parse_page(page(head=head), "http://a.example/x").root, "http://a.example/x")
    assert (said.sites, said.headlines) == (["Harbour Times"], ["H"])
    assert (said.authors, said.keywords) == (["Ann Lee", "Bo"], ["a", "b"])


@pytest.mark.parametrize(
    "script",
    [
        '{"@context": "x", "author": {"name": "Ann Lee",}, "@type": "Article", "headline": "H",}',
        '<!-- [{"@type": "Article", "headline": "H", "author": "Ann Lee"}] -->',
        " " * 300 + '{"@type": "Article", "headline": "H", "author": ["Ann Lee"]};',
    ],
)
def test_json_ld_is_read_as_templates_write_it(script: str) -> None:
    html = page(head=f'<script type="application/ld+json">{script}</script>')
    said = read_declared(parse_page(html, "http://a.example/x").root, "http://a.example/x")
    assert (said.headlines, said.authors) == (["H"], ["Ann Lee"])


KEYS = st.sampled_from(["@type", "name", "author", "headline", "keywords", "publisher", "datePublished"])
JSON = st.recursive(
    st.none() | st.text(max_size=5) | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
)


@given(JSON)
def test_no_json_breaks_it(value: object) -> None:
    text = json.dumps({"@type": "Article", "author": value, "x": [value]})
    html = page(head=f'<script type="application/ld+json">{text}</script>')
    read_declared(parse_page(html, "http://a.example/x").root, "http://a.example/x")


def patterns() -> list[tuple[str, re.Pattern[str]]]:
    found = []
    for module in pkgutil.iter_modules(webprep_spider.metadata.__path__, "webprep_spider.metadata."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, re.Pattern):
                found.append((f"{module.name}.{name}", value))
    return found


BAITS = ["a", " ", "-", "水", "。", ".", "1", "a-", "By A ", "2026-", "_ ", "相关", "作者", "一二三四年", "\n"]


@pytest.mark.parametrize(("name", "pattern"), patterns(), ids=lambda value: value if isinstance(value, str) else "")
def test_patterns_are_linear(name: str, pattern: re.Pattern[str]) -> None:
    for bait in BAITS:
        text = bait * (50_000 // len(bait)) + "!"
        start = time.process_time()
        for _ in pattern.finditer(text):
            pass
        assert time.process_time() - start < 1.0, (name, bait)
