from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html

from webprep_spider.exceptions import ModelError
from webprep_spider.net import NetModel
from webprep_spider.page.addresses import Base
from webprep_spider.page.clean import Cleaned, body_model, clean
from webprep_spider.page.features import FEATURES
from webprep_spider.page.markup import body_html
from webprep_spider.page.parse import parse_page
from webprep_spider.page.phrases import says_notice

if TYPE_CHECKING:
    from pathlib import Path

URL = "http://www.example.org/story/museum.html"
SENTENCES = (
    "镇上的粮仓空了二十年，去年春天，几个返乡的年轻人把它租了下来。",
    "他们先修好漏雨的屋顶，再把墙上的标语一块一块清洗出来，最后才开始布置展览。",
    "展柜里放着算盘、粮票和一杆能称五百斤的大秤，都是附近的老人送来的。",
    "开馆那天来了四百多人，管理员说，最小的客人还在母亲的怀里。",
)
MENU = (
    "<div class=nav><ul>"
    + "".join(f"<li><a href=/{i}/>{name}</a></li>" for i, name in enumerate(("首页", "新闻", "图片", "论坛")))
    + "</ul></div>"
)
FOOT = "<div class=footer>版权所有 某某网 <a href=/about>关于我们</a></div>"


def article(*parts: str, head: str = "") -> Cleaned:
    return clean(parse_page(document(*parts, head=head), URL))


def document(*parts: str, head: str = "") -> str:
    middle = "".join(parts)
    head = f"<title>粮仓里的展览_某某网</title>{head}"
    main = f"<div class=article><h1>粮仓里的展览</h1>{middle}</div>"
    return f"<html><head>{head}</head><body>{MENU}{main}{FOOT}</body></html>"


def paragraphs() -> str:
    return "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)


def test_an_article_comes_out_without_menu_and_footer() -> None:
    cleaned = article(paragraphs())
    assert cleaned.type == "topic"
    assert cleaned.body.endswith("\n".join(SENTENCES))
    assert "首页" not in cleaned.body
    assert "版权所有" not in cleaned.body


@pytest.mark.parametrize(
    "layout",
    [
        "<table><tr><td>{0}</td></tr><tr><td>{1}</td></tr><tr><td>{2}</td></tr><tr><td>{3}</td></tr></table>",
        "<div>{0}<br><br>{1}<br><br>{2}<br>{3}</div>",
        "<font size=3>{0}<br>{1}</font><font color=red>{2}</font><br>{3}",
        "<section><span>{0}</span></section><section><span>{1}</span></section><section><p>{2}</p><p>{3}</p></section>",
        "<center><p>{0}<p>{1}<p>{2}<p>{3}</center>",
        "<pre>{0}\n{1}\n{2}\n{3}</pre>",
    ],
)
def test_text_is_found_in_any_markup(layout: str) -> None:
    body = article(layout.format(*SENTENCES)).body
    assert all(sentence in body for sentence in SENTENCES)
    assert "版权所有" not in body


def test_code_keeps_its_white_space() -> None:
    cleaned = article(
        paragraphs(),
        "<pre>for i in range(3):\n    print(i)</pre>"
        "<p>把这三行复制下来就能运行，结果是三个数字，从零开始，到二为止。</p>",
    )
    assert "for i in range(3):\n    print(i)" in cleaned.body


