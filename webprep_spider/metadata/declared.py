"""What the page says of itself: meta elements, ``link``, ``title`` and JSON-LD, read in one pass."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urljoin, urlsplit

from lxml.etree import XPath

from webprep_spider.page.scripts import json_of
from webprep_spider.page.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_ELEMENTS = 500
MAX_VALUE = 4_000
MAX_JSON = 200_000
MAX_JSON_NODES = 2_000
MAX_TAG_LINKS = 20

_MOBILE = re.compile(r"(https?://)(?:m|wap|3g|mobile)\.(?=[^/]+\.)")
_MARKUP = re.compile(r"</?(?:p|br|b|i|a|em|div|span|strong|font|img|ul|ol|li|h[1-6])\b[^<>]{0,300}>", re.I)
_LANGUAGE = re.compile(r"[A-Za-z]{2}(?:[-_]\w.*)?")
_tag_links: Any = XPath("//a[contains(concat(' ', @rel, ' '), ' tag ')]")
_ARTICLES = re.compile(r"Article|Posting|Report|WebPage|Product|Recipe|Event|Video|Book|Course|Question")

_HEADLINES = ("og:title", "twitter:title", "headline", "dc.title", "dcterms.title", "articletitle", "title")
_DESCRIPTIONS = ("description", "og:description", "dc.description", "dcterms.abstract", "twitter:description")
_KEYWORDS = (
    "keywords", "keyword", "news_keywords", "article:tag", "og:article:tag", "og:keywords", "parsely-tags",
    "sailthru.tags", "tags", "dc.subject", "dcterms.subject", "citation_keywords",
)  # fmt: skip
_AUTHORS = (
    "author",
    "authors",
    "article:author",
    "dc.creator",
    "dcterms.creator",
    "parsely-author",
    "byl",
    "sailthru.author",
)
_SOURCES = ("source", "contentsource", "copyright-source", "mediaid", "dc.source")
_SITES = ("og:site_name", "application-name", "sitename", "apple-mobile-web-app-title")
_DATES = (
    "article:published_time", "og:published_time", "pubdate", "publishdate", "publish_date", "publishtime",
    "publish-date", "datepublished", "dc.date.issued", "dcterms.created", "dcterms.issued", "dc.date", "dcterms.date",
    "parsely-pub-date", "sailthru.date", "weibo: article:create_at", "apub:time", "firstpublishedtime",
    "citation_publication_date", "citation_online_date", "citation_date", "article.published", "article:published",
    "og:release_date", "date",
)  # fmt: skip


@dataclass(slots=True)
class Declared:
    """Values in the order of trust; white space folded. Nothing here is checked against the page yet."""

    title: str = ""
    """The ``title`` element."""
    headlines: list[str] = field(default_factory=list)
    descriptions: list[str] = field(default_factory=list)
    keywords: list[str] = field(default_factory=list)
    """Raw values, separators and all."""
    authors: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    sites: list[str] = field(default_factory=list)
    """Names of the site or publisher."""
    dates: list[str] = field(default_factory=list)
    canonical: str = ""
    """Absolute, without fragment."""
    language: str = ""
    """The first of the places for it that names one."""
    base: str = ""


def read_declared(root: Any, url: str) -> Declared:
    """Read the head of a page (wherever the parser put its elements). Never raises on page content."""
    said = Declared(base=url)
    meta: dict[str, list[str]] = {}
    scripts: list[str] = []
    languages = [root.get("lang"), root.get("{http://www.w3.org/XML/1998/namespace}lang"), root.get("xml:lang")]
    canonical = ""
    count = 0
    for element in root.iter("meta", "link", "title", "script", "base"):
        tag = element.tag
        if tag == "script":
            if "ld+json" in (element.get("type") or "").lower() and len(scripts) < 20:
                scripts.append(element.text or "")
            continue
        count += 1
        if count > MAX_ELEMENTS:
            break
        if tag == "meta":
            name = element.get("property") or element.get("name") or element.get("itemprop") or ""
            content = element.get("content")
            if name and content:
                meta.setdefault(name.strip().lower(), []).append(one_line(unescape(content[:MAX_VALUE])))
            elif content and (element.get("http-equiv") or "").lower() == "content-language":
                languages.append(content)
        elif tag == "title":
            if not said.title and not _inside_svg(element):
                said.title = one_line(unescape("".join(element.itertext())[:MAX_VALUE]))
        elif tag == "base":
            said.base = _join(url, element.get("href") or "") or url
        elif "canonical" in (element.get("rel") or "").lower().split() and not canonical:
            canonical = element.get("href") or ""
    said.canonical = _canonical(canonical, said.base)
    languages.extend(meta.get("og:locale", ()))
    languages.extend(_read_json(scripts, said))
    said.language = next((code for code in languages if code and _LANGUAGE.fullmatch(code.strip())), "")
    for names, values in (
        (_HEADLINES, said.headlines), (_DESCRIPTIONS, said.descriptions), (_KEYWORDS, said.keywords),
        (_AUTHORS, said.authors), (_SOURCES, said.sources), (_SITES, said.sites), (_DATES, said.dates),
    ):  # fmt: skip
        for name in names:
            values.extend(value for value in meta.get(name, ()) if value and value not in values)
    said.descriptions = [one_line(_MARKUP.sub(" ", text)) for text in said.descriptions]
    said.keywords = [one_line(_MARKUP.sub(" ", text)) for text in said.keywords]
    said.keywords.extend(one_line("".join(link.itertext())) for link in _tag_links(root)[:MAX_TAG_LINKS])
    return said


def _join(base: str, href: str) -> str:
    try:
        joined = urldefrag(urljoin(base, href.strip())).url if href.strip() else ""
    except ValueError:
        return ""
    return joined if joined.startswith(("http://", "https://")) else ""


def _canonical(href: str, base: str) -> str:
    """Absolute. A mobile twin (``m.``, ``wap.``) declares the address of its desktop page by convention; where it does
    so without naming a host, ``www.`` is meant."""
    target = _join(base, href) if "{" not in href else ""  # of a template that nobody filled in
    if target and not urlsplit(href.strip()).netloc and (twin := _MOBILE.match(target)):
        return f"{twin[1]}www.{target[twin.end() :]}"
    return target


def _inside_svg(element: Any) -> bool:
    return any(parent.tag in ("svg", "symbol") for parent in element.iterancestors())


def _read_json(scripts: list[str], said: Declared) -> list[str]:
    """Take what the objects say of the page; return the languages that they name."""
    languages: list[str] = []
    nodes = list(_nodes(scripts))
    people = {node["@id"]: node["name"] for node in nodes if _is_named(node)}
    for node in nodes:
        kind = " ".join(_texts(node.get("@type")))
        if kind.endswith(("Organization", "WebSite", "NewsMediaOrganization")):
            said.sites.extend(_texts(node.get("name")))
        if not kind:
            said.dates.extend(_texts(node.get("pubDate")))  # as Baidu asks for it
        if not _ARTICLES.search(kind):
            continue
        said.headlines.extend(_texts(node.get("headline")))
        said.dates.extend(_texts(node.get("datePublished")))
        said.descriptions.extend(_texts(node.get("description")))
        said.keywords.extend(_names(node.get("keywords"), people))
        languages.extend(_texts(node.get("inLanguage")))
        said.authors.extend(_names(node.get("author"), people))
        said.sites.extend(_names(node.get("publisher"), people))
    return languages


def _nodes(scripts: list[str]) -> Iterator[dict[str, Any]]:
    """The objects of all scripts, outermost first, without recursion and within a budget."""
    left = MAX_JSON_NODES
    for script in scripts:
        if len(script) > MAX_JSON:
            continue
        level: list[Any] = [json_of(script)]
        while level and left > 0:
            below: list[Any] = []
            for value in level:
                left -= 1
                if left < 0:
                    break
                if isinstance(value, dict):
                    yield value
                    below.extend(value.values())
                elif isinstance(value, list):
                    below.extend(value)
            level = [value for value in below if isinstance(value, dict | list)]


def _is_named(node: dict[str, Any]) -> bool:
    return isinstance(node.get("@id"), str) and isinstance(node.get("name"), str)


def _texts(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [one_line(unescape(text[:MAX_VALUE])) for text in values[:50] if isinstance(text, str) and text.strip()]


def _names(value: Any, people: dict[str, str]) -> list[str]:
    """Names of people, publishers or terms; one that is only referred to by ``@id`` is looked up in ``people``."""
    names = []
    for entry in (value if isinstance(value, list) else [value])[:20]:
        name = entry
        if isinstance(entry, dict):
            name = entry.get("name") or people.get(str(entry.get("@id")))
        names.extend(_texts(name))
    return names
