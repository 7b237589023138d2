"""The rooms of the house: what may import what, and what the face costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "webprep_spider"
ROOMS = {PACKAGE / room for room in ("hub", "page", "metadata", "replicas", "stories")}
FILES = {"docview.py", "road.py", "rules.py", "stories.py", "export.py"}
CORE = [
    path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.parent in ROOMS or (path.parent == PACKAGE and path.name in FILES)
]
SHELL = {"scrapy", "twisted", "redis", "itemadapter"}
LAZY = {"sklearn", "jieba", "rjieba", "matplotlib", "scipy", "htmldate"}


def imports(path: Path, *, top_level_only: bool = False) -> set[str]:
    tree = ast.parse(path.read_text("utf-8"))
    nodes = tree.body if top_level_only else list(ast.walk(tree))
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


@pytest.mark.parametrize("path", CORE, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_core_does_not_know_the_shell(path: Path) -> None:
    allowed = {"redis"} if path.name == "redis.py" else set()
    roots = {name.partition(".")[0] for name in imports(path)} - allowed
    assert not roots & SHELL


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_heavy_libraries_are_imported_where_they_are_used(path: Path) -> None:
    assert not {name.partition(".")[0] for name in imports(path, top_level_only=True)} & LAZY


def loaded_after(code: str) -> set[str]:
    script = f"{code}\nimport sys; print('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=PACKAGE.parent
    )
    return {line.partition(".")[0] for line in done.stdout.splitlines()}


def test_importing_the_package_is_cheap() -> None:
    assert not loaded_after("import webprep_spider") & (LAZY | SHELL | {"numpy", "lxml"})


def test_scrapy_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom scrapy.cmdline import execute\nsys.argv = ['scrapy']\ntry: execute()\nexcept SystemExit: pass"
    )
    loaded = loaded_after(code)
    assert "webprep_spider" in loaded
    assert not loaded & (LAZY | {"numpy", "redis"})


def test_the_public_face_is_whole() -> None:
    import webprep_spider

    for name in webprep_spider.__all__:
        assert getattr(webprep_spider, name) is not None
    assert sorted(webprep_spider.__all__) == webprep_spider.__all__


def test_the_project_settings_are_ours() -> None:
    from settings import base

    assert base.BOT_NAME == "webprep_spider"
