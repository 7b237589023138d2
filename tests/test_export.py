from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from tests.articles import docview, page
from webprep_spider import DocView, Link
from webprep_spider.export import to_dublin_core, to_ead
from webprep_spider.exporters import (
    DocviewCsvItemExporter,
    DublinCoreItemExporter,
    EadItemExporter,
    SafeCsvItemExporter,
    SafeJsonItemExporter,
    SafeJsonLinesItemExporter,
)
from webprep_spider.schema import docview_schema

NAMES = {"dc": "http://purl.org/dc/elements/1.1/", "e": "urn:isbn:1-931666-22-9", "x": "http://www.w3.org/1999/xlink"}

RECORD = DocView(
    identifier="http://a.example/?a=1&b=2",
    type="topic",
    content_class=[("finance", 0.8)],
    title="水厂 <通水> & 供水",
    keywords=[("水厂", 1.0), ("供水", 0.5)],
    abstract="水来了。",
    body="水来了。\n真的。",
    related_links=[Link("http://a.example/2", "水库", 0.6)],
    published=datetime(2026, 3, 1, 7, 5),
    author="林小雨",
    source="滨河日报",
    language="zh",
)


def values(xml: str, path: str) -> list[str]:
    return [str(found) for found in etree.fromstring(xml.encode()).xpath(path, namespaces=NAMES)]


@pytest.mark.parametrize(
    ("element", "expected"),
    [
        ("identifier", ["http://a.example/?a=1&b=2"]),
        ("type", ["topic"]),
        ("subject", ["finance", "水厂", "供水"]),
        ("title", ["水厂 <通水> & 供水"]),
        ("description", ["水来了。"]),
        ("relation", ["http://a.example/2"]),
        ("creator", ["林小雨"]),
        ("publisher", ["滨河日报"]),
        ("date", ["2026-03-01T07:05:00"]),
        ("language", ["zh"]),
    ],
)
def test_dublin_core_mapping(element: str, expected: list[str]) -> None:
    assert values(to_dublin_core(RECORD), f"//dc:{element}/text()") == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("//e:did/e:unitid/text()", ["http://a.example/?a=1&b=2"]),
        ("//e:controlaccess/e:genreform/text()", ["topic"]),
        ("//e:controlaccess/e:subject/text()", ["finance", "水厂", "供水"]),
        ("//e:did/e:unittitle/text()", ["水厂 <通水> & 供水"]),
        ("//e:did/e:abstract/text()", ["水来了。"]),
        ("//e:relatedmaterial//e:extref/@x:href", ["http://a.example/2"]),
        ("//e:origination/e:persname/text()", ["林小雨"]),
        ("//e:did/e:unitdate/@normal", ["2026-03-01"]),
    ],
)
def test_ead_mapping(path: str, expected: list[str]) -> None:
    assert values(to_ead(RECORD), path) == expected


@given(st.text(), st.text(), st.text(st.characters(), min_size=1))
def test_any_text_makes_well_formed_xml(title: str, abstract: str, word: str) -> None:
    record = DocView(
        title, title=title, abstract=abstract, keywords=[(word, 1.0)], related_links=[Link(word, title, 0.1)]
    )
    for xml in (to_dublin_core(record), to_ead(record)):
        etree.fromstring(xml.encode("utf-8"))


def test_control_characters_and_lone_surrogates_are_left_out() -> None:
    record = DocView("http://a.example/", title="a\x00b\x1f\ud800c\ufffe")
    assert values(to_dublin_core(record), "//dc:title/text()") == ["abc"]


@pytest.mark.parametrize("exporter", [DublinCoreItemExporter, EadItemExporter])
def test_feeds_hold_every_docview_and_nothing_else(exporter: type[Any]) -> None:
    file = io.BytesIO()
    feed = exporter(file, encoding="utf-8", fields_to_export=None)
    feed.start_exporting()
    for item in (RECORD, {"price": 3}, {"docview": RECORD.to_dict()}, {"docview": RECORD}, {"docview": {"x": 1}}):
        feed.export_item(item)
    feed.finish_exporting()
    root = etree.fromstring(file.getvalue())
    assert len(root.xpath("//dc:identifier | //e:unitid", namespaces=NAMES)) == 3


def exported(exporter: type[Any], item: object) -> str:
    file = io.BytesIO()
    feed = exporter(file, encoding="utf-8")
    feed.start_exporting()
    feed.export_item(item)
    feed.finish_exporting()
    return file.getvalue().decode()


