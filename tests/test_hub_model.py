"""Models: what is shipped, what is refused, training and judging on a small invented web."""

from __future__ import annotations

import json
import lzma
import random
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from webprep_spider import HubModel, ModelError
from webprep_spider.archive import read_archive, write_archive
from webprep_spider.blas import _libraries, one_thread
from webprep_spider.hub.evaluation import Confusion, evaluate
from webprep_spider.hub.labelled import LabelledLink, read_labelled
from webprep_spider.hub.report import TrainingReport, learning_curve
from webprep_spider.hub.search import (
    Samples,
    cross_decisions,
    draw_sites,
    fit_sigmoid,
    folds_by_site,
    grid_search,
)
from webprep_spider.hub.stacking import train_stacked
from webprep_spider.hub.training import samples_of, train_seed

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ("harbour", "lantern", "meadow", "signal", "orchard", "granite", "violet", "compass")


def invented_web(sites: int = 24, rows_per_site: int = 12) -> list[LabelledLink]:
    """Sites with sections, tags and dated articles; half of the links with a text."""
    chance = random.Random(7)
    rows = []
    for site in range(sites):
        for row in range(rows_per_site):
            hub = chance.random() < 0.5
            word, other = chance.sample(WORDS, 2)
            if hub:
                path = chance.choice(
                    [f"/{word}/", f"/tag/{word}/", f"/list.php?cid={row}", f"/{word}/index_{row}.html"]
                )
                text = word.title()
            else:
                day = f"2024/0{1 + row % 9}/1{row % 10}"
                path = chance.choice(
                    [f"/{day}/{word}-{other}.html", f"/show.php?id={row * 917}", f"/{word}/{day}/c_{row}.htm"]
                )
                text = f"The {word}, the {other} and what became of it"
            rows.append(
                LabelledLink(
                    url=f"http://www.site{site}.example{path}",
                    text=text if chance.random() < 0.5 else "",
                    hub=hub,
                    site=f"site{site}.example",
                    lang=chance.choice(["en", "zh", "fr"]),
                    evidence=chance.choice(["breadcrumb link", "reviewed"]),
                )
            )
    return rows


ROWS = invented_web()
LINKS = [(row.url, row.text) for row in ROWS]
SHIPPED = [HubModel.load(name) for name in ("default", "seed")]


@pytest.fixture(scope="module")
def small_seed() -> HubModel:
    return train_seed(ROWS)


@pytest.fixture(scope="module")
def small_stacked() -> HubModel:
    return train_stacked(ROWS)


@pytest.mark.parametrize("name", ["default", "seed"])
def test_shipped_models_know_the_plain_cases(name: str) -> None:
    model = HubModel.load(name)
    values = model.decision(
        [
            ("http://www.news.example.cn/china/", "国内"),
            ("http://www.news.example.cn/2016/0125/content_123456.shtml", "国务院召开常务会议，部署下一步工作"),
            ("ftp://news.example.cn/china/", "国内"),
            ("http://[not an address", ""),
        ]
    )
    assert values[0] > 0 > values[1]
    assert np.isnan(values[2:]).all()


@pytest.mark.parametrize("name", ["default", "seed"])
def test_shipped_models_say_where_they_come_from(name: str) -> None:
    record = HubModel.load(name).record
    assert {"data", "sha256", "rows", "sites", "seed", "command", "cross_validation"} <= record.keys()
    assert record["command"].startswith("scrapy hub-train")


@given(st.lists(st.tuples(st.sampled_from([url for url, _ in LINKS]) | st.text(), st.text(max_size=30)), max_size=8))
def test_alone_as_in_a_batch(links: list[tuple[str, str]]) -> None:
    for model in SHIPPED:
        alone = [float(model.decision([link])[0]) for link in links]
        assert model.decision(links).tolist() == pytest.approx(alone, abs=1e-4, nan_ok=True)


def test_a_blank_text_is_no_text() -> None:
    for model in SHIPPED:
        blank, none = model.decision([(LINKS[0][0], " \n")]), model.decision([(LINKS[0][0], "")])
        assert blank == pytest.approx(none, abs=1e-4)


def test_no_links_no_scores() -> None:
    assert HubModel.load().decision([]).shape == (0,)


def test_probability_follows_the_decision() -> None:
    model = HubModel.load()
    order = np.argsort(model.decision(LINKS))
    assert (np.diff(model.probability(LINKS)[order]) >= 0).all()


