"""Why a step takes as long as it does: its critical path, and what no order of operations could beat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scalewall.cost.pipeline.schedule import BACKWARD, FORWARD, KINDS, WEIGHT_GRADIENT
from scalewall.cost.pipeline.simulate import PipelineRun

__all__ = ["Bounds", "Segment", "critical_path", "lower_bounds", "path_seconds"]

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Segment:
    """One piece of a critical path.

    Parameters
    ----------
    stage : int
        Where it happens; of a message, the sender.
    label : str
        The operation (``B3``, a pair as ``F5&BW2``), or the one whose message it is.
    kind : str
        ``F``, ``B``, ``W``, ``BW``, ``F&BW``, ``F&B`` or ``send``.
    start, end : float
        Seconds since the step began.
    """

    stage: int
    label: str
    kind: str
    start: float
    end: float


@dataclass(frozen=True)
class Bounds:
    """What a step cannot be shorter than (seconds), whatever the order.

    Parameters
    ----------
    busiest_stage_seconds : float
        The most that any stage computes.
    longest_chain_seconds : float
        The longest way of one microbatch forward and back, messages included, as if it were alone.
    """

    busiest_stage_seconds: float
    longest_chain_seconds: float


def critical_path(run: PipelineRun) -> list[Segment]:
    """Return the chain of operations and messages that sets the makespan, first to last, without gaps.

    Walks back from the operation that ends last: each began the moment its stage was free or its input
    arrived; where both hold, the stage's own order counts as the cause.
    """
    schedule = run.schedule
    last_of_stage = schedule.offsets[1:] - 1
    index = int(last_of_stage[np.argmax(run.freed[last_of_stage])])
    producers = _producers(run)
    path: list[Segment] = []
    if run.freed[index] > run.end[index]:
        path.append(_message(run, index, run.end[index], run.freed[index]))
    while True:
        index = _leader(run, index)
        path.append(_operation(run, index))
        begun = run.start[index]
        if begun <= 0.0:
            break
        before = index - 1
        if index > schedule.offsets[schedule.stage[index]] and run.freed[before] == begun:
            if run.end[before] < begun:
                path.append(_message(run, before, run.end[before], begun))
            index = before
            continue
        index, segments = _along_message(run, index, producers)
        path.extend(segments)
    return [segment for segment in reversed(path) if segment.end > segment.start]


def path_seconds(path: list[Segment]) -> dict[str, float]:
    """Return how much of the path each kind takes (seconds); the sum is the makespan."""
    totals: dict[str, float] = {}
    for segment in path:
        totals[segment.kind] = totals.get(segment.kind, 0.0) + segment.end - segment.start
    return totals


def _leader(run: PipelineRun, index: int) -> int:
    """Return the first operation of the pair that ``index`` belongs to, or itself."""
    paired = index > run.schedule.offsets[run.schedule.stage[index]] and run.schedule.joined[index - 1]
    return index - 1 if paired else index


def _operation(run: PipelineRun, index: int) -> Segment:
    schedule = run.schedule
    label, kind = schedule.label(index), KINDS[schedule.kind[index]]
    if schedule.joined[index]:
        label += f"&{schedule.label(index + 1)}"
        kind += f"&{KINDS[schedule.kind[index + 1]]}"
    return Segment(int(schedule.stage[index]), label, kind, float(run.start[index]), float(run.end[index]))


def _message(run: PipelineRun, index: int, start: float, end: float) -> Segment:
    return Segment(
        int(run.schedule.stage[index]), run.schedule.label(index), "send", float(start), float(end)
    )


def _producers(run: PipelineRun) -> npt.NDArray[np.int64]:
    """Return which operation made each activation (row 0) and gradient (row 1), (2, parts, microbatches)."""
    schedule = run.schedule
    found = np.full((2, schedule.placement.parts, max(schedule.microbatches)), -1, dtype=np.int64)
    sends = np.flatnonzero(schedule.kind != WEIGHT_GRADIENT)
    direction = (schedule.kind[sends] != FORWARD).astype(np.int64)
    found[direction, schedule.part[sends], schedule.microbatch[sends]] = sends
    return found


def _along_message(
    run: PipelineRun, index: int, producers: npt.NDArray[np.int64]
) -> tuple[int, list[Segment]]:
    """Return the operation whose result ``index`` waited for, and the messages in between, last first."""
    schedule, sends = run.schedule, run.costs.sends
    members = [index, index + 1] if schedule.joined[index] else [index]
    candidates = []
    for i in members:
        kind, part, microbatch = int(schedule.kind[i]), int(schedule.part[i]), int(schedule.microbatch[i])
        if kind == WEIGHT_GRADIENT:
            continue
        direction = 0 if kind == FORWARD else 1
        source = int((schedule.placement.next_part if direction else schedule.placement.previous_part)[part])
        if source >= 0:
            producer = int(producers[direction, source, microbatch])
            travel = sends.transfer[direction, source] + sends.latency[direction, source]
            candidates.append((float(run.departure[producer] + travel), producer))
    producer = max(candidates)[1]
    segments = []
    until = float(run.start[index])
    while run.departure[producer] > run.end[producer] and run.behind[producer] >= 0:
        segments.append(_message(run, producer, run.departure[producer], until))
        until = float(run.departure[producer])
        producer = int(run.behind[producer])
    segments.append(_message(run, producer, run.end[producer], until))
    return producer, segments


def lower_bounds(run: PipelineRun) -> Bounds:
    """Return what this schedule's makespan cannot be shorter than, whatever the order of its operations."""
    schedule, sends = run.schedule, run.costs.sends
    placement = schedule.placement
    seconds = np.zeros((len(KINDS), placement.parts, max(schedule.microbatches)))
    seconds[schedule.kind, schedule.part, schedule.microbatch] = run.end - run.start
    travel = sends.transfer + sends.latency
    elapsed: _Floats = np.zeros(seconds.shape[2])
    longest = 0.0
    for part in range(placement.parts):
        if placement.previous_part[part] < 0:
            elapsed = np.zeros(seconds.shape[2])
        elapsed = elapsed + seconds[FORWARD, part]
        if placement.next_part[part] >= 0:
            elapsed = elapsed + travel[0, part]
            continue
        longest = max(longest, _way_back(run, seconds, travel[1], elapsed, part))
    return Bounds(float(run.stages.busy.max()), longest)


def _way_back(run: PipelineRun, seconds: _Floats, travel: _Floats, elapsed: _Floats, part: int) -> float:
    """Return the longest time at which any gradient on the way back from ``part`` is done."""
    longest = 0.0
    while part >= 0:
        elapsed = elapsed + seconds[1, part] + seconds[BACKWARD, part]
        longest = max(longest, float((elapsed + seconds[WEIGHT_GRADIENT, part]).max()))
        elapsed = elapsed + travel[part]
        part = int(run.schedule.placement.previous_part[part])
    return longest
