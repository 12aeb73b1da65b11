"""DualPipe and DualPipeV: forwards of one direction run together with backwards of the other.

A stage holds two parts, a near one (0) and a far one (1). In DualPipe the stage sits at a different depth of
two opposite chains, and near is the chain that enters at the stage's own end of the pipeline. In DualPipeV,
one half of that picture, near is the way down the V and far the way back.

References
----------
[1] DeepSeek-AI, "DeepSeek-V3 technical report", arXiv 2412.19437 (2024), section 3.2.1: the schedule and its
    bubble ``(PP / 2 - 1) (F&B + B - 3 W)`` with F&B an overlapped pair and B a whole backward.
[2] DeepSeek-AI, DualPipe (2025): the V-shaped form "cut in half", after Qi et al. 2024, "Pipeline parallelism
    with controllable memory".
"""

from __future__ import annotations

from collections import deque

from scalewall.cost.pipeline.placement import bidirectional, vee
from scalewall.cost.pipeline.schedule import (
    BACKWARD,
    FORWARD,
    INPUT_GRADIENT,
    WEIGHT_GRADIENT,
    Schedule,
    from_stage_orders,
)
from scalewall.errors import InputError

__all__ = ["dualpipe", "dualpipe_v"]

NEAR, FAR = 0, 1


class _StageOrder:
    """One stage's operations as they are written down, with the weight gradients that it still owes."""

    def __init__(self, near: int, far: int) -> None:
        self.parts = (near, far)
        self.forwards, self.backwards = [0, 0], [0, 0]
        self.owed: deque[tuple[int, int]] = deque()
        self.order: list[tuple[int, int, int, bool]] = []

    def forward(self, side: int, joined: bool = False) -> None:
        self.order.append((FORWARD, self.parts[side], self.forwards[side], joined))
        self.forwards[side] += 1

    def backward(self, side: int, split: bool = False) -> None:
        part, microbatch = self.parts[side], self.backwards[side]
        self.order.append((INPUT_GRADIENT if split else BACKWARD, part, microbatch, False))
        self.backwards[side] += 1
        if split:
            self.owed.append((part, microbatch))

    def weight(self) -> None:
        part, microbatch = self.owed.popleft()
        self.order.append((WEIGHT_GRADIENT, part, microbatch, False))

    def pair(self, forward_side: int) -> None:
        self.forward(forward_side, joined=True)
        self.backward(1 - forward_side)


def _stage_order(
    depth: int, reach: int, microbatches: int, near: int, far: int
) -> list[tuple[int, int, int, bool]]:
    """Return the operations of a stage ``depth`` places from its end of a half pipeline of ``reach`` stages.

    The phases are those of [1], figure 5: fill with near forwards, bring in far ones, start far backwards
    with their weight gradients split off, then pairs, then the mirror image.
    """
    stage = _StageOrder(near, far)
    inner = reach - depth - 1
    for _ in range(2 * inner):
        stage.forward(NEAR)
    for _ in range(depth + 1):
        stage.forward(NEAR)
        stage.forward(FAR)
    for _ in range(inner):
        stage.backward(FAR, split=True)
        stage.weight()
        stage.forward(FAR)
    for turn in range(microbatches - 2 * reach + depth + 1):
        if turn == 0 and inner == 0:
            # Where the two ways meet, the first backward has nothing to hide behind: waiting would cost more.
            stage.forward(NEAR)
            stage.backward(FAR)
        else:
            stage.pair(NEAR)
        stage.pair(FAR)
    for _ in range(inner):
        stage.backward(FAR)
        stage.pair(FAR)
    _drain(stage, depth)
    for _ in range(inner):
        stage.weight()
        stage.backward(NEAR, split=True)
    while stage.owed:
        stage.weight()
    return stage.order


def _drain(stage: _StageOrder, depth: int) -> None:
    """Write the last far backwards and as many near ones, the second half of them with weights split off."""
    backwards = [side for _ in range(depth + 1) for side in (FAR, NEAR)]
    for place, side in enumerate(backwards):
        stage.backward(side, split=place >= depth + 1)


def dualpipe(stages: int, microbatches: int) -> Schedule:
    """Return DualPipe: two copies of the model, half of the microbatches from either end [1].

    Parameters
    ----------
    stages : int
        Even.
    microbatches : int
        Of both directions together: even, at least ``2 PP``.
    """
    if stages % 2:
        raise InputError("pp", stages, "an even number of stages for dualpipe", [str(stages + 1)])
    if microbatches % 2 or microbatches < 2 * stages:
        better = max(2 * stages, microbatches + microbatches % 2)
        raise InputError("microbatches", microbatches, f"an even number from {2 * stages} up", [str(better)])
    reach, half = stages // 2, microbatches // 2
    orders = []
    for stage in range(stages):
        upper = stage < reach
        near, far = (stage, 2 * stages - 1 - stage) if upper else (2 * stages - 1 - stage, stage)
        orders.append(_stage_order(stage if upper else stages - 1 - stage, reach, half, near, far))
    return from_stage_orders("dualpipe", bidirectional(stages), (half, half), orders)


def dualpipe_v(stages: int, microbatches: int) -> Schedule:
    """Return DualPipeV: one copy of the model folded into a V [2]; needs ``M >= 2 PP``."""
    if microbatches < 2 * stages:
        raise InputError("microbatches", microbatches, f"at least {2 * stages} (2 PP)", [str(2 * stages)])
    orders = [
        _stage_order(stage, stages, microbatches, stage, 2 * stages - 1 - stage) for stage in range(stages)
    ]
    return from_stage_orders("dualpipev", vee(stages), (microbatches,), orders)
