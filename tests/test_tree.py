from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from webprep_spider.page.parse import parse_text
from webprep_spider.page.walk import build_tree
from webprep_spider.rules import Rules

if TYPE_CHECKING:
    from webprep_spider.page.tree import Block

TAGS = ("div", "p", "span", "b", "a", "table", "tr", "td", "ul", "li", "h2", "br", "font", "center", "form", "pre")


@st.composite
def markup(draw: st.DrawFn) -> str:
    """Tag soup: start and end tags and letters in any order."""
    part = st.one_of(
        st.sampled_from(
            [f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS] + ["<a href=/x>", "<!-- c -->", "<?p?>"]
        ),
        st.text("abcdefgh 水火土木", min_size=1, max_size=6),
    )
    return "<body>" + "".join(draw(st.lists(part, max_size=40)))


def blocks_of(page: str) -> list[Block]:
    return build_tree(parse_text(page)[0]).blocks


def letters(text: str) -> Counter[str]:
    return Counter(re.sub(r"\s", "", text))


@given(markup())
def test_each_visible_character_is_in_exactly_one_leaf(page: str) -> None:
    root = parse_text(page)[0]
    assert letters("".join(block.text for block in build_tree(root).blocks)) == letters(
        "".join(root.itertext(etree.Element))
    )


@given(markup())
def test_the_tree_is_not_changed(page: str) -> None:
    root = parse_text(page)[0]
    before = etree.tostring(root)
    build_tree(root)
    assert etree.tostring(root) == before


@given(markup())
def test_nodes_cover_contiguous_leaves(page: str) -> None:
    tree = build_tree(parse_text(page)[0])
    for node, parent in enumerate(tree.parent):
        assert parent < node
        assert tree.first[node] <= tree.last[node]
        if parent >= 0:
            assert tree.first[parent] <= tree.first[node]
            assert tree.last[node] <= tree.last[parent]
    assert [block.order for block in tree.blocks] == list(range(len(tree.blocks)))


def test_text_between_containers_makes_anonymous_leaves() -> None:
    blocks = blocks_of("<body><div>前<p>中</p>后</div></body>")
    assert [(block.tag, block.text) for block in blocks] == [("div", "前"), ("p", "中"), ("div", "后")]


def test_inline_tags_and_comments_do_not_cut_a_sentence() -> None:
    (block,) = blocks_of("<p>一<b>二</b>三<!-- x --><a href=/y>四</a><span>五</span>六<script>x()</script>七</p>")
    assert block.text == "一二三四五六七"
    assert block.link_chars == 1
    assert [(link.href, link.text) for link in block.links] == [("/y", "四")]


def test_line_breaks_stay_and_white_space_is_folded() -> None:
    (block,) = blocks_of("<p>\u3000\u3000第一行 \n 还是<br>第二行&nbsp;&nbsp;完\u200b</p>")
    assert block.text == "第一行 还是\n第二行 完"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("新\u200b闻\u200c稿\ufe0f", "新闻稿"),
        ("Donau\u00addampf\u200bschiff", "Donaudampfschiff"),
        ("one \u200b two", "one two"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("क्\u200dष", "क्\u200dष"),
        ("👩\u200d🚀 ❤\ufe0f", "👩\u200d🚀 ❤\ufe0f"),
    ],
)
def test_invisible_characters_go_but_those_that_spell(written: str, shown: str) -> None:
    for page in (f"<p>{written}</p>", f"<p>前<br>{written}</p>", f"<pre>{written}</pre>"):
        (block,) = blocks_of(page)
        assert block.text.removeprefix("前\n").replace("  ", " ") == shown


def test_preformatted_text_keeps_its_white_space() -> None:
    (block,) = blocks_of("<pre>\ndef f():\n    return  1\n</pre>")
    assert block.text == "def f():\n    return  1"


@pytest.mark.parametrize("tag", ["script", "style", "select", "svg"])
def test_what_is_no_text_of_the_page_is_left_out(tag: str) -> None:
    assert [block.text for block in blocks_of(f"<div>前<{tag}>无</{tag}>后</div>")] == ["前后"]


@pytest.mark.parametrize(
    "how",
    ["hidden", 'style="display: none"', "style='visibility:hidden'", "style=font-size:0", "style=text-indent:-9999px"],
)
def test_hidden_blocks_are_known(how: str) -> None:
    blocks = blocks_of(f"<div {how}><p>藏</p></div><div style='display:block;top:0;opacity:0.9'>显</div>")
    assert [(block.text, block.hidden) for block in blocks] == [("藏", True), ("显", False)]


def test_missing_and_wrong_end_tags_are_mended() -> None:
    # S4.T6: a table without its end tag; a div closed by another tag.
    blocks = blocks_of("<body><div id=a><table><tr><td>一<td>二</div><div id=b>三</td></div><p>四</body>")
    assert [block.text for block in blocks] == ["一", "二", "三", "四"]
    blocks = blocks_of("<body><div>一</span>二</div><p>三</div>四")
    assert letters("".join(block.text for block in blocks)) == letters("一二三四")


def test_a_link_around_blocks_counts_in_each_of_them() -> None:
    blocks = blocks_of("<a href=/x><h3>题目</h3><p>提要</p></a>")
    assert [(block.text, block.link_chars, len(block.links)) for block in blocks] == [("题目", 2, 1), ("提要", 2, 1)]


def test_statistics() -> None:
    statistics = build_tree(parse_text("<body><h1>题</h1><p>文<a href=/>连</a></p><p>字</p></body>")[0]).statistics
    assert (statistics.blocks, statistics.chars, statistics.with_links, statistics.links) == (3, 4, 1, 1)
    assert (statistics.with_emphasis, statistics.emphases) == (1, 1)


def test_node_budget_ends_the_walk_with_a_flag() -> None:
    tree = build_tree(parse_text("<body>" + "<p>段" * 20_000)[0], Rules(max_nodes=5_000))
    assert tree.flags == ["node_budget"]
    assert 0 < len(tree.blocks) < 20_000


def test_deep_nesting_needs_no_recursion() -> None:
    root = etree.Element("body")
    inner = root
    for _ in range(5_000):
        inner = etree.SubElement(inner, "div")
    inner.text = "深"
    assert [block.text for block in build_tree(root).blocks] == ["深"]
