from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webprep_spider.page.parse import parse_text
from webprep_spider.page.walk import build_tree
from webprep_spider.page.weights import is_noise, propagate, weigh
from webprep_spider.rules import Rules

UNCAPPED = Rules(weight_cap=1e9)


@st.composite
def trees(draw: st.DrawFn) -> list[int]:
    """Parents of a random tree; a node's parent has a smaller number."""
    count = draw(st.integers(2, 25))
    return [-1] + [draw(st.integers(0, node - 1)) for node in range(1, count)]


def leaves(parents: list[int]) -> list[int]:
    return [node for node in range(len(parents)) if node not in parents]


def test_worked_example() -> None:
    # S4.W7: the root has the leaves a and b and a container c with the leaves d and e.
    parents = [-1, 0, 0, 0, 3, 3]
    assert propagate(parents, [1, 2, 1, 1, 1, 1]) == pytest.approx([1.414, 2, 1.414, 1.414, 1.414, 1.414], abs=5e-4)
    assert propagate(parents, [1, 2, 1, 1, 3, 1]) == pytest.approx([1.861, 2.632, 1.861, 2.449, 4.243, 2.449], abs=5e-4)


@given(trees(), st.data())
def test_the_order_of_the_leaves_does_not_matter(parents: list[int], data: st.DataObject) -> None:
    # S4.W4 (1): one leaf after the other, in any order, multiplies to the weights of all at once.
    factors = [data.draw(st.floats(1, 3)) if node in leaves(parents) else 1.0 for node in range(len(parents))]
    order = leaves(parents)
    random.Random(len(order)).shuffle(order)
    product = [1.0] * len(parents)
    for leaf in order:
        alone = propagate(parents, [factors[n] if n == leaf else 1.0 for n in range(len(parents))], UNCAPPED)
        product = [a * b for a, b in zip(product, alone, strict=True)]
    assert propagate(parents, factors, UNCAPPED) == pytest.approx(product)


@given(trees(), st.data())
def test_different_factors_give_different_weights(parents: list[int], data: st.DataObject) -> None:
    # S4.W4 (2), on factors that differ by more than the rounding.
    choices = st.sampled_from([1.0, 1.1, 1.3, 2.0, 3.6])
    tips = leaves(parents)
    one = {leaf: data.draw(choices) for leaf in tips}
    other = {leaf: data.draw(choices) for leaf in tips}
    weights = [propagate(parents, [f.get(n, 1.0) for n in range(len(parents))], UNCAPPED) for f in (one, other)]
    same = weights[0] == pytest.approx(weights[1], rel=1e-9)
    assert same == (one == other)


def test_weights_are_capped_at_the_end() -> None:
    assert max(propagate([-1, 0, 0], [1, 50, 1])) == Rules().weight_cap


@pytest.mark.parametrize("entry", ["联系电话：", "Tel", " 前 一 页 ", "FAX:", "下一页>>", ""])
def test_noise_words_are_no_emphasis(entry: str) -> None:
    assert is_noise(entry)


def test_noise_in_bold_changes_no_weight() -> None:
    tree = build_tree(parse_text("<body><div><b>联系电话</b></div><div><p>正文</p></div></body>")[0])
    weigh(tree)
    assert {block.weight for block in tree.blocks} == {1.0}


def test_a_heading_lifts_its_neighbours_more_than_distant_blocks() -> None:
    tree = build_tree(parse_text("<body><div><h1>题目</h1><p>正文</p></div><div><p>页脚</p></div></body>")[0])
    weigh(tree)
    heading, text, foot = (block.weight for block in tree.blocks)
    assert heading > text > foot > 1
