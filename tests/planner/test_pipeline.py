"""Layers over stages, and the bubble against the event simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scalewall.cost.pipeline import Work, build_schedule, placement_of, simulate, stage_costs
from scalewall.planner.figures import degrees_of
from scalewall.planner.layout import Layout
from scalewall.planner.pipeline import bubble_seconds, parts_keep_pace, stages, totals_of
from scalewall.workload.experts import Experts
from tests.planner.samples import DENSE


def test_layers_that_do_not_divide_leave_the_ends_short() -> None:
    held = stages(replace(DENSE, layers=30), 4, 1)
    assert [stage.dense for stage in held] == [7, 8, 8, 7]
    assert held[0].embedding
    assert held[-1].head


def test_fewer_layers_than_parts_leave_ends_empty() -> None:
    held = stages(replace(DENSE, layers=30), 8, 4)
    assert sum(stage.dense for stage in held) == 30
    assert held[0].dense == held[-1].dense == 3


def test_leading_dense_layers() -> None:
    model = replace(DENSE, layers=8, experts=Experts(routed=8, top_k=2, ffn=1024, leading_dense=3))
    assert [(stage.dense, stage.experts) for stage in stages(model, 4, 1)] == [
        (2, 0),
        (1, 1),
        (0, 2),
        (0, 2),
    ]


def bubble(stage_seconds: list[float], microbatches: int, layout: Layout) -> float:
    """The bubble where each pass of stage ``i`` takes ``stage_seconds[i]``, messages being free."""
    counts = np.zeros((layout.pp, 4))
    counts[:, 0] = stage_seconds
    seconds = np.zeros((4, 3))
    seconds[0] = 1.0
    return bubble_seconds(totals_of(seconds, counts), microbatches, degrees_of(layout), 0.0)


@pytest.mark.parametrize(
    ("schedule", "chunks", "simulated"),
    [("1f1b", 1, "1f1b"), ("1f1b", 2, "interleaved"), ("gpipe", 1, "gpipe")],
)
def test_equal_stages_against_the_simulation(schedule: str, chunks: int, simulated: str) -> None:
    layout = Layout(pp=4, chunks=chunks, schedule=schedule)
    costs = stage_costs(placement_of(simulated, 4, chunks), Work(1.0, 1.0, 1.0))
    run = simulate(build_schedule(simulated, 4, 16, chunks, costs), costs)
    assert 3.0 * 16 + bubble([1.0] * 4, 16, layout) == pytest.approx(run.makespan_seconds)


def test_zero_bubble_is_shorter() -> None:
    plain, one, two = (
        bubble([1.0] * 8, 32, Layout(pp=8, schedule=name)) for name in ("1f1b", "zb-1p", "zb-2p")
    )
    assert plain == 21.0
    assert one == 7.0
    assert two == 0.0


def test_slow_stage_counts_for_every_microbatch() -> None:
    assert bubble([1.0, 1.0], 8, Layout(pp=2)) == bubble([1.0, 2.0], 8, Layout(pp=2)) == 3.0


def test_parts_of_different_depth_keep_pace_only_behind_a_stage_of_the_deepest() -> None:
    """126 layers over 16 stages: eight chunks are even but for the ends, of seven one is twice as deep."""
    model = replace(DENSE, layers=126)
    assert parts_keep_pace(model, 16, 8)
    assert not parts_keep_pace(model, 16, 7)
    assert parts_keep_pace(replace(DENSE, layers=61), 4, 4)
    assert parts_keep_pace(replace(DENSE, layers=30), 4, 1)
