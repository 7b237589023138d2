"""LibSVM's files: what others wrote is read, what is written is read back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from webprep_spider.exceptions import ModelError
from webprep_spider.hub import libsvm
from webprep_spider.hub.svm import RbfSvm, Scaling

if TYPE_CHECKING:
    from pathlib import Path

# the model printed with the method, of whose 132 support vectors two are shown (S3.M3, S3.F5)
PRINTED = """\
svm_type c_svc % C-SVC
kernel_type rbf % kernel
gamma 0.0769231 % 1/k
nr_class 2
total_sv 132
rho 0.424462
label 1 0
nr_sv 64 68
SV
1 1:0.166667 2:1 3:-0.333333 4:-0.433962 5:-0.383562 6:-1 7:-1 8:0.0687023 9:-1 10:-0.903226 11:-1 12:-1 13:1
0.5104832128985164 1:0.125 2:1 3:0.333333 4:-0.320755 5:-0.406393 6:1 7:1 8:0.0839695 9:1 10:-0.806452 12:-0.333333 13:0.5
"""  # noqa: E501


def svm() -> RbfSvm:
    chance = np.random.default_rng(1)
    return RbfSvm(chance.normal(size=(5, 3)), np.array([1.0, -0.5, 2.0, -2.0, -0.5]), 0.25, 0.125)


def test_the_printed_model_is_read_and_scores(tmp_path: Path) -> None:
    path = tmp_path / "printed.model"
    path.write_text(PRINTED)
    machine = libsvm.read_model(path, 13, partial=True)
    assert machine.vectors.shape == (2, 13)
    assert machine.vectors[1, 10] == 0
    assert (machine.gamma, machine.rho) == (0.0769231, 0.424462)
    values = machine.decide(machine.vectors)
    near = np.exp(-machine.gamma * ((machine.vectors[0] - machine.vectors[1]) ** 2).sum())
    assert values == pytest.approx([1 + near * 0.5104832 - 0.424462, near + 0.5104832 - 0.424462], abs=1e-5)


def test_a_cut_model_is_refused_unless_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "printed.model"
    path.write_text(PRINTED)
    with pytest.raises(ModelError, match=r"printed\.model: cut: 2 support vectors"):
        libsvm.read_model(path)


def test_model_round_trip(tmp_path: Path) -> None:
    machine, rows = svm(), np.random.default_rng(2).normal(size=(20, 3))
    libsvm.write_model(tmp_path / "m", machine)
    again = libsvm.read_model(tmp_path / "m", 3)
    assert again.decide(rows) == pytest.approx(machine.decide(rows), abs=1e-5)


def test_the_label_order_decides_the_sign(tmp_path: Path) -> None:
    libsvm.write_model(tmp_path / "m", svm())
    text = (tmp_path / "m").read_text()
    (tmp_path / "turned").write_text(text.replace("label 1 0", "label 0 1"))
    rows = np.zeros((1, 3))
    turned = libsvm.read_model(tmp_path / "turned", 3).decide(rows)
    assert turned == pytest.approx(-svm().decide(rows), abs=1e-5)


def test_data_round_trip_and_scikit_learn_agrees(tmp_path: Path) -> None:
    table = np.array([[0.0, 1.5, 0.0], [-1.0, 0.0, 2e-9]])
    libsvm.write_data(tmp_path / "d", table, [1, 0])
    assert (tmp_path / "d").read_text().splitlines()[0] == "1 2:1.5"
    data = libsvm.read_data(tmp_path / "d", 3)
    assert data.table.tolist() == table.tolist()
    assert data.labels.tolist() == [1, 0]
    theirs, labels = load_svmlight_file(str(tmp_path / "d"), n_features=3, zero_based=False)
    assert theirs.toarray().tolist() == table.tolist()
    assert labels.tolist() == [1, 0]


def test_ranges_round_trip_and_scale_as_svm_scale_does(tmp_path: Path) -> None:
    scaling = Scaling(np.array([0.0, 5.0, 2.0]), np.array([60.4, 5.0, 4.0]))
    libsvm.write_ranges(tmp_path / "r", scaling)
    assert (tmp_path / "r").read_text().splitlines()[:3] == ["x", "-1 1", "1 0 60.399999999999999"]
    again = libsvm.read_ranges(tmp_path / "r", 3)
    scaled = again(np.array([[30.6, 5.0, 3.0], [100.0, 9.0, -7.0]]))
    assert scaled.tolist() == [[pytest.approx(0.01325, abs=1e-5), 0, 0], [1, 0, -1]]  # S3.M1, and clipping


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "no line 'SV'"),
        ("svm_type nu_svc\nSV\n", "C-SVC"),
        (PRINTED.replace("rho 0.424462", "rho x"), "not a LibSVM model"),
        (PRINTED.replace("1:0.166667", "0:0.166667"), "index from 1"),
        (PRINTED.replace("label 1 0", "label 1 2"), "labels"),
        (PRINTED.replace("13:1\n", "99999999:1\n"), "99999999"),
    ],
)
def test_damaged_models_are_named(tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "bad.model"
    path.write_text(content)
    with pytest.raises(ModelError, match=reason) as caught:
        libsvm.read_model(path, partial=True)
    assert "bad.model" in str(caught.value)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="none"):
        libsvm.read_ranges(tmp_path / "none", 3)
