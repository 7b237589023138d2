"""Related links (S4.M7): those of the body's own topic, not navigation, adverts or hot lists."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from webprep_spider.docview import Link
from webprep_spider.metadata.words import bigrams, fold, pairs_of
from webprep_spider.replicas.identity import canonical_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webprep_spider.page.addresses import Base
    from webprep_spider.page.clean import Cleaned
    from webprep_spider.page.tree import Anchor, Block
    from webprep_spider.rules import Rules

MAX_HEADING = 30
"""Characters of the longest text that heads a list of links."""
MAX_CLIMB = 8
"""Elements between a link and the list that holds it."""
HEADING_REACH = 4
"""Blocks before a list among which its heading is looked for."""

# In other languages than Chinese and English.
_RELATED_ELSEWHERE = (
    "関連", "あわせて読みたい", "合わせて読みたい", "관련", "zum thema", "ähnliche artikel", "verwandte artikel",
    "lesen sie auch", "siehe auch", "mehr dazu", "weiterführende", "sie auch interess", "lire aussi", "voir aussi",
    "similaires", "même sujet", "relacionad", "puede interesar", "ver también", "leia também", "veja também",
    "correlat", "leggi anche", "lees ook", "läs också", "zobacz także", "liên quan", "baca juga", "похожие",
    "читайте также", "по теме", "ذات صلة",
)  # fmt: skip
_RELATED = re.compile(
    r"(?:相关|相關|关联|延伸|扩展|拓展|更多关于|类似|同类|关键词)(?:阅读|閱讀|文章|新闻|新聞|报道|報導|推荐|推薦|内容|内容|链接|資訊"
    r"|资讯|信息|知识|资料|主题|帖子|产品|商品|图书|文献|问题|日志|博文|视频|热词)"
    r"|^相关$|^相關|感兴趣|有興趣|还(?:浏览|看|关注|喜欢)了|也在看|可能[也还會会]{0,2}喜[欢歡]|^(?:系列|追踪|跟踪|后续)报道"
    r"|^(?:参见|另见|参阅|参看)[:：]?$"
    r"|related|more on th|see also|read more on|also read|read also|you (?:may|might) also|similar"
    r"|more from this (?:story|topic)|further reading|^(?:read|see) more:|" + "|".join(_RELATED_ELSEWHERE),
    re.I,
)
_RECOMMENDED = re.compile(
    r"推荐(?:阅读|文章|新闻|内容)|推薦(?:閱讀|文章)|猜你喜欢|为[你您]推荐|往期|更多阅读|阅读更多|おすすめ|こちらも"
    r"|^recommended|^read (?:next|more)$|more like this|keep reading|in this series|^more (?:on|about)\b",
    re.I,
)
"""What heads lists of all kinds: of these, only the links count that are of the topic."""
# One of them stands in each text that _RELATED or _RECOMMENDED finds.
_STEMS = (
    "相关", "相關", "关联", "延伸", "扩展", "拓展", "更多关于", "类似", "同类", "关键词", "感兴趣", "有興趣", "浏览了",
    "看了", "关注了", "喜欢了", "也在看", "可能喜", "可能也", "可能还", "可能会", "可能還", "可能會", "系列报道",
    "追踪报道", "跟踪报道", "后续报道", "参见", "另见", "参阅", "参看", "推荐阅读", "推荐文章", "推荐新闻", "推荐内容",
    "推薦閱讀", "推薦文章", "你推荐", "您推荐", "猜你喜欢", "往期", "更多阅读", "阅读更多", "おすすめ", "こちらも",
    "related", "more on ", "more about", "see also", "see more", "read more", "also read", "read also", "read next",
    "may also", "might also", "similar", "more from this", "more like", "further reading", "keep reading",
    "this series", "recommended", *_RELATED_ELSEWHERE,
)  # fmt: skip
_UNRELATED = re.compile(
    r"热门|热词|热点|搜索|话题|网站|最新|排行|广告|更多相关|popular|trending|latest|most |sponsor|search", re.I
)
_MORE = re.compile(
    r"(?:查看|点击|阅读)?(?:更多|全部)\w{0,4}\W{0,3}|(?:view|see|show|read|load) (?:all|more)\b.{0,20}", re.I
)
_LISTS = frozenset({"li", "dd", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "p", "a", "span", "td", "tr", "tbody"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "dt", "strong", "legend", "caption"})


@dataclass(slots=True)
class LinkGroup:
    """Links that stand together, as a list under one heading."""

    labels: list[str]
    """The short texts before it, nearest first."""
    container: Any
    blocks: list[Block] = field(default_factory=list)

    @property
    def anchors(self) -> Iterator[Anchor]:
        return (anchor for block in self.blocks for anchor in block.links)


def related_links(
    url: str, base: Base, cleaned: Cleaned, title: str, keywords: Sequence[tuple[str, float]], rules: Rules
) -> list[Link]:
    """Links to pages on the topic of this one, best first, each page once; ``score`` in (0, 1].

    ``base`` makes the page's links absolute.
    """
    topic = _Topic(bigrams(title), [fold(word) for word, _ in keywords])
    own = fold(title)
    found: dict[str, Link] = {}
    blocks = cleaned.blocks[: rules.max_blocks]
    shown = "\n".join([block.text for block in blocks]).lower()
    if not any(stem in shown for stem in _STEMS):
        return []
    kept = {block.order for block in blocks if block.kept}
    itself = canonical_url(url)
    for group in link_groups(blocks):
        least = _least_likeness(group, topic, kept, rules)
        if least is None:
            continue
        for anchor in group.anchors:
            target = base.absolute(anchor.href)
            key = fold(anchor.text)
            if not target or len(key) < rules.anchor_chars or key == own or _MORE.fullmatch(anchor.text):
                continue
            likeness = topic.likeness(key)
            identity = canonical_url(target)
            if likeness >= least and identity not in found and identity != itself:
                href = anchor.href if anchor.href != target else ""
                found[identity] = Link(target, anchor.text, round(min(1.0, 0.6 + 0.4 * likeness), 4), href)
    best = sorted(found.values(), key=lambda link: -link.score)
    return best[: rules.max_related_links]


@dataclass(frozen=True, slots=True)
class _Topic:
    pairs: set[str]
    keywords: list[str]

    def likeness(self, key: str) -> float:
        """Of a folded anchor text: 1 when it names a keyword or is made of the title's pairs of characters."""
        pairs = pairs_of(key)
        shared = len(pairs & self.pairs) / len(pairs) if pairs else 0.0
        return max(shared, max((min(1.0, len(word) / 4) for word in self.keywords if word in key), default=0.0))


