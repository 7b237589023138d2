"""Labelled texts for the content classifier, from a folder or a JSON Lines file; pages among them are cleaned first."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import TYPE_CHECKING

from webprep_spider.exceptions import PageError
from webprep_spider.metadata.class_training import LabelledText
from webprep_spider.metadata.declared import read_declared
from webprep_spider.metadata.title import choose_title
from webprep_spider.page.clean import clean
from webprep_spider.page.parse import parse_page

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES = ("label", "title", "text", "html", "url", "split")
_SPLITS = ("", "train", "dev", "valid", "test")
_NOWHERE = "http://page.invalid/page.html"


def read_labelled(path: str) -> list[LabelledText]:
    """Texts with their labels.

    ``path`` is a folder with a folder of ``.txt`` and ``.html`` files per class, or a ``.jsonl`` (``.jsonl.xz``) file
    whose objects have ``label`` and either ``html`` (with ``url``) or ``text`` (with ``title``), and may have
    ``split``: ``train``, ``dev`` or ``test``. Pages that cannot be read, and empty texts, are left out.

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
    for file in sorted(path for path in folder.glob("*/*") if path.is_file()):
        label = file.parent.name
        if file.suffix == ".txt":
            title, _, text = file.read_text(encoding="utf-8-sig", errors="replace").strip().partition("\n")
            yield LabelledText(label, title, text)
        elif file.suffix in (".html", ".htm") and (page := _cleaned(file.read_bytes(), _NOWHERE, label)):
            yield page


def _of_lines(file: Path) -> Iterator[LabelledText]:
    read = 0
    try:
        with lzma.open(file, "rb") if file.suffix == ".xz" else file.open("rb") as lines:
            for line in lines:
                if line.strip() and (text := _of_line(line.decode("utf-8-sig"))):
                    yield text
                read += 1
    except (ValueError, EOFError, lzma.LZMAError) as error:
        raise ValueError(f"{file}, line {read + 1}: not a labelled text: {error}") from None


def _of_line(line: str) -> LabelledText | None:
    row = json.loads(line)
    if not isinstance(row, dict):
        raise ValueError("no JSON object")
    if isinstance(row.get("label"), int):
        row["label"] = str(row["label"])
    if not row.get("label") or ("text" not in row and "html" not in row):
        raise ValueError("it has no label, or neither text nor html")
    label, title, text, html, url, split = (row.get(name) or "" for name in _NAMES)
    for name, value in zip(_NAMES, (label, title, text, html, url, split), strict=True):
        if not isinstance(value, str):
            raise ValueError(f"its {name} is not one text")
    if split not in _SPLITS:
        raise ValueError(f"its split is {split!r}, none of train, dev, valid, test")
    if html:
        return _cleaned(html, url, label, split)
    return LabelledText(label, title, text, split) if title or text else None


def _cleaned(html: str | bytes, url: str, label: str, split: str = "") -> LabelledText | None:
    url = url if url.startswith(("http://", "https://")) else _NOWHERE
    try:
        page = parse_page(html, url)
    except PageError:
        return None
    cleaned = clean(page)
    title = choose_title(read_declared(page.root, url), cleaned.blocks, url, cleaned.body)
    return LabelledText(label, title, cleaned.body, split)
