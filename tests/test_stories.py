from __future__ import annotations

import json
import random
from hashlib import sha1
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy.settings import Settings

from webprep_spider import DocView, open_store
from webprep_spider.commands.store import StoreCommand
from webprep_spider.commands.stories import StoriesCommand
from webprep_spider.replicas.classes import WINDOW, centres_of, connected_classes, divide_loose, incidence, lloyd
from webprep_spider.rules import Rules
from webprep_spider.stories import StoryPage, group, group_by_words, read_pages
from webprep_spider.story_report import report_html, report_json, report_text

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any


def prints(words: str) -> tuple[str, ...]:
    return tuple(sha1(word.encode()).hexdigest() for word in words)


def page(name: str, words: str, **more: str) -> StoryPage:
    return StoryPage(name, more.get("title", f"title of {name}"), prints(words), more.get("text", ""))


def members(pages: list[StoryPage], rules: Rules | None = None, **options: bool) -> list[tuple[str, ...]]:
    return [story.members for story in group(pages, rules or Rules(), **options).stories]


PAGES = [
    page("a1", "abcdefghij"),
    page("a2", "abcdefghxy"),
    page("a3", "cdefghxyzw"),
    page("b1", "0123456789"),
    page("b2", "012345678k"),
    page("alone", "ABCDEFGHIJ"),
    page("empty", ""),
]


def test_pages_that_share_enough_are_one_story_in_chains_too() -> None:  # S0.S4
    assert members(PAGES, Rules(class_share=0.6)) == [("a1", "a2", "a3"), ("b1", "b2"), ("alone",), ("empty",)]


def test_worked_example_of_the_method() -> None:  # S0.S5
    pages = [page("A", "1234"), page("B", "1256")]
    assert members(pages, Rules(class_share=0.5)) == [("A", "B")]
    assert members(pages, Rules(class_share=0.6)) == [("A",), ("B",)]


def test_a_story_is_named_after_the_page_that_shares_most() -> None:  # S0.K3
    story = group(PAGES, Rules(class_share=0.6)).stories[0]
    assert (story.identifier, story.title) == ("a2", "title of a2")
    assert story.to_dict() == {"story": "a2", "title": "title of a2", "size": 3, "members": ["a1", "a2", "a3"]}


def test_docviews_can_be_grouped_as_they_are() -> None:
    docviews = [DocView("x", title="t", fingerprints=prints("abc")), DocView("y", fingerprints=prints("abd"))]
    assert group(docviews).stories[0].members == ("x", "y")


@settings(max_examples=40)
@given(st.lists(st.text("abcdefghijkl", max_size=6), max_size=25), st.randoms(), st.booleans(), st.booleans())
def test_the_order_of_the_pages_does_not_matter(
    texts: list[str], chance: random.Random, kmeans: bool, split_loose: bool
) -> None:
    pages = [page(str(number), text) for number, text in enumerate(texts)]
    shuffled = chance.sample(pages, len(pages))
    one, other = (group(each, kmeans=kmeans, split_loose=split_loose) for each in (pages, shuffled))
    assert one == other
    assert sorted(member for story in one.stories for member in story.members) == sorted(
        str(n) for n in range(len(texts))
    )


@settings(max_examples=40)
@given(st.lists(st.text("abcdefghijkl", max_size=6), min_size=1, max_size=25), st.sampled_from([0.2, 0.4, 0.6]))
def test_classes_are_those_of_comparing_all_pairs(texts: list[str], share: float) -> None:
    sets = [set(text) for text in texts]
    labels = list(range(len(sets)))
    for i, one in enumerate(sets):
        for j, other in enumerate(sets[:i]):
            if one and other and len(one & other) / max(len(one), len(other)) >= share:
                labels = [labels[j] if label == labels[i] else label for label in labels]
    found = connected_classes(incidence(map(prints, texts)), share)
    assert len(set(zip(labels, found.tolist(), strict=True))) == len(set(labels)) == len(set(found.tolist()))


def test_what_all_pages_share_joins_none_and_hides_none() -> None:
    common = "!$%"
    pages = [
        page(f"{number:03}", common + "".join(chr(1000 + 10 * number + i) for i in range(7))) for number in range(300)
    ]
    pages += [
        page(f"copy of {number:03}", common + "".join(chr(1000 + 10 * number + i) for i in range(7)))
        for number in range(5)
    ]
    grouping = group(pages)
    assert grouping.classes == 300
    assert [len(story.members) for story in grouping.stories[:6]] == [2, 2, 2, 2, 2, 1]


