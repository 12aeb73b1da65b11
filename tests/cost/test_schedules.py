"""Closed forms of pipeline schedules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewall.cost.schedules import bubble_fraction, zero_bubble_fits

STAGES = st.integers(1, 64)
COUNTS = st.integers(1, 512)
CHUNKS = st.integers(1, 16)


@pytest.mark.parametrize(
    ("stages", "microbatches", "chunks", "share"),
    [
        (1, 1, 1, 0.0),
        (4, 1, 1, 3 / 4),
        (4, 4, 1, 3 / 7),
        (8, 32, 1, 7 / 39),
        (8, 32, 4, 7 / 135),
        (8, 4, 2, (4 + 7) / (4 + 7 + 8)),
    ],
)
def test_the_share_that_stages_wait(stages, microbatches, chunks, share):
    assert bubble_fraction(stages, microbatches, chunks, False) == pytest.approx(share, abs=1e-16)
    assert bubble_fraction(stages, microbatches, chunks, True) == 0


@given(stages=STAGES, microbatches=COUNTS, chunks=CHUNKS)
def test_a_share_below_one_that_more_microbatches_lower(stages, microbatches, chunks):
    share = bubble_fraction(stages, microbatches, chunks, False)
    assert 0 <= share < 1
    assert bubble_fraction(stages, microbatches + 1, chunks, False) <= share
    if microbatches >= stages:
        assert bubble_fraction(stages, microbatches, chunks + 1, False) <= share


@given(stages=STAGES, microbatches=COUNTS)
def test_zero_bubble_needs_two_microbatches_a_stage(stages, microbatches):
    assert zero_bubble_fits(stages, microbatches) == (microbatches / stages >= 2)
