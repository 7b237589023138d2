from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.articles import ENGLISH, docview, page
from webprep_spider.metadata.keywords import own_keywords, rank_keywords
from webprep_spider.metadata.reading import Part, read
from webprep_spider.metadata.words import fold, has_han
from webprep_spider.rules import DEFAULT_RULES


def words_of(html: str) -> list[str]:
    return [word for word, _ in docview(html).keywords]


def declared(content: str) -> str:
    return page(head=f'<meta name="keywords" content="{content}">')


def test_the_authors_keywords_come_first_whatever_parts_them() -> None:
    assert words_of(declared("北山水厂，供水、管网;水质|滨河新闻网 , 新闻")) == [
        "北山水厂",
        "供水",
        "管网",
        "水质",
        "新闻",
    ]
    assert words_of(declared("北山水厂 供水 管网")) == ["北山水厂", "供水", "管网"]


def test_keywords_of_the_site_are_not_those_of_the_page() -> None:
    found = words_of(declared("滨河,新闻,体育,娱乐,房产,汽车"))
    assert "娱乐" not in found
    assert found


def test_the_title_is_no_keyword() -> None:
    assert "北山水厂向新城供水" not in words_of(declared("北山水厂向新城供水"))


def test_ranked_keywords_name_the_topic() -> None:
    found = docview(page()).keywords
    assert {"水厂", "供水"} & {word for word, _ in found[:5]} or any("水厂" in word for word, _ in found[:5])
    weights = [weight for _, weight in found]
    assert weights == sorted(weights, reverse=True)
    assert all(0 < weight <= 1 for weight in weights)


def test_a_word_that_only_begins_phrases_is_kept_with_its_phrase_and_nowhere_else() -> None:
    title = "跨流域调水工程今日通水"
    paragraphs = (
        "跨流域调水工程从上游水库引水，经过三段隧洞送到平原。",
        "专家认为，跨流域调水改变了两岸的灌溉，农田和城镇都能受益。",
        "今后每年的跨流域调水量约为两亿立方米，跨过四个县。",
    )
    found = words_of(page(title, f"<h1>{title}</h1>", paragraphs=paragraphs))
    assert "跨流域调水" in found
    assert "跨" not in found
    assert not any(word.endswith("跨") for word in found)


def test_english_phrases_are_written_as_on_the_page() -> None:
    title = "Lighthouse gallery opens in the harbour museum"
    found = words_of(page(title, f"<h1>{title}</h1>", paragraphs=ENGLISH, lang="en"))
    assert any("lighthouse gallery" in word.lower() for word in found[:5])
    assert not {"the", "of", "and", "in"} & set(found)


@given(st.text(max_size=300), st.text(max_size=60))
@example("", "0¼")
@settings(max_examples=60)
def test_keywords_stand_on_the_page_and_are_never_blank(text: str, title: str) -> None:
    reading = read(title, [Part(text)], DEFAULT_RULES)
    for word, weight in rank_keywords(reading, DEFAULT_RULES):
        assert any(c.isalpha() for c in word)
        assert fold(word) in fold(title + " " + text)
        assert 0 < weight <= 1


@given(st.text(max_size=200))
def test_any_declared_value_is_survived(value: str) -> None:
    for word in own_keywords([value], "题", fold("题 " + value), [], DEFAULT_RULES):
        assert word.strip()
        assert has_han(word) or word


@pytest.mark.parametrize("text", ["", "。。。", "12 34", "的 了 和", "the of and"])
def test_text_that_says_nothing_has_no_keywords(text: str) -> None:
    assert rank_keywords(read("", [Part(text)], DEFAULT_RULES), DEFAULT_RULES) == []
