"""What describes a page: title, keywords, abstract, class, related links, date (S4.M)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from webprep_spider.docview import DocView
from webprep_spider.metadata import words
from webprep_spider.metadata.abstract import by_segments, lead, own_description
from webprep_spider.metadata.byline import (
    author_of,
    marked_authors,
    marked_elements,
    near_title,
    source_of,
    title_place,
)
from webprep_spider.metadata.classes import ClassModel, classify, default_model
from webprep_spider.metadata.dates import date_in_text, date_in_url, declared_date, marked_dates, second_opinion
from webprep_spider.metadata.declared import read_declared
from webprep_spider.metadata.keywords import load_ranking, own_keywords, rank_keywords
from webprep_spider.metadata.language import language_of
from webprep_spider.metadata.links import related_links
from webprep_spider.metadata.reading import parts_of, read
from webprep_spider.metadata.site_names import SiteNames
from webprep_spider.metadata.title import choose_title, leftovers
from webprep_spider.metadata.words import fold
from webprep_spider.page.addresses import Base, base_href
from webprep_spider.replicas.identity import canonical_url
from webprep_spider.rules import DEFAULT_RULES, Rules

if TYPE_CHECKING:
    from webprep_spider.metadata.declared import Declared
    from webprep_spider.metadata.reading import Reading
    from webprep_spider.page.clean import Cleaned
    from webprep_spider.page.parse import Page

__all__ = ["ClassModel", "SiteNames", "describe", "preload"]


def preload() -> None:
    """Load what the first page would else wait for: dictionary, tables and word lists (about a second with jieba).

    For a thread beside the event loop, before the crawl.
    """
    words.preload()
    load_ranking(True)
    load_ranking(False)
    default_model()


def describe(
    page: Page,
    cleaned: Cleaned,
    fingerprints: tuple[str, ...] = (),
    rules: Rules = DEFAULT_RULES,
    *,
    class_model: ClassModel | None = None,
    site_names: SiteNames | None = None,
    now: datetime | None = None,
) -> DocView:
    """The docview of a cleaned page, in the order of S4.M1. The words are segmented once, for all elements (S4.P3).

    ``class_model`` gives the content class, by default the one built from the package's word lists.
    ``site_names``, kept by the caller over many pages, learns what a site calls itself in its titles.
    ``now`` (aware; the present by default) is the time that no date of publication may be later than.
    """
    now = now or datetime.now(UTC)
    said = read_declared(page.root, page.url)
    if site_names is not None:
        site_names.observe(page.url, said.title)
        said.sites.extend(site_names.names(page.url))
    blocks = cleaned.blocks[: rules.max_blocks]
    title = choose_title(said, blocks, page.url, cleaned.body[: rules.words_chars])
    said.sites = [name for name in said.sites if fold(name) not in (fold(title), fold(said.title))]
    said.sites.extend(leftovers(said.title, title))
    parts = parts_of(cleaned, title, rules)
    reading = read(title, parts, rules)
    language = language_of("\n".join([title, *(part.text for part in parts if part.tag != "pre")]), said.language)
    body = cleaned.body[: rules.words_chars]
    keywords = _keywords(said, title, body, reading, language, rules)
    base = Base(page.url, base_href(page.root), page.encoding)
    place = title_place(blocks, title)
    beside, marked = near_title(blocks, title, place), marked_elements(blocks, place)
    return DocView(
        identifier=canonical_url(page.url),
        type=cleaned.type,
        content_class=classify(reading, rules, class_model),
        title=title,
        keywords=keywords,
        abstract=_abstract(said, title, body, reading, keywords, rules),
        body=cleaned.body,
        related_links=related_links(page.url, base, cleaned, title, keywords, rules),
        url=page.url,
        canonical=said.canonical,
        language=language,
        published=(
            declared_date(said.dates, now)
            or declared_date(marked_dates(marked), now)
            or date_in_text(beside, now)
            or date_in_url(page.url, now)
            or (second_opinion(page.root, page.url, now) if rules.date_second_opinion else None)
        ),
        author=author_of(said, beside, marked_authors(marked)),
        source=source_of(said, beside),
        images=list(cleaned.images),
        links=list(cleaned.links),
        fingerprints=fingerprints,
        encoding=page.encoding,
        encoding_source=page.encoding_source,
        flags=list(dict.fromkeys([*page.flags, *cleaned.flags])),
    )


def _keywords(
    said: Declared, title: str, body: str, reading: Reading, language: str, rules: Rules
) -> list[tuple[str, float]]:
    own = own_keywords(said.keywords, title, body, said.sites, rules)
    if own:
        return [(word, round(1.0 - 0.5 * place / len(own), 4)) for place, word in enumerate(own)]
    return rank_keywords(reading, rules, language)


def _abstract(
    said: Declared, title: str, body: str, reading: Reading, keywords: list[tuple[str, float]], rules: Rules
) -> str:
    own = own_description(said.descriptions, title, body, said.sites, rules)
    if own or rules.abstract_form == "description":
        return own
    if rules.abstract_form == "segments":
        return by_segments(reading, title, keywords, rules)
    return lead(reading, title, rules)
