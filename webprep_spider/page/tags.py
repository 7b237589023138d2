"""What each HTML tag means to the tag tree, and what class names say (S4.T1, S4.T4)."""

from __future__ import annotations

import re
from functools import lru_cache, reduce
from operator import or_
from typing import Any, Final

from lxml import etree

SKIP: Final = 1
BLOCK: Final = 2
BREAK: Final = 3
IMAGE: Final = 4
LINK: Final = 5
WEIGHTY: Final = 6
SHADOW: Final = 7

# Keyed by ``element.tag``, which is a function for what is no element.
ROLES: dict[Any, int] = {etree.Comment: SKIP, etree.ProcessingInstruction: SKIP, etree.Entity: SKIP}
for _role, _tags in (
    (SKIP, "script style head svg math iframe frame object embed applet audio video canvas map select option "
           "optgroup datalist meta link base title param track template input rp"),
    (BLOCK, "html body table caption thead tbody tfoot tr td th div ul ol li dl dt dd dir menu form fieldset legend "
            "section article main aside nav header footer hgroup address blockquote center p h1 h2 h3 h4 h5 h6 pre "
            "listing xmp plaintext figure figcaption picture details summary dialog button label marquee noframes "
            "frameset"),
    (BREAK, "br hr"),
    (IMAGE, "img image amp-img"),
    (LINK, "a area"),
    (WEIGHTY, "b strong em i u big font mark"),
    (SHADOW, "noscript textarea"),
):  # fmt: skip
    ROLES.update(dict.fromkeys(_tags.split(), _role))

PREFORMATTED: Final = frozenset(("pre", "listing", "xmp", "plaintext"))
HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))

# What designers call their blocks, in English and in Pinyin. A name belongs to a group if it holds one of its words;
# a word after "=" must be a whole part of the name ("=ad" is in "left-ad", not in "shadow").
_HINTS: dict[str, str] = {
    "body": (
        "article content entry post story zhengwen neirong detail editor txt text body wenzhang endtext zoom read view"
    ),
    "main": "main primary center middle container wrap",
    "nav": "nav menu daohang crumb position location weizhi dqwz topbar toolbar =tab =tabs",
    "side": "side rail left right widget gadget",
    "foot": "foot bottom copyright banquan beian legal disclaim statement",
    "head": "head top banner logo masthead",
    "comment": "comment pinglun disqus cmt feedback liuyan guestbook respond",
    "related": (
        "relat recom tuijian xiangguan hot rank paihang popular similar more guess trending latest teaser =next "
        "=prev upnext"
    ),
    "advert": (
        "=ad =ads =adv advert =gg guanggao sponsor promo qrcode erweima subscri newsletter donat dashang reward "
        "popup modal "
        "cookie consent gdpr paywall overlay"
    ),
    "share": (
        "share fenxiang social jiathis weixin wechat weibo follow like digg =zan favor tool print fontsize font-size"
    ),
    "list": "list item index archive categor =cat gallery thumb pic photo slide carousel grid",
    "meta": (
        "meta info author byline date time source laiyuan zebian click stat count credit =tag =tags label "
        "biaoqian keyword"
    ),
    "title": "title headline biaoti subject caption",
    "form": "form login search sousuo denglu register input vote toupiao captcha",
    "pager": "=page pager pages pagin fenye =pg pgs pagenav page-nav page_nav",
    "forum": "thread reply floor =lou postmessage t_f topic message quote signature plhin forum bbs",
    "abstract": "abstract summary =lead lede intro daoyu zhaiyao excerpt descri standfirst =dek",
}
HINT_NAMES: Final = tuple(_HINTS)
_INSIDE = [(word, 1 << i) for i, words in enumerate(_HINTS.values()) for word in words.split() if word[0] != "="]
_WHOLE = {word[1:]: 1 << i for i, words in enumerate(_HINTS.values()) for word in words.split() if word[0] == "="}
# At each place of a name only the longest word is looked for; its bits are those of all words it begins with, too.
_INSIDE_BITS: dict[str, int] = {
    word: reduce(or_, (bit for head, bit in _INSIDE if word.startswith(head))) for word, _ in _INSIDE
}


def _longest_word() -> re.Pattern[str]:
    """Alternatives are grouped by first letter, which makes the search as fast as if there were two dozen."""
    tails: dict[str, list[str]] = {}
    for word in sorted(_INSIDE_BITS, reverse=True):
        tails.setdefault(word[0], []).append(re.escape(word[1:]))
    return re.compile("(?=(" + "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in tails.items()) + "))")


_LONGEST_WORD = _longest_word()
TAG_HINTS: Final[dict[str, int]] = {
    tag: 1 << HINT_NAMES.index(name)
    for tag, name in (("nav", "nav"), ("aside", "side"), ("footer", "foot"), ("header", "head"), ("article", "body"),
                      ("main", "main"), ("form", "form"), ("menu", "nav"), ("button", "form"), ("label", "form"))
}  # fmt: skip


@lru_cache(maxsize=16384)
def hint_bits(names: str) -> int:
    """Bit i is set where the class and id ``names`` hold a word of group ``HINT_NAMES[i]``."""
    bits = 0
    for name in names.split()[:12]:
        bits |= _name_bits(name)
    return bits


@lru_cache(maxsize=16384)
def _name_bits(name: str) -> int:
    name = name[:60].lower()
    bits = 0
    for word in _LONGEST_WORD.findall(name):
        bits |= _INSIDE_BITS[word]
    for part in name.replace("_", "-").split("-"):
        bits |= _WHOLE.get(part, 0)
    return bits


@lru_cache(maxsize=4096)
def hides(style: str) -> bool:
    """Whether a style attribute keeps an element from being seen."""
    style = style[:400].replace(" ", "").lower()
    if ":none" in style or ":hidden" in style or ":0" in style or ":-" in style:
        return _HIDDEN_STYLE.search(style) is not None
    return False


_HIDDEN_STYLE = re.compile(
    r"display:none|visibility:hidden|(?:font-size|opacity):0(?![.\d])|(?:^|;)(?:width|height):0(?:px)?(?:;|$)"
    r"|(?:text-indent|left|top|margin-left):-\d{3,}"
)