@pytest.mark.parametrize(
    "hidden",
    [
        "<noscript>{}</noscript>",
        "<textarea style='display:none'>{}</textarea>",
        '<script type="application/ld+json">{{"@type": "NewsArticle", "articleBody": {json}}}</script>',
        '<script id="__NEXT_DATA__" type="application/json">{{"props": {{"note": "短", "post": {json}}}}}</script>',
        '<script type="application/json">{{"blocks": {list}}}</script>',
        '<script id="app-state" type="application/json">{{&q;post&q;:{angular}}}</script>',
        '<script type="application/ld+json">//<![CDATA[\n{{"articleBody": {json}}}\n//]]></script>',
        '<script type="application/ld+json">{{"articleBody": {json},}}</script>',
        "<script>window.__INITIAL_STATE__={{'a':1,}};window.__POST__ = {{\"body\": {json}}};boot()</script>",
        "<script>var a = JSON.parse({twice});</script>",
        "<script>document.getElementById('app').innerHTML = {json}</script>",
    ],
)
def test_a_body_that_is_only_shown_by_a_script_is_found(hidden: str) -> None:
    text = "\n".join(SENTENCES)
    place = hidden.format(
        paragraphs().replace("<", "&lt;") if "textarea" in hidden else paragraphs(),
        json=json.dumps(text),
        angular=json.dumps(text).replace('"', "&q;"),
        twice=json.dumps(json.dumps({"body": text})),
        list=json.dumps([{"type": "p", "text": sentence} for sentence in SENTENCES]),
    )
    cleaned = article("<div id=app></div>", place)
    assert cleaned.body.endswith(text)
    assert cleaned.type == "topic"


def test_the_state_of_a_list_page_does_not_replace_it() -> None:
    state = json.dumps({"first": "\n".join(SENTENCES)})
    entries = "".join(f"<li><a href='/2026/{i}.html'>{sentence}</a>" for i, sentence in enumerate(SENTENCES * 12))
    cleaned = article(f"<ul>{entries}</ul>", f'<script type="application/json">{state}</script>')
    assert not any(block.reason == "replaced" for block in cleaned.blocks)


def test_a_warning_in_a_program_is_no_body() -> None:
    warning = "本站使用 Cookie 来记住您的选择。继续浏览即表示您同意。您可以随时在设置里更改。" * 2
    cleaned = article("<div id=app></div>", f"<script>var notice = '{warning}';</script>")
    assert "Cookie" not in cleaned.body


def test_json_that_nests_for_ever_does_no_harm() -> None:
    bomb = '<script type="application/ld+json">{"articleBody":' + "[" * 100_000 + "</script>"
    assert SENTENCES[0] in article(paragraphs(), head=bomb).body


def test_the_next_part_of_an_article_is_known() -> None:
    pages = '<a href="museum.html">1</a> <a href="museum_2.html">2</a> <a href="museum_2.html">下一页</a>'
    pager = f"<div class=pages>{pages}</div>"
    cleaned = article(paragraphs(), pager)
    assert cleaned.next_part == "http://www.example.org/story/museum_2.html"
    assert "下一页" not in cleaned.body
    assert article(paragraphs(), '<a href="/other/story.html">下一页</a>').next_part == ""


def test_links_are_absolute_and_unique() -> None:
    links = article(
        paragraphs(),
        "<a href='#top'>顶</a><a href='/x?a=1#b'></a><a href='/x?a=1'>甲</a><a href='//cdn.example.org/y'>乙</a>"
        "<a href='javascript:void(0)'>丙</a><a href='mailto:a@b.example'>丁</a><a href='next.html'>戊</a>",
    ).links
    found = {link.url: link.text for link in links}
    assert found["http://www.example.org/x?a=1"] == "甲"
    assert found["http://cdn.example.org/y"] == "乙"
    assert found["http://www.example.org/story/next.html"] == "戊"
    assert all(url.startswith("http") and "#" not in url for url in found)


def test_a_base_element_is_respected() -> None:
    assert (
        article("<a href=z.html>己</a>", head="<base href='/other/'>").links[-2].url
        == "http://www.example.org/other/z.html"
    )


@given(st.text(max_size=60))
def test_any_href_resolves_or_is_none(href: str) -> None:
    address = Base(URL).absolute(href)
    assert address is None or address.startswith(("http://", "https://"))


