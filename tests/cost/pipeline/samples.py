"""Random schedules that are sound by construction, random costs, and a slow simulation to compare with."""

from __future__ import annotations

import heapq
from random import Random

import numpy as np
from hypothesis import strategies as st

from scalewall.cost.pipeline import Costs, Placement, Schedule, Sends
from scalewall.cost.pipeline.schedule import (
    BACKWARD,
    FORWARD,
    INPUT_GRADIENT,
    WEIGHT_GRADIENT,
    from_stage_orders,
)

NAMED_SHAPES = (
    ("gpipe", 4, 6, 1),
    ("1f1b", 5, 7, 1),
    ("interleaved", 4, 8, 3),
    ("interleaved", 4, 3, 2),
    ("zb-h1", 4, 9, 1),
    ("zb-h2", 4, 9, 1),
    ("zb-v", 4, 9, 1),
    ("zb-1p", 4, 9, 1),
    ("zb-2p", 4, 9, 1),
    ("dualpipe", 6, 14, 1),
    ("dualpipev", 4, 9, 1),
)


@st.composite
def placements(draw: st.DrawFn) -> Placement:
    stages = draw(st.integers(1, 4))
    chains = []
    for _ in range(draw(st.integers(1, 2))):
        visits = list(range(stages)) * draw(st.integers(1, 2))
        chains.append(tuple(draw(st.permutations(visits))))
    return Placement(tuple(chains))


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    """Draw a schedule in which nothing waits for itself: operations laid down one by one, inputs first."""
    placement = draw(placements())
    microbatches = tuple(draw(st.integers(1, 4)) for _ in placement.chains)
    chance = Random(draw(st.integers(0, 2**32)))
    ready = [
        (FORWARD, part, m)
        for part in range(placement.parts)
        if placement.previous_part[part] < 0
        for m in range(microbatches[placement.part_chain[part]])
    ]
    orders: list[list[tuple[int, int, int, bool]]] = [[] for _ in range(placement.stages)]
    while ready:
        kind, part, microbatch = ready.pop(chance.randrange(len(ready)))
        orders[placement.part_stage[part]].append((kind, part, microbatch, False))
        after, before = int(placement.next_part[part]), int(placement.previous_part[part])
        back = chance.choice((INPUT_GRADIENT, BACKWARD))
        if kind == FORWARD:
            ready.append((FORWARD, after, microbatch) if after >= 0 else (back, part, microbatch))
        elif kind != WEIGHT_GRADIENT:
            if kind == INPUT_GRADIENT:
                ready.append((WEIGHT_GRADIENT, part, microbatch))
            if before >= 0:
                ready.append((back, before, microbatch))
    return from_stage_orders("random", placement, microbatches, orders, draw(st.booleans()))


@st.composite
def costs_for(draw: st.DrawFn, schedule: Schedule) -> Costs:
    """Draw costs in whole numbers, so that sums are exact."""
    placement = schedule.placement
    numbers = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns = max(schedule.microbatches) if draw(st.booleans()) else 1
    lanes = placement.stages * 2
    shape = (2, placement.parts)
    level = numbers.integers(0, 2, shape)
    lane = placement.part_stage[None, :] * 2 + level
    there = np.stack([placement.next_part, placement.previous_part])
    sends = np.where((there >= 0) & (placement.part_stage[there] != placement.part_stage), lane, -1)
    assert sends.max() < lanes
    travels = (sends >= 0) * draw(st.integers(0, 1))

    def times() -> np.ndarray:
        return numbers.integers(0, 6, (placement.parts, columns)).astype(float)

    activation = numbers.integers(1, 9, placement.parts).astype(float)
    return Costs(
        placement=placement,
        forward=times(),
        input_gradient=times(),
        weight_gradient=times(),
        sends=Sends(
            travels * numbers.integers(0, 4, shape).astype(float),
            travels * numbers.integers(0, 3, shape).astype(float),
            sends,
        ),
        activation_bytes=activation,
        gradient_bytes=numbers.integers(0, 9, placement.parts).astype(float),
        fixed_bytes=numbers.integers(0, 9, placement.stages).astype(float),
        overlap=draw(st.booleans()),
        joint_fraction=draw(st.sampled_from((1.0, 0.5))),
    )


@st.composite
def runs(draw: st.DrawFn) -> tuple[Schedule, Costs]:
    schedule = draw(schedules())
    return schedule, draw(costs_for(schedule))


def work_seconds(schedule: Schedule, costs: Costs, index: int) -> float:
    """Return what one operation takes on its own."""
    kind, part, m = int(schedule.kind[index]), schedule.part[index], schedule.microbatch[index]

    def of(table: np.ndarray) -> float:
        return float(table[part, m if table.shape[1] > 1 else 0])

    forward, first, second = map(of, (costs.forward, costs.input_gradient, costs.weight_gradient))
    return (forward, first, second, first + second)[kind]


def slow_simulation(schedule: Schedule, costs: Costs) -> tuple[list[float], list[float]]:
    """Run the schedule by events in order of time; returns start and end of each operation."""
    placement, sends = schedule.placement, costs.sends
    start, end = [np.nan] * schedule.operations, [np.nan] * schedule.operations
    position = list(schedule.offsets[:-1])
    free = [0.0] * schedule.stages
    lane_free: dict[int, float] = {}
    known = {
        (FORWARD, part, m): 0.0
        for part in range(placement.parts)
        if placement.previous_part[part] < 0
        for m in range(max(schedule.microbatches))
    }
    events = [(0.0, stage) for stage in range(schedule.stages)]
    while events:
        now, stage = heapq.heappop(events)
        while position[stage] < schedule.offsets[stage + 1] and free[stage] <= now:
            index = int(position[stage])
            members = [index, index + 1] if schedule.joined[index] else [index]
            inputs = []
            for i in members:
                kind = int(schedule.kind[i])
                need = INPUT_GRADIENT if kind == BACKWARD else kind
                inputs.append(known.get((need, int(schedule.part[i]), int(schedule.microbatch[i]))))
            if any(time is None or time > now for time in inputs):
                break
            seconds = sum(work_seconds(schedule, costs, i) for i in members)
            done = now + seconds * (costs.joint_fraction if len(members) > 1 else 1.0)
            free[stage] = done
            for i in members:
                start[i], end[i] = now, done
                kind, part, m = int(schedule.kind[i]), int(schedule.part[i]), int(schedule.microbatch[i])
                direction = 0 if kind == FORWARD else 1
                if kind == INPUT_GRADIENT:
                    known[WEIGHT_GRADIENT, part, m] = done
                if kind == WEIGHT_GRADIENT:
                    continue
                target = int((placement.next_part, placement.previous_part)[direction][part])
                if target < 0:
                    if kind == FORWARD:
                        known[INPUT_GRADIENT, part, m] = done
                    continue
                arrives = done
                lane = int(sends.lane[direction, part])
                if lane >= 0:
                    leaves = max(done, lane_free.get(lane, 0.0))
                    lane_free[lane] = leaves + float(sends.transfer[direction, part])
                    arrives = lane_free[lane] + float(sends.latency[direction, part])
                    if not costs.overlap:
                        free[stage] = max(free[stage], arrives)
                known[FORWARD if direction == 0 else INPUT_GRADIENT, target, m] = arrives
                heapq.heappush(events, (arrives, int(placement.part_stage[target])))
            position[stage] += len(members)
            heapq.heappush(events, (free[stage], stage))
    return start, end
