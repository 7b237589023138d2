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


@pytest.mark.parametrize(
    "said",
    [
        "Tides, ferries and weather of every bay on the coast, for sailors and anglers, each morning.",
        "Lighthouse gallery | The Harbour Times - news of the harbour",
        "Just another WordPress site",
        "{{ page.description }}",
    ],
)
def test_letters_that_meet_by_chance_make_no_description(said: str) -> None:
    head = f'<meta name="description" content="{said}"><meta property="og:site_name" content="The Harbour Times">'
    html = page("Lighthouse gallery", "<h1>Lighthouse gallery</h1>", head=head, paragraphs=ENGLISH, lang="en")
    assert docview(html).abstract.startswith(ENGLISH[0])


@pytest.mark.parametrize("end", ["", "...", "……", " […]"])
def test_a_description_that_was_cut_short_ends_with_its_last_whole_sentence(end: str) -> None:
    for said in (CHINESE[0] + CHINESE[1][:14] + end, CHINESE[0][:20] + end):
        assert docview(page(head=f'<meta name="description" content="{said}">')).abstract == CHINESE[0]


def test_a_long_description_is_held_to_the_length() -> None:
    head = f'<meta name="description" content="&lt;p&gt;{"".join(CHINESE)}&lt;/p&gt;">'
    found = docview(page(head=head), rules=replace(DEFAULT_RULES, abstract_chars=80)).abstract
    assert found == CHINESE[0] + CHINESE[1]


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
        "【滨河网讯】",
        "滨河网消息：",
        "（记者 林小雨）",
        "滨河日报讯 记者林小雨报道：",
        "摘要：",
        "HARBOUR CITY, March 1 (Reuters) - ",
        "LONDON — ",
    ],
)
def test_who_tells_the_news_is_no_part_of_it(dateline: str) -> None:
    told, rest = (ENGLISH[0], ENGLISH[1:]) if dateline.isascii() or "—" in dateline else (CHINESE[0], CHINESE[1:])
    assert docview(page(paragraphs=(dateline + told, *rest))).abstract.startswith(told)


def test_a_former_title_is_no_sentence_of_the_text() -> None:
    assert docview(page(paragraphs=("（原标题：北山水厂昨天开始向新城供水）", *CHINESE))).abstract == CHINESE[0]


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
