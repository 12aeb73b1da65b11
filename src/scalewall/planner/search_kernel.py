"""The compiled search: every pipeline, schedule and sharding for one choice of the degrees that layers depend on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scalewall._jit import formula, kernel
from scalewall.planner.data_parallel import group_ranks
from scalewall.planner.figures import DUALPIPE, ZB_1P, ZB_2P, Degrees, Figures
from scalewall.planner.memory import Kept, stage_terms
from scalewall.planner.step import compose
from scalewall.planner.weights import LayerParameters

__all__ = ["REASONS", "SUITS", "Found", "Row", "Shapes", "evaluate_row", "microbatches_suit"]

REASONS = ("evaluated", "fits", "experts", "interleaving", "zero bubble", "same")
"""What a search counts: layouts evaluated, those that fit; ruled out since experts do not divide the ranks, chunks
want a multiple of the stages in microbatches, a zero bubble wants more of them; and the same layout twice."""
EVALUATED, FITS, EXPERTS, INTERLEAVING, ZERO_BUBBLE, SAME = range(len(REASONS))


FULL, SUITS = 1, 2


class Row(NamedTuple):
    """One choice of the degrees that a layer's cost depends on.

    ``seconds`` of each piece and pass (shape (4, 3)); ``own`` and ``kept``: parameters and bytes that a rank holds;
    ``hop_bytes`` of a message between stages; the degrees; ``ranks`` and ``batch`` of the question.
    """

    seconds: NDArray[np.float64]
    own: LayerParameters
    kept: Kept
    hop_bytes: float
    tp: int
    cp: int
    ep: int
    etp: int
    microbatch: int
    ranks: int
    batch: int


class Shapes(NamedTuple):
    """Pipelines and variants.

    ``pipelines``: int array, shape (S, 3): stages, chunks, first row in ``counts``; ``counts``: how often each stage
    holds each piece; ``variants``: int array, shape (V, 4): schedule, sharding, ranks it goes over, pipelined or not.
    """

    pipelines: NDArray[np.int64]
    counts: NDArray[np.float64]
    variants: NDArray[np.int64]


class Found(NamedTuple):
    """Where a search writes.

    ``values``, shape (n, 2): seconds of a step and bytes of the fullest stage; ``numbers``, shape (n, 2): pipeline and
    variant; ``full``, shape (S, V): :data:`FULL` where a microbatch does not fit, so that larger ones need not be
    tried, and :data:`SUITS` where it does; ``tally``: counts by :data:`REASONS`.
    """

    values: NDArray[np.float64]
    numbers: NDArray[np.int32]
    full: NDArray[np.uint8]
    tally: NDArray[np.int64]


@formula
def microbatches_suit(schedule: int, pp: int, chunks: int, microbatches: int) -> bool:
    """Whether a schedule can be run with so many microbatches.

    Interleaving wants a multiple of the stages (Megatron-Core's check of its arguments); zero-bubble schedules and
    DualPipe want twice the stages to fill their gaps (Qi et al. 2023, section 2; DeepSeek's DualPipe refuses fewer),
    DualPipe an even number of stages and of microbatches.
    """
    if chunks > 1 and (schedule != 0 or microbatches % pp):
        return False
    if schedule == DUALPIPE and (pp % 2 or microbatches % 2):
        return False
    if schedule in (ZB_1P, ZB_2P, DUALPIPE):
        return microbatches >= 2 * pp
    return True


@formula
def _fullest(
    figures: Figures, degrees: Degrees, row: Row, counts: NDArray[np.float64], microbatches: int, most: float
) -> float:
    """Bytes of the fullest stage; any number above ``most`` if it is more."""
    largest = 0.0
    for stage in range(counts.shape[0]):
        terms = stage_terms(
            figures, degrees, row.own, row.kept, counts[stage, 0], counts[stage, 1], stage, microbatches
        )
        total = 0.0
        for term in terms:
            total += term
        largest = max(largest, total)
        if largest > most:
            break
    return largest


@kernel
def evaluate_row(
    row: Row, shapes: Shapes, figures: Figures, capacity: float, cutoff: float, found: Found
) -> int:
    """Evaluate all pipelines and variants of one row; return how many were written to ``found``.

    Parameters
    ----------
    row, shapes, figures
        What to evaluate.
    capacity : float
        Bytes that a stage may hold.
    cutoff : float
        Seconds: slower ones are counted but not written.
    found : Found
        Where the others go.
    """
    written = 0
    everywhere = (shapes.variants[:, 2] == 0).any()
    for number in range(shapes.pipelines.shape[0]):
        pp, chunks, first = shapes.pipelines[number]
        dp = row.ranks // (row.tp * row.cp * pp)
        if row.batch % (dp * row.microbatch):
            continue
        if (row.tp * row.cp * dp) % (row.ep * row.etp):
            found.tally[EXPERTS] += 1
            continue
        microbatches = row.batch // (dp * row.microbatch)
        counts = shapes.counts[first : first + pp]
        sole = -1
        for way in range(shapes.variants.shape[0]):
            schedule, sharding, shard, pipelined = shapes.variants[way]
            if pipelined != (pp > 1) or (chunks > 1 and schedule != 0):
                continue
            degrees = Degrees(row.tp, row.cp, pp, dp, row.ep, row.etp, chunks, schedule, sharding, shard)
            dense, routed = group_ranks(degrees, False), group_ranks(degrees, True)
            if dense == 1 and (routed == 1 or row.own.routed == 0.0):
                # Nobody shares weights: one way of sharding stands for all.
                if sole >= 0 and sharding != sole:
                    found.tally[SAME] += 1
                    continue
                sole = sharding
            if shard and (dense % shard or (everywhere and shard == dense)):
                found.tally[SAME] += 1
                continue
            if pp > 1 and not microbatches_suit(schedule, pp, chunks, microbatches):
                found.tally[INTERLEAVING if chunks > 1 else ZERO_BUBBLE] += 1
                continue
            found.tally[EVALUATED] += 1
            if found.full[number, way] == FULL:
                continue
            memory = _fullest(figures, degrees, row, counts, microbatches, capacity)
            if memory > capacity:
                found.full[number, way] = FULL
                continue
            found.full[number, way] = SUITS
            found.tally[FITS] += 1
            step = compose(row.seconds, counts, row.own, row.hop_bytes, microbatches, figures, degrees)
            if step.total <= cutoff:
                found.values[written, 0] = step.total
                found.values[written, 1] = memory
                found.numbers[written, 0] = number
                found.numbers[written, 1] = way
                written += 1
    return written
