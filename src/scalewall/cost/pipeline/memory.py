"""What a schedule keeps in memory: activations in flight on every stage over the step.

A forward brings its activations; the input gradient lets go of those that only it needs and leaves what the
weight gradient needs, which the weight gradient lets go of (Qi et al. 2023, section 3.1). A backward in one
piece lets go of all at its end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scalewall.cost.pipeline.schedule import BACKWARD, FORWARD, INPUT_GRADIENT, Schedule
from scalewall.cost.pipeline.simulate import PipelineRun

__all__ = ["StageMemory", "in_flight", "in_flight_over_time", "memory_over_time", "peak_bytes"]

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StageMemory:
    """One stage's memory as a staircase.

    Parameters
    ----------
    seconds : float array
        When it changes, not decreasing, from 0.
    held : float array
        What is held from then on (bytes or microbatches).
    """

    seconds: _Floats
    held: _Floats


def _changes(
    schedule: Schedule, here: slice, activation: _Floats, gradient: _Floats
) -> tuple[_Floats, _Floats]:
    """Return what the operations in ``here`` take at their start and give back at their end."""
    kind, part = schedule.kind[here], schedule.part[here]
    taken = np.where(kind == FORWARD, activation[part], 0.0)
    back = np.where(kind == INPUT_GRADIENT, activation[part] - gradient[part], gradient[part])
    back = np.where(kind == BACKWARD, activation[part], back)
    return taken, np.where(kind == FORWARD, 0.0, back)


def _peaks(schedule: Schedule, activation: _Floats, gradient: _Floats) -> _Floats:
    """Return the most that each stage holds at once, beyond what it holds all the time; shape (stages,)."""
    peaks = np.zeros(schedule.stages)
    for stage in range(schedule.stages):
        taken, back = _changes(schedule, schedule.stage_slice(stage), activation, gradient)
        held = np.cumsum(taken - back)
        peaks[stage] = max(0.0, float((held + back).max()), float(held.max()))
    return peaks


def peak_bytes(run: PipelineRun) -> _Floats:
    """Return the most that each stage holds at any time (bytes), weights and the like included; (stages,)."""
    costs = run.costs
    return costs.fixed_bytes + _peaks(run.schedule, costs.activation_bytes, costs.gradient_bytes)


def in_flight(schedule: Schedule) -> _Floats:
    """Return the most microbatches whose activations a stage holds at once, in whole stages; (stages,).

    A microbatch counts from its forward until its weight gradient is done; one chunk of a stage counts as
    that chunk's share.
    """
    share = schedule.placement.share
    return _peaks(schedule, share, share)


def memory_over_time(run: PipelineRun, stage: int) -> StageMemory:
    """Return what ``stage`` holds over the step (bytes), weights and the like included."""
    costs = run.costs
    return _staircase(
        run, stage, costs.activation_bytes, costs.gradient_bytes, float(costs.fixed_bytes[stage])
    )


def in_flight_over_time(run: PipelineRun, stage: int) -> StageMemory:
    """Return the microbatches that ``stage`` holds over the step, counted as in :func:`in_flight`."""
    share = run.schedule.placement.share
    return _staircase(run, stage, share, share, 0.0)


def _staircase(
    run: PipelineRun, stage: int, activation: _Floats, gradient: _Floats, fixed: float
) -> StageMemory:
    here = run.schedule.stage_slice(stage)
    taken, back = _changes(run.schedule, here, activation, gradient)
    seconds = np.stack([run.start[here], run.end[here]], axis=1).ravel()
    steps = np.stack([taken, -back], axis=1).ravel()
    order = np.argsort(seconds, kind="stable")
    changed = order[steps[order] != 0.0]
    held = fixed + np.concatenate([[0.0], np.cumsum(steps[changed])])
    return StageMemory(np.concatenate([[0.0], seconds[changed]]), held)
