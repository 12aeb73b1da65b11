"""The step as the events of its schedule take it: what the closed form is checked against, plan by plan."""

from __future__ import annotations

import numpy as np

from scalewall.cost.pipeline import Costs, Placement, Sends, build_schedule, placement_of, simulate
from scalewall.errors import InputError
from scalewall.planner.communication import pair_seconds
from scalewall.planner.layout import Layout
from scalewall.planner.pipeline import PIECES, part_layers
from scalewall.planner.profile import Profile
from scalewall.planner.run import Run, check_run
from scalewall.planner.step import StepTime, hop_bytes, pieces_of, seconds_of

__all__ = ["event_seconds", "pipeline_costs", "schedule_name"]

_MOST_OPERATIONS = 1_000_000
"""More operations than that are not simulated: the closed form's gap shrinks with the number of microbatches."""
_MOST_SEARCHED = 20_000
"""The same for schedules that are searched for."""
_SEARCHED = ("zb-1p", "zb-2p")
_OUTSIDE = ("data", "optimizer", "stragglers")


def schedule_name(layout: Layout) -> str:
    """Return what :mod:`scalewall.cost.pipeline` calls the layout's schedule."""
    return "interleaved" if layout.chunks > 1 else layout.schedule


def pipeline_costs(run: Run, layout: Layout, profile: Profile) -> Costs:
    """Return what every part of the pipeline costs, for :func:`scalewall.cost.pipeline.simulate`.

    Parameters
    ----------
    run, layout, profile
        What, how and with which software.
    """
    model = run.model
    placement = placement_of(schedule_name(layout), layout.pp, layout.chunks)
    seconds = seconds_of(pieces_of(run, layout, profile))
    layers = part_layers(model, layout.pp, layout.chunks)
    ends = np.cumsum(layers)
    counts = np.zeros((len(layers), len(PIECES)))
    for part, (end, count) in enumerate(zip(ends, layers, strict=True)):
        experts = sum(model.has_experts(layer) for layer in range(end - count, end))
        counts[part, :2] = count - experts, experts
    extra = model.prediction_layers
    counts[-1] += (0 if model.experts else extra, extra if model.experts else 0, 1 + extra, extra)
    works = np.tile(counts @ seconds, (len(placement.chains), 1))
    nothing = np.zeros(placement.parts)
    return Costs(
        placement=placement,
        forward=works[:, :1],
        input_gradient=works[:, 1:2],
        weight_gradient=works[:, 2:],
        sends=_sends(run, layout, placement),
        activation_bytes=nothing,
        gradient_bytes=nothing,
        fixed_bytes=np.zeros(placement.stages),
        overlap=profile.overlap_sends,
    )


def _sends(run: Run, layout: Layout, placement: Placement) -> Sends:
    """Messages between neighbouring stages; those of one stage queue."""
    distance = layout.tp * layout.cp * layout.dp
    latency = pair_seconds(run.device, distance, 0.0)
    hop = pair_seconds(run.device, distance, hop_bytes(run, layout)) - latency
    stage = placement.part_stage
    there = np.stack([placement.next_part, placement.previous_part])
    moves = (there >= 0) & (stage[there] != stage)
    return Sends(np.where(moves, hop, 0.0), np.where(moves, latency, 0.0), np.where(moves, stage, -1))


def event_seconds(run: Run, layout: Layout, profile: Profile, step: StepTime) -> float | None:
    """Return the step time with the pipeline's part taken from its events instead of the closed form.

    None without a pipeline, and where the schedule has too many operations or cannot be built for its shape.

    Parameters
    ----------
    run, layout, profile
        What, how and with which software.
    step : StepTime
        In closed form, whose parts outside the pipeline stay.
    """
    microbatches = check_run(run, layout)
    most = _MOST_SEARCHED if layout.schedule in _SEARCHED else _MOST_OPERATIONS
    if layout.pp == 1 or 3 * layout.pp * layout.chunks * microbatches > most:
        return None
    costs = pipeline_costs(run, layout, profile)
    try:
        schedule = build_schedule(schedule_name(layout), layout.pp, microbatches, layout.chunks, costs)
        pipeline = simulate(schedule, costs).step_seconds
    except InputError:
        return None
    outside = sum(step.parts[name] for name in _OUTSIDE)
    work = step.seconds - outside - step.parts["bubble"] - step.parts["sends"]
    waiting = step.seconds / (step.seconds - step.parts["stragglers"])
    timed = work + profile["bubble"] * (pipeline - work)
    return (timed + step.parts["data"] + step.parts["optimizer"]) * waiting
