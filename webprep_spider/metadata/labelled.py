"""Labelled texts for the content classifier, from a folder or a JSON Lines file; pages among them are cleaned first."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webprep_spider.exceptions import PageError
from webprep_spider.metadata.class_training import LabelledText
from webprep_spider.metadata.declared import read_declared
from webprep_spider.metadata.title import choose_title
from webprep_spider.page.clean import clean
from webprep_spider.page.parse import parse_page

if TYPE_CHECKING:
    from collections.abc import Iterator

_NOWHERE = "http://page.invalid/page.html"


def read_labelled(path: str) -> list[LabelledText]:
    """Texts with their labels.

    ``path`` is a folder with a folder of ``.txt`` and ``.html`` files per class, or a ``.jsonl`` (``.jsonl.xz``) file
    whose objects have ``label`` and either ``html`` (with ``url``) or ``text`` (with ``title``), and may have
    ``split``: ``train``, ``dev`` or ``test``. Pages that cannot be read are left out.

    :raises ValueError: if there is nothing to read, or a line is not such an object; the message names the place.
    """
    source = Path(path)
    if source.is_dir():
        texts = list(_of_folder(source))
    elif source.is_file():
        texts = list(_of_lines(source))
    else:
        raise ValueError(f"{path}: no such file or folder")
    if not texts:
        raise ValueError(f"{path}: no labelled texts in it")
    return texts


def _of_folder(folder: Path) -> Iterator[LabelledText]:
    for file in sorted(folder.glob("*/*")):
        label = file.parent.name
        if file.suffix == ".txt":
            title, _, text = file.read_text(encoding="utf-8", errors="replace").strip().partition("\n")
            yield LabelledText(label, title, text)
        elif file.suffix in (".html", ".htm") and (page := _cleaned(file.read_bytes(), _NOWHERE, label)):
            yield page


def _of_lines(file: Path) -> Iterator[LabelledText]:
    with lzma.open(file, "rt", encoding="utf-8") if file.suffix == ".xz" else file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row: dict[str, Any] = json.loads(line)
                label, split = str(row["label"]), str(row.get("split") or "")
                if row.get("html"):
                    if page := _cleaned(str(row["html"]), str(row.get("url") or _NOWHERE), label, split):
                        yield page
                else:
                    yield LabelledText(label, str(row.get("title") or ""), str(row["text"]), split)
            except (ValueError, KeyError, AttributeError, TypeError) as error:
                raise ValueError(f"{file}, line {number}: not a labelled text: {error!r}") from None


def _cleaned(html: str | bytes, url: str, label: str, split: str = "") -> LabelledText | None:
    try:
        page = parse_page(html, url)
    except PageError:
        return None
    cleaned = clean(page)
    title = choose_title(read_declared(page.root, url), cleaned.blocks, url, cleaned.body)
    return LabelledText(label, title, cleaned.body, split)
