from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.articles import docview, page
from webprep_spider.commands.class_train import ClassTrainCommand
from webprep_spider.exceptions import ModelError
from webprep_spider.metadata.class_training import (
    LEARNERS,
    SELECTIONS,
    LabelledText,
    calibrate,
    evaluate_classes,
    train_classes,
    word_values,
)
from webprep_spider.metadata.classes import ClassModel, Linear
from webprep_spider.metadata.labelled import read_labelled

SPORT = ["球队", "比赛", "教练", "进球", "联赛", "冠军", "球员", "决赛"]
MONEY = ["股票", "银行", "基金", "投资者", "利率", "大盘", "上涨", "债券"]
PLANTS = ["月季", "牡丹", "花盆", "施肥", "浇水", "扦插", "盆土", "花期"]


def texts(count: int = 30) -> list[LabelledText]:
    """Texts that share most of their words and differ in those of their class."""
    draw = np.random.default_rng(7)
    shared = ["昨天", "城市", "记者", "消息", "天气", "大家"]
    found = []
    for n in range(count):
        for label, own in (("体育", SPORT), ("财经", MONEY), ("园艺", PLANTS)):
            words = [*draw.choice(own, 5), *draw.choice(shared, 5)]
            found.append(LabelledText(label, "", "，".join(words) + "。", ("train", "train", "dev", "test")[n % 4]))
    return found


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("selection", SELECTIONS)
def test_each_learner_and_selection_learns(learner: str, selection: str) -> None:
    model = train_classes(texts(), selection=selection, learner=learner, features=20, neighbours=5)  # type: ignore[arg-type]
    scores = evaluate_classes(model, [text for text in texts() if text.split == "test"])
    assert scores.accuracy > 0.9
    assert len(model.words) <= 20


def test_a_model_survives_its_file(tmp_path: Path) -> None:
    for learner in ("svm", "knn"):
        model = train_classes(texts(), learner=learner)  # type: ignore[arg-type]
        path = str(tmp_path / f"{learner}.npz")
        model.save(path)
        loaded = ClassModel.load(path)
        for text in texts(4):
            words = text.text.replace("。", "").split("，")
            np.testing.assert_allclose(loaded.scores(words), model.scores(words), atol=0.02)
        assert loaded.record["learner"] == learner


def test_files_that_are_no_models_say_so(tmp_path: Path) -> None:
    broken = tmp_path / "broken.npz"
    broken.write_bytes(b"PK nothing")
    for path in (str(broken), str(tmp_path / "none.npz")):
        with pytest.raises(ModelError, match=path):
            ClassModel.load(path)


def test_none_and_several_classes_are_answers() -> None:
    model = ClassModel(
        labels=("a", "b"),
        words={"x": 0, "y": 1},
        idf=np.ones(2, np.float32),
        scorer=Linear(np.eye(2, dtype=np.float32), np.zeros(2, np.float32)),
        output="plain",
        thresholds=np.array([0.5, 0.6], np.float32),
    )
    assert model.classify(["x", "y"]) == [("a", 0.7071), ("b", 0.7071)]
    assert model.classify(["x"]) == [("a", 1.0)]
    assert model.classify(["z"]) == []


def test_thresholds_are_those_of_the_best_f1() -> None:
    scores = np.array([[0.9], [0.8], [0.4], [0.3], [0.1]])
    (threshold,) = calibrate(scores, np.array([0, 0, -1, 0, -1]))
    assert 0.1 < threshold < 0.3


def test_a_word_of_one_class_is_worth_more_than_one_of_all() -> None:
    from scipy.sparse import csr_matrix

    matrix = csr_matrix(np.array([[1, 1], [1, 1], [0, 1], [0, 1]]))
    for selection in ("ig", "chi", "mi", "ts"):
        first, second = word_values(matrix, np.array([0, 0, 1, 1]), selection)  # type: ignore[arg-type]
        assert first >= second or selection == "ts"


def test_pages_of_the_common_classes_are_known_without_training() -> None:
    football = (
        "主教练说，球队在联赛上半场两个进球，前锋和门将都表现出色。",
        "决赛在主场进行，球迷为冠军欢呼，裁判出示了两张黄牌。",
    )
    assert (
        docview(page("球队赢得联赛冠军", "<h1>球队赢得联赛冠军</h1>", paragraphs=football)).content_class[0][0]
        == "sports"
    )
    money = (
        "The bank raised its interest rates, and shares fell as investors sold bonds.",
        "Analysts expect lower profits and slower growth of the economy this quarter.",
    )
    english = docview(page("Shares fall", "<h1>Shares fall</h1>", paragraphs=money, lang="en"))
    assert english.content_class[0][0] == "finance"