def test_save_and_load(tmp_path: Path, small_seed: HubModel, small_stacked: HubModel) -> None:
    for model in (small_seed, small_stacked):
        model.save(tmp_path / "m.npz")
        again = HubModel.load(tmp_path / "m.npz")
        assert again.record == model.record
        assert again.decision(LINKS) == pytest.approx(model.decision(LINKS), abs=1e-3)


def test_a_model_of_other_features_loads(tmp_path: Path) -> None:
    model = train_seed(ROWS, names=("digits", "path_len", "hyphens"))
    model.save(tmp_path / "m.npz")
    assert HubModel.load(tmp_path / "m.npz").names == ("digits", "path_len", "hyphens")


def damaged(path: Path, kind: str) -> None:
    header, arrays = read_archive(path)
    if kind == "cut":
        path.write_bytes(path.read_bytes()[:-200])
    elif kind == "text":
        path.write_text("no archive")
    elif kind == "kind":
        write_archive(path, header | {"kind": "class"}, arrays)
    elif kind == "feature":
        write_archive(path, header | {"features": ["no_such_feature"]}, arrays)
    elif kind == "header":
        write_archive(path, {name: value for name, value in header.items() if name != "gamma"}, arrays)
    elif kind == "no numbers":
        write_archive(path, header, arrays | {"coef": arrays["coef"] * np.nan})
    elif kind == "no fit":
        write_archive(path, header, arrays | {"vectors": arrays["vectors"][:, :2]})
    elif kind == "one array":
        np.save(path.with_suffix(".npy"), np.zeros(3))
        path.with_suffix(".npy").rename(path)
    elif kind == "altered":
        content = dict(np.load(path))
        content["coef"] = content["coef"] * 2
        np.savez(path.with_suffix(""), **content)
    elif kind == "format":
        content = dict(np.load(path))
        text = json.loads(content["header"].tobytes())
        content["header"] = np.frombuffer(json.dumps(text | {"format": 99}).encode(), dtype=np.uint8)
        np.savez(path.with_suffix(""), **content)
    elif kind == "pickle":
        np.savez(path.with_suffix(""), header=np.array([{"a": 1}], dtype=object))


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("cut", "damaged"),
        ("text", "not a model file"),
        ("kind", "kind 'class'"),
        ("feature", "no_such_feature"),
        ("header", "gamma"),
        ("altered", "checksum"),
        ("no numbers", "'coef' are numbers"),
        ("no fit", "misuses"),
        ("one array", "not a model file"),
        ("format", "format 99"),
        ("pickle", "not a model file"),
    ],
)
def test_what_is_refused(tmp_path: Path, small_seed: HubModel, kind: str, reason: str) -> None:
    path = tmp_path / "model.npz"
    small_seed.save(path)
    damaged(path, kind)
    with pytest.raises(ModelError, match=reason) as caught:
        HubModel.load(path)
    assert str(path) in str(caught.value)


def test_missing_file() -> None:
    with pytest.raises(ModelError, match=r"/no/such\.npz: cannot be read"):
        HubModel.load("/no/such.npz")


def test_training_learns_and_hides_no_site(small_seed: HubModel, small_stacked: HubModel) -> None:
    for model in (small_seed, small_stacked):
        assert model.record["cross_validation"]["accuracy"] > 0.95
        assert ((model.decision(LINKS) > 0) == [row.hub for row in ROWS]).mean() > 0.95


def test_a_model_copes_without_link_text(small_stacked: HubModel) -> None:
    bare = [replace(row, text="") for row in ROWS]
    said = small_stacked.decision([(row.url, row.text) for row in bare]) > 0
    assert evaluate(bare, said.tolist(), draws=10).cells.accuracy > 0.9


def test_folds_keep_sites_together() -> None:
    sites = np.array([row.site for row in ROWS])
    fold = folds_by_site(sites, 10, seed=3)
    assert set(fold.tolist()) == set(range(10))
    assert all(len(set(fold[sites == site].tolist())) == 1 for site in set(sites.tolist()))
    drawn = draw_sites(sites, 30, seed=1)
    assert len(drawn) == 30
    assert len(set(sites[drawn].tolist())) == 3


def test_grid_search_is_coarse_to_fine() -> None:
    samples = samples_of(ROWS[:120])
    tried: list[str] = []

    def progress(title: str, points: object) -> list[tuple[int, int]]:
        tried.append(title)
        return list(points)  # type: ignore[call-overload]

    grid = grid_search(samples, c_range=(-1, 5), gamma_range=(-5, 1), folds=3, progress=progress)
    assert tried == ["grid, step 4", "grid, step 2", "grid, step 1"]
    assert grid[0].accuracy == max(point.accuracy for point in grid)
    assert len({(point.log2_c, point.log2_gamma) for point in grid}) == len(grid) < 7 * 7