def test_pages_under_one_long_disclaimer_are_not_one_story() -> None:
    def article(number: int) -> str:
        return "!$%&" + "".join(chr(1000 + 10 * number + i) for i in range(5))

    pages = [page(f"{number:03}", article(number)) for number in range(200)]
    pages += [page(f"copy of {number:03}", article(number)) for number in range(3)]
    grouping = group(pages)
    assert grouping.classes == 200
    assert [len(story.members) for story in grouping.stories[:4]] == [2, 2, 2, 1]


def test_a_story_larger_than_any_window_stays_whole() -> None:
    pages = [page(f"{number:03}", "abcdefghi" + chr(1000 + number)) for number in range(5 * WINDOW)]
    assert [len(story.members) for story in group(pages).stories] == [5 * WINDOW]


def test_j_never_rises_and_every_class_has_its_centre() -> None:  # S0.K4
    chance = random.Random(1)
    pages = [page(str(n), "".join(chance.sample("abcdefghijklmnopqrst", 6))) for n in range(120)]
    matrix = incidence(each.fingerprints for each in pages)
    classes = connected_classes(matrix, 0.5)
    for centres in (centres_of(matrix, classes), matrix[:10], matrix[[0] * 5]):
        labels, inertia = lloyd(matrix, centres)
        assert all(later <= earlier + 1e-3 for earlier, later in pairwise(inertia))
        assert (labels >= 0).all()


def test_k_means_is_the_textbook_one() -> None:
    from sklearn.cluster import KMeans

    chance = random.Random(2)
    pages = [
        "".join(chance.sample(story, 6)) + chance.choice("xyz")
        for story in ("abcdefgh", "ijklmnop", "12345678")
        for _ in range(20)
    ]
    matrix = incidence(map(prints, pages))
    labels, inertia = lloyd(matrix, matrix[[0, 20, 40]])
    usual = KMeans(3, init=matrix[[0, 20, 40]].toarray(), n_init=1).fit(matrix.toarray())
    assert np.array_equal(labels, usual.labels_)
    assert inertia[-1] == pytest.approx(usual.inertia_, rel=1e-4)


def test_a_page_that_shares_nothing_with_any_centre_stays_alone() -> None:
    matrix = incidence(map(prints, ["abcd", "abce", "wxyz", "1234"]))
    labels, _ = lloyd(matrix, matrix[[0]])
    assert labels.tolist() == [0, 0, 1, 2]


def test_loose_classes_can_be_divided() -> None:  # 7.15
    chain = [page(str(n), "".join(chr(97 + 2 * n + i) for i in range(5))) for n in range(10)]
    assert len(group(chain, Rules(class_share=0.6)).stories) == 1
    divided = group(chain, Rules(class_share=0.6), split_loose=True)
    assert len(divided.stories) > 2
    tight = np.array([0, 0, 0])
    assert divide_loose(incidence(map(prints, ["abcd", "abce", "abcf"])), tight, 0.5).tolist() == [0, 0, 0]


def test_words_group_pages_without_common_sentences() -> None:
    texts = ["古桥修缮工程今天完工通车", "通车的古桥修缮工程", "the price of tea rose again", "tea price rose"]
    pages = [StoryPage(str(number), text=text) for number, text in enumerate(texts)]
    assert [story.members for story in group_by_words(pages, 2).stories] == [("0", "1"), ("2", "3")]
    assert len(group_by_words([StoryPage("a"), StoryPage("b")], 2).stories) == 2


# -- reading ---------------------------------------------------------------------------------------------------------


def line(name: str, words: str = "abc", **more: Any) -> str:
    return json.dumps({"identifier": name, "title": name, "fingerprints": prints(words), **more}) + "\n"


def test_damaged_lines_are_named_and_the_good_ones_kept() -> None:
    lines = [line("a"), "\n", line("b"), "[1]\n", line("a"), '{"title": "no identifier"}\n', line("c")[:20]]
    reading = read_pages(lines)
    assert [each.identifier for each in reading.pages] == ["a", "b"]
    assert [fault.partition(":")[0] for fault in reading.faults] == ["line 4", "line 5", "line 6", "line 7"]
    assert "on line 1 already" in reading.faults[1]
    assert "cut off" in reading.faults[3]