@pytest.mark.parametrize(
    "picture",
    [
        "<img src=/a.jpg>",
        "<picture><source srcset='/a.webp 1x' type=image/webp><img src=/a.jpg></picture>",
        "<img srcset='/s.jpg 300w, /a.jpg 1200w'>",
        "<img src='data:image/gif;base64,R0' data-actualsrc=/a.jpg>",
        "<img src=/none.gif file=/a.jpg>",
        "<img src=/count.gif width=1 height=1><img src=/a.jpg>",
    ],
)
def test_a_picture_at_either_end_of_the_body_is_listed_however_it_is_loaded(picture: str) -> None:
    for source in (document(f"<p>{picture}</p>", paragraphs()), document(paragraphs(), f"<p>{picture}</p>")):
        assert clean(parse_page(source, URL)).images == ["http://www.example.org/a.jpg"]


def test_pictures_of_the_body_are_listed_and_those_around_it_are_not() -> None:
    page = document(
        "<p><img src=a.jpg></p>", paragraphs(), "<p><img data-src=/b.jpg src=blank.gif></p><p>" + SENTENCES[0] + "</p>"
    )
    page = page.replace(FOOT, "<div class=footer><img src=/logo.png>版权所有</div>")
    images = clean(parse_page(page, URL)).images
    assert "http://www.example.org/b.jpg" in images
    assert "http://www.example.org/logo.png" not in images


def test_the_body_as_html_holds_its_structure_and_nothing_else() -> None:
    page = parse_page(
        document(
            paragraphs(),
            "<p onclick=x()>参见<a "
            "href=/map>地图</a>，从东门进，步行五分钟就能走到，沿途都有路牌。<br>周一闭馆。</p><script>x()</script>",
        ),
        URL,
    )
    shown = body_html(page, clean(page))
    assert '<a href="http://www.example.org/map">地图</a>' in shown
    assert "路牌。<br>周一闭馆。" in shown
    assert "script" not in shown
    assert "onclick" not in shown
    html.fromstring(f"<div>{shown}</div>")


def test_the_same_page_gives_the_same_result() -> None:
    page = parse_page(document(paragraphs()), URL)
    assert clean(page) == clean(page)


@given(
    st.lists(
        st.sampled_from(
            ["<p>水面很静。", "<div>", "</div>", "<a href=/x>山</a>", "<td>", "<br>", "<li>火", "<h2>木", "</table>"]
        ),
        max_size=30,
    )
)
def test_cleaning_changes_no_tree_and_invents_no_text(parts: list[str]) -> None:
    page = parse_page("".join(parts), URL)
    before = etree.tostring(page.root)
    cleaned = clean(page)
    assert etree.tostring(page.root) == before
    source = "".join("".join(page.root.itertext()).split())
    assert all("".join(line.split()) in source for line in cleaned.body.split("\n"))


def test_a_damaged_or_foreign_model_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    with pytest.raises(ModelError, match=r"model\.npz"):
        NetModel.load(path, FEATURES)
    path.write_bytes(b"PK\x03\x04 not a model")
    with pytest.raises(ModelError, match=r"model\.npz"):
        NetModel.load(path, FEATURES)
    body_model().save(path)
    assert NetModel.load(path, FEATURES).classes == ("body",)
    with pytest.raises(ModelError, match="other features"):
        NetModel.load(path, FEATURES[:-1])


def test_a_block_scores_alone_as_in_a_batch() -> None:
    rows = np.random.default_rng(3).normal(size=(20_000, len(FEATURES))).astype(np.float32)
    batch = body_model().chance(rows)
    assert len(batch) == len(rows)
    alone = [float(body_model().chance(row[None])[0]) for row in rows[::997]]
    assert batch[::997] == pytest.approx(alone, abs=1e-4)


def hub_page(items: str, url: str = "http://www.example.org/news/") -> Cleaned:
    page = f"<html><head><title>新闻_某某网</title></head><body>{MENU}<div class=list>{items}</div>{FOOT}</body></html>"
    return clean(parse_page(page, url))


