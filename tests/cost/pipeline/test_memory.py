"""Activations in flight and memory over the step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from scalewall.cost.pipeline import (
    Work,
    build_schedule,
    in_flight,
    in_flight_over_time,
    memory_over_time,
    peak_bytes,
    placement_of,
    simulate,
    stage_costs,
)
from tests.cost.pipeline.samples import runs


@settings(max_examples=300, deadline=None)
@given(runs())
def test_memory_returns_to_what_is_always_held_and_its_top_is_the_peak(case):
    run = simulate(*case)
    for stage in range(run.schedule.stages):
        memory = memory_over_time(run, stage)
        assert memory.held[0] == memory.held[-1] == run.costs.fixed_bytes[stage]
        assert np.all(np.diff(memory.seconds) >= 0.0)
        assert memory.held.max() == pytest.approx(peak_bytes(run)[stage])
        flying = in_flight_over_time(run, stage)
        assert flying.held.max() == pytest.approx(in_flight(run.schedule)[stage])


@pytest.mark.parametrize("pp", [1, 4, 7])
def test_in_flight_of_known_schedules(pp):
    rank = np.arange(pp)
    many = 3 * pp
    assert in_flight(build_schedule("gpipe", pp, many)) == pytest.approx(np.full(pp, many))
    assert in_flight(build_schedule("1f1b", pp, many)) == pytest.approx(pp - rank)
    assert in_flight(build_schedule("zb-h1", pp, many)) == pytest.approx(np.full(pp, pp))
    assert in_flight(build_schedule("zb-h2", pp, many)) == pytest.approx(np.full(pp, 2 * pp - 1))


def test_what_stays_for_the_weight_gradient_counts_until_it_is_done():
    placement = placement_of("zb-h1", 2)
    costs = stage_costs(placement, Work(1.0, 1.0, 1.0, 10.0, 4.0, 100.0))
    run = simulate(build_schedule("zb-h1", 2, 2), costs)
    first = memory_over_time(run, 0)
    assert first.seconds.tolist() == [0.0, 0.0, 1.0, 4.0, 5.0, 6.0, 7.0]
    assert first.held.tolist() == [100.0, 110.0, 120.0, 114.0, 110.0, 104.0, 100.0]
    assert peak_bytes(run)[0] == 120.0
