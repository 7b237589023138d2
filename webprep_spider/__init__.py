"""A Scrapy add-on that finds hub pages first, cleans each page, removes near-duplicates and emits docviews.

The public names are loaded on first use, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from webprep_spider.addon import Addon
    from webprep_spider.docview import DocView, Link
    from webprep_spider.exceptions import ModelError, PageError, StoreError
    from webprep_spider.hub.model import HubModel
    from webprep_spider.replicas.fingerprint import fingerprints
    from webprep_spider.replicas.identity import canonical_url
    from webprep_spider.replicas.opening import open_store
    from webprep_spider.replicas.verdict import Verdict
    from webprep_spider.road import prepare
    from webprep_spider.rules import Rules

__version__ = "0.1.0"

_HOMES = {
    "Addon": "addon",
    "DocView": "docview",
    "HubModel": "hub.model",
    "Link": "docview",
    "ModelError": "exceptions",
    "PageError": "exceptions",
    "Rules": "rules",
    "StoreError": "exceptions",
    "Verdict": "replicas.verdict",
    "canonical_url": "replicas.identity",
    "fingerprints": "replicas.fingerprint",
    "open_store": "replicas.opening",
    "prepare": "road",
}

__all__ = [
    "Addon",
    "DocView",
    "HubModel",
    "Link",
    "ModelError",
    "PageError",
    "Rules",
    "StoreError",
    "Verdict",
    "canonical_url",
    "fingerprints",
    "open_store",
    "prepare",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
