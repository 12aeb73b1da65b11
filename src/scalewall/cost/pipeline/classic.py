"""GPipe, 1F1B and interleaved 1F1B.

References
----------
[1] Huang et al., "GPipe: efficient training of giant neural networks using pipeline parallelism", NeurIPS
    2019.
[2] Narayanan et al., "Efficient large-scale language model training on GPU clusters using Megatron-LM", SC
    2021: 1F1B with a flush (section 2.2.1), the interleaved schedule (section 2.2.2).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scalewall._jit import kernel
from scalewall.cost.pipeline.placement import looped
from scalewall.cost.pipeline.schedule import BACKWARD, FORWARD, INPUT_GRADIENT, WEIGHT_GRADIENT, Schedule

__all__ = ["gpipe", "interleaved_1f1b", "one_forward_one_backward", "split_backward"]


@kernel
def _alternate(
    stages: int,
    total: int,
    warm_up: npt.NDArray[np.int64],
    parts: npt.NDArray[np.int64],
    microbatch: npt.NDArray[np.int64],
    back_parts: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Lay out forwards and backwards that alternate after each stage's warm-up.

    Parameters
    ----------
    stages, total : int
        Stages; forwards (and backwards) of each.
    warm_up : int64 array, shape (stages,)
        Forwards before the first backward, at least 1.
    parts, microbatch, back_parts : int64 arrays, shape (total,)
        The k-th forward works on part ``parts[k] * stages + stage`` and microbatch ``microbatch[k]``, the
        k-th backward on part ``back_parts[k] * stages + stage`` and the same microbatch.
    """
    kind = np.empty(2 * stages * total, np.int8)
    part = np.empty(2 * stages * total, np.int32)
    batch = np.empty(2 * stages * total, np.int32)
    i = 0
    for stage in range(stages):
        done = 0
        for back in range(total):
            while done < min(total, warm_up[stage] + back):
                kind[i], part[i], batch[i] = 0, parts[done] * stages + stage, microbatch[done]
                done += 1
                i += 1
            kind[i], part[i], batch[i] = 3, back_parts[back] * stages + stage, microbatch[back]
            i += 1
    return kind, part, batch


def _alternating(
    name: str, stages: int, microbatches: int, chunks: int, warm_up: npt.NDArray[np.int64]
) -> Schedule:
    """Return a schedule of alternating forwards and backwards, microbatches in groups of ``stages``."""
    total = chunks * microbatches
    first = np.arange(0, microbatches, stages)
    sizes = np.minimum(stages, microbatches - first)
    chunk = np.concatenate([np.repeat(np.arange(chunks), size) for size in sizes])
    microbatch = np.concatenate(
        [np.tile(np.arange(f, f + size), chunks) for f, size in zip(first, sizes, strict=True)]
    )
    kind, part, batch = _alternate(
        stages, total, np.minimum(warm_up, total), chunk, microbatch, chunks - 1 - chunk
    )
    return Schedule(
        name=name,
        placement=looped(stages, chunks),
        microbatches=(microbatches,),
        offsets=np.arange(stages + 1, dtype=np.int64) * 2 * total,
        kind=kind,
        part=part,
        microbatch=batch,
        joined=np.zeros(kind.size, dtype=np.bool_),
    )


def gpipe(stages: int, microbatches: int) -> Schedule:
    """Return GPipe: all forwards, then all backwards [1]."""
    return _alternating("gpipe", stages, microbatches, 1, np.full(stages, microbatches, dtype=np.int64))


def one_forward_one_backward(stages: int, microbatches: int) -> Schedule:
    """Return 1F1B: stage ``s`` warms up with ``PP - s`` forwards, then alternates [2]."""
    return _alternating("1f1b", stages, microbatches, 1, stages - np.arange(stages))


def interleaved_1f1b(stages: int, microbatches: int, chunks: int) -> Schedule:
    """Return interleaved 1F1B in Megatron's order [2].

    Microbatches go in groups of ``PP`` (the last group may be smaller): a group passes the stage's first
    chunk, then the second, and so on; backwards the chunks come in reverse. Stage ``s`` warms up with ``(v -
    1) PP + 2 (PP - 1 - s) + 1`` forwards, then alternates. Where ``M <= PP`` all forwards come first, as in
    Megatron where ``M = PP``.

    The order suits ``M <= PP`` and M a multiple of PP; with another M it gets longer than the closed form
    says or it is a deadlock, which the simulation reports.
    """
    rank = np.arange(stages)
    warm_up = (chunks - 1) * stages + 2 * (stages - 1 - rank) + 1
    if microbatches <= stages:
        warm_up = np.full(stages, chunks * microbatches)
    return _alternating("interleaved", stages, microbatches, chunks, warm_up)


def split_backward(schedule: Schedule) -> Schedule:
    """Return ``schedule`` with every backward in one piece cut into input gradient and weight gradient.

    The weight gradient follows at once, so a stage is busy as before, but the input gradient leaves earlier.
    """
    whole = schedule.kind == BACKWARD
    repeats = 1 + whole.astype(np.int64)
    ends = np.cumsum(repeats)
    kind = np.repeat(schedule.kind, repeats)
    kind[ends[whole] - 2], kind[ends[whole] - 1] = INPUT_GRADIENT, WEIGHT_GRADIENT
    return Schedule(
        name=f"{schedule.name}, split",
        placement=schedule.placement,
        microbatches=schedule.microbatches,
        offsets=np.concatenate([[0], ends])[schedule.offsets],
        kind=kind,
        part=np.repeat(schedule.part, repeats),
        microbatch=np.repeat(schedule.microbatch, repeats),
        joined=np.repeat(schedule.joined, repeats) & (kind == FORWARD),
        staggered=schedule.staggered,
    )
