"""The type of a page: topic, hub or picture (S4.D2, S4.C2)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit

import numpy as np

from webprep_spider.page import measures as kinds
from webprep_spider.page.evidence import EVIDENCE, evidence
from webprep_spider.page.pictures import picture_group

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from webprep_spider.docview import PageType
    from webprep_spider.net import NetModel
    from webprep_spider.page.choose import Choice
    from webprep_spider.page.measures import Measures
    from webprep_spider.rules import Rules

TYPE_FEATURES: Final = (
    "body", "body_link_share", "body_blocks", "body_longest", "body_stops", "body_share", "chance_share",
    "largest_chance",
    "tokens", "link_share", "stops", "links", "long_links", "long_link_share", "link_tokens_mean", "plain_tokens",
    "hub_blocks",
    "list_blocks", "list_tokens", "teaser_blocks", "teaser_share", "shapes", "images", "body_images", "inside_images",
    "linked_images", "image_text", "inside_tokens", "inside_link_share", "headings", "dates", "article", "depth",
    "last_digits",
    "root", "list_word", "article_word", "query", "file", "cjk_share",
    "running_tokens", "running_share", "running_longest", "free_images", "free_share", "group_images", "group_free",
    "group_inside", "group_plain", "group_pages", *EVIDENCE,
)  # fmt: skip
_LIST_WORD = re.compile(
    r"index|list|tags?\b|categor|archive|column|channel|lanmu|node|forum-|page/|/p\d?/?$|special|"
    r"topics?/|search|more|news/?$|gallery"
)
_ARTICLE_WORD = re.compile(
    r"article|content|detail|show|view|story|/20[012]\d[/-]?[01]?\d|[?&]id=|thread|post|item|read|info"
)
_DATE = re.compile(r"(?:19|20)\d\d[-/.年]\s?[01]?\d")


def page_features(
    m: Measures, choice: Choice, chance: NDArray[np.float32], url: str, article: float
) -> NDArray[np.float32]:
    """One row with the figures of a page, columns as in ``TYPE_FEATURES``; ``article`` is what :func:`says_article`
    found."""
    kept = choice.kept
    tokens, links = m.tokens, m.link_tokens
    low, high = m.tree.first[choice.node], m.tree.last[choice.node]
    total = max(m.total, 1.0)
    body = float(tokens[kept].sum())
    hub = (m.link_share > 0.6) & (tokens > 0)
    anchors = [len(link.text) for block in m.tree.blocks for link in block.links]
    long = sum(length >= 10 for length in anchors)
    shape = m.shape
    members = np.bincount(shape)
    repeated = members[shape] >= 5
    teasers = repeated & (tokens >= 12) & (m.link_share < 0.6)
    inside = float(tokens[low:high].sum())
    parts = _parts(url)
    path, query = parts
    segments = [segment for segment in path.split("/") if segment]
    last = segments[-1] if segments else ""
    dates = sum(_DATE.search(block.text[:60]) is not None for block in m.tree.blocks if 6 <= block.chars <= 120)
    running = (m.link_share < 0.3) & (m.classes[kinds.STOP] > 0) & (m.hidden == 0)
    group, group_low, group_high = picture_group(m)
    free = float(m.image_count[m.link_count == 0].sum())
    images = float(m.image_count.sum())
    grouped = float(m.image_count[group].sum())
    log = np.log1p
    row = (
        log(body), float(links[kept].sum()) / max(body, 1), log(kept.sum()), log(tokens[kept].max(initial=0)),
        float(m.classes[kinds.STOP][kept].sum()) / max(body, 1), body / total, float((chance * tokens).sum()) / total,
        chance.max(initial=0),
        log(m.total), float(links.sum()) / total, float(m.classes[kinds.STOP].sum()) / total, log(len(anchors)),
        log(long),
        long / max(len(anchors), 1), sum(anchors) / max(len(anchors), 1),
        log(float((tokens - links)[tokens >= 25].sum())),
        log(hub.sum()), log((hub & repeated).sum()), log(float(tokens[hub & repeated].sum())), log(teasers.sum()),
        float(tokens[teasers].sum()) / total, log(len(np.unique(shape))), log(m.image_count.sum()),
        log(m.image_count[kept].sum()),
        log(m.image_count[low:high].sum()), log(m.image_count[m.link_count > 0].sum()),
        log(m.total / (1 + m.image_count.sum())), log(inside), float(links[low:high].sum()) / max(inside, 1),
        log((m.tags == 2).sum()), log(dates), article, len(segments), sum(map(str.isdigit, last)),
        path == "/" or path.lower() in ("/index.html", "/index.htm", "/index.php"),
        _LIST_WORD.search(path.lower()) is not None,
        _ARTICLE_WORD.search(f"{path}?{query}".lower()) is not None, bool(query), "." in last,
        float(m.classes[kinds.CJK].sum()) / total,
        log(float(tokens[running].sum())), float(tokens[running].sum()) / total, log(tokens[running].max(initial=0)),
        log(free), free / max(images, 1), log(grouped), float((m.link_count[group] == 0).mean()) if len(group) else 0.0,
        float(low <= group[0] < high) if len(group) else 0.0,
        log(float((tokens - links)[group_low:group_high].sum())),
        log(_pages_behind(m, group)), *evidence(m, choice, url),
    )  # fmt: skip
    return np.array([row], np.float32)


_DECISIVE = ("links", "body", "body_link_share", "images", "largest_run", "same_text", "signed", "group_pages")
# A list of summaries has a body of text too, but between linked titles, or with the same word for "read on" after each.
_PICTURES = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".bmp")
_GALLERY = 6  # pages behind the pictures of a page that lists others
_AGAINST = 4.0  # what such a body takes from the logit of the hub page
_ONE_RUN = 0.5  # least share of an article's body in one run of text
_READ_ON = 5  # links of one text to as many pages
_SIGNED = 4  # times as many links may stand on a page with a title, a date and a publisher above its body


def decide(
    model: NetModel, row: NDArray[np.float32], address: Callable[[], float], rules: Rules
) -> tuple[PageType, float]:
    """The type that the model finds likeliest, but no picture page without pictures or where each leads to a page of
    its own, and hardly a hub page where there is one body of text and hardly a link.

    ``address`` gives the hub model's decision value for the page's own address, NaN where there is none. It speaks for
    or against a hub page, within bounds, and is not asked where it could change nothing: a page that shows what it is
    counts for more.

    Returned with it is the lead, in log odds, by which the page's looks alone, without its address, tell a hub page
    from others.
    """
    scores = model.raw(row)[0]
    hub, most = model.classes.index("hub"), rules.address_bound
    lead = abs(scores[hub] - np.delete(scores, hub).max())
    if lead <= rules.address_weight * most and (value := address()) == value:
        scores[hub] += rules.address_weight * min(max(value, -most), most)
    links, body, link_share, images, largest_run, same, signed, behind = row[
        0, [TYPE_FEATURES.index(name) for name in _DECISIVE]
    ].tolist()
    if images == 0 or behind >= np.log1p(_GALLERY):
        scores[model.classes.index("picture")] = -np.inf
    few = links < np.log1p(rules.hub_links * (_SIGNED if signed else 1)) and link_share < rules.link_share
    if few and body > np.log1p(rules.hub_body) and largest_run >= _ONE_RUN and same < np.log1p(_READ_ON):
        scores[hub] -= _AGAINST
    return cast("PageType", model.classes[int(scores.argmax())]), float(lead)


def _pages_behind(m: Measures, group: NDArray[np.int64]) -> int:
    """How many pages the links around pictures lead to; larger pictures and scripts are no pages."""
    links = {link.href.partition("#")[0].lower() for i in group.tolist() for link in m.tree.blocks[i].links}
    return sum(bool(link) and not link.startswith("javascript:") and not link.endswith(_PICTURES) for link in links)


def _parts(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.path or ("/" if parts.netloc else ""), parts.query


def says_article(root: Any) -> float:
    """1 where the page's head says that it is an article, -1 where it says that it is not."""
    head = root.find("head")
    for meta in head.iter("meta") if head is not None else ():
        if meta.get("property") == "og:type":
            return 1.0 if "article" in (meta.get("content") or "") else -1.0
    return 0.0
