"""The whole road of a page in one readable function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webprep_spider.metadata import describe
from webprep_spider.page.clean import clean
from webprep_spider.page.parse import parse_page
from webprep_spider.replicas.fingerprint import sketch
from webprep_spider.rules import DEFAULT_RULES, Rules

if TYPE_CHECKING:
    from webprep_spider.docview import DocView


def prepare(
    body: bytes | str,
    url: str,
    *,
    encoding: str | None = None,
    content_type: str | None = None,
    rules: Rules = DEFAULT_RULES,
) -> DocView:
    """Turn one page into a docview: clean it, take its fingerprints, describe it (S4.A1).

    Give the ``body`` as bytes where they are at hand; their encoding is then found out, ``content_type`` (the header
    as the server sent it) being one of the hints. ``encoding`` overrides all hints. The near-duplicate check needs a
    store and is not part of this function.

    :raises PageError: if ``url`` is not an absolute http(s) address or the body is not text at all. An empty page is
        no error: its docview has empty elements.
    """
    page = parse_page(body, url, encoding=encoding, content_type=content_type, rules=rules)
    cleaned = clean(page, rules)
    return describe(page, cleaned, sketch(cleaned, rules), rules)