def link_groups(blocks: Sequence[Block]) -> list[LinkGroup]:
    """The lists of links of a page in document order, each with the text that heads it."""
    groups: list[LinkGroup] = []
    interrupted = True
    for place, block in enumerate(blocks):
        if not _is_link_block(block):
            interrupted = interrupted or block.tag in _HEADINGS or block.chars > MAX_HEADING
            continue
        container = _container(block)
        last = groups[-1] if groups else None
        if last is not None and (
            last.container is container or (not interrupted and _alike(last.container, container))
        ):
            last.blocks.append(block)
        else:
            groups.append(LinkGroup(_labels(blocks, place), container, [block]))
        groups[-1].container = container
        interrupted = False
    return groups


def _alike(one: Any, other: Any) -> bool:
    """Whether two elements are cards of one list: the same tag and class, under one parent or grandparent."""
    if one.tag != other.tag or one.get("class") != other.get("class"):
        return False
    first, second = one.getparent(), other.getparent()
    return first is second or (
        first is not None and second is not None and first.tag == second.tag and first.getparent() is second.getparent()
    )


def _is_link_block(block: Block) -> bool:
    """Mostly links, or a teaser: an entry of a list that begins with its link."""
    if not block.links:
        return False
    if block.link_chars * 2 > block.chars:
        return True
    first = block.links[0].text
    return bool(first) and len(first) >= 6 and block.text.lstrip("·•-*0123456789. ").startswith(first[:10])


def _container(block: Block) -> Any:
    """The element that holds the list a block is an entry of."""
    element = block.element
    parent = element.getparent()
    for _ in range(MAX_CLIMB):
        if parent is None or not (element.tag in _LISTS or _alone(element)):
            break
        element, parent = parent, parent.getparent()
    return element if element is not block.element or parent is None else parent


def _alone(element: Any) -> bool:
    return (
        element.getnext() is None and element.getprevious() is None and element.tag not in ("ul", "ol", "dl", "table")
    )


def _labels(blocks: Sequence[Block], place: int) -> list[str]:
    """Text of the block before its first link, else the short texts that stand before the list."""
    block = blocks[place]
    first = block.links[0].text
    start = block.text.find(first) if first else -1
    if start > 2:
        return [block.text[:start].strip()[-MAX_HEADING:]]
    labels: list[str] = []
    for before in reversed(blocks[max(0, place - HEADING_REACH) : place]):
        if not before.chars:
            continue
        head = before.text[:MAX_HEADING]
        short = before.chars <= MAX_HEADING
        if short and (not before.link_chars or before.tag in _HEADINGS or _RELATED.search(head)):
            labels.append(head)
            if before.link_chars:
                break
        elif _RELATED.match(head):
            labels.append(head)
            break
        else:
            break
    return labels


def _least_likeness(group: LinkGroup, topic: _Topic, kept: set[int], rules: Rules) -> float | None:
    """How like the topic a link of a list must be, or nothing for a list of other things: its heading must say what it
    is, and away from the body its anchors must bear that out."""
    labels = [label for label in group.labels if not _UNRELATED.search(label)]
    related = any(map(_RELATED.search, labels))
    if not related and not any(map(_RECOMMENDED.search, labels)):
        return None
    start = group.blocks[0].order
    if related and not kept.isdisjoint(range(start - HEADING_REACH, start)):
        return 0.0
    keys = [key for anchor in group.anchors if len(key := fold(anchor.text)) >= rules.anchor_chars]
    likeness = sum(map(topic.likeness, keys)) / len(keys) if keys else 0.0
    if not related:
        return 0.0 if likeness > rules.lone_link_likeness else rules.lone_link_likeness
    return 0.0 if likeness > (rules.lone_link_likeness if len(keys) <= 2 else 0.0) else None
