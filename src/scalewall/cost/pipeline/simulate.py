"""Run a schedule against its costs: when every operation runs, and what each stage does with the step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scalewall.cost.pipeline.check import deadlock
from scalewall.cost.pipeline.costs import Costs
from scalewall.cost.pipeline.events import run_events
from scalewall.cost.pipeline.schedule import Schedule
from scalewall.errors import InputError

__all__ = ["PipelineRun", "StageTimes", "communication_seconds", "simulate"]

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StageTimes:
    """What each stage does during one step (seconds, shape (stages,)); the four add up to the step.

    Parameters
    ----------
    busy : float array
        Computing.
    sending : float array
        Held up by its own messages (none if communication overlaps compute).
    exposed : float array
        Waiting for a message that is on its way.
    idle : float array
        Waiting for work that is not done yet elsewhere, or done with its own.
    """

    busy: _Floats
    sending: _Floats
    exposed: _Floats
    idle: _Floats


@dataclass(frozen=True, eq=False)
class PipelineRun:
    """One simulated training step.

    Parameters
    ----------
    schedule, costs
        What was run.
    start, end : float arrays, shape (operations,)
        Seconds since the step began; the two operations of a pair share both.
    freed : float array, shape (operations,)
        When the stage could go on after an operation: its end, or later where communication does not overlap.
    departure : float array, shape (operations,)
        When an operation's message left its stage.
    behind : int64 array, shape (operations,)
        The operation whose message it queued behind, -1 for none.
    makespan_seconds : float
        From the first operation on any stage until the last one is done and sent.
    period_seconds : float
        The longest that any one stage takes from its first operation to its last: the time from step to step
        where stages need not wait for each other at the optimizer.
    stages : StageTimes
        Where the step's time goes.
    """

    schedule: Schedule
    costs: Costs
    start: _Floats
    end: _Floats
    freed: _Floats
    departure: _Floats
    behind: npt.NDArray[np.int64]
    makespan_seconds: float
    period_seconds: float
    stages: StageTimes

    @property
    def step_seconds(self) -> float:
        """Seconds a step: the period where the schedule is staggered, else the makespan."""
        return self.period_seconds if self.schedule.staggered else self.makespan_seconds

    @property
    def bubble(self) -> _Floats:
        """Share of the step in which each stage does not compute, shape (stages,)."""
        result: _Floats = 1.0 - self.stages.busy / max(self.step_seconds, np.finfo(np.float64).tiny)
        return result

    @property
    def bubble_fraction(self) -> float:
        """Share of the step in which stages do not compute, over all stages."""
        return float(self.bubble.mean())


def simulate(schedule: Schedule, costs: Costs) -> PipelineRun:
    """Run one step of ``schedule``, exactly.

    An operation starts when the one before it on its stage is done and its inputs have arrived: a forward
    needs the activations of the part before, an input gradient (or whole backward) the gradient from the
    part after, a weight gradient its own input gradient. A pair needs the inputs of both.

    Raises
    ------
    InputError
        If the costs belong to another placement, the schedule is a deadlock (the operations are named), or the
        step takes longer than a float can hold.
    """
    placement = schedule.placement
    if placement.chains != costs.placement.chains:
        raise InputError(
            "costs", costs.placement.chains, f"costs of the schedule's placement {placement.chains}"
        )
    columns = max(schedule.microbatches)
    for name in ("forward", "input_gradient", "weight_gradient"):
        given = getattr(costs, name).shape[1]
        if given not in (1, columns):
            raise InputError(f"costs.{name}", given, f"1 column, or {columns}: one a microbatch")
    start, end, freed, departure, behind, tally, position = run_events(
        schedule.offsets,
        schedule.kind,
        schedule.part,
        schedule.microbatch,
        schedule.joined,
        placement.part_stage,
        np.stack([placement.next_part, placement.previous_part]),
        columns,
        costs.forward,
        costs.input_gradient,
        costs.weight_gradient,
        costs.sends.transfer,
        costs.sends.latency,
        costs.sends.lane,
        costs.overlap,
        costs.joint_fraction,
    )
    if (position < schedule.offsets[1:]).any():
        raise deadlock(schedule, position)
    began, finished = start[schedule.offsets[:-1]], freed[schedule.offsets[1:] - 1]
    makespan = float(finished.max())
    if not np.isfinite(makespan):
        raise InputError("costs", makespan, "seconds that add up to a number that a float can hold")
    period = float((finished - began).max())
    step = period if schedule.staggered else makespan
    busy, sending, waited, before = tally
    exposed = waited - before if schedule.staggered else waited
    return PipelineRun(
        schedule=schedule,
        costs=costs,
        start=start,
        end=end,
        freed=freed,
        departure=departure,
        behind=behind,
        makespan_seconds=makespan,
        period_seconds=period,
        stages=StageTimes(busy, sending, exposed, step - busy - sending - exposed),
    )


def communication_seconds(run: PipelineRun) -> float:
    """Return what communication adds to the step (seconds): the step less the same with free messages."""
    return run.step_seconds - simulate(run.schedule, run.costs.without_sends()).step_seconds
