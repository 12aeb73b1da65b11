"""Hand-made zero-bubble schedules: the weight gradient is split off and fills the waits.

References
----------
[1] Qi et al., "Zero bubble pipeline parallelism", arXiv 2401.10241 (2023): ZB-H1 (section 2.1), ZB-H2
    (section 2.2), ZB-V (section 6).
"""

from __future__ import annotations

from collections import deque

import numpy as np
import numpy.typing as npt

from scalewall._jit import kernel
from scalewall.cost.pipeline.placement import looped, vee
from scalewall.cost.pipeline.schedule import (
    FORWARD,
    INPUT_GRADIENT,
    WEIGHT_GRADIENT,
    Schedule,
    from_stage_orders,
)
from scalewall.errors import InputError

__all__ = ["zb_h1", "zb_h2", "zb_v"]

_NAMES = {"F": FORWARD, "B": INPUT_GRADIENT, "W": WEIGHT_GRADIENT}


@kernel
def _delayed(
    stages: int, microbatches: int, warm_up: npt.NDArray[np.int64], delay: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
    """Lay out 1F1B with weight gradients that follow ``delay`` microbatches behind their input gradients."""
    kind = np.empty(3 * stages * microbatches, np.int8)
    microbatch = np.empty(3 * stages * microbatches, np.int32)
    i = 0
    for stage in range(stages):
        forwards = weights = 0
        for back in range(microbatches):
            while forwards < min(microbatches, warm_up[stage] + back):
                kind[i], microbatch[i] = 0, forwards
                forwards += 1
                i += 1
            kind[i], microbatch[i] = 1, back
            i += 1
            if back >= delay[stage]:
                kind[i], microbatch[i] = 2, weights
                weights += 1
                i += 1
        while weights < microbatches:
            kind[i], microbatch[i] = 2, weights
            weights += 1
            i += 1
    return kind, microbatch


def _hand_made(
    name: str, stages: int, microbatches: int, warm_up: npt.NDArray[np.int64], delay: npt.NDArray[np.int64]
) -> Schedule:
    kind, microbatch = _delayed(stages, microbatches, warm_up, delay)
    return Schedule(
        name=name,
        placement=looped(stages),
        microbatches=(microbatches,),
        offsets=np.arange(stages + 1, dtype=np.int64) * 3 * microbatches,
        kind=kind,
        part=np.repeat(np.arange(stages, dtype=np.int32), 3 * microbatches),
        microbatch=microbatch,
        joined=np.zeros(kind.size, dtype=np.bool_),
        staggered=True,
    )


def zb_h1(stages: int, microbatches: int) -> Schedule:
    """Return ZB-H1: 1F1B's warm-up and memory, weight gradients ``s`` microbatches late on stage ``s`` [1].

    With equal stages, free sends, ``W <= B``, ``W <= F`` and ``M >= PP`` its bubble is ``(PP - 1) (F + B -
    W)``.
    """
    rank = np.arange(stages)
    return _hand_made("zb-h1", stages, microbatches, stages - rank, rank)


def zb_h2(stages: int, microbatches: int) -> Schedule:
    """Return ZB-H2: the warm-up fills the wait for the first backward, with ``2 PP - 1`` microbatches [1].

    Weight gradients come ``2 s`` microbatches late. With equal stages, free sends, ``W <= B``, ``W <= F`` and
    ``M >= 2 PP - 1`` its bubble is ``(PP - 1) (F + B - 2 W)``: none where the three take the same time.
    """
    rank = np.arange(stages)
    return _hand_made("zb-h2", stages, microbatches, 2 * (stages - rank) - 1, 2 * rank)


def zb_v(stages: int, microbatches: int) -> Schedule:
    """Return ZB-V: two chunks a stage folded into a V, in 1F1B's memory, no bubble at F = B = W [1].

    Built from the paper's conditions (no wait, 2 PP chunk activations a stage) rather than from its program:
    stage ``s`` fills with forwards of the way down (0) and back (1), then goes round backward, weight
    gradient, forward; near the end the weight gradients are held back so that the last backwards pass
    without a wait.

    Parameters
    ----------
    stages : int
        Two chunks on each.
    microbatches : int
        At least ``2 PP - 1``.
    """
    least = 2 * stages - 1
    if microbatches < least:
        raise InputError("microbatches", microbatches, f"at least {least} (2 PP - 1) for zb-v", [str(least)])
    orders = []
    for stage in range(stages):
        inner = stages - 1 - stage
        text = (
            "F0 " * (2 * inner)
            + "F0 F1 " * (stage + 1)
            + "B1 W1 F1 " * inner
            + "B1 W1 F0 B0 W0 F1 " * (microbatches - 2 * stages + stage + 1)
            + "B1 W1 B0 W0 F1 " * inner
            + "B1 B0 " * (stage + 1)
            + "W B0 " * inner
            + "W " * (2 * (stage + 1))
        )
        orders.append(_numbered(text.split(), (stage, 2 * stages - 1 - stage)))
    return from_stage_orders("zb-v", vee(stages), (microbatches,), orders, staggered=True)


def _numbered(steps: list[str], parts: tuple[int, int]) -> list[tuple[int, int, int, bool]]:
    """Give every step the next microbatch of its kind and chunk; ``W`` alone is the oldest one owed."""
    done: dict[str, int] = {}
    owed: deque[str] = deque()
    order = []
    for step in steps:
        name = step
        if step == "W":
            name = owed.popleft()
        elif step[0] == "W":
            owed.remove(step)
        elif step[0] == "B":
            owed.append(f"W{step[1]}")
        order.append((_NAMES[name[0]], parts[int(name[1])], done.get(name, 0), False))
        done[name] = done.get(name, 0) + 1
    return order