def test_the_body_of_a_hub_page_is_what_it_lists_without_the_menu() -> None:
    titles = [f"{sentence[:14]}之{number}" for number in range(8) for sentence in SENTENCES]
    items = "".join(f"<li><a href=/2026/{n}.html>{title}</a> 05-18</li>" for n, title in enumerate(titles))
    cleaned = hub_page(f"<h2>要闻</h2><ul>{items}</ul>")
    assert cleaned.type == "hub"
    assert all(title in cleaned.body for title in titles)
    assert "要闻" in cleaned.body
    assert not {"首页", "论坛", "关于我们"} & set(cleaned.body.split())


def test_a_hub_page_of_short_link_texts_has_a_body() -> None:
    places = [f"第{number}镇" for number in range(1, 60)]
    cleaned = hub_page("".join(f"<span><a href=/{n}/>{place}</a></span>" for n, place in enumerate(places)))
    assert cleaned.type == "hub"
    assert all(place in cleaned.body for place in places)
    assert "首页" not in cleaned.body


def test_a_paragraph_between_two_of_the_body_belongs_to_it() -> None:
    first, *_, last = SENTENCES
    odd = f"<td><table><tr><td>{first * 2}</td></tr></table><font size=3>{SENTENCES[2]}</font><p>{last}</p></td>"
    assert article(f"<table><tr>{odd}</tr></table>").body.endswith("\n".join((first * 2, SENTENCES[2], last)))


def test_summaries_under_linked_titles_make_a_hub_page() -> None:
    items = "".join(
        f"<div class=item><h3><a href=/a/{n}.html>粮仓里的第{n}件旧物</a></h3>"
        f"<p>{SENTENCES[n % 4]}{SENTENCES[(n + 1) % 4]}<a href=/a/{n}.html>[详细]</a></p></div>"
        for n in range(9)
    )
    assert hub_page(items).type == "hub"


def test_an_article_in_several_parts_is_a_topic_page() -> None:
    parts = '<div class=pages><b>1</b> <a href="museum_2.html">2</a> <a href="museum_2.html">下一页</a></div>'
    others = "".join(f"<li><a href=/o/{n}.html>粮仓里的第{n}件旧物</a></li>" for n in range(10))
    assert article(paragraphs(), parts, f"<h3>相关阅读</h3><ul>{others}</ul>").type == "topic"


def test_a_first_paragraph_of_other_make_belongs_to_the_list_below_it() -> None:
    items = "".join(f"<li>{sentence}</li>" for sentence in SENTENCES[1:])
    assert article(f"<p>{SENTENCES[0]}</p><ul>{items}</ul>").body.endswith("\n".join(SENTENCES))


def test_a_legal_notice_is_told_by_its_words() -> None:
    assert says_notice(
        "特别提醒：文章由网友投稿，只代表作者本人的看法，本站不作保证；如发现侵权请来信，转载须写明出处。"
    )
    assert not says_notice("作者在展览的最后一间屋子里，为每一位借出旧物的老人挂了一张照片。")


def test_text_about_notices_is_no_notice() -> None:
    text = "法院认为，网站在声明中写明仅代表作者本人的观点，并不等于它可以不管侵权的图片，转载的人同样要查明来源。"
    assert text in article(paragraphs(), f"<p>{text}</p>", paragraphs()).body


def test_what_a_forum_knows_of_its_members_is_left_out() -> None:
    post = "<tr><td>麦客<br>积分 518<br>注册 2011-6-2</td><td><div>{}</div><div>签名：一蓑烟雨</div></td></tr>"
    body = article("<table>" + "".join(map(post.format, SENTENCES)) + "</table>").body
    assert all(sentence in body for sentence in SENTENCES)
    assert "积分" not in body
    assert "一蓑烟雨" not in body


