"""What any simulation must obey, whatever the schedule and the costs."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scalewall.cost.pipeline import (
    Sends,
    Work,
    build_schedule,
    check_operations,
    communication_seconds,
    critical_path,
    lower_bounds,
    path_seconds,
    placement_of,
    simulate,
    split_backward,
    stage_costs,
)
from scalewall.cost.pipeline.schedule import BACKWARD, FORWARD, INPUT_GRADIENT, WEIGHT_GRADIENT
from scalewall.errors import InputError
from tests.cost.pipeline.samples import NAMED_SHAPES, costs_for, runs, slow_simulation, work_seconds

many = settings(max_examples=500, deadline=None)


def obeys_physics(run) -> None:
    schedule, costs = run.schedule, run.costs
    placement = schedule.placement
    assert np.isfinite(run.start).all()
    assert np.isfinite(run.end).all()
    done = {}
    for i in range(schedule.operations):
        key = (int(schedule.kind[i]), int(schedule.part[i]), int(schedule.microbatch[i]))
        assert key not in done
        done[key] = i
    for (kind, part, m), i in done.items():
        direction = 0 if kind == FORWARD else 1
        source = int((placement.previous_part, placement.next_part)[direction][part])
        if kind == WEIGHT_GRADIENT:
            assert run.start[i] >= run.end[done[INPUT_GRADIENT, part, m]]
        elif source >= 0:
            kinds = (FORWARD,) if kind == FORWARD else (INPUT_GRADIENT, BACKWARD)
            maker = next(done[k, source, m] for k in kinds if (k, source, m) in done)
            travel = costs.sends.transfer[direction, source] + costs.sends.latency[direction, source]
            assert run.start[i] >= run.end[maker] + travel
        elif kind != FORWARD:
            assert run.start[i] >= run.end[done[FORWARD, part, m]]
    for stage in range(schedule.stages):
        here = schedule.stage_slice(stage)
        apart = ~schedule.joined[here][:-1]
        assert np.all(run.start[here][1:][apart] >= run.end[here][:-1][apart])
    parts = run.stages
    total = parts.busy + parts.sending + parts.exposed + parts.idle
    assert total == pytest.approx(np.full(schedule.stages, run.step_seconds))
    for column in (parts.busy, parts.sending, parts.exposed, parts.idle):
        assert np.all(column >= -1e-9)
    bounds = lower_bounds(run)
    assert run.makespan_seconds >= bounds.busiest_stage_seconds - 1e-9
    assert run.makespan_seconds >= bounds.longest_chain_seconds - 1e-9
    assert bounds.busiest_stage_seconds - 1e-9 <= run.period_seconds <= run.makespan_seconds
    path = critical_path(run)
    if path:
        assert path[0].start == 0.0
        assert path[-1].end == run.makespan_seconds
        assert all(a.end == b.start for a, b in pairwise(path))
    assert sum(path_seconds(path).values()) == pytest.approx(run.makespan_seconds)


@many
@given(runs())
def test_random_schedules_obey_physics_and_match_a_slow_simulation(case):
    schedule, costs = case
    check_operations(schedule)
    run = simulate(schedule, costs)
    obeys_physics(run)
    start, end = slow_simulation(schedule, costs)
    assert run.start.tolist() == start
    assert run.end.tolist() == end


@many
@given(st.sampled_from(NAMED_SHAPES), st.data())
def test_named_schedules_obey_physics_and_match_a_slow_simulation(shape, data):
    schedule = build_schedule(*shape)
    check_operations(schedule)
    costs = data.draw(costs_for(schedule))
    run = simulate(schedule, costs)
    obeys_physics(run)
    start, end = slow_simulation(schedule, costs)
    assert run.start.tolist() == start
    assert run.end.tolist() == end


@many
@given(runs(), st.integers(0, 2**32))
def test_nothing_gets_faster_when_something_takes_longer(case, seed):
    schedule, costs = case
    numbers = np.random.default_rng(seed)
    slower = replace(
        costs,
        forward=costs.forward + numbers.integers(0, 3, costs.forward.shape),
        weight_gradient=costs.weight_gradient + numbers.integers(0, 3, costs.weight_gradient.shape),
        sends=Sends(costs.sends.transfer * 2, costs.sends.latency * 2, costs.sends.lane),
    )
    before, after = simulate(schedule, costs), simulate(schedule, slower)
    assert np.all(after.start >= before.start)
    assert communication_seconds(before) >= 0.0 or schedule.staggered


@pytest.mark.parametrize("shape", NAMED_SHAPES)
def test_busy_time_is_the_work_of_the_stage(shape):
    schedule = build_schedule(*shape)
    costs = stage_costs(schedule.placement, Work(2.0, 3.0, 1.0))
    run = simulate(schedule, costs)
    work = [work_seconds(schedule, costs, i) for i in range(schedule.operations)]
    assert run.stages.busy == pytest.approx(np.bincount(schedule.stage, work))


def test_pairs_take_their_share_of_the_sum():
    schedule = build_schedule("dualpipe", 4, 8)
    run = simulate(schedule, stage_costs(schedule.placement, joint_fraction=0.5))
    pairs = np.flatnonzero(schedule.joined)
    assert pairs.size > 0
    assert (run.end - run.start)[pairs] == pytest.approx(1.5)
    assert np.array_equal(run.start[pairs], run.start[pairs + 1])
    assert run.step_seconds < simulate(schedule, stage_costs(schedule.placement)).step_seconds


def test_splitting_the_backward_only_helps():
    whole = build_schedule("1f1b", 6, 12)
    split = split_backward(whole)
    check_operations(split)
    costs = stage_costs(whole.placement)
    assert simulate(split, costs).step_seconds < simulate(whole, costs).step_seconds


def test_messages_that_do_not_overlap_hold_the_stage_up():
    schedule = build_schedule("1f1b", 4, 8)
    shape = (2, 4)
    lane = np.array([[0, 1, 2, -1], [-1, 3, 4, 5]])
    sends = Sends((lane >= 0) * 0.25, np.zeros(shape), lane)
    beside = simulate(schedule, stage_costs(schedule.placement, sends=sends))
    instead = simulate(schedule, stage_costs(schedule.placement, sends=sends, overlap=False))
    assert beside.stages.sending.max() == 0.0
    assert beside.stages.exposed.max() > 0.0
    assert instead.stages.sending == pytest.approx([2.0, 4.0, 4.0, 2.0])
    assert (
        instead.step_seconds
        > beside.step_seconds
        > simulate(schedule, beside.costs.without_sends()).step_seconds
    )


def test_a_staggered_step_does_not_wait_for_the_last_stage():
    schedule = build_schedule("zb-h2", 4, 8)
    run = simulate(schedule, stage_costs(schedule.placement))
    assert run.step_seconds == run.period_seconds == 24.0
    assert run.makespan_seconds == 27.0
    waits = simulate(replace(schedule, staggered=False), run.costs)
    assert waits.step_seconds == 27.0


def test_times_beyond_any_float_are_refused():
    placement = placement_of("1f1b", 4)
    costs = stage_costs(placement, Work(1e308, 1e308, 1e308))
    with pytest.raises(InputError, match=r"costs: inf .*a float can hold"):
        simulate(build_schedule("1f1b", 4, 8), costs)


def test_costs_of_another_placement_are_refused():
    with pytest.raises(InputError, match="placement"):
        simulate(build_schedule("1f1b", 4, 8), stage_costs(placement_of("zb-v", 4)))


def test_costs_for_another_number_of_microbatches_are_refused():
    costs = stage_costs(placement_of("1f1b", 4))
    wide = replace(costs, forward=np.ones((4, 3)))
    with pytest.raises(InputError, match=r"costs.forward: 3 .* 8: one a microbatch"):
        simulate(build_schedule("1f1b", 4, 8), wide)


def test_eight_hundred_thousand_operations_are_built_and_run_in_half_a_second():
    costs = stage_costs(placement_of("interleaved", 64, 8))
    simulate(build_schedule("interleaved", 2, 2, 2), stage_costs(placement_of("interleaved", 2, 2)))
    spent = []
    for _ in range(3):
        before = time.perf_counter()
        schedule = split_backward(build_schedule("interleaved", 64, 512, 8))
        simulate(schedule, costs)
        spent.append(time.perf_counter() - before)
    assert schedule.operations == 786_432
    assert min(spent) < 0.5
