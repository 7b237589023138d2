from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.articles import CHINESE, ENGLISH, docview, page
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


@pytest.mark.parametrize("mark", [" ", "/", " - ", "·", "•", "#", "：", "|"])
def test_keywords_are_parted_by_whatever_mark_the_author_uses(mark: str) -> None:
    head = f'<meta name="keywords" content="{mark.join(("北山水厂", "新城供水", "活性炭"))}">'
    assert words_of(page(head=head)) == ["北山水厂", "新城供水", "活性炭"]


def test_a_mark_inside_a_keyword_of_the_page_stays() -> None:
    text = "工程师阿尔伯特·爱因斯坦说，水表用TCP/IP协议上传读数。"
    head = '<meta name="keywords" content="阿尔伯特·爱因斯坦,TCP/IP">'
    assert words_of(page(head=head, paragraphs=(*CHINESE, text))) == ["阿尔伯特·爱因斯坦", "TCP/IP"]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("关键词：北山水厂,《新城》,【水压】", ["北山水厂", "新城", "水压"]),
        ("水质检测,水質檢測,北山水厂", ["水质检测", "北山水厂"]),
        ("&lt;b&gt;水压&lt;/b&gt;,新城,12345,http://news.example/,a@news.example,新城", ["水压", "新城"]),
    ],
)
def test_what_is_no_keyword_falls_away_from_a_list(said: str, meant: list[str]) -> None:
    assert words_of(page(head=f'<meta name="keywords" content="{said}">')) == meant


def test_a_sentence_is_no_list_of_keywords() -> None:
    assert not set(words_of(page(head=f'<meta name="keywords" content="{CHINESE[0]}">'))) & set(CHINESE[0].split("，"))


def test_tags_of_the_article_are_its_authors_keywords() -> None:
    of_the_site = '<meta name="keywords" content="滨河,天气,股票,招聘,二手房,论坛">'
    tags = '<p>标签：<a rel="tag" href="/t/1">净水工艺</a> <a rel="nofollow tag" href="/t/2">活性炭</a></p>'
    assert "净水工艺" in words_of(page(head=of_the_site, after=tags))
    terms = '{"@type":"NewsArticle","keywords":[{"@type":"DefinedTerm","name":"净水工艺"},{"name":"臭氧"}]}'
    head = f'<script type="application/ld+json">{terms}</script>'
    assert words_of(page(head=head)) == ["净水工艺", "臭氧"]


def test_numbers_and_addresses_are_no_keywords() -> None:
    text = "二十万户居民可以写信到office@water.example，或看www.water.example/a，三分之二的人已经登记。"
    assert not {"二十万", "三分之二", "十分之一", "四十二", "office", "water.example", "www"} & set(
        words_of(page(paragraphs=(*CHINESE, text)))
    )


@pytest.mark.parametrize(
    ("lang", "title", "paragraph", "wanted"),
    [
        ("de", "Neue Fähre", "Die Fähre fährt nun auch am Abend, und die Fähre hält bei der Insel.", "Fähre"),
        ("fr", "Le nouveau bac", "Le bac part aussi le soir, et le bac est plus grand que les autres.", "bac"),
        ("ru", "Новый паром", "Паром ходит и вечером, а на остров паром идёт без остановки.", "паром"),
        ("ja", "新しい観光船", "観光船は夜にも出るようになり、観光船には三十人が乗れる。", "観光船"),
    ],
)
def test_function_words_of_other_languages_are_no_keywords(lang: str, title: str, paragraph: str, wanted: str) -> None:
    found = words_of(page(title, f"<h1>{title}</h1>", paragraphs=(paragraph,), lang=lang))
    assert any(wanted.lower() in word.lower() for word in found)
    function = {"die", "und", "der", "auch", "le", "les", "et", "и", "на", "а", "には", "は", "ようになり"}
    assert not {part for word in found for part in word.lower().split()} & function


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
