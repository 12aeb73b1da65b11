"""Timelines hold what the planner says a stage holds, and take about what it says a step takes."""

from __future__ import annotations

import pytest

from scalewall.cost.pipeline import peak_bytes
from scalewall.errors import InputError
from scalewall.planner.estimate import estimate
from scalewall.planner.layout import Layout
from scalewall.planner.timeline import pipeline_timeline
from tests.planner.samples import BRIDGE, dense_run


@pytest.mark.parametrize("chunks", [1, 2])
def test_stages_hold_what_the_planner_says(chunks: int) -> None:
    answer = estimate(dense_run(), Layout(tp=2, pp=4, dp=2, chunks=chunks), BRIDGE)
    peaks = peak_bytes(pipeline_timeline(answer))
    assert peaks == pytest.approx([stage.total for stage in answer.memory], rel=0.02)


@pytest.mark.parametrize("schedule", ["1f1b", "gpipe", "zb-1p", "dualpipe"])
def test_its_length_is_that_of_the_pipeline(schedule: str) -> None:
    answer = estimate(dense_run(), Layout(tp=2, pp=4, dp=2, schedule=schedule), BRIDGE)
    parts = answer.step.parts
    inside = answer.step.seconds - parts["data"] - parts["optimizer"] - parts["stragglers"]
    assert pipeline_timeline(answer).step_seconds == pytest.approx(inside, rel=0.12)


def test_without_a_pipeline_there_is_none() -> None:
    with pytest.raises(InputError, match="without a pipeline"):
        pipeline_timeline(estimate(dense_run(), Layout(tp=2, dp=8), BRIDGE))
