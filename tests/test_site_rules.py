from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from webprep_spider.exceptions import SiteRulesError
from webprep_spider.page.clean import clean
from webprep_spider.page.parse import parse_page
from webprep_spider.page.site_rules import SiteRules, check

if TYPE_CHECKING:
    from pathlib import Path

RULES = """
["news.example"]
title = "h2.headline"
body = ["//div[@id='gone']", "div.odd"]
noise = [".share"]
"""
PAGE = """<html><body><div class=nav><a href=/a>甲</a> <a href=/b>乙</a></div><h2 class=headline> 题 目 </h2>
<div class=odd><a href=/c>链接也是正文</a><p>短句</p><div class=share>分享到</div><p class=share>打印</p></div>
<div><p>别处的一段很长的文字，平常会被当作正文，因为它有标点，也没有链接。</p></div></body></html>"""
URL = "http://www.news.example/1.html"


def rules(tmp_path: Path, text: str = RULES, name: str = "rules.toml") -> SiteRules:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return SiteRules.load(path)


def test_a_rule_decides_title_body_and_noise(tmp_path: Path) -> None:
    page = parse_page(PAGE, URL)
    cleaned = clean(page, site_rule=rules(tmp_path).for_url(URL))
    assert cleaned.title == "题 目"
    assert cleaned.body == "链接也是正文\n短句"
    assert {block.reason for block in cleaned.kept} == {"rule"}


def test_a_rule_that_finds_nothing_leaves_the_page_to_the_general_way(tmp_path: Path) -> None:
    rule = rules(tmp_path, '["news.example"]\nbody = "#gone"').for_url(URL)
    page = parse_page(PAGE, URL)
    assert clean(page, site_rule=rule).body == clean(page).body


def test_hosts_are_found_with_and_without_www_and_below_a_domain(tmp_path: Path) -> None:
    loaded = rules(tmp_path)
    for url in ("http://news.example/", "https://www.news.example/x", "http://m.news.example:8080/"):
        assert loaded.for_url(url) is not None
    for url in ("http://example/", "http://othernews.example/", "http://[", "nothing"):
        assert loaded.for_url(url) is None


def test_json_is_read_too(tmp_path: Path) -> None:
    loaded = rules(tmp_path, '{"news.example": {"body": "//div[@class=\'odd\']"}}', "rules.json")
    assert loaded.for_url(URL) is not None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("not toml", "rules.toml"),
        ('["a.example"]\nbodi = "p"', "unknown key 'bodi'"),
        ('["a.example"]\nbody = "//p["', "//p["),
        ('["a.example"]\nbody = "p >"', "p >"),
        ('["a.example"]\nbody = 3', "selector"),
        ('body = "p"', "table"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SiteRulesError) as caught:
        rules(tmp_path, text)
    assert said in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SiteRulesError, match=r"none\.toml"):
        SiteRules.load(tmp_path / "none.toml")


def test_check_shows_what_each_selector_finds(tmp_path: Path) -> None:
    rule = rules(tmp_path).for_url(URL)
    assert rule is not None
    found = [(c.key, c.selector, c.elements, c.text) for c in check(parse_page(PAGE, URL), rule)]
    assert found[0] == ("title", "h2.headline", 1, "题 目")
    assert found[1] == ("body", "//div[@id='gone']", 0, "")
    assert found[2][:3] == ("body", "div.odd", 1)
    assert found[3] == ("noise", ".share", 2, "分享到")
