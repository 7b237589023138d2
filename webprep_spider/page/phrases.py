"""Phrases by which the parts of a page around its body give themselves away, in Chinese and English."""

from __future__ import annotations

import re
from typing import Final

# Looked for in short blocks only, in lower case; one group a line.
# fmt: off
PHRASES: Final[dict[str, tuple[str, ...]]] = {
    "copyright": (
        "版权所有", "版權所有", "著作權所有", "copyright", "©", "all rights reserved", "icp备", "icp证", "公网安备",
        "备案号", "许可证",
        "powered by", "不良信息举报", "技术支持",
    ),
    "disclaimer": (
        "免责声明", "不代表本", "侵权", "转载请", "未经授权", "本站声明", "仅供参考", "信息存储服务", "disclaimer",
        "terms of",
        "privacy",
    ),
    "related": (
        "相关阅读", "相关新闻", "相关文章", "相关推荐", "推荐阅读", "延伸阅读", "热门", "猜你喜欢", "为您推荐",
        "更多>", "排行", "精彩推荐",
        "最新文章", "图片新闻", "related", "read more", "see also", "you may", "recommended", "popular",
        "trending", "more from", "more stories", "latest", "recent posts", "most read",
    ),
    "comment": (
        "评论", "留言", "跟帖", "网友", "回复", "发表", "comment", "reply", "replies", "leave a",
    ),
    "neighbour": (
        "上一篇", "下一篇", "上一页", "下一页", "上一章", "下一章", "首页", "尾页", "返回", "previous", "next",
        "back to",
        "older", "newer",
    ),
    "credit": (
        "责任编辑", "编辑：", "编辑:", "来源：", "来源:", "作者：", "作者:", "记者", "稿源", "发布时间", "发布日期",
        "浏览", "点击",
        "阅读数", "posted", "published", "written by", "by ", "updated", "source:",
    ),
    "share": (
        "分享", "收藏", "打印", "点赞", "关注", "扫一扫", "扫码", "二维码", "举报", "字号", "字体", "share", "tweet",
        "follow", "facebook", "twitter", "print", "email", "subscribe", "sign up", "newsletter",
        "advertisement",
    ),
    "place": (
        "当前位置", "您的位置", "您现在的位置", "所在位置", "您当前", "you are here",
    ),
    "account": (
        "登录", "注册", "密码", "log in", "login", "sign in", "register", "cookie", "javascript",
        "click here", "download", "设为首页", "加入收藏", "联系我们", "关于我们", "网站地图",
    ),
}
# fmt: on
PHRASE_NAMES: Final = tuple(PHRASES)
WORDS: Final = tuple((word, 1 << i) for i, words in enumerate(PHRASES.values()) for word in words)
"""Each phrase with the bit of its group."""

_NOTICES = (
    "声明", "信息存储服务", "仅代表", "只代表", "不代表", "作者本人", "本平台", "本站", "侵权", "转载", "未经授权",
    "解释权",
    "reserved", "permission", "disclaimer", "reproduced", "copyright",
)  # fmt: skip
_LEAST_NOTICES = 3
_LABEL = re.compile(r"\W*(?:\w{0,4}声明|\w{0,4}聲明|disclaimer|copyright notice)\s*[:：]", re.IGNORECASE)
_PROFILE = re.compile(
    r"(?:积分|威望|帖子|发帖|注册|等级|金币|精华|在线时间|posts|joined|join date|registered|reputation)\s*[:：]?\s*\d"
)
_SIGNATURE = re.compile(r"(?:个性)?(?:签名|簽名)\s*[:：]")
_MOST_PROFILE, _SHORT_PROFILE = 80, 30


def says_notice(text: str) -> bool:
    """Whether a text has several of the words that legal notices are made of."""
    return _notices(text) >= _LEAST_NOTICES


def begins_notice(text: str) -> bool:
    """Whether a text is labelled as a legal notice and has another word of those."""
    return _LABEL.match(text) is not None and _notices(text) > 1


def _notices(text: str) -> int:
    lowered = text.lower()
    return sum(word in lowered for word in _NOTICES)


def says_profile(text: str) -> bool:
    """Whether a text is the signature of a member of a forum, or a few lines of what the forum knows of them."""
    if len(text) > _MOST_PROFILE:
        return False
    if _SIGNATURE.match(text):
        return True
    return ("\n" in text or len(text) <= _SHORT_PROFILE) and _PROFILE.search(text.lower()) is not None
