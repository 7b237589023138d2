"""Pages that say "not found" with status 200."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webprep_spider.page.clean import Cleaned
    from webprep_spider.page.parse import Page

LONGEST = 300
"""Characters of a body that is no more than such a message."""

_SAYS_SO = re.compile(
    r"(?:页面|頁面|网页|網頁|内容|內容|文章|帖子|主题|主題|信息|文件)\W{0,3}"
    r"(?:不存在|未找到|没有找到|找不到|沒有找到|(?:已经?|已經)被?(?:删除|刪除|失效|下线|下線|下架|过期|過期))"
    r"|(?:找不到|没有找到|未找到)(?:您|你|该|指定|相关|要)?\w{0,8}(?:页面|网页|内容|文章|文件|頁面)"
    r"|\b404\b.{0,20}\b(?:error|not found|页面|错误)|\b(?:error|错误)\W{0,3}404\b"
    r"|\b(?:page|file|document|article|topic|resource|url)\b.{0,40}"
    r"\b(?:not (?:be )?found|does(?: not|n['’]t) exist|no longer exists|was removed|has been (?:removed|deleted))\b"
    r"|\b(?:could(?: not|n['’]t)|can(?:not|['’]t)) (?:be )?(?:find|found|locate)\b.{0,40}"
    r"\b(?:page|file|document|article|topic|resource|url)\b",
    re.IGNORECASE,
)


def is_soft_404(page: Page, cleaned: Cleaned) -> bool:
    """Whether a page is but the message that there is no such page.

    A long page that mentions the matter is not: the message must be the whole of a short body, or stand in the
    title of a page with a short body.
    """
    if cleaned.type == "picture" or len(cleaned.body) > LONGEST:
        return False
    title = page.root.findtext(".//title") or ""
    return bool(_SAYS_SO.search(title[:LONGEST]) or _SAYS_SO.search(cleaned.body))
