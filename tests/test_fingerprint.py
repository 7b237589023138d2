from __future__ import annotations

from hashlib import sha1

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webprep_spider import fingerprints
from webprep_spider.page.clean import Cleaned
from webprep_spider.page.tree import Block
from webprep_spider.replicas.fingerprint import form_of, normalise, sketch
from webprep_spider.replicas.verdict import resemblance
from webprep_spider.rules import SEED_RULES, Rules

ARTICLE = [
    "市图书馆从下周起延长开放时间。周末两天闭馆推迟到晚上九点半。读者可以在门口自助还书。",
    "馆长介绍，去年到馆人次超过三十万。其中一半以上是学生和老人。自习室的座位常常不够用。",
    "新添的二百个座位安排在四楼东侧。每个座位都有台灯和插座。预约可以在手机上完成。",
    "馆里还计划举办十场讲座。题目由读者投票决定。第一场讲的是本地的古桥。",
]


def cleaned(*blocks: Block, images: tuple[str, ...] = ()) -> Cleaned:
    for order, block in enumerate(blocks):
        block.order, block.kept = order, True
    return Cleaned("topic", "\n".join(block.text for block in blocks), list(blocks), images=list(images))


def block(text: str, tag: str = "p", weight: float = 1.0, link_chars: int = 0) -> Block:
    return Block(0, None, tag, text, len(text), link_chars, weight=weight)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("价格是25元,不变。", "价格是２５元，不变。"),
        ("春\u200b茶\u00ad减\ufeff产\u3000三 成", "春茶减产三成"),
        ("“Hello”, WORLD—again…", '"hello" world again...'),
        ("電腦軟體與網路", "电脑软体与网路"),
        ("ﬁne Straße", "fine STRASSE"),
        ("e\u0301te", "éte"),
    ],
)
def test_folded_text_knows_no_width_script_case_or_marks(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(("one", "other"), [("气温26度", "气温19度"), ("版本 1.2", "版本 1.3"), ("他来了", "她来了")])
def test_what_is_said_counts(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


@given(st.text(), st.sampled_from([Rules(), SEED_RULES]))
def test_normalising_twice_changes_nothing(text: str, rules: Rules) -> None:
    once = normalise(text, rules)
    assert normalise(once, rules) == once


@given(st.lists(st.text()), st.text(), st.sampled_from([Rules(), SEED_RULES]))
def test_any_text_has_fingerprints_of_one_shape(blocks: list[str], title: str, rules: Rules) -> None:
    found = fingerprints(blocks, title, rules)
    assert len(found) == len(set(found)) <= rules.sketch_size
    assert all(len(value) == 40 and int(value, 16) >= 0 for value in found)
    assert bool(found) == any(normalise(text, rules) for text in (*blocks, title))


def test_block_boundaries_do_not_count() -> None:
    joined = ["\n".join(ARTICLE[:2]), ARTICLE[2] + ARTICLE[3]]
    assert fingerprints(joined) == fingerprints(ARTICLE)
    assert sketch(cleaned(*map(block, joined))) == sketch(cleaned(*map(block, ARTICLE))) == fingerprints(ARTICLE)


def test_a_changed_sentence_changes_one_fingerprint_at_most() -> None:
    before = fingerprints(ARTICLE, rules=Rules(sketch_size=30))
    after = fingerprints([ARTICLE[0].replace("九点半", "十点"), *ARTICLE[1:]], rules=Rules(sketch_size=30))
    assert len(set(before) - set(after)) == len(set(after) - set(before)) == 1


def test_a_repost_with_a_source_line_stays_a_near_duplicate() -> None:
    repost = ["来源：城市在线 责任编辑：小王", *ARTICLE[:3], "本文由网友整理发布，转载请注明。", ARTICLE[3]]
    assert resemblance(fingerprints(ARTICLE), fingerprints(repost)) >= Rules().replica_share


def test_other_articles_of_a_site_are_none() -> None:
    footer = "本站文章均来自网络，如有侵权请联系我们删除。"
    other = ["河堤步道上周装好了路灯。灯杆上还有紧急呼叫按钮。", "夜跑的市民说亮堂多了。电费由市政承担。", footer]
    assert resemblance(fingerprints([*ARTICLE, footer]), fingerprints(other)) < Rules().replica_share


def test_a_page_without_text_has_no_fingerprint() -> None:
    assert sketch(cleaned()) == sketch(cleaned(block(" \u200b。 "))) == fingerprints([]) == ()


def test_a_short_text_equals_only_itself() -> None:
    today, tomorrow = "临河市今天多云，最高气温26度，东南风二级。", "临河市今天多云，最高气温19度，东南风二级。"
    assert len(fingerprints([today])) == 1
    assert fingerprints([today]) == fingerprints([today.replace("，", ", ")])
    assert fingerprints([today]) != fingerprints([tomorrow])
    assert not set(fingerprints([today])) & set(fingerprints([today, *ARTICLE], rules=Rules(sketch_size=50)))


def test_the_same_caption_under_other_pictures_is_no_copy() -> None:
    one = cleaned(block("点击查看大图"), images=("http://a.example/p/1.jpg",))
    other = cleaned(block("点击查看大图"), images=("http://a.example/p/2.jpg",))
    moved = cleaned(block("点击查看大图"), images=("http://b.example/cache/1.jpg",))
    assert sketch(one) != sketch(other)
    assert sketch(one) == sketch(moved)


def test_hub_pages_equal_only_themselves() -> None:
    links = [block(f"第{i}条新闻的标题写得很长很长", "li") for i in range(20)]
    one, moved_on = cleaned(*links), cleaned(block("今天刚刚发生的一条新闻", "li"), *links[:-1])
    for page in (one, moved_on):
        page.type = "hub"
        for each in page.blocks:
            each.reason = "links"
    assert len(sketch(one)) == 1
    assert sketch(one) != sketch(moved_on)


def test_a_page_taken_for_a_hub_by_mistake_counts_with_its_own_text() -> None:
    def page(text: str) -> Cleaned:
        found = cleaned(*(block(f"栏目{i}", "li") for i in range(9)), block(text))
        found.blocks[-1].kept = False
        found.type = "hub"
        for each in found.blocks:
            each.reason = "links"
        return found

    assert sketch(page("今天多云")) != sketch(page("今天有雨"))
    assert sketch(page("今天多云")) == sketch(page("今天多云"))


def test_a_hub_page_with_text_of_its_own_is_compared_by_that() -> None:
    def page(*links: str) -> Cleaned:
        found = cleaned(*(block(text, "li") for text in links), *(block(text) for text in ARTICLE * 2))
        found.type = "hub"
        for each in found.blocks:
            each.reason = "links" if each.tag == "li" else "body"
        return found

    one, other = page("一条足够长的链接的文字"), page("另外一条足够长的链接的文字")
    assert sketch(one) == sketch(other) == fingerprints(ARTICLE)


def test_short_articles_under_one_long_disclaimer_are_two() -> None:
    disclaimer = (
        "特别声明：以上内容由网友上传，本平台仅提供存储服务，观点只代表作者本人，如有侵权请在三十日内联系我们删除，"
        "本平台不承担由此产生的任何责任，最终解释权归本平台所有。"
    )
    one = fingerprints(["卫生院开设了夜间门诊，两名医生轮流坐诊到十点。", disclaimer])
    other = fingerprints(["能装六十辆汽车的渡轮昨天首航，比老船快了一倍。", disclaimer])
    assert not set(one) & set(other)
    assert fingerprints([disclaimer])


def test_listings_do_not_make_two_texts_one() -> None:
    listing = block(
        "\n".join(f"let value_{i} = compute(&input[{i}]).unwrap();" for i in range(12)),
        "pre",
    )
    english = [f"Chapter text number {i} explains what the listing does in detail." for i in range(12)]
    chinese = [f"第{i}段正文详细解释了这段程序做什么。" for i in range(12)]
    one, other = (sketch(cleaned(*map(block, text), listing)) for text in (english, chinese))
    assert resemblance(one, other) < Rules().replica_share
    assert len(sketch(cleaned(listing))) == Rules().sketch_size


def test_first_form_of_the_method() -> None:  # S0.F1-F6
    title = block("古桥修好了", "h1", weight=10.0)
    long, short = block("甲" * 30), block("乙" * 10)
    weighty = block("丙" * 25, weight=2.0)
    links = block("丁" * 40, link_chars=35)
    hashes = {part.text: sha1(part.text.encode()).hexdigest() for part in (title, long, short, weighty, links)}
    found = sketch(cleaned(long, short, title, weighty, links), SEED_RULES)
    assert found == (hashes[title.text], hashes[weighty.text], hashes[long.text], hashes[links.text])
    found = fingerprints([long.text, short.text], title.text, SEED_RULES)
    assert found == (hashes[title.text], hashes[long.text])
    many = [str(i) * 40 for i in range(100, 120)]
    assert len(fingerprints(many, rules=SEED_RULES)) == 8


def test_seed_form_sees_no_invisible_characters_but_all_others() -> None:  # S0.F4
    text = "受倒春寒影响，云背村今年头采的春茶比往年少了大约三成。"
    hidden = text.replace("春", "春\u200b\u00a0\u3000\r\n\ufe0f")
    assert fingerprints([text], rules=SEED_RULES) == fingerprints([hidden], rules=SEED_RULES)
    assert fingerprints([text], rules=SEED_RULES) != fingerprints([text.replace("茶", "菜")], rules=SEED_RULES)


@pytest.mark.parametrize(
    "rules",
    [
        SEED_RULES,
        Rules(sketch_size=12),
        Rules(min_unit_chars=9),
        Rules(unit="sentence"),
        Rules(exact_below=10),
        Rules(listing_weight=1.0),
    ],
)
def test_every_form_has_its_own_tag(rules: Rules) -> None:
    assert form_of(rules) != form_of()
    assert form_of(Rules(replica_share=0.9)) == form_of()
