"""Layers over stages, and the time of a step from its stages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scalewall._jit import formula
from scalewall.cost.pipeline import spread_layers
from scalewall.planner.figures import DUALPIPE, ZB_1P, ZB_2P, Degrees
from scalewall.workload.transformer import Transformer

__all__ = [
    "PIECES",
    "Stage",
    "Totals",
    "bubble_seconds",
    "part_layers",
    "piece_counts",
    "stages",
    "totals_of",
]

PIECES = ("dense", "experts", "head", "prediction")
"""Pieces that stages are made of: layers of both kinds, the head with the loss, the join of a prediction layer."""


@dataclass(frozen=True)
class Stage:
    """What one pipeline stage holds.

    Parameters
    ----------
    dense, experts : int
        Layers of each kind.
    embedding, head : bool
        Whether it holds the embedding, and the head with the loss.
    """

    dense: int
    experts: int
    embedding: bool
    head: bool


def part_layers(model: Transformer, pp: int, chunks: int) -> tuple[int, ...]:
    """Return how many layers each of ``pp x chunks`` parts gets: as even as can be, the ends fewer."""
    return _spread(model.layers, pp * chunks)


def _spread(layers: int, parts: int) -> tuple[int, ...]:
    if layers >= parts:
        return spread_layers(layers, parts)
    missing = parts - layers
    return tuple(
        0 if part < missing // 2 or part >= parts - (missing - missing // 2) else 1 for part in range(parts)
    )


def parts_keep_pace(model: Transformer, pp: int, chunks: int) -> bool:
    """Whether interleaved parts of different depth cost no more than the fullest stage shows.

    In each round of an interleaved schedule the deepest part sets the pace, and a stage that holds the deepest part
    in every round is as slow as the rounds. Where no stage does, stages wait for each other: by the events of the
    schedule a step then takes up to 13 % longer than its fullest stage.
    """
    return _keep_pace(model.layers, pp, chunks)


@lru_cache(maxsize=4096)
def _keep_pace(layers: int, pp: int, chunks: int) -> bool:
    depths = _spread(layers, pp * chunks)
    deepest = max(depths)
    return any(all(depth == deepest for depth in depths[stage::pp]) for stage in range(pp))


def stages(model: Transformer, pp: int, chunks: int) -> tuple[Stage, ...]:
    """Return what each stage holds; part ``i`` is on stage ``i mod pp``."""
    dense, experts = [0] * pp, [0] * pp
    layer = 0
    for part, count in enumerate(part_layers(model, pp, chunks)):
        for _ in range(count):
            if model.has_experts(layer):
                experts[part % pp] += 1
            else:
                dense[part % pp] += 1
            layer += 1
    return tuple(Stage(dense[i], experts[i], i == 0, i == pp - 1) for i in range(pp))


def piece_counts(model: Transformer, pp: int, chunks: int) -> NDArray[np.float64]:
    """Return how often each stage holds each of :data:`PIECES`, shape (pp, 4).

    The last stage also has the multi-token prediction layers and their heads.
    """
    counts = np.zeros((pp, len(PIECES)))
    for index, stage in enumerate(stages(model, pp, chunks)):
        extra = model.prediction_layers if stage.head else 0
        with_experts = extra if model.experts else 0
        counts[index] = (
            stage.dense + extra - with_experts,
            stage.experts + with_experts,
            stage.head + extra,
            extra,
        )
    return counts


class Totals(NamedTuple):
    """Seconds of a microbatch over all stages.

    ``slowest`` is the number of the slowest stage, ``forward`` and ``backward`` its own seconds; ``others`` those of
    all other stages together, ``other_weights`` the weight gradients of all stages but the largest.
    """

    slowest: int
    forward: float
    backward: float
    others: float
    other_weights: float


@formula
def totals_of(seconds: NDArray[np.float64], counts: NDArray[np.float64]) -> Totals:
    """Return what stages take.

    Parameters
    ----------
    seconds : float array, shape (4, 3)
        Forward, input gradient and weight gradient of each of :data:`PIECES`.
    counts : float array, shape (pp, 4)
        See :func:`piece_counts`.
    """
    slowest = 0
    most = forward_most = whole = weights = largest_weight = 0.0
    for stage in range(counts.shape[0]):
        forward = back = weight = 0.0
        for piece in range(counts.shape[1]):
            count = counts[stage, piece]
            forward += count * seconds[piece, 0]
            back += count * seconds[piece, 1]
            weight += count * seconds[piece, 2]
        total = forward + back + weight
        whole += total
        weights += weight
        largest_weight = max(largest_weight, weight)
        if total > most:
            slowest, most, forward_most = stage, total, forward
    return Totals(slowest, forward_most, most - forward_most, whole - most, weights - largest_weight)


@formula
def bubble_seconds(totals: Totals, microbatches: int, degrees: Degrees, hop: float) -> float:
    """Seconds of a step in which the slowest stage waits.

    The slowest stage works through all microbatches; filling and draining add one pass through the other stages
    (a chunk's share of it, if interleaved), less the weight gradients that fill the gap in zero-bubble schedules
    (Qi et al. 2023, section 2.3).

    Parameters
    ----------
    totals : Totals
        Seconds of a microbatch by stage.
    microbatches : int
        Of a step.
    degrees : Degrees
        Schedule, stages, chunks.
    hop : float
        Seconds of a message between stages, which count when filling and draining.
    """
    if degrees.pp == 1:
        return 0.0
    kept = 0.0
    if degrees.schedule == ZB_1P or degrees.schedule == DUALPIPE:
        kept = 2.0
    elif degrees.schedule == ZB_2P:
        kept = 3.0
    fill = (totals.others - kept * totals.other_weights) / degrees.chunks
    if degrees.schedule == DUALPIPE:
        fill /= 2
    if degrees.chunks > 1 and microbatches < degrees.pp:
        missing = (degrees.chunks - 1) * (degrees.pp - microbatches)
        fill += missing * (totals.forward + totals.backward) / degrees.chunks
    return max(0.0, fill) + 2 * (degrees.pp - 1) * hop
