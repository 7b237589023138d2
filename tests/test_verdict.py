from __future__ import annotations

import pytest

from webprep_spider.replicas.verdict import resemblance, weight_of, weighted_resemblance
from webprep_spider.rules import Rules


def test_worked_example_of_the_method() -> None:  # S0.S5
    assert resemblance(["f1", "f2", "f3", "f4"], ["f1", "f2", "f5", "f6"]) == 0.5


def test_short_pages_are_measured_by_the_larger_set() -> None:  # S0.S3
    assert resemblance("a", "a") == 1.0
    assert resemblance("a", "abcdefgh") == 1 / 8
    assert resemblance("", "a") == resemblance("", "") == 0.0


def test_common_fingerprints_count_for_less_and_less() -> None:  # S0.S6
    rules = Rules(common_pages=8)
    assert weight_of(0, rules) == weight_of(1, rules) == weight_of(8, rules) == 1.0
    assert weight_of(16, rules) == 0.5
    assert weight_of(64, rules) == 0.125


def test_weights_of_one_are_the_plain_measure() -> None:
    one, other = [b"a", b"b", b"c", b"d"], [b"a", b"b", b"x"]
    assert weighted_resemblance(dict.fromkeys(one, 1.0), other) == resemblance(one, other)


def test_a_shared_disclaimer_does_not_make_replicas() -> None:
    disclaimer = {bytes([i]): 0.125 for i in range(3)}
    article = {b"first": 1.0, b"second": 1.0}
    other = [*disclaimer, b"third", b"fourth"]
    assert resemblance([*disclaimer, *article], other) == pytest.approx(0.6)
    assert weighted_resemblance({**disclaimer, **article}, other) < 0.2