def test_a_short_dispatch_among_many_links_is_a_topic_page() -> None:
    others = "".join(f"<li><a href=/story/{i}.html>另一条与此无关的消息{i}</a></li>" for i in range(30))
    cleaned = article("<div>2026-03-02 08:10　来源：某某网</div><p>粮仓展览后天上午闭馆半日，请改期前来。</p>",
                      f"<h3>相关新闻</h3><ul>{others}</ul>")  # fmt: skip
    assert cleaned.type == "topic"
    assert "闭馆半日" in cleaned.body
    assert "无关" not in cleaned.body


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize(
    ("section", "heading"),
    [
        ("<div class=comment-list><h3>{}</h3><ol>{}</ol></div>", "网友评论"),
        ("<div class=box><h3>{}</h3><ul>{}</ul></div>", "评论（24）"),
        ("<details><summary>{}</summary><ul>{}</ul></details>", "24 comments"),
    ],
)
def test_what_readers_wrote_below_is_no_part_of_the_body(inside: bool, section: str, heading: str) -> None:
    said = ("小时候跟着父亲来交过粮，排了整整一天的队。", "周末也开门吗？想带孩子去看看那杆大秤。")
    thread = "".join(f"<li><b>访客{i}</b><p>{said[i % 2]}</p><a href=#{i}>回复</a></li>" for i in range(24))
    comments = section.format(heading, thread)
    page = document("<div class=info>2026-03-02 来源：镇报</div>", paragraphs(), comments if inside else "")
    body = clean(parse_page(page if inside else page.replace(FOOT, comments + FOOT), URL)).body
    assert body.endswith("\n".join(SENTENCES))


def teasers(kind: str) -> str:
    return "".join(
        f"<li><h4><a href=/{kind}/{i}>{kind}第{i}号门牌与它的来历</a></h4><p>{sentence.replace('粮仓', kind)}</p></li>"
        for i, sentence in enumerate(SENTENCES)
    )


@pytest.mark.parametrize(
    ("head", "info"),
    [("<meta property=og:type content=article>", ""), ("", "<div class=info>2026-03-02 来源：镇报</div>")],
)
def test_teasers_of_others_below_an_article_are_no_part_of_it(head: str, info: str) -> None:
    feed = f"<ul class=stream>{teasers('油坊')}{teasers('染坊')}</ul>"
    page = document(info, paragraphs(), feed, head=head)
    assert clean(parse_page(page, URL)).body.endswith("\n".join(SENTENCES))


def test_the_entries_of_a_guide_are_its_body() -> None:
    guide = f"<p>{SENTENCES[0]}</p><ul class=stream>{teasers('油坊')}{teasers('染坊')}</ul>"
    assert "染坊" in clean(parse_page(document(guide), URL)).body


def test_replies_in_a_forum_belong_to_the_body() -> None:
    posts = "".join(f"<div class=comment><b>访客{i}</b><p>{SENTENCES[i % 4]}</p></div>" for i in range(1, 9))
    page = document(f"<p>{SENTENCES[0]}</p>", posts)
    assert SENTENCES[3] in clean(parse_page(page, "http://www.example.org/forum/thread-8.html")).body


@pytest.mark.parametrize("url", ["http://www.example.org/forum.php?mod=viewthread&tid=8", URL])
def test_short_replies_in_a_forum_belong_to_the_body_too(url: str) -> None:
    posts = (SENTENCES[1] + SENTENCES[2], "顶", "周末去看看", SENTENCES[3])
    cells = "".join(
        f"<table><tr><td class=pls><a href=/u/{i}>访客{i}</a><p>积分 {i}0</p><td><div class=t_f>{post}</div></table>"
        for i, post in enumerate(posts)
    )
    body = clean(parse_page(document(cells), url)).body
    assert [line for line in body.split("\n") if line in posts] == list(posts)
    assert "积分" not in body


def test_a_page_that_says_its_text_twice_is_read_once() -> None:
    again = f"<div class=phone style='display:none'>{paragraphs()}</div>"
    assert article(f"<div class=desk>{paragraphs()}</div>{again}").body.count(SENTENCES[1]) == 1


