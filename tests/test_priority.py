from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webprep_spider.priority import BUCKETS, bucket

CHANCES = st.floats(0, 1)
FOCUSES = st.sampled_from(["hub", "topic", "balanced"])


@given(chance=CHANCES, focus=FOCUSES, depth=st.integers(0, 40))
def test_there_are_few_buckets(chance: float, focus: str, depth: int) -> None:
    assert bucket(chance, focus, depth=depth) in range(BUCKETS)


@given(one=CHANCES, other=CHANCES)
def test_the_focus_is_the_order(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert bucket(low, "hub") <= bucket(high, "hub")
    assert bucket(low, "topic") >= bucket(high, "topic")


def test_balanced_takes_near_hubs_then_topics_then_far_hubs() -> None:
    assert bucket(0.95, "balanced", depth=1) > bucket(0.05, "balanced", depth=1) > bucket(0.95, "balanced", depth=6)


@given(chance=CHANCES, focus=FOCUSES, one=CHANCES, other=CHANCES)
def test_what_brings_nothing_comes_later(chance: float, focus: str, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert bucket(chance, focus, worth=low) <= bucket(chance, focus, worth=high)


def test_hub_pages_without_new_links_are_still_hub_pages() -> None:
    assert bucket(0.95, "hub", worth=0.02) >= bucket(0.05, "hub", worth=0.8)


@pytest.mark.parametrize("focus", ["hub", "topic", "balanced"])
def test_what_cannot_be_scored_comes_last(focus: str) -> None:
    assert bucket(math.nan, focus) == 0
