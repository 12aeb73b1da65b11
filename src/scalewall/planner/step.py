"""The time of one step under one layout, and where it goes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scalewall.planner.communication import pair_seconds
from scalewall.planner.constants import value
from scalewall.planner.data_parallel import (
    gather_weights_seconds,
    optimizer_seconds,
    reduce_seconds,
)
from scalewall.planner.layer import Passes, head_passes, layer_passes, prediction_passes, tokens_per_rank
from scalewall.planner.layout import Layout
from scalewall.planner.pipeline import Stage, bubble_seconds, stages
from scalewall.planner.profile import Profile
from scalewall.planner.run import Run, check_run
from scalewall.planner.weights import Weights, stage_weights
from scalewall.workload.matmuls import head_matmul

__all__ = ["StepTime", "step_time"]

_STRAGGLER = value("step.straggler")


@dataclass(frozen=True)
class StepTime:
    """Seconds of a step and its parts, which add up to it."""

    seconds: float
    parts: dict[str, float]
    microbatches: int


def step_time(run: Run, layout: Layout, profile: Profile) -> StepTime:
    """Return the time of one step.

    Raises
    ------
    InputError
        The layout cannot run the run.
    """
    microbatches = check_run(run, layout)
    model = run.model
    held = stages(model, layout)
    pieces = {
        "dense": layer_passes(run, layout, profile, experts=False) if model.dense_layers else None,
        "experts": layer_passes(run, layout, profile, experts=True) if model.experts else None,
        "head": head_passes(run, layout, profile),
    }
    if model.prediction_layers:
        pieces["prediction"] = prediction_passes(run, layout, profile)
    counted = [_counts(stage, model.prediction_layers, bool(model.experts)) for stage in held]
    forward, back, weight = ([_total(pieces, counts, index) for counts in counted] for index in range(3))
    hop = _send(run, layout)
    send = 0.0 if layout.pp == 1 else hop
    bubble = bubble_seconds(forward, back, weight, microbatches, layout, send)
    bubble *= profile["bubble"]
    totals = [f + b + w for f, b, w in zip(forward, back, weight, strict=True)]
    slowest = max(range(layout.pp), key=lambda i: totals[i])
    sends = 0.0
    if layout.pp > 1 and not profile.overlap_sends:
        sends = 2 * hop * layout.chunks * microbatches
    weights = stage_weights(run, layout, held[slowest])
    shared = _sharing(
        run, layout, profile, weights, forward[slowest], back[slowest] + weight[slowest], microbatches
    )
    shared += _tied_seconds(run, layout, profile)
    update = optimizer_seconds(run, layout, weights)
    parts: dict[str, float] = {}
    for name, count in counted[slowest].items():
        piece = pieces.get(name)
        if piece and count:
            for direction in (piece.forward, piece.input_gradient, piece.weight_gradient):
                for part, seconds in direction.items():
                    parts[part] = parts.get(part, 0.0) + seconds * count * microbatches
    parts |= {"bubble": bubble, "sends": sends, "data": shared, "optimizer": update}
    total = sum(parts.values())
    nodes = max(1.0, layout.ranks / run.device.fast_ranks)
    waiting = total * _STRAGGLER * math.log2(nodes)
    parts["stragglers"] = waiting
    return StepTime(total + waiting, parts, microbatches)


def _counts(stage: Stage, prediction: int, experts: bool) -> dict[str, float]:
    """How often a stage holds each piece; the last also has the multi-token prediction layers and their heads."""
    last = prediction if stage.head else 0
    return {
        "dense": stage.dense + (0 if experts else last),
        "experts": stage.experts + (last if experts else 0),
        "head": (1 if stage.head else 0) + last,
        "prediction": last,
    }


def _total(pieces: dict[str, Passes | None], counts: dict[str, float], index: int) -> float:
    total = 0.0
    for name, count in counts.items():
        piece = pieces.get(name)
        if piece and count:
            total += piece.seconds[index] * count
    return total


def _send(run: Run, layout: Layout) -> float:
    """Seconds of one message between neighbouring stages: a microbatch's hidden states, split over tensor ranks."""
    size = tokens_per_rank(run, layout) * run.model.hidden * 2.0 / layout.tp
    return pair_seconds(run.device, layout.tp * layout.cp * layout.dp, size)


def _tied_seconds(run: Run, layout: Layout, profile: Profile) -> float:
    """Seconds in which first and last stage add up the gradients of an embedding that both hold."""
    if layout.pp == 1 or not run.model.tied_embeddings:
        return 0.0
    size = head_matmul(run.model).parameters / layout.tp * profile.gradient_bytes
    return 2 * pair_seconds(run.device, layout.tp * layout.cp * layout.dp, size / 2)


def _sharing(
    run: Run,
    layout: Layout,
    profile: Profile,
    weights: Weights,
    forward: float,
    backward: float,
    microbatches: int,
) -> float:
    """Exposed seconds of gradient reduction and weight gathering in a step."""
    reduce = reduce_seconds(run, layout, profile, weights) * profile["data"]
    gather = gather_weights_seconds(run, layout, profile, weights) * profile["data"]
    first = 1.0 / max(1.0, weights.layers)
    contention = profile["contention"]
    if layout.sharding in ("parameters", "gradients"):
        again = 2 * gather if layout.sharding == "parameters" else gather
        in_forward = _beside(gather, forward, first, contention)
        in_backward = _beside(again - gather + reduce, backward, first, contention)
        return microbatches * (in_forward + in_backward)
    exposed = _beside(reduce, backward, first, contention) if profile.overlap_reduce else reduce
    return exposed + (_beside(gather, forward, first, contention) if profile.overlap_gather else gather)


def _beside(communication: float, compute: float, first: float, contention: float) -> float:
    """Seconds that communication beside compute adds: what does not fit, the first (or last) layer's share at
    least, and the multiprocessors that what fits takes from the compute."""
    exposed = max(communication - compute, communication * first)
    return exposed + contention * (communication - exposed)
