"""The docview in Dublin Core and in EAD (S4.D1). What is written is well-formed XML, whatever a page holds.

=============  ===========================  =================================================
element        Dublin Core                  EAD 2002
=============  ===========================  =================================================
identifier     identifier                   did/unitid
type           type                         controlaccess/genreform
content class  subject                      controlaccess/subject
title          title                        did/unittitle
keywords       subject                      controlaccess/subject
abstract       description                  did/abstract
body           (the resource itself)        (the resource itself)
related links  relation                     relatedmaterial/p/extref
=============  ===========================  =================================================

Besides: author as creator and origination/persname, date as date and did/unitdate, language as language and
did/langmaterial, source as publisher and did/repository.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lxml import etree

if TYPE_CHECKING:
    from webprep_spider.docview import DocView

DC = "http://purl.org/dc/elements/1.1/"
OAI_DC = "http://www.openarchives.org/OAI/2.0/oai_dc/"
EAD = "urn:isbn:1-931666-22-9"
XLINK = "http://www.w3.org/1999/xlink"
EAD_PREFIXES: Any = {None: EAD, "xlink": XLINK}

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_dublin_core(docview: DocView) -> str:
    """One record as an XML document."""
    return _document(dublin_core_element(docview))


def to_ead(docview: DocView) -> str:
    """One record as an EAD document that describes a single item."""
    root = etree.Element(f"{{{EAD}}}ead", nsmap=EAD_PREFIXES)
    ead_header(root, docview.title or docview.identifier)
    description = ead_element(docview, "archdesc")
    root.append(description)
    return _document(root)


def dublin_core_element(docview: DocView) -> Any:
    """The ``oai_dc:dc`` element of a record."""
    root = etree.Element(f"{{{OAI_DC}}}dc", nsmap={"oai_dc": OAI_DC, "dc": DC})
    values = [
        ("identifier", docview.identifier),
        ("type", docview.type),
        ("title", docview.title),
        *(("subject", label) for label, _ in docview.content_class),
        *(("subject", word) for word, _ in docview.keywords),
        ("description", docview.abstract),
        ("creator", docview.author),
        ("publisher", docview.source),
        ("date", docview.published.isoformat() if docview.published else ""),
        ("language", docview.language),
        ("format", "text/html"),
        *(("relation", link.url) for link in docview.related_links),
    ]
    for name, value in values:
        if _legal(value).strip():
            _add(root, f"{{{DC}}}{name}", value)
    return root


def ead_element(docview: DocView, tag: str) -> Any:
    """The description of a record as an ``archdesc`` or a component (``c``) of level ``item``."""
    root = etree.Element(f"{{{EAD}}}{tag}", level="item", nsmap=EAD_PREFIXES)
    did = _add(root, _ead("did"))
    _add(did, _ead("unitid"), docview.identifier)
    if docview.title:
        _add(did, _ead("unittitle"), docview.title)
    if docview.published:
        _add(did, _ead("unitdate"), docview.published.isoformat(), normal=docview.published.date().isoformat())
    if docview.author:
        _add(_add(did, _ead("origination")), _ead("persname"), docview.author)
    if docview.source:
        _add(_add(did, _ead("repository")), _ead("corpname"), docview.source)
    if docview.language:
        _add(_add(did, _ead("langmaterial")), _ead("language"), docview.language)
    if docview.abstract:
        _add(did, _ead("abstract"), docview.abstract)
    access = _add(root, _ead("controlaccess"))
    _add(access, _ead("genreform"), docview.type)
    for label, _ in docview.content_class:
        _add(access, _ead("subject"), label, source="class")
    for word, _ in docview.keywords:
        _add(access, _ead("subject"), word, source="keywords")
    if docview.related_links:
        related = _add(_add(root, _ead("relatedmaterial")), _ead("p"))
        for link in docview.related_links:
            reference = _add(related, _ead("extref"), link.text)
            reference.set(f"{{{XLINK}}}href", _legal(link.url))
            reference.set(f"{{{XLINK}}}type", "simple")
    return root


def ead_header(root: Any, title: str) -> None:
    """The ``eadheader`` every EAD document begins with."""
    header = _add(root, _ead("eadheader"))
    _add(header, _ead("eadid"), "webprep")
    statement = _add(_add(header, _ead("filedesc")), _ead("titlestmt"))
    _add(statement, _ead("titleproper"), title)


def _ead(name: str) -> str:
    return f"{{{EAD}}}{name}"


def _add(parent: Any, tag: str, text: str = "", **attributes: str) -> Any:
    element = etree.SubElement(parent, tag, attrib={name: _legal(value) for name, value in attributes.items()})
    element.text = _legal(text) or None
    return element


def _legal(text: str) -> str:
    """Without the characters that XML forbids: controls, lone surrogates, non-characters."""
    return _ILLEGAL.sub("", text)


def _document(root: Any) -> str:
    body: str = etree.tostring(root, encoding="unicode", pretty_print=True)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}'
