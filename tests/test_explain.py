from __future__ import annotations

from lxml import html

from webprep_spider.page.clean import REASONS, clean
from webprep_spider.page.explain import explain_html
from webprep_spider.page.parse import parse_page

PAGE = """<html><head><title>题</title></head><body><div class=nav><a href=/a>首页</a><a href=/b>新闻</a></div>
<div class=content><h1>题目</h1><p>第一段文字讲述了一件事情，&lt;b&gt;这不是标签&lt;/b&gt;，后面还有许多话要说。</p>
<p style="display:none">看不见的字</p></div><div class=footer>版权所有</div></body></html>"""


def test_each_block_is_shown_with_verdict_reason_and_type() -> None:
    page = parse_page(PAGE, "http://a.example/<x>")
    cleaned = clean(page)
    shown = html.fromstring(explain_html(page, cleaned))
    sections = shown.xpath("//section")
    assert len(sections) == sum(bool(block.text or block.images) for block in cleaned.blocks)
    for section, block in zip(sections, (b for b in cleaned.blocks if b.text or b.images), strict=True):
        assert block.text in section.text_content()
        assert ("kept" in section.get("class").split()) == block.kept
        assert f": {block.reason}" in section.text_content()


def test_every_block_has_a_reason_of_the_closed_list() -> None:
    for block in clean(parse_page(PAGE, "http://a.example/")).blocks:
        assert block.reason in REASONS


def test_the_file_is_self_contained() -> None:
    page = parse_page(PAGE + "<script>alert(1)</script><img src=http://b.example/x.png>", "http://a.example/")
    shown = explain_html(page, clean(page))
    assert "<script" not in shown
    assert "<img" not in shown
    assert "<link" not in shown
