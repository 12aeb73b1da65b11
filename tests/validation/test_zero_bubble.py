"""The published zero-bubble measurements, relative to their own 1F1B runs."""

from __future__ import annotations

from pathlib import Path

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


def row(name, errors):
    """Return a row of the table in the docs: how many errors, median and 90th percentile, bias."""
    summary = summarize(errors)
    bias = f"{100 * summary.bias:+.1f}"
    return (
        f"| {name} | {summary.rows} | {100 * summary.median:.1f} % | {100 * summary.p90:.1f} % | {bias} % |"
    )


def test_the_table_in_the_docs_is_what_comes_out(comparisons):
    timed = [c for c in comparisons if c.time_error is not None]
    by_schedule = {
        name: [c.time_error for c in timed if c.run.schedule == schedule]
        for name, schedule in (("interleaved", "interleaved"), ("ZB-1p", "zb-1p"), ("ZB-2p", "zb-2p"))
    }
    rows = [
        row("time, all", [c.time_error for c in timed]),
        *(row(name, errors) for name, errors in by_schedule.items()),
        row("peak memory, all", [c.memory_error for c in comparisons]),
    ]
    docs = Path(__file__).parents[2] / "docs" / "schedules.md"
    assert "\n".join(rows) in docs.read_text(encoding="utf-8")


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
