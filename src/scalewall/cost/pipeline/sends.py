"""Messages between stages: activations forward, input gradients back, over the level that joins the two.

A message leaves when its operation has ended and the messages before it have left: those that a stage sends
over one network level queue on one lane, first come first served. It arrives ``transfer + latency`` later,
with ``transfer = bytes / bandwidth``; the lane is taken for ``transfer``. Receiving costs nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scalewall.cost.pipeline.placement import Placement
from scalewall.errors import InputError
from scalewall.hardware.machine import Network, NetworkLevel

__all__ = ["Sends", "free_sends", "joining_level", "network_sends"]


@dataclass(frozen=True, eq=False)
class Sends:
    """What each part's messages cost: row 0 to the next part (forward), row 1 to the previous one (gradient).

    Parameters
    ----------
    transfer : float array, shape (2, parts)
        Seconds that the message takes its lane.
    latency : float array, shape (2, parts)
        Seconds that it travels on top.
    lane : int64 array, shape (2, parts)
        Messages with the same number queue behind each other; -1: no message (the same stage, or a chain's
        end).
    """

    transfer: npt.NDArray[np.float64]
    latency: npt.NDArray[np.float64]
    lane: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        """Refuse times that are negative or not finite, and arrays of unequal shape."""
        if not self.transfer.shape == self.latency.shape == self.lane.shape:
            raise InputError("sends", self.transfer.shape, "arrays of one shape, (2, parts)")
        for name in ("transfer", "latency"):
            values = getattr(self, name)
            bad = ~(np.isfinite(values) & (values >= 0.0))
            if bad.any():
                direction, part = (int(i) for i in np.argwhere(bad)[0])
                raise InputError(
                    f"sends.{name}[{direction}, {part}]",
                    float(values[direction, part]),
                    "a finite number of seconds, at least 0",
                )


def free_sends(placement: Placement) -> Sends:
    """Return messages that take no time."""
    shape = (2, placement.parts)
    return Sends(np.zeros(shape), np.zeros(shape), np.full(shape, -1, dtype=np.int64))


def joining_level(network: Network, first: int, second: int) -> int:
    """Return the innermost level whose domain holds accelerators ``first`` and ``second`` (from 0)."""
    domain = 1
    for level, entry in enumerate(network.levels):
        if entry.size is None:
            return level
        domain *= entry.size
        if first // domain == second // domain:
            return level
    allowed = f"accelerators of one outermost domain ({domain})"
    raise InputError("network", f"{len(network.levels)} levels", f"{allowed}; {first} and {second} are not")


def _seconds(level: NetworkLevel, message_bytes: float) -> float:
    return 0.0 if math.isinf(level.bandwidth) else message_bytes / level.bandwidth


def network_sends(placement: Placement, network: Network, message_bytes: float, stride: int) -> Sends:
    """Return what messages cost over ``network``.

    Parameters
    ----------
    placement : Placement
        Which stage holds which part.
    network : Network
        Levels, innermost first; a message takes the innermost one that joins its two stages.
    message_bytes : float
        Bytes that one accelerator sends of one microbatch's activations; a gradient is as large.
    stride : int
        Accelerators from one stage to the next: accelerator ``stage * stride`` talks for its stage.
    """
    if not (math.isfinite(message_bytes) and message_bytes >= 0.0):
        raise InputError("message_bytes", message_bytes, "a finite number of bytes, at least 0")
    if stride < 1:
        raise InputError("stride", stride, "a whole number of accelerators, at least 1", ["1"])
    shape = (2, placement.parts)
    transfer, latency = np.zeros(shape), np.zeros(shape)
    lane = np.full(shape, -1, dtype=np.int64)
    stages = placement.part_stage
    for direction, neighbours in enumerate((placement.next_part, placement.previous_part)):
        for part in np.flatnonzero(neighbours >= 0):
            here, there = int(stages[part]), int(stages[neighbours[part]])
            if here == there:
                continue
            level = joining_level(network, here * stride, there * stride)
            transfer[direction, part] = _seconds(network.levels[level], message_bytes)
            latency[direction, part] = network.levels[level].latency
            lane[direction, part] = here * len(network.levels) + level
    return Sends(transfer, latency, lane)