def test_a_refrain_stays() -> None:
    song = "".join(f"<p>{verse}</p><p>嘿哟嘿哟拉起来，满满一仓新稻谷，大家伙儿齐用力呀！</p>" for verse in SENTENCES)
    assert article(song).body.count("嘿哟嘿哟") == len(SENTENCES)


def test_a_page_without_a_body_says_so() -> None:
    assert "no_body" in clean(parse_page("<html><body><div id=app></div></body></html>", URL)).flags
    assert "no_body" not in article(paragraphs()).flags


@pytest.mark.parametrize(
    ("insert", "text"),
    [
        (
            "<table><tr><td><a href=/a>算盘</a><td>17</tr><tr><td><a href=/b>粮票</a><td>320</table>",
            "算盘\t17\n粮票\t320",
        ),
        (
            "<table><tr><td><b>展厅</b><td><b>2</b></tr><tr><td><b>面积</b><td><b>四百</b></table>",
            "展厅\t2\n面积\t四百",
        ),
        (
            "<table><tr><td><pre>1\n2</pre></td><td><pre>for i in x:\n    print(i)</pre></td></tr></table>",
            "for i in x:\n    print(i)",
        ),
    ],
)
def test_what_the_text_runs_around_belongs_to_it(insert: str, text: str) -> None:
    before, after = (f"<p>{first}</p><p>{second}</p>" for first, second in (SENTENCES[:2], SENTENCES[2:]))
    body = article(before, insert, after).body
    assert text in body
    assert "1\n2" not in body


def test_a_hidden_mark_in_a_sentence_is_left_out_of_it() -> None:
    mark = "<span style='display:none'>copy.example</span>"
    assert article(paragraphs().replace("，", f"，{mark}")).body.endswith("\n".join(SENTENCES))


def test_text_out_of_sight_is_left_out_and_folded_text_is_not() -> None:
    spam = "<div style='position:absolute; left:-9999px'>代办证件，低价机票，贷款秒批。</div>"
    folded = f"<div style='display:none'><p>{SENTENCES[0].replace('粮仓', '油坊')}</p></div>"
    body = article(paragraphs(), spam, folded).body
    assert "代办证件" not in body
    assert "镇上的油坊" in body


@pytest.mark.parametrize(
    "notice",
    [
        "声明：本文由入驻作者撰写，观点仅代表作者本人，转载请注明出处，图片来自当地居民，如有疏漏请来信更正。",
        "Disclaimer: what is said here is the opinion of the author. It must not be reproduced in any form.",
    ],
)
def test_a_labelled_notice_below_the_text_is_left_out(notice: str) -> None:
    assert article(paragraphs(), f"<p>{notice}</p>").body.endswith("\n".join(SENTENCES))


def test_a_request_for_consent_is_left_out_however_long_it_is() -> None:
    terms = "".join(
        f"<p>我们和{name}使用小型文本文件，用来记住您的设置、统计访问量，并向您展示可能感兴趣的内容。</p>"
        for name in ("合作伙伴", "广告服务商", "统计服务商", "社交平台", "内容供应商", "支付机构", "地图服务商")
    )
    page = document(paragraphs()).replace("</body>", f"<div id=x-consent-sdk><div>{terms}</div></div></body>")
    assert clean(parse_page(page, URL)).body.endswith("\n".join(SENTENCES))


def test_what_names_itself_advertising_is_left_out() -> None:
    letter = "<div class=newsletter-signup><h4>订阅每日简报</h4><p>每天早上七点发到您的邮箱，随时可以退订。</p></div>"
    before, after = (f"<p>{first}</p><p>{second}</p>" for first, second in (SENTENCES[:2], SENTENCES[2:]))
    body = article("<div class=info>2026-03-02 来源：镇报</div>", before, letter, after).body
    assert "随时可以退订" not in body
    assert SENTENCES[3] in article(f"<div class=promo-layout>{paragraphs()}</div>").body
