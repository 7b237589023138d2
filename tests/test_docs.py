"""What the documents say is what there is."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from webprep_spider.config import Config
from webprep_spider.page.clean import REASONS

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
CODE = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.glob("webprep_spider/**/*.py"))


def document(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def test_each_verdict_of_a_block_is_explained() -> None:
    table = document("docview.md").partition("Each verdict is one word:")[2].partition("##")[0]
    named = [word for row in re.findall(r"^\| (`.+?) \|", table, re.M) for word in re.findall(r"`(\w+)`", row)]
    assert sorted(named) == sorted(REASONS)


def test_each_setting_is_explained_and_no_other() -> None:
    named = set(re.findall(r"^\| `(WEBPREP_\w+)`", document("settings.md"), re.M))
    assert named == {f"WEBPREP_{field.name.upper()}" for field in fields(Config)}


def test_each_family_of_stats_is_explained_and_no_other() -> None:
    named = set(re.findall(r"`webprep/(\w+)", document("stats.md")))
    assert named == set(re.findall(r"[\"']webprep/(\w+)", CODE))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_the_documents_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        assert "://" in target or (path.parent / target).exists(), target
