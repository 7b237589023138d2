"""The quality gate: each measure over the pages in ``floors/pages.toml`` must not fall below its floor."""

from __future__ import annotations

import re
import tomllib
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pytest

from webprep_spider.page.clean import Cleaned, clean
from webprep_spider.page.parse import parse_page

# Raise a floor when the measure has risen for good; lowering one needs a reason in the commit message.
FLOORS = {"body": 0.97, "worst_body": 0.88, "type": 1.0, "snippets": 1.0}
PAGES: dict[str, Any] = tomllib.loads((Path(__file__).parent / "floors" / "pages.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def cleaned() -> dict[str, Cleaned]:
    return {name: clean(parse_page(page["html"], page["url"])) for name, page in PAGES.items()}


def tokens(text: str) -> list[str]:
    return re.findall(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+", text)


def body_f1(wanted: str, found: str) -> float:
    matcher = SequenceMatcher(None, tokens(wanted), tokens(found), autojunk=False)
    return matcher.ratio()


def test_body(cleaned: dict[str, Cleaned]) -> None:
    scores = {name: body_f1(page["body"], cleaned[name].body) for name, page in PAGES.items() if "body" in page}
    assert sum(scores.values()) / len(scores) >= FLOORS["body"], scores
    assert min(scores.values()) >= FLOORS["worst_body"], scores


def test_page_type(cleaned: dict[str, Cleaned]) -> None:
    right = [cleaned[name].type == page["type"] for name, page in PAGES.items()]
    assert sum(right) / len(right) >= FLOORS["type"], {name: cleaned[name].type for name in PAGES}


def test_snippets(cleaned: dict[str, Cleaned]) -> None:
    found = [snippet in cleaned[name].body for name, page in PAGES.items() for snippet in page.get("must", ())]
    found += [snippet not in cleaned[name].body for name, page in PAGES.items() for snippet in page.get("must_not", ())]
    assert sum(found) / len(found) >= FLOORS["snippets"]


def test_pictures(cleaned: dict[str, Cleaned]) -> None:
    for name, page in PAGES.items():
        if "images" in page:
            assert len(cleaned[name].images) == page["images"]


def test_cleaning_invents_no_text(cleaned: dict[str, Cleaned]) -> None:
    for name, page in PAGES.items():
        source = "".join("".join(parse_page(page["html"], page["url"]).root.itertext()).split())
        for line in cleaned[name].body.split("\n"):
            assert "".join(line.split()) in source


def test_preformatted_text_is_kept_as_written(cleaned: dict[str, Cleaned]) -> None:
    assert "for row in rows:\n    print(row)" in cleaned["blog-code-en"].body
