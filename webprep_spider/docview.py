"""The docview: the uniform record of one page (S4.D1)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from typing import Any, Literal, TypeAlias

PageType: TypeAlias = Literal["topic", "hub", "picture"]

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Link:
    """An absolute link with its visible text; ``score`` says how related it is to the body (0 when not judged).

    ``href`` of a related link is the address as the page writes it, where that is another than ``url``: by it the link
    is found again in the page.
    """

    url: str
    text: str
    score: float = 0.0
    href: str = ""


@dataclass(slots=True)
class DocView:
    """What is kept of a page.

    The first eight fields are the elements of the method (S4.D1); an element that could not be filled is empty,
    never missing. Everything below them is what the same pass over the page tells besides.

    ``keywords`` and ``content_class`` are best first, with weights in (0, 1]. ``body`` holds paragraphs joined by
    line ends. ``fingerprints`` are hexadecimal SHA-1 values as sampled by :class:`~webprep_spider.Rules`.
    ``hub_score`` is the chance, before the fetch, that the address leads to a hub page. ``story`` names the first page
    that told the same story, ``replica_of`` the page that this one repeats. ``language`` is an ISO 639-1 code.
    ``identifier`` is the canonical form of ``url``, the address the page was served from.
    """

    identifier: str
    type: PageType = "topic"
    content_class: list[tuple[str, float]] = field(default_factory=list)
    title: str = ""
    keywords: list[tuple[str, float]] = field(default_factory=list)
    abstract: str = ""
    body: str = ""
    related_links: list[Link] = field(default_factory=list)

    url: str = ""
    canonical: str = ""
    language: str = ""
    published: datetime | None = None
    author: str = ""
    source: str = ""
    images: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    fingerprints: tuple[str, ...] = ()
    encoding: str = ""
    encoding_source: str = ""
    flags: list[str] = field(default_factory=list)
    hub_score: float | None = None
    story: str = ""
    replica_of: str = ""
    body_html: str = ""
    schema_version: int = SCHEMA_VERSION

    def to_dict(self) -> dict[str, Any]:
        """Plain values only, as the JSON feed holds them: tuples become lists, the date its ISO 8601 form."""
        record = asdict(self)
        record["published"] = self.published.isoformat() if self.published else None
        record["fingerprints"] = list(self.fingerprints)
        for name in ("content_class", "keywords"):
            record[name] = [list(pair) for pair in record[name]]
        for link in (*record["related_links"], *record["links"]):
            if not link["href"]:
                del link["href"]
        return record

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> DocView:
        """The inverse of :meth:`to_dict`. Unknown keys are ignored, so that newer files can be read.

        :raises ValueError: if ``identifier`` is missing or a value has the wrong shape.
        """
        known = {f.name for f in fields(cls)}
        values = {name: value for name, value in record.items() if name in known}
        if not isinstance(values.get("identifier"), str):
            raise ValueError("a docview needs an identifier")
        try:
            for name in ("related_links", "links"):
                values[name] = [Link(**link) for link in values.get(name) or []]
            for name in ("content_class", "keywords"):
                values[name] = [(str(label), float(weight)) for label, weight in values.get(name) or []]
            values["fingerprints"] = tuple(values.get("fingerprints") or ())
            if values.get("published"):
                values["published"] = datetime.fromisoformat(values["published"])
        except (TypeError, ValueError) as error:
            raise ValueError(f"not a docview: {error}") from None
        return cls(**values)
