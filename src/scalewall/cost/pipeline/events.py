"""The event simulation, compiled: every operation starts once its stage is free and its inputs are there.

Every stage keeps its order, so no event queue is needed: a stage runs on until an input is missing, and is
looked at again when a message for it is known. Each operation is visited once and each message wakes one
stage, so the cost is linear in the operations.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scalewall._jit import kernel

__all__ = ["run_events"]

_Floats = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.int64]


@kernel
def run_events(
    offsets: _Ints,
    kind: npt.NDArray[np.int8],
    part: npt.NDArray[np.int32],
    microbatch: npt.NDArray[np.int32],
    joined: npt.NDArray[np.bool_],
    part_stage: _Ints,
    neighbour: _Ints,
    columns: int,
    forward: _Floats,
    input_gradient: _Floats,
    weight_gradient: _Floats,
    transfer: _Floats,
    latency: _Floats,
    lane: _Ints,
    overlap: bool,
    joint_fraction: float,
) -> tuple[_Floats, _Floats, _Floats, _Floats, _Ints, _Floats, _Ints]:
    """Time every operation of one step.

    Parameters
    ----------
    offsets, kind, part, microbatch, joined
        The schedule's arrays.
    part_stage : int64 array, shape (parts,)
        Stage of each part.
    neighbour : int64 array, shape (2, parts)
        Next and previous part of each part, -1 for none.
    columns : int
        Largest number of microbatches of any chain.
    forward, input_gradient, weight_gradient : float arrays, shape (parts, 1) or (parts, columns)
        Seconds.
    transfer, latency, lane : arrays, shape (2, parts)
        As in ``Sends``.
    overlap, joint_fraction
        As in ``Costs``.

    Returns
    -------
    start, end : float arrays, shape (operations,)
        Seconds from the beginning of the step; NaN for an operation that never ran.
    freed : float array, shape (operations,)
        When the stage could go on: the end, or where communication does not overlap the message's arrival.
    departure : float array, shape (operations,)
        When the operation's message left; its end where it sent none.
    behind : int64 array, shape (operations,)
        The operation whose message it queued behind, -1 for none.
    tally : float array, shape (4, stages)
        Seconds of computing, of being held up by one's own messages, of waiting for a message on its way, and
        the part of the last that came before the stage's first operation.
    position : int64 array, shape (stages,)
        Where each stage stopped; ``offsets[1:]`` if all ran.
    """
    stages = offsets.size - 1
    parts = part_stage.size
    count = kind.size
    start = np.full(count, np.nan)
    end = np.full(count, np.nan)
    freed = np.full(count, np.nan)
    departure = np.full(count, np.nan)
    behind = np.full(count, -1, np.int64)
    tally = np.zeros((4, stages))
    arrival = np.full((2, parts, columns), np.nan)
    origin = np.zeros((2, parts, columns))
    differentiated = np.zeros((parts, columns), np.bool_)
    for p in range(parts):
        if neighbour[1, p] < 0:
            arrival[0, p, :] = 0.0
    lanes = max(1, lane.max() + 1)
    lane_free = np.zeros(lanes)
    lane_last = np.full(lanes, -1, np.int64)
    several = np.array([forward.shape[1] > 1, input_gradient.shape[1] > 1, weight_gradient.shape[1] > 1])

    free = np.zeros(stages)
    position = offsets[:-1].copy()
    waiting = np.arange(stages)
    queued = np.ones(stages, np.bool_)
    depth = stages
    while depth > 0:
        depth -= 1
        stage = waiting[depth]
        queued[stage] = False
        while position[stage] < offsets[stage + 1]:
            first = position[stage]
            last = first + 1 if joined[first] else first
            ready = free[stage]
            sent = 0.0
            blocked = False
            for i in range(first, last + 1):
                if kind[i] == 2:
                    blocked = blocked or not differentiated[part[i], microbatch[i]]
                    continue
                direction = 0 if kind[i] == 0 else 1
                arrived = arrival[direction, part[i], microbatch[i]]
                if np.isnan(arrived):
                    blocked = True
                elif arrived > ready:
                    ready = arrived
                    sent = origin[direction, part[i], microbatch[i]]
            if blocked:
                break
            if ready > free[stage]:
                late = ready - max(free[stage], sent)
                tally[2, stage] += late
                if first == offsets[stage]:
                    tally[3, stage] = late
            seconds = 0.0
            for i in range(first, last + 1):
                p, m = part[i], microbatch[i]
                if kind[i] == 0:
                    seconds += forward[p, m if several[0] else 0]
                if kind[i] == 1 or kind[i] == 3:
                    seconds += input_gradient[p, m if several[1] else 0]
                if kind[i] >= 2:
                    seconds += weight_gradient[p, m if several[2] else 0]
            if last > first:
                seconds *= joint_fraction
            done = ready + seconds
            tally[0, stage] += seconds
            free[stage] = done
            for i in range(first, last + 1):
                start[i], end[i], departure[i] = ready, done, done
                if kind[i] == 2:
                    continue
                p, m = part[i], microbatch[i]
                direction = 0 if kind[i] == 0 else 1
                if direction == 1:
                    differentiated[p, m] = True
                target = neighbour[direction, p]
                if target < 0:
                    if direction == 1:
                        continue
                    arrival[1, p, m] = done
                    origin[1, p, m] = done
                    continue
                link = lane[direction, p]
                if link >= 0:
                    if lane_free[link] > done:
                        departure[i] = lane_free[link]
                        behind[i] = lane_last[link]
                    lane_free[link] = departure[i] + transfer[direction, p]
                    lane_last[link] = i
                    arrival[direction, target, m] = lane_free[link] + latency[direction, p]
                    if not overlap:
                        free[stage] = max(free[stage], arrival[direction, target, m])
                else:
                    arrival[direction, target, m] = done
                origin[direction, target, m] = done
                neighbour_stage = part_stage[target]
                if not queued[neighbour_stage] and neighbour_stage != stage:
                    queued[neighbour_stage] = True
                    waiting[depth] = neighbour_stage
                    depth += 1
            tally[1, stage] += free[stage] - done
            freed[first] = freed[last] = free[stage]
            position[stage] = last + 1
    return start, end, freed, departure, behind, tally, position
