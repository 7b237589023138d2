from __future__ import annotations

import pytest

from webprep_spider.page.clean import clean
from webprep_spider.page.parse import parse_page
from webprep_spider.page.soft404 import is_soft_404

MENU = '<div class="nav"><a href="/">首页</a> <a href="/news/">要闻</a></div>'


def verdict(title: str, text: str) -> bool:
    page = parse_page(f"<title>{title}</title>{MENU}<div><h1>{title}</h1><p>{text}</p></div>", "http://a.example/x")
    return is_soft_404(page, clean(page))


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("提示信息", "您访问的页面不存在或已被删除，请返回首页。"),
        ("404 Not Found", "Sorry about that."),
        ("临江在线", "抱歉，没有找到您要的页面。"),
        ("Oops", "The page you are looking for could not be found. It may have been moved."),
        ("頁面不存在", "請檢查網址是否正確。"),
        ("临江在线", "对不起，您要查看的内容已经下线，三秒后返回首页。"),
        ("Oops", "Sorry, we couldn't find the page you were looking for."),
    ],
)
def test_messages_are_known(title: str, text: str) -> None:
    assert verdict(title, text)


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("渡口新桥今日通车", "五月十八日上午八时，横跨青石河的新桥正式通车。"),
        ("How to write a helpful 404 page", "When a page is not found, say where to go next. " * 12),
        ("商场公告", "二十款商品今日下架，新的内容下周上线。"),
        ("寻人启事", "老人走失三天，家属没有找到他，请知情者联系。"),
        ("", ""),
    ],
)
def test_pages_that_mention_it_are_kept(title: str, text: str) -> None:
    assert not verdict(title, text)
