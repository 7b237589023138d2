"""Scrapy feed exporters: Dublin Core, EAD, and a CSV that is safe to open in a spreadsheet."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from io import SEEK_END
from typing import IO, TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from lxml import etree
from scrapy.exporters import BaseItemExporter, CsvItemExporter, JsonItemExporter, JsonLinesItemExporter
from scrapy.utils.serialize import ScrapyJSONEncoder

from webprep_spider.docview import DocView
from webprep_spider.export import DC, EAD, EAD_PREFIXES, OAI_DC, dublin_core_element, ead_element, ead_header

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

_FORMULA = re.compile(r"[\t\r\n]|[\s\"'\u200b-\u200f\u2060\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class _XmlRecordExporter(BaseItemExporter):
    """Streams one element a docview. Items that neither are nor hold a docview are passed over."""

    def __init__(self, file: IO[bytes], **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self._file: AbstractContextManager[Any] = etree.xmlfile(file, encoding="utf-8")
        self._open: list[AbstractContextManager[Any]] = []
        self._xml: Any = None

    def start_exporting(self) -> None:
        self._xml = self._file.__enter__()
        self._xml.write_declaration()

    def finish_exporting(self) -> None:
        while self._open:
            self._open.pop().__exit__(None, None, None)
        self._file.__exit__(None, None, None)

    def export_item(self, item: Any) -> None:
        docview = _docview_of(item)
        if docview is not None:
            self._xml.write(self.element(docview), pretty_print=True)
            self._xml.flush()

    def element(self, docview: DocView) -> Any:
        raise NotImplementedError

    def _enter(self, tag: str, **options: Any) -> None:
        element = self._xml.element(tag, **options)
        element.__enter__()
        self._open.append(element)


class DublinCoreItemExporter(_XmlRecordExporter):
    """A ``records`` element that holds one ``oai_dc:dc`` a docview."""

    def start_exporting(self) -> None:
        super().start_exporting()
        self._enter("records", nsmap={"oai_dc": OAI_DC, "dc": DC})

    def element(self, docview: DocView) -> Any:
        return dublin_core_element(docview)


class EadItemExporter(_XmlRecordExporter):
    """One EAD document: the crawl is a collection, each docview a component of it."""

    def start_exporting(self) -> None:
        super().start_exporting()
        self._enter(f"{{{EAD}}}ead", nsmap=EAD_PREFIXES)
        holder = etree.Element("holder", nsmap=EAD_PREFIXES)
        ead_header(holder, "Web pages")
        self._xml.write(holder[0])
        self._enter(f"{{{EAD}}}archdesc", level="collection")
        did = etree.Element(f"{{{EAD}}}did", nsmap=EAD_PREFIXES)
        etree.SubElement(did, f"{{{EAD}}}unittitle").text = "Web pages"
        self._xml.write(did)
        self._enter(f"{{{EAD}}}dsc", type="combined")

    def element(self, docview: DocView) -> Any:
        return ead_element(docview, "c")


def _docview_of(item: Any) -> DocView | None:
    """The item itself, or what it holds under ``docview``."""
    if not isinstance(item, DocView):
        item = ItemAdapter(item).get("docview") if ItemAdapter.is_item(item) else None
    if isinstance(item, dict):
        try:
            return DocView.from_dict(item)
        except ValueError:
            return None
    return item if isinstance(item, DocView) else None


class SafeCsvItemExporter(CsvItemExporter):
    """Scrapy's CSV with an apostrophe before cells that a spreadsheet would take for a formula, since the texts are
    other people's: those that begin with ``=``, ``+``, ``-``, ``@`` (also full width, or behind blanks and quotes), a
    tab or a line end. Numbers stay numbers, JSON feeds stay exact. What UTF-8 cannot hold becomes a question mark."""

    def __init__(self, file: Any, **kwargs: Any) -> None:
        super().__init__(file, **{"errors": "replace", **kwargs})
        self._guarded = True

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        cell = super().serialize_field(field, name, value)
        return f"'{cell}" if self._guarded and isinstance(cell, str) and _FORMULA.match(cell) else cell


class DocviewCsvItemExporter(SafeCsvItemExporter):
    """The same for docviews and items that hold one; other items of the project stay as they are."""

    def export_item(self, item: Any) -> None:
        self._guarded = _docview_of(item) is not None
        super().export_item(item)


class _WholeEncoder(ScrapyJSONEncoder):
    """Writes halves of surrogate pairs as the escapes that JSON has for them, where UTF-8 has nothing."""

    def encode(self, o: Any) -> str:
        return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", super().encode(o))


class SafeJsonItemExporter(JsonItemExporter):
    """Scrapy's JSON, but a character that UTF-8 cannot hold costs no item."""

    def __init__(self, file: Any, **kwargs: Any) -> None:
        super().__init__(file, **kwargs)
        self.encoder = _WholeEncoder(**self._kwargs)


class SafeJsonLinesItemExporter(JsonLinesItemExporter):
    """Scrapy's JSON lines, but a character that UTF-8 cannot hold costs no item. A file that is continued after a crash
    is mended first, and a docview that came into it just before is not written again."""

    def __init__(self, file: Any, **kwargs: Any) -> None:
        super().__init__(file, **kwargs)
        self.encoder = _WholeEncoder(**self._kwargs)
        self._last: list[tuple[str, list[str]]] = []

    def start_exporting(self) -> None:
        super().start_exporting()
        self._last = mend_end(self.file)

    def export_item(self, item: Any) -> None:
        # A page whose docview was written before the store could be told of it is new to the store.
        known = isinstance(item, DocView) and (item.identifier, list(item.fingerprints)) in self._last
        if not known or "unchanged" in item.flags:
            super().export_item(item)


def mend_end(feed: Any) -> list[tuple[str, list[str]]]:
    """Mend the end of a local feed of JSON lines: the next line would be glued to what a crash or a full disk left of
    the last one.

    :return: identifier and fingerprints of the last docviews in it.
    """
    path = getattr(feed, "name", None)
    last: list[tuple[str, list[str]]] = []
    with suppress(OSError), open(path if isinstance(path, str) else "", "r+b") as file:
        end = begin = file.seek(0, SEEK_END)
        tail = b""
        while begin and tail.count(b"\n") < 2:
            step = min(begin, 65_536)
            begin = file.seek(begin - step)
            tail = file.read(step) + tail
        *lines, torn = tail.split(b"\n")
        for line in lines[1 if begin else 0 :]:
            with suppress(ValueError, TypeError, KeyError):
                record = json.loads(line)
                last.append((record["identifier"], record["fingerprints"]))
        try:
            json.loads(torn or b"0")
        except ValueError:
            file.truncate(end - len(torn))
        else:
            file.seek(end)
            file.write(b"\n" if torn else b"")
    return last
