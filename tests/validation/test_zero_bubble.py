"""The published zero-bubble measurements, relative to their own 1F1B runs."""

from __future__ import annotations

import pytest

from scalewall.validation.zero_bubble import compare, load_runs, summarize


@pytest.fixture(scope="module")
def comparisons():
    return compare()


def test_every_published_run_is_there_and_has_a_baseline():
    runs = load_runs()
    assert len(runs) == 38
    assert {run.schedule for run in runs} == {"1f1b", "interleaved", "zb-1p", "zb-2p"}
    models = {run.model.name for run in runs}
    assert {run.model.name for run in runs if run.schedule == "1f1b"} == models


def test_relative_times_come_out_within_what_the_docs_state(comparisons):
    errors = summarize([c.time_error for c in comparisons if c.time_error is not None])
    assert errors.rows == 21
    assert errors.median < 0.04
    assert errors.p90 < 0.09
    assert abs(errors.bias) < 0.04


def test_relative_memory_comes_out_within_what_the_docs_state(comparisons):
    errors = summarize([c.memory_error for c in comparisons])
    assert errors.rows == 30
    assert errors.median < 0.025
    assert errors.p90 < 0.04
    assert abs(errors.bias) < 0.02


def test_zero_bubble_is_faster_than_1f1b_as_measured_and_as_predicted(comparisons):
    for c in comparisons:
        if c.time_error is not None:
            assert c.measured_time < 1.0
            assert c.predicted_time < 1.0


def test_a_summary_of_known_errors():
    summary = summarize([-0.1, 0.2, 0.0])
    assert summary.rows == 3
    assert summary.median == pytest.approx(0.1)
    assert summary.p90 == pytest.approx(0.18)
    assert summary.bias == pytest.approx(0.1 / 3)