def test_report(tmp_path: Path) -> None:
    samples = samples_of(ROWS)
    values = cross_decisions(samples, 2.0, 0.25, folds=3)
    report = TrainingReport(
        rows=len(ROWS),
        sites=24,
        c=2.0,
        gamma=0.25,
        cells=Confusion.of(samples.hub.tolist(), (values > 0).tolist()),
        grid=grid_search(samples, c_range=(1, 1), gamma_range=(-2, -2), folds=3),
        curve=learning_curve(samples, 2.0, 0.25, sizes=(100, 9_999), draws=1),
    )
    names = {path.name for path in report.write(tmp_path / "report")}
    assert names == {"report.json", "grid.png", "curve.png", "confusion.png"}
    written = json.loads((tmp_path / "report" / "report.json").read_text())
    assert written["cells"]["accuracy"] > 0.9
    assert [point["rows"] for point in written["curve"]] == [100]


def test_the_sigmoid_is_calibrated() -> None:
    chance = np.random.default_rng(5)
    decisions = chance.normal(size=20_000)
    hub = chance.random(20_000) < 1 / (1 + np.exp(-(2 * decisions + 0.5)))
    assert fit_sigmoid(decisions, hub) == pytest.approx((2, 0.5), abs=0.1)
    assert fit_sigmoid(20 * decisions, hub) == pytest.approx((0.1, 0.5), abs=0.1)
    apart = fit_sigmoid(np.array([-1.0, 1.0]), np.array([False, True]))
    assert np.isfinite(apart).all()


def test_samples_of_one_class_still_have_folds() -> None:
    samples = Samples(np.zeros((4, 2)), np.array([True, False, True, False]), np.array(["a", "b", "c", "d"]))
    assert len(folds_by_site(samples.sites, 2, 0)) == 4


def test_cells() -> None:
    """The published table of the URL method (S3.R4)."""
    cells = Confusion(518, 50, 82, 350)
    assert [round(value, 4) for value in (cells.precision, cells.recall, cells.f1)] == [0.912, 0.8633, 0.887]
    assert cells.accuracy == 0.868
    assert Confusion(0, 0, 0, 0).f1 == 0


def test_evaluation_by_group() -> None:
    found = evaluate(ROWS, [row.hub or row.lang == "fr" for row in ROWS], draws=50)
    assert found.cells.rows == len(ROWS)
    assert found.sites == 24
    assert found.interval[0] <= found.cells.f1 <= found.interval[1]
    assert found.groups["language en"].f1 == 1
    assert found.groups["language other"].precision < 1
    assert found.groups["not link-derived"].rows < len(ROWS)
    assert found.groups["with link text"].rows + found.groups["without link text"].rows == len(ROWS)


def test_labelled_rows(tmp_path: Path) -> None:
    lines = [
        {"url": "http://a.example.com/x/", "label": "hub", "anchor_text": "X", "site": "s", "lang": "en"},
        {"url": "http://b.example.com.cn/1.htm", "label": 0, "link_text": "Y", "split": "test"},
    ]
    path = tmp_path / "rows.jsonl.xz"
    path.write_bytes(lzma.compress("\n\n".join(map(json.dumps, lines)).encode()))
    first, second = read_labelled(path)
    assert (first.hub, first.text, first.site, first.lang) == (True, "X", "s", "en")
    assert (second.hub, second.text, second.site, second.split) == (False, "Y", "example.com.cn", "test")


def test_scoring_gives_the_threads_of_the_matrix_library_back() -> None:
    def threads() -> list[int]:
        return [library.num_threads for library in _libraries()]

    with threadpool_limits(limits=2, user_api="blas"):
        before = threads()
        HubModel.load().decision([("http://a.example/", "")])
        with one_thread():
            assert set(threads()) <= {1}
        assert threads() == before


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"label": "hub"}', "url is None"),
        ('{"url": "tel:1", "label": "hub"}', "url is 'tel:1'"),
        ('{"url": "http://a.example/", "label": "maybe"}', "label is 'maybe'"),
    ],
)
def test_wrong_rows_are_named_with_their_line(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"url": "http://a.example/", "label": 1}\n' + line + "\n")
    with pytest.raises(ValueError, match=r"rows\.jsonl, line 2: ") as caught:
        read_labelled(path)
    assert reason in str(caught.value)
