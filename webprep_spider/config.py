"""All ``WEBPREP_*`` settings, read and checked once."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args, get_origin, get_type_hints

from webprep_spider.exceptions import StartError
from webprep_spider.rules import DEFAULT_RULES, Rules

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

Emit: TypeAlias = Literal["beside", "docview", "nested"]
Focus: TypeAlias = Literal["hub", "topic", "balanced"]
ReplicaAction: TypeAlias = Literal["drop", "mark"]
StoreFailure: TypeAlias = Literal["close", "degrade"]
Unchanged: TypeAlias = Literal["emit", "drop"]

PAGE_TYPES = ("topic", "hub", "picture")
_STORE_SCHEMES = ("sqlite", "redis", "rediss", "redis+set", "rediss+set", "unix", "memory")
_NUMBER = re.compile(r"\+?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.I)


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one crawl as typed fields; ``docs/settings.md`` explains each of them."""

    enabled: bool = True
    store_url: str = "sqlite:///.webprep/store.db"
    store_failure: StoreFailure = "close"
    store_patience: int = 30
    store_lease: int = 60
    store_expire: int = 0
    emit: Emit = "beside"
    types: tuple[str, ...] = PAGE_TYPES
    html_field: str = ""
    url_field: str = "url"
    text_field: str = ""
    nested_field: str = "docview"
    body_html: bool = False
    replica_action: ReplicaAction = "drop"
    unchanged: Unchanged = "emit"
    dropped_feed: str = ""
    hub_model: str = "default"
    focus: Focus = "balanced"
    priority_step: int = 10
    trust: bool = True
    traps: bool = True
    class_model: str = "default"
    site_rules: str = ""
    summary: bool = True
    progress: bool = True
    rules: Rules = DEFAULT_RULES

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> Config:
        """Read and check every ``WEBPREP_*`` setting.

        :raises StartError: one message that lists every wrong setting, what was expected, and unknown names.
        """
        reader, usual = _Reader(settings), cls()
        config = cls(
            enabled=reader.flag("ENABLED", usual.enabled),
            store_url=reader.store_url("STORE_URL", usual.store_url),
            store_failure=cast(StoreFailure, reader.choice("STORE_FAILURE", get_args(StoreFailure))),
            store_patience=reader.whole("STORE_PATIENCE", usual.store_patience, low=0, high=3600),
            store_lease=reader.whole("STORE_LEASE", usual.store_lease, low=1, high=3600),
            store_expire=reader.whole("STORE_EXPIRE", usual.store_expire, low=0, high=36_500),
            emit=cast(Emit, reader.choice("EMIT", get_args(Emit))),
            types=reader.choices("TYPES", PAGE_TYPES),
            html_field=reader.text("HTML_FIELD"),
            url_field=reader.text("URL_FIELD", usual.url_field),
            text_field=reader.text("TEXT_FIELD"),
            nested_field=reader.text("NESTED_FIELD", usual.nested_field),
            body_html=reader.flag("BODY_HTML", usual.body_html),
            replica_action=cast(ReplicaAction, reader.choice("REPLICA_ACTION", get_args(ReplicaAction))),
            unchanged=cast(Unchanged, reader.choice("UNCHANGED", get_args(Unchanged))),
            dropped_feed=reader.text("DROPPED_FEED"),
            hub_model=reader.text("HUB_MODEL", usual.hub_model),
            focus=cast(Focus, reader.choice("FOCUS", get_args(Focus), usual.focus)),
            priority_step=reader.whole("PRIORITY_STEP", usual.priority_step, low=1, high=100),
            trust=reader.flag("TRUST", usual.trust),
            traps=reader.flag("TRAPS", usual.traps),
            class_model=reader.text("CLASS_MODEL", usual.class_model),
            site_rules=reader.readable("SITE_RULES"),
            summary=reader.flag("SUMMARY", usual.summary),
            progress=reader.flag("PROGRESS", usual.progress),
            rules=reader.rules(),
        )
        reader.finish()
        return config


