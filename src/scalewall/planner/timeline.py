"""The pipeline of a plan, operation by operation, to look at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from scalewall.cost.pipeline import PipelineRun, build_schedule, simulate
from scalewall.errors import InputError
from scalewall.planner.estimate import Estimate
from scalewall.planner.event_time import pipeline_costs, schedule_name
from scalewall.planner.memory import in_flight

__all__ = ["pipeline_timeline"]


def pipeline_timeline(answer: Estimate) -> PipelineRun:
    """Return one step of a plan's pipeline as the events of its schedule, with what each stage holds.

    A part holds its share of a stage's activations from the start of a microbatch's forward to the end of its weight
    gradient; all else that the stage holds is there all the time.

    Parameters
    ----------
    answer : Estimate
        A plan with a pipeline.

    Raises
    ------
    InputError
        Without a pipeline, or where the schedule cannot be built for its shape.
    """
    layout = answer.layout
    if layout.pp == 1:
        raise InputError("pp", 1, "at least 2 stages: without a pipeline there is no timeline", ["2"])
    costs = pipeline_costs(answer.run, layout, answer.profile)
    microbatches = answer.step.microbatches
    activations = np.array([stage.terms["activations"] for stage in answer.memory])
    each = activations / [in_flight(layout, stage, microbatches) for stage in range(layout.pp)]
    held = each[costs.placement.part_stage] * costs.placement.share
    fixed = np.array([stage.total for stage in answer.memory]) - activations
    costs = replace(costs, activation_bytes=held, gradient_bytes=held, fixed_bytes=fixed)
    schedule = build_schedule(schedule_name(layout), layout.pp, microbatches, layout.chunks, costs)
    return simulate(schedule, costs)
