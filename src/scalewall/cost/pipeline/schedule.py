"""A pipeline schedule as data: for every stage the ordered list of its operations in one step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from scalewall.cost.pipeline.placement import Placement

__all__ = [
    "BACKWARD",
    "FORWARD",
    "INPUT_GRADIENT",
    "KINDS",
    "WEIGHT_GRADIENT",
    "Schedule",
    "from_stage_orders",
]

FORWARD, INPUT_GRADIENT, WEIGHT_GRADIENT, BACKWARD = 0, 1, 2, 3
KINDS = ("F", "B", "W", "BW")


@dataclass(frozen=True, eq=False)
class Schedule:
    """What every stage does in one training step, in order.

    Operation ``i`` of the flat arrays belongs to stage ``s`` with ``offsets[s] <= i < offsets[s + 1]``.

    Parameters
    ----------
    name : str
        As people call it (``1f1b``, ``zb-h1``), or the file's own.
    placement : Placement
        Which stage holds which part.
    microbatches : tuple of int
        Microbatches of each chain; numbered from 0 within their chain.
    offsets : int64 array, shape (stages + 1,)
        Where each stage's operations begin.
    kind : int8 array, shape (operations,)
        ``FORWARD``, ``INPUT_GRADIENT`` (backward without weights), ``WEIGHT_GRADIENT``, or ``BACKWARD``
        (both in one piece).
    part, microbatch : int32 arrays, shape (operations,)
        What the operation works on.
    joined : bool array, shape (operations,)
        True where an operation runs together with the next one as one overlapped pair (a forward, then a
        backward).
    staggered : bool
        Whether a stage begins its next step on its own, without waiting for the others at the optimizer (Qi
        et al. 2023, "bypassing optimizer synchronizations"): then a step takes what the longest stage takes
        from its first operation to its last, not the time from the first operation anywhere to the last
        anywhere.
    """

    name: str
    placement: Placement
    microbatches: tuple[int, ...]
    offsets: npt.NDArray[np.int64]
    kind: npt.NDArray[np.int8]
    part: npt.NDArray[np.int32]
    microbatch: npt.NDArray[np.int32]
    joined: npt.NDArray[np.bool_]
    staggered: bool = False

    @property
    def operations(self) -> int:
        """Number of operations over all stages."""
        return int(self.kind.size)

    @property
    def stages(self) -> int:
        """Number of stages."""
        return self.placement.stages

    @cached_property
    def stage(self) -> npt.NDArray[np.int64]:
        """Stage of each operation, shape (operations,)."""
        return np.repeat(np.arange(self.stages), np.diff(self.offsets))

    def stage_slice(self, stage: int) -> slice:
        """Return where ``stage``'s operations stand in the flat arrays."""
        return slice(int(self.offsets[stage]), int(self.offsets[stage + 1]))

    def label(self, index: int) -> str:
        """Return operation ``index`` as people write it: ``F3``, or ``F3.1`` (chunk 1)."""
        return operation_label(
            self.placement, int(self.kind[index]), int(self.part[index]), int(self.microbatch[index])
        )

    def labels(self) -> list[str]:
        """Return the labels of all operations, as :meth:`label` writes them."""
        several = self.placement.parts > self.placement.stages
        suffixes = [f".{chunk}" if several else "" for chunk in self.placement.chunk.tolist()]
        columns = zip(self.kind.tolist(), self.microbatch.tolist(), self.part.tolist(), strict=True)
        return [f"{KINDS[kind]}{microbatch}{suffixes[part]}" for kind, microbatch, part in columns]


def operation_label(placement: Placement, kind: int, part: int, microbatch: int) -> str:
    """Return ``F3`` or, where stages hold several parts, ``F3.1`` (microbatch 3, chunk 1)."""
    suffix = f".{placement.chunk[part]}" if placement.parts > placement.stages else ""
    return f"{KINDS[kind]}{microbatch}{suffix}"


def from_stage_orders(
    name: str,
    placement: Placement,
    microbatches: tuple[int, ...],
    orders: Sequence[Sequence[tuple[int, int, int, bool]]],
    staggered: bool = False,
) -> Schedule:
    """Return the schedule in which stage ``s`` does ``orders[s]``, each (kind, part, microbatch, joined)."""
    offsets = np.cumsum([0, *(len(order) for order in orders)]).astype(np.int64)
    flat = np.array([operation for order in orders for operation in order], dtype=np.int64).reshape(-1, 4)
    return Schedule(
        name=name,
        placement=placement,
        microbatches=microbatches,
        offsets=offsets,
        kind=flat[:, 0].astype(np.int8),
        part=flat[:, 1].astype(np.int32),
        microbatch=flat[:, 2].astype(np.int32),
        joined=flat[:, 3].astype(np.bool_),
        staggered=staggered,
    )
