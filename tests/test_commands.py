"""The commands, called as ``scrapy`` calls them but without a process for each."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from lxml import etree
from scrapy.cmdline import execute
from scrapy.settings import Settings

from tests.site import Answer, Site
from tests.test_crawl import article, paragraphs
from webprep_spider.commands.hub_score import HubScoreCommand

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAGE = article("渡口的一天", paragraphs("渡口"))

Run = tuple[int, str, str]


@pytest.fixture
def scrapy(capsys: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    """Runs a command; gives its exit code, what it printed, and what it complained."""

    def run(*args: str) -> Run:
        with pytest.raises(SystemExit) as end:
            execute(["scrapy", *args], Settings())
        out, err = capsys.readouterr()
        return int(end.value.code or 0), out, err

    return run


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(PAGE, encoding="utf-8")
    return path


def test_docview_of_a_file_is_readable(scrapy: Callable[..., Run], page: Path) -> None:
    code, out, _ = scrapy("docview", str(page), "--url", "http://a.example/2026/0518/1.html")
    assert code == 0
    assert "渡口的一天" in out
    assert paragraphs("渡口")[3] in out
    assert "版权所有" not in out


def test_docview_as_a_record(scrapy: Callable[..., Run], page: Path) -> None:
    record = json.loads(scrapy("docview", "--json", str(page), "--url", "http://a.example/1.html?utm_source=x")[1])
    assert record["identifier"] == "http://a.example/1.html"
    assert record["title"] == "渡口的一天"


@pytest.mark.parametrize("form", ["dc", "ead"])
def test_docview_as_xml(scrapy: Callable[..., Run], page: Path, form: str) -> None:
    from lxml import etree

    out = scrapy("docview", "--format", form, str(page))[1]
    assert "渡口的一天" in "".join(etree.fromstring(out.encode()).itertext())


def test_docview_of_an_address(scrapy: Callable[..., Run]) -> None:
    with Site(
        {"/1.html": Answer(article("旧粮仓", paragraphs("粮仓"), "gbk").encode("gbk"), content_type="text/html")}
    ) as site:
        code, out, _ = scrapy("docview", site.url + "/1.html")
    assert code == 0
    assert paragraphs("粮仓")[0] in out
    assert "gb18030" in out


def test_docview_explains_itself(scrapy: Callable[..., Run], page: Path, tmp_path: Path) -> None:
    scrapy("docview", str(page), "--explain", str(tmp_path / "why.html"))
    told = (tmp_path / "why.html").read_text("utf-8")
    assert "版权所有" in told
    assert paragraphs("渡口")[0] in told
    assert "http://" not in told.replace("http://localhost", "")  # nothing is loaded from elsewhere


def test_docview_with_rules_for_a_site(scrapy: Callable[..., Run], page: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('["a.example"]\nbody = ".foot"\nnoise = ".gone"\n', encoding="utf-8")
    code, out, err = scrapy("docview", str(page), "--url", "http://www.a.example/1.html", "--check", str(rules))
    assert code == 0
    assert "版权所有" in out
    assert ".foot: 1 found" in err
    assert ".gone: finds nothing" in err


def test_a_console_that_knows_no_chinese_ends_no_command(page: Path, tmp_path: Path) -> None:
    def run(*args: str, given: bytes = b"") -> str:
        plain = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
        command = [sys.executable, "-m", "scrapy", *args]
        environment = {**os.environ, **plain}
        done = subprocess.run(command, input=given, capture_output=True, env=environment, cwd=tmp_path, check=True)
        return done.stdout.decode("ascii")

    assert json.loads(run("docview", str(page), "--json"))["title"] == "渡口的一天"
    assert "渡口的一天" in "".join(etree.fromstring(run("docview", str(page), "--format", "dc").encode()).itertext())
    assert "\\u6e21" in run("docview", str(page))
    assert run("hub-score", "-", given="http://a.example/新闻/\n".encode()).startswith("hub")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["nowhere.html"], "nowhere.html"),
        (["http://127.0.0.1:1/"], "refused"),
        (["http://[::1/"], "Invalid IPv6 URL"),
        ([], "one file or one address"),
    ],
)
def test_docview_says_what_is_wrong(scrapy: Callable[..., Run], args: list[str], told: str) -> None:
    code, _, err = scrapy("docview", *args)
    assert code != 0
    assert told in err
    assert "Traceback" not in err


def test_docview_of_standard_input_keeps_a_password_to_itself(
    scrapy: Callable[..., Run], page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with page.open(encoding="utf-8") as given:
        monkeypatch.setattr("sys.stdin", given)
        code, out, _ = scrapy("docview", "-", "--json", "--url", "http://user:geheim@a.example/1.html")
    assert code == 0
    assert json.loads(out)["title"] == "渡口的一天"
    assert "geheim" not in out


def test_a_reader_who_has_read_enough_is_no_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = HubScoreCommand()
    with monkeypatch.context() as patch, os.fdopen(writing, "w") as pipe:
        patch.setattr("sys.stdout", pipe)
        command.run(["http://a.example/"], argparse.Namespace(model="seed", text="", referrer=None))
    assert command.exitcode == 1
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[" * 100_000, b'{"webprep_store": 1}'])
def test_what_is_no_export_of_a_store_is_named(scrapy: Callable[..., Run], tmp_path: Path, content: bytes) -> None:
    (tmp_path / "given.jsonl").write_bytes(content)
    code, _, err = scrapy("store", "import", str(tmp_path / "given.jsonl"), f"sqlite:///{tmp_path}/new.db")
    assert code == 1
    assert "given.jsonl: line 1 is not from the export of a store" in err


def test_hub_score(scrapy: Callable[..., Run]) -> None:
    hub, topic = "http://news.a.example/china/", "http://news.a.example/2026/05/18/t20260518_1001.shtml"
    code, out, _ = scrapy("hub-score", hub, topic, "javascript:void(0)")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["hub", "topic", "invalid"]


def test_hub_score_names_a_bad_model(scrapy: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "half.npz").write_bytes(b"PK\x03\x04")
    code, _, err = scrapy("hub-score", "--model", str(tmp_path / "half.npz"), "http://a.example/")
    assert code == 1
    assert "half.npz" in err