@pytest.mark.parametrize("exporter", [SafeJsonItemExporter, SafeJsonLinesItemExporter])
def test_half_a_character_costs_no_item_and_is_kept_in_json(exporter: type[Any]) -> None:
    item = {"title": "\ud83d灯会", "nested": [{"key\udc00": "a\udce9b\x00c"}]}
    text = exported(exporter, item)
    found = json.loads(text)
    assert "灯会" in text
    assert (found[0] if isinstance(found, list) else found) == item


def continued(path: Path, *items: object) -> list[bytes]:
    """The lines of a feed in ``path`` after the items were appended."""
    with path.open("ab") as file:
        feed = SafeJsonLinesItemExporter(file, encoding="utf-8")
        feed.start_exporting()
        for item in items:
            feed.export_item(item)
    return path.read_bytes().splitlines()


@pytest.mark.parametrize(
    "left", [b'{"a": 1}\n{"a": "half a li', b'{"a": 1}', b'{"a": 1}\n', b'{"a": 1}\n' + b"x" * 200_000]
)
def test_a_feed_that_is_continued_after_a_crash_is_mended(left: bytes, tmp_path: Path) -> None:
    (tmp_path / "feed").write_bytes(left)
    assert [json.loads(line) for line in continued(tmp_path / "feed", {"a": 2})] == [{"a": 1}, {"a": 2}]


def test_a_docview_that_was_written_just_before_a_crash_is_not_written_again(tmp_path: Path) -> None:
    unchanged = replace(RECORD, flags=[*RECORD.flags, "unchanged"])
    assert len(continued(tmp_path / "feed", RECORD)) == 1
    assert len(continued(tmp_path / "feed", RECORD)) == 1
    assert len(continued(tmp_path / "feed", unchanged, replace(RECORD, identifier="http://a.example/other"))) == 3


def test_half_a_character_costs_no_row() -> None:
    assert "?灯会" in exported(SafeCsvItemExporter, {"title": "\ud83d灯会"})


@pytest.mark.parametrize(
    "cell", ["=1", "+1", "-5℃", "@sum", "\t=1", "\n=1", ' "=1', "\xa0=1", "\u200b=1", "＝1", "＋1"]
)
def test_formulas_are_taken_for_text(cell: str) -> None:
    row = next(csv.DictReader(io.StringIO(exported(SafeCsvItemExporter, {"a": cell}), newline="")))
    assert row["a"] == f"'{cell}"


def test_numbers_and_other_texts_stay_as_they_are() -> None:
    row = next(csv.DictReader(io.StringIO(exported(SafeCsvItemExporter, {"a": -3, "b": "1-2=x", "c": ""}))))
    assert row == {"a": "-3", "b": "1-2=x", "c": ""}


def test_in_a_csv_of_the_project_only_docviews_are_guarded() -> None:
    docview = replace(RECORD, title="=1+1")
    assert "'=1+1" in exported(DocviewCsvItemExporter, docview)
    assert "'=1+1" in exported(DocviewCsvItemExporter, {"name": "=1+1", "docview": docview})
    assert "'" not in exported(DocviewCsvItemExporter, {"name": "=1+1", "temperature": "-5"})
    assert "?灯会" in exported(DocviewCsvItemExporter, {"title": "\ud83d灯会"})


def test_an_empty_feed_is_well_formed() -> None:
    file = io.BytesIO()
    feed = EadItemExporter(file)
    feed.start_exporting()
    feed.finish_exporting()
    etree.fromstring(file.getvalue())


def test_the_schema_in_the_documentation_is_current() -> None:
    kept = Path(__file__).parent.parent / "docs" / "docview.schema.json"
    assert json.loads(kept.read_text("utf-8")) == docview_schema(), (
        "python -m webprep_spider.schema > docs/docview.schema.json"
    )


def test_the_schema_names_every_key_of_a_record() -> None:
    schema = docview_schema()
    record = docview(page()).to_dict()
    assert set(schema["required"]) == set(record) == set(schema["properties"])
    assert set(schema["required"][:8]) == {
        "identifier", "type", "content_class", "title", "keywords", "abstract", "body", "related_links",
    }  # fmt: skip


def test_a_record_survives_json() -> None:
    again = DocView.from_dict(json.loads(json.dumps(RECORD.to_dict())))
    assert again == RECORD
