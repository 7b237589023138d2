"""Pages for the tests of metadata, written for them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from webprep_spider.metadata import describe
from webprep_spider.page.clean import clean
from webprep_spider.page.parse import parse_page
from webprep_spider.rules import DEFAULT_RULES, Rules

if TYPE_CHECKING:
    from webprep_spider import DocView
    from webprep_spider.metadata.classes import ClassModel
    from webprep_spider.metadata.site_names import SiteNames

NOW = datetime(2026, 6, 1, tzinfo=UTC)
URL = "http://news.example/2026/05/2101.html"

CHINESE = (
    "北山水厂昨天开始向新城供水，二十万居民不再喝井水，水压比过去高出一倍。",
    "水厂厂长介绍，新的净水工艺用活性炭和臭氧处理原水，出厂水的浊度只有过去的十分之一。",
    "市民领到了水质检测报告，报告列出了四十二项指标，社区还设了投诉电话。",
    "工程用了三年，铺设管网一百八十公里，水厂的取水口建在北山水库的上游。",
)
ENGLISH = (
    "The harbour museum opened its new lighthouse gallery on Friday after four years of restoration work.",
    "Visitors can climb the original lighthouse stairs and read the keepers' logbooks, which cover ninety years.",
    "The museum paid for the restoration with donations from fishing families and a grant of the harbour council.",
    "School classes may book the lighthouse gallery free of charge, and the museum stays open until nine on Thursdays.",
)


def page(
    title: str = "北山水厂向新城供水_滨河新闻网",
    heading: str = "<h1>北山水厂向新城供水</h1>",
    *,
    head: str = "",
    before: str = "",
    paragraphs: tuple[str, ...] = CHINESE,
    after: str = "",
    footer: str = "版权所有 滨河新闻网 © 2019-2026 备案号 12345",
    lang: str = "zh-CN",
) -> str:
    """A news page: menu, heading, line below it, article, list of links, footer."""
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return (
        f'<!DOCTYPE html><html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>{head}</head><body>'
        '<div class="nav"><a href="/">首页</a> <a href="/city/">本市</a> <a href="/money/">财经</a> '
        '<a href="/sport/">体育</a></div>'
        f'<div class="main">{heading}{before}<div class="content">{text}</div>{after}</div>'
        f'<div class="footer">{footer}</div></body></html>'
    )


def docview(
    html: str,
    url: str = URL,
    rules: Rules = DEFAULT_RULES,
    class_model: ClassModel | None = None,
    site_names: SiteNames | None = None,
) -> DocView:
    parsed = parse_page(html, url)
    return describe(parsed, clean(parsed, rules), (), rules, class_model=class_model, site_names=site_names, now=NOW)