class _Reader:
    """Reads settings one by one and remembers every complaint."""

    def __init__(self, settings: BaseSettings) -> None:
        self._settings = settings
        self._complaints: list[str] = []
        self._read = {"WEBPREP_FALLBACK_REQUEST_FINGERPRINTER_CLASS"}

    def _get(self, name: str, default: Any) -> Any:
        name = f"WEBPREP_{name}"
        self._read.add(name)
        value = self._settings.get(name)
        return default if value is None else value

    def _complain(self, name: str, value: Any, expected: str) -> None:
        self._complaints.append(f"WEBPREP_{name} = {value!r}: {expected}")

    def flag(self, name: str, default: bool) -> bool:
        value = self._get(name, default)
        text = str(value).strip().lower()
        if text in {"1", "true", "yes", "on"}:
            return True
        if text in {"0", "false", "no", "off", ""}:
            return False
        self._complain(name, value, "expected True or False")
        return default

    def text(self, name: str, default: str = "") -> str:
        value = self._get(name, default)
        if not isinstance(value, str | os.PathLike):
            self._complain(name, value, "expected a string")
            return default
        return os.fspath(value)

    def readable(self, name: str) -> str:
        path = self.text(name)
        if path and not os.access(path, os.R_OK):
            self._complain(name, path, "no such file, or not readable")
        return path

    def choice(self, name: str, allowed: tuple[str, ...], default: str | None = None) -> str:
        default = default or allowed[0]
        value = self._get(name, default)
        if value not in allowed:
            self._complain(name, value, f"expected one of {', '.join(allowed)}")
            return default
        return cast(str, value)

    def choices(self, name: str, allowed: tuple[str, ...]) -> tuple[str, ...]:
        value = self._get(name, allowed)
        names = value.split(",") if isinstance(value, str) else value
        try:
            chosen = tuple(str(one).strip() for one in names)
        except TypeError:
            chosen = ()
        if not chosen or any(one not in allowed for one in chosen):
            self._complain(name, value, f"expected some of {', '.join(allowed)}")
            return allowed
        return chosen

    def whole(self, name: str, default: int, *, low: int, high: int) -> int:
        value = self._get(name, default)
        try:
            number = int(value)
        except (TypeError, ValueError, OverflowError):
            number = low - 1
        if isinstance(value, bool) or (isinstance(value, float) and number != value) or not low <= number <= high:
            self._complain(name, value, f"expected a whole number from {low} to {high}")
            return default
        return number

    def store_url(self, name: str, default: str) -> str:
        url = self.text(name, default)
        scheme = url.partition(":")[0]
        if scheme not in _STORE_SCHEMES:
            self._complain(name, scheme, "expected sqlite:///PATH, redis://HOST:PORT/DB or memory:")
            return default
        return url

    def rules(self) -> Rules:
        """``WEBPREP_RULES = {"replica_share": 0.4}``: any field of :class:`Rules` by its name."""
        changes = self._get("RULES", {})
        try:
            changes = dict(self._settings.getdict("WEBPREP_RULES") if isinstance(changes, str) else changes)
        except (TypeError, ValueError):
            self._complain("RULES", changes, "expected rules by name, such as {'replica_share': 0.4}")
            return DEFAULT_RULES
        hints = get_type_hints(Rules)
        clean: dict[str, Any] = {}
        for name, value in changes.items():
            if name not in hints:
                self._complain("RULES", {name: value}, "no such rule; the fields of webprep_spider.Rules are the names")
                continue
            current = getattr(DEFAULT_RULES, name)
            if get_origin(hints[name]) is Literal:
                fits = value in get_args(hints[name])
                current = " or ".join(get_args(hints[name]))
            else:
                fits = bool(_NUMBER.fullmatch(str(value))) and not (name.endswith("_share") and float(value) > 1)
                value = type(current)(float(value)) if fits else value
            if fits:
                clean[name] = value
            else:
                self._complain("RULES", {name: value}, f"expected a value like {current!r}")
        return replace(DEFAULT_RULES, **clean)

    def finish(self) -> None:
        for name in self._settings:
            if str(name).startswith("WEBPREP_") and name not in self._read:
                self._complaints.append(f"{name}: no such setting; docs/settings.md lists them all")
        if self._complaints:
            raise StartError("wrong settings:\n  " + "\n  ".join(self._complaints))
