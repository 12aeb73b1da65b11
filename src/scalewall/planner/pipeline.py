"""Layers over stages, and the time of a step from its stages."""

from __future__ import annotations

from dataclasses import dataclass

from scalewall.cost.pipeline import spread_layers
from scalewall.planner.layout import Layout
from scalewall.workload.transformer import Transformer

__all__ = ["Stage", "bubble_seconds", "stages"]


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


def stages(model: Transformer, layout: Layout) -> tuple[Stage, ...]:
    """Return what each stage holds: layers as even as can be over ``pp x chunks`` parts, the ends fewer."""
    parts = layout.pp * layout.chunks
    if model.layers >= parts:
        counts = spread_layers(model.layers, parts)
    else:
        missing = parts - model.layers
        counts = tuple(
            0 if part < missing // 2 or part >= parts - (missing - missing // 2) else 1
            for part in range(parts)
        )
    dense, experts = [0] * layout.pp, [0] * layout.pp
    layer = 0
    for part, count in enumerate(counts):
        for _ in range(count):
            if model.has_experts(layer):
                experts[part % layout.pp] += 1
            else:
                dense[part % layout.pp] += 1
            layer += 1
    return tuple(Stage(dense[i], experts[i], i == 0, i == layout.pp - 1) for i in range(layout.pp))


_KEPT = {"1f1b": 0.0, "gpipe": 0.0, "zb-1p": 2.0, "zb-2p": 3.0, "dualpipe": 2.0}
"""Weight gradients of the other stages that fill the gap, by schedule (Qi et al. 2023, section 2.3)."""


def bubble_seconds(
    forward: list[float],
    back: list[float],
    weight: list[float],
    microbatches: int,
    layout: Layout,
    send: float,
) -> float:
    """Seconds of a step in which the slowest stage waits.

    The slowest stage works through all microbatches; filling and draining add one pass through the other stages
    (a chunk's share of it, if interleaved), less the weight gradients that fill the gap in zero-bubble schedules.

    Parameters
    ----------
    forward, back, weight : list of float
        Seconds of a microbatch by stage.
    microbatches : int
        Of a step.
    layout : Layout
        Schedule, stages, chunks.
    send : float
        Seconds of a message between stages, which count when filling and draining.
    """
    if layout.pp == 1:
        return 0.0
    total = [f + b + w for f, b, w in zip(forward, back, weight, strict=True)]
    slowest = max(total)
    filled = _KEPT[layout.schedule] * (sum(weight) - max(weight))
    fill = (sum(total) - slowest - filled) / layout.chunks
    if layout.schedule == "dualpipe":
        fill /= 2
    if layout.chunks > 1 and microbatches < layout.pp:
        fill += (layout.chunks - 1) * (layout.pp - microbatches) * slowest / layout.chunks
    return max(0.0, fill) + 2 * (layout.pp - 1) * send
