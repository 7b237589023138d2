"""The JSON Schema of a docview record, as :meth:`DocView.to_dict` gives it.

``python -m webprep_spider.schema > docs/docview.schema.json`` writes the copy that the documentation holds.
"""

from __future__ import annotations

import json
from dataclasses import fields
from datetime import datetime
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from webprep_spider.docview import SCHEMA_VERSION, DocView, Link

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


def docview_schema() -> dict[str, Any]:
    """A JSON Schema (2020-12). Every key is always there, empty when unknown; only ``href`` of a link may be absent."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"DocView, version {SCHEMA_VERSION}",
        "$defs": {"Link": {**_object(Link), "required": ["url", "text", "score"]}},
        **_object(DocView),
    }


def _object(record: type) -> dict[str, Any]:
    hints = get_type_hints(record)
    names = [f.name for f in fields(record)]
    return {"type": "object", "properties": {name: _type(hints[name]) for name in names}, "required": names}


def _type(hint: Any) -> dict[str, Any]:
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if hint is datetime:
        return {"type": "string", "format": "date-time"}
    if hint is Link:
        return {"$ref": "#/$defs/Link"}
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(parts)}
    if origin is list or (origin is tuple and parts[-1] is Ellipsis):
        return {"type": "array", "items": _type(parts[0])}
    if origin is tuple:
        return {"type": "array", "prefixItems": [_type(part) for part in parts], "items": False}
    return {"anyOf": [_type(part) for part in parts]}


if __name__ == "__main__":
    print(json.dumps(docview_schema(), indent=2))
