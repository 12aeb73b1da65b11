"""The time of one step under one layout, and where it goes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scalewall._jit import formula
from scalewall.planner.communication import pair
from scalewall.planner.data_parallel import optimizer_seconds, sharing_seconds
from scalewall.planner.figures import Degrees, Figures, degrees_of, figures_of
from scalewall.planner.layer import Passes, head_passes, layer_passes, prediction_passes, tokens_per_rank
from scalewall.planner.layout import Layout
from scalewall.planner.offload import with_offload
from scalewall.planner.pipeline import PIECES, bubble_seconds, piece_counts, totals_of
from scalewall.planner.profile import Profile
from scalewall.planner.run import Run, check_run
from scalewall.planner.weights import LayerParameters, layer_parameters, stage_parameters

__all__ = ["Composed", "StepTime", "compose", "hop_bytes", "pieces_of", "seconds_of", "step_time"]


@dataclass(frozen=True)
class StepTime:
    """Seconds of a step and its parts, which add up to it."""

    seconds: float
    parts: dict[str, float]
    microbatches: int


class Composed(NamedTuple):
    """A step put together: number of the slowest stage, and seconds; ``total`` is the step."""

    slowest: int
    bubble: float
    sends: float
    data: float
    optimizer: float
    stragglers: float
    total: float


@formula
def sends_seconds(figures: Figures, degrees: Degrees, hop: float, forward: float, backward: float) -> float:
    """Seconds that a microbatch's messages add to a stage: one a chunk and direction.

    Beside the compute of another chunk only what does not fit counts.

    Parameters
    ----------
    figures, degrees
        Machine, software, layout.
    hop : float
        Seconds of a message.
    forward, backward : float
        Seconds of a microbatch on the stage.
    """
    chunks = degrees.chunks
    if not figures.overlap_sends:
        return 2 * hop * chunks
    return chunks * (max(0.0, hop - forward / chunks) + max(0.0, hop - backward / chunks))


@formula
def compose(
    seconds: NDArray[np.float64],
    counts: NDArray[np.float64],
    own: LayerParameters,
    hop_bytes: float,
    microbatches: int,
    figures: Figures,
    degrees: Degrees,
) -> Composed:
    """Put a step together from what its pieces take: the one formula of single plan and search.

    Parameters
    ----------
    seconds : float array, shape (4, 3)
        Forward, input gradient and weight gradient of each piece for one microbatch.
    counts : float array, shape (pp, 4)
        How often each stage holds each piece.
    own : LayerParameters
        Parameters a rank holds of each kind of layer.
    hop_bytes : float
        Bytes of a message between stages.
    microbatches : int
        Of a step.
    figures, degrees
        Machine, software, layout.
    """
    pp = degrees.pp
    totals = totals_of(seconds, counts)
    hop = sends = tied = 0.0
    distance = degrees.tp * degrees.cp * degrees.dp
    if pp > 1:
        hop = pair(figures.links, distance, hop_bytes)
        sends = sends_seconds(figures, degrees, hop, totals.forward, totals.backward) * microbatches
        if figures.tied:
            # First and last stage add up the gradients of an embedding that both hold.
            tied = 2 * pair(figures.links, distance, own.table * figures.gradient_bytes / 2)
    bubble = bubble_seconds(totals, microbatches, degrees, hop) * figures.bubble
    slowest = totals.slowest
    weights = stage_parameters(
        own, counts[slowest, 0], counts[slowest, 1], slowest == 0, slowest == pp - 1, figures.tied
    )
    data = tied + sharing_seconds(figures, degrees, weights, totals.forward, totals.backward, microbatches)
    update = optimizer_seconds(figures, degrees, weights)
    total = (totals.forward + totals.backward) * microbatches + bubble + sends + data + update
    domains = max(1.0, distance * pp / figures.links.fast_ranks)
    stragglers = total * figures.straggler * math.log2(domains)
    return Composed(slowest, bubble, sends, data, update, stragglers, total + stragglers)


def pieces_of(run: Run, layout: Layout, profile: Profile) -> dict[str, Passes]:
    """Return what each piece that the model has costs on one rank for one microbatch."""
    model = run.model
    pieces = {"head": head_passes(run, layout, profile)}
    for name, present in (("dense", model.dense_layers), ("experts", model.experts)):
        if present:
            kind = name == "experts"
            passes = layer_passes(run, layout, profile, experts=kind)
            pieces[name] = with_offload(passes, run, layout, profile, experts=kind)
    if model.prediction_layers:
        pieces["prediction"] = prediction_passes(run, layout, profile)
    return pieces


def seconds_of(pieces: dict[str, Passes]) -> NDArray[np.float64]:
    """Return the seconds of the passes of every piece, shape (4, 3); 0 for what the model does not have."""
    seconds = np.zeros((len(PIECES), 3))
    for index, name in enumerate(PIECES):
        if name in pieces:
            seconds[index] = pieces[name].seconds
    return seconds


def hop_bytes(run: Run, layout: Layout) -> float:
    """Bytes of a message between stages: a microbatch's hidden states, split over tensor ranks."""
    return tokens_per_rank(run, layout) * run.model.hidden * 2.0 / layout.tp


def step_time(run: Run, layout: Layout, profile: Profile) -> StepTime:
    """Return the time of one step.

    Raises
    ------
    InputError
        The layout cannot run the run.
    """
    microbatches = check_run(run, layout)
    pieces = pieces_of(run, layout, profile)
    counts = piece_counts(run.model, layout.pp, layout.chunks)
    step = compose(
        seconds_of(pieces),
        counts,
        layer_parameters(run, layout),
        hop_bytes(run, layout),
        microbatches,
        figures_of(run, profile),
        degrees_of(layout),
    )
    parts: dict[str, float] = {}
    for name, count in zip(PIECES, counts[step.slowest].tolist(), strict=True):
        if name in pieces and count:
            piece = pieces[name]
            for direction in (piece.forward, piece.input_gradient, piece.weight_gradient):
                for part, seconds in direction.items():
                    parts[part] = parts.get(part, 0.0) + seconds * count * microbatches
    for part in ("bubble", "sends", "data", "optimizer", "stragglers"):
        parts[part] = float(getattr(step, part))
    return StepTime(float(step.total), parts, microbatches)