def test_missing_fields_are_made_up_for() -> None:
    body = "这一句话足够长可以算作指纹。" * 3 + "另外一句话也足够长可以算作指纹。" * 3
    reading = read_pages([json.dumps({"identifier": "a", "body": body, "title": None}) + "\n"])
    assert len(reading.pages[0].fingerprints) == 2
    assert "no fingerprints" in reading.faults[0]


def test_an_empty_file_is_said_to_be_empty() -> None:
    assert read_pages([]).faults == read_pages(["\n"]).faults == ["the file is empty"]


# -- reports and commands --------------------------------------------------------------------------------------------


def test_reports_say_the_same() -> None:
    pages = [*PAGES, page("x1", "XYZ", title="<b>&\x1b[31m"), page("x2", "XYZ", title="<b>&\x1b[31m")]
    groupings = {"shared fingerprints": group(pages, Rules(class_share=0.6))}
    text, html = report_text(groupings), report_html(groupings)
    record = json.loads(report_json(groupings))
    assert "9 pages, 3 stories of two pages and more, 2 single pages" in text
    assert "\x1b" not in text
    assert record["ways"]["shared fingerprints"]["stories_by_size"] == {"1": 2, "2": 2, "3": 1}
    assert [story["size"] for story in record["largest"]] == [3, 2, 2]
    assert "<svg" in html
    assert "&lt;b&gt;" in html
    assert "<b>" not in html


def run_command(command: StoriesCommand | StoreCommand, *words: str) -> int:
    import argparse

    command.settings = Settings()
    parser = argparse.ArgumentParser()
    command.add_options(parser)
    options, rest = parser.parse_known_args(list(words))
    command.run(rest, options)
    return command.exitcode


def test_stories_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "docviews.jsonl", tmp_path / "stories.jsonl"
    source.write_text("".join([line("a", body="x"), line("b", "abd"), line("c", "xyz"), "{broken\n"]), "utf-8")
    report = tmp_path / "report.html"
    assert run_command(StoriesCommand(), str(source), "-o", str(out), "--words", "--report", str(report)) == 0
    stories = [json.loads(each) for each in out.read_text("utf-8").splitlines()]
    assert [(story["size"], story["members"]) for story in stories] == [(2, ["a", "b"]), (1, ["c"])]
    shown = capsys.readouterr()
    assert "line 4: not JSON" in shown.err
    assert "shared fingerprints: 3 pages, 1 stories" in shown.out
    assert "words (TF-IDF)" in report.read_text("utf-8")


@pytest.mark.parametrize("content", ["", "{", None])
def test_stories_command_without_pages_fails_with_a_line(
    content: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "docviews.jsonl"
    if content is not None:
        source.write_text(content)
    assert run_command(StoriesCommand(), str(source)) == 1
    assert str(source) in capsys.readouterr().err


def test_store_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import asyncio

    url, other = f"sqlite:///{tmp_path}/a.db", f"sqlite:///{tmp_path}/b.db"

    async def fill() -> None:
        async with open_store(url) as store:
            for name, words in (
                ("http://a.example/1", "abcdef"),
                ("http://a.example/2", "xyz"),
                ("http://b.example/", "123"),
            ):
                await store.claim(name, prints(words))
                await store.confirm(name)

    asyncio.run(fill())
    export = str(tmp_path / "export.jsonl")
    assert run_command(StoreCommand(), "export", url, "-o", export) == 0
    assert run_command(StoreCommand(), "import", export, other) == 0
    assert run_command(StoreCommand(), "forget", "a.example", other) == 0
    assert run_command(StoreCommand(), "check", other) == 0
    assert run_command(StoreCommand(), "info", other) == 0
    shown = capsys.readouterr().out
    for words in ("3 pages taken in", "2 pages forgotten", "no fault found", "pages         1 (0 claimed"):
        assert words in shown
    assert run_command(StoriesCommand(), url) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_store_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "export.jsonl").write_text('{"webprep_store": 1, "form": "other"}\n')
    (tmp_path / "damaged.jsonl").write_text('["page", "not hex"]\n')
    url = f"sqlite:///{tmp_path}/a.db"
    assert run_command(StoreCommand(), "info", url) == 1
    assert run_command(StoreCommand(), "import", str(tmp_path / "export.jsonl"), url) == 1
    assert run_command(StoreCommand(), "import", str(tmp_path / "damaged.jsonl"), url) == 1
    assert run_command(StoreCommand(), "info", "mysql://me:secret@db/") == 1
    shown = capsys.readouterr().err
    for words in ("there is no such file", "of form other", "line 1 is not from", "not the address of a store"):
        assert words in shown
    assert "secret" not in shown
