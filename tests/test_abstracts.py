from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.articles import CHINESE, ENGLISH, docview, page
from webprep_spider.metadata.abstract import by_segments, lead
from webprep_spider.metadata.reading import Part, read
from webprep_spider.rules import DEFAULT_RULES, Rules


def test_a_real_description_is_the_abstract() -> None:
    said = "北山水厂昨天起向新城供水，居民不再喝井水。"
    assert docview(page(head=f'<meta name="description" content="{said}">')).abstract == said


def test_a_description_of_the_site_is_not() -> None:
    for said in ("滨河新闻网是本地区最大的门户网站，提供天气、股票、招聘。", "北山水厂向新城供水", "滨河新闻网"):
        found = docview(page(head=f'<meta name="description" content="{said}">')).abstract
        assert found in "".join(CHINESE)


def test_whole_sentences_of_the_body_and_never_the_title() -> None:
    found = docview(page()).abstract
    assert found == CHINESE[0]
    english = docview(page("Lighthouse gallery", "<h1>Lighthouse gallery</h1>", paragraphs=ENGLISH, lang="en")).abstract
    assert english.startswith(ENGLISH[0])
    assert english.endswith(".")


def test_the_abstract_begins_where_the_title_is_taken_up() -> None:
    opening = "雨后的早晨，街上的行人三三两两地走着，谁也没有说话。"
    assert docview(page(paragraphs=(opening, *CHINESE))).abstract == CHINESE[0]


@pytest.mark.parametrize(
    "dateline",
    [
        "本报讯（记者 林小雨） ",
        "滨河社北山3月1日电 ",
        "滨河社北山3月1日电(记者 林小雨、周满)",
        "滨河新闻讯 ",
        "记者林小雨北山报道 ",
    ],
)
def test_who_tells_the_news_is_no_part_of_it(dateline: str) -> None:
    assert docview(page(paragraphs=(dateline + CHINESE[0], *CHINESE[1:]))).abstract == CHINESE[0]


@pytest.mark.parametrize(
    "opening", ["据腾讯 昨天消息，", "记者昨天在水厂报道了此事，", "全市停电 三小时后，", "在通讯 中断以后，"]
)
def test_what_only_looks_like_a_dateline_stays(opening: str) -> None:
    assert docview(page(paragraphs=(opening + CHINESE[0], *CHINESE[1:]))).abstract.startswith(opening)


def test_a_sentence_of_each_segment() -> None:
    rules = replace(DEFAULT_RULES, abstract_form="segments")
    found = docview(page(), rules=rules).abstract
    assert sum(sentence in found for sentence in CHINESE) >= len(CHINESE) / 2
    places = [found.find(sentence) for sentence in CHINESE if sentence in found]
    assert places == sorted(places)
    assert len(found) <= rules.abstract_chars


def test_only_the_authors_words() -> None:
    assert docview(page(), rules=replace(DEFAULT_RULES, abstract_form="description")).abstract == ""


@given(st.lists(st.text("水厂供。，ab. \n", max_size=80), max_size=6), st.integers(20, 120))
@settings(max_examples=80)
def test_the_length_holds_for_both_forms(paragraphs: list[str], length: int) -> None:
    rules = Rules(abstract_chars=length)
    reading = read("水厂", [Part(text) for text in paragraphs], rules)
    for found in (lead(reading, "水厂", rules), by_segments(reading, "水厂", [("水厂", 1.0)], rules)):
        assert len(found) <= 3 * length