def test_unknown_is_an_honest_answer() -> None:
    garden = ("月季的扦插要在梅雨前后进行，插条留两片叶子。", "盆土要疏松，每天早晚各喷一次雾，二十天后生根。")
    assert docview(page("月季扦插", "<h1>月季扦插</h1>", paragraphs=garden)).content_class == []


def test_a_model_of_ones_own_gives_the_classes() -> None:
    model = train_classes(texts())
    football = ("球队进球，教练说比赛很好。球员在联赛决赛夺得冠军。",)
    assert docview(page("比赛", "<h1>比赛</h1>", paragraphs=football), class_model=model).content_class[0][0] == "体育"


def labelled_folder(folder: Path) -> Path:
    for place, text in enumerate(texts(8)):
        target = folder / text.label
        target.mkdir(exist_ok=True, parents=True)
        (target / f"{place}.txt").write_text(f"题目\n{text.text}", encoding="utf-8")
    html = page("球队", "<h1>球队</h1>", paragraphs=("球队 比赛 教练 进球，联赛 冠军 球员 决赛。" * 3,))
    (folder / "体育" / "page.html").write_text(html, encoding="utf-8")
    return folder


def test_pages_are_cleaned_before_training(tmp_path: Path) -> None:
    found = [text for text in read_labelled(str(labelled_folder(tmp_path))) if "球队 比赛" in text.text]
    assert len(found) == 1
    assert "备案号" not in found[0].text


def test_the_command_trains_reports_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, picture = tmp_path / "model.npz", tmp_path / "confusion.png"
    ClassTrainCommand().run(
        [str(labelled_folder(tmp_path / "texts"))],
        argparse.Namespace(
            output=str(model), select="chi", features=50, learner="svm", neighbours=5, seed=0, report=str(picture)
        ),
    )
    printed = capsys.readouterr().out
    assert "3 classes" in printed
    assert "accuracy" in printed
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert ClassModel.load(str(model)).labels == ("体育", "园艺", "财经")


@pytest.mark.parametrize(
    "row",
    [
        '{"text": "水"}',
        '{"label": ["a", "b"], "text": "水"}',
        '{"label": "a", "text": 1}',
        '{"label": "a", "text": "水", "split": "training"}',
        "[1]",
        "label,text",
    ],
)
def test_a_line_that_is_no_labelled_text_is_named(tmp_path: Path, row: str) -> None:
    file = tmp_path / "texts.jsonl"
    file.write_text('\ufeff{"label": 1, "text": "水"}\n\n{"label": "空", "text": ""}\n' + row, encoding="utf-8")
    with pytest.raises(ValueError, match=r"texts\.jsonl, line 4: not a labelled text: "):
        read_labelled(str(file))


def test_bytes_of_another_kind_are_named(tmp_path: Path) -> None:
    for name, content in (("gbk.jsonl", '{"label": "水"}'.encode("gbk")), ("cut.jsonl.xz", b"\xfd7zXZ\x00\x00\x04")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=f"{name}, line 1: "):
            read_labelled(str(tmp_path / name))


def test_texts_without_a_common_word_train_nothing() -> None:
    with pytest.raises(ValueError, match="no word is in two texts"):
        train_classes([LabelledText("a", "", "水库"), LabelledText("b", "", "股票")])
    with pytest.raises(ValueError, match="at least one feature"):
        train_classes(texts(), features=0)


def test_wrong_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text(json.dumps({"label": "x"}) + "\n", encoding="utf-8")
    for source in (str(bad), str(tmp_path / "none")):
        command = ClassTrainCommand()
        command.run(
            [source],
            argparse.Namespace(
                output=str(tmp_path / "m.npz"),
                select="ig",
                features=10,
                learner="svm",
                neighbours=5,
                seed=0,
                report=None,
            ),
        )
        assert command.exitcode == 1
        assert source in capsys.readouterr().err


def test_training_tools_are_loaded_only_for_training() -> None:
    script = (
        "import sys, webprep_spider.commands.class_train, webprep_spider.metadata\n"
        "assert not {'sklearn', 'scipy', 'matplotlib', 'jieba'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=Path(__file__).parent.parent)
