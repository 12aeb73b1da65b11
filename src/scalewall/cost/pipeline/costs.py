"""What a schedule's operations and messages cost: seconds and bytes of every part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import numpy.typing as npt

from scalewall.cost.pipeline.placement import Placement
from scalewall.cost.pipeline.sends import Sends, free_sends
from scalewall.errors import InputError

__all__ = ["Costs", "Work", "layer_costs", "spread_layers", "stage_costs"]

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Work:
    """What one stage, one layer, the embedding or the loss costs.

    Parameters
    ----------
    forward, input_gradient, weight_gradient : float
        Seconds on one microbatch.
    activation_bytes : float
        Held for one microbatch from the start of its forward to the end of its input gradient.
    gradient_bytes : float
        Held for one microbatch from then to the end of its weight gradient.
    fixed_bytes : float
        Held all the time: weights, their gradients, optimizer state.
    """

    forward: float = 0.0
    input_gradient: float = 0.0
    weight_gradient: float = 0.0
    activation_bytes: float = 0.0
    gradient_bytes: float = 0.0
    fixed_bytes: float = 0.0

    def __post_init__(self) -> None:
        """Refuse figures that are negative or not finite."""
        for entry in fields(self):
            value = getattr(self, entry.name)
            if not (np.isfinite(value) and value >= 0.0):
                raise InputError(entry.name, value, "a finite number, at least 0", ["0"])


UNIT = Work(1.0, 1.0, 1.0, 1.0, 1.0)
NOTHING = Work()


@dataclass(frozen=True, eq=False)
class Costs:
    """Seconds and bytes of every part of a placement.

    Parameters
    ----------
    placement : Placement
        Which stage holds which part.
    forward, input_gradient, weight_gradient : float arrays, shape (parts, 1) or (parts, microbatches)
        Seconds of each operation; a backward in one piece takes the sum of the last two.
    sends : Sends
        What it takes to hand on activations and input gradients.
    activation_bytes, gradient_bytes : float arrays, shape (parts,)
        As in :class:`Work`, for one microbatch.
    fixed_bytes : float array, shape (stages,)
        As in :class:`Work`.
    overlap : bool
        Whether messages travel beside compute. If not, a stage goes on only when its message has arrived.
    joint_fraction : float
        Seconds of a forward and a backward that run as one overlapped pair, over the sum of the two.
    """

    placement: Placement
    forward: _Floats
    input_gradient: _Floats
    weight_gradient: _Floats
    sends: Sends
    activation_bytes: _Floats
    gradient_bytes: _Floats
    fixed_bytes: _Floats
    overlap: bool = True
    joint_fraction: float = 1.0

    def __post_init__(self) -> None:
        """Refuse arrays of the wrong shape and values that are negative or not finite."""
        parts, stages = self.placement.parts, self.placement.stages
        for name in ("forward", "input_gradient", "weight_gradient"):
            values = getattr(self, name)
            if values.ndim != 2 or values.shape[0] != parts or values.shape[1] == 0:
                raise InputError(
                    f"costs.{name}", values.shape, f"shape ({parts}, 1) or ({parts}, microbatches)"
                )
            _check_values(f"costs.{name}", values)
        for name, length in (("activation_bytes", parts), ("gradient_bytes", parts), ("fixed_bytes", stages)):
            values = getattr(self, name)
            if values.shape != (length,):
                raise InputError(f"costs.{name}", values.shape, f"shape ({length},)")
            _check_values(f"costs.{name}", values)
        if self.sends.lane.shape != (2, parts):
            raise InputError("costs.sends", self.sends.lane.shape, f"shape (2, {parts})")
        if not 0.0 < self.joint_fraction <= 1.0:
            raise InputError(
                "costs.joint_fraction", self.joint_fraction, "a number above 0, at most 1", ["1"]
            )

    def without_sends(self) -> Costs:
        """Return the same costs with communication that takes no time."""
        return replace(self, sends=free_sends(self.placement))


def _check_values(name: str, values: _Floats) -> None:
    bad = ~(np.isfinite(values) & (values >= 0.0))
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        raise InputError(
            f"{name}[{', '.join(map(str, where))}]", float(values[where]), "a finite number, at least 0"
        )


def _columns(works: Sequence[Work]) -> _Floats:
    """Return one column a work, one row a field."""
    return np.array(
        [[getattr(work, entry.name) for work in works] for entry in fields(Work)], dtype=np.float64
    )


def _from_columns(
    placement: Placement,
    columns: _Floats,
    embedding: Work,
    loss: Work,
    sends: Sends | None,
    overlap: bool,
    joint_fraction: float,
) -> Costs:
    first, last = placement.previous_part == -1, placement.next_part == -1
    columns = columns + np.where(first, _columns([embedding]), 0.0) + np.where(last, _columns([loss]), 0.0)
    return Costs(
        placement=placement,
        forward=columns[0][:, None],
        input_gradient=columns[1][:, None],
        weight_gradient=columns[2][:, None],
        sends=sends or free_sends(placement),
        activation_bytes=columns[3],
        gradient_bytes=columns[4],
        fixed_bytes=np.bincount(placement.part_stage, columns[5], placement.stages).astype(np.float64),
        overlap=overlap,
        joint_fraction=joint_fraction,
    )


def stage_costs(
    placement: Placement,
    stage: Work | Sequence[Work] = UNIT,
    *,
    embedding: Work = NOTHING,
    loss: Work = NOTHING,
    sends: Sends | None = None,
    overlap: bool = True,
    joint_fraction: float = 1.0,
) -> Costs:
    """Return costs from the figures of whole stages, which a stage's chunks of one chain share equally.

    Parameters
    ----------
    placement : Placement
        Which stage holds which part.
    stage : Work or sequence of Work
        One for all stages, or one a stage. The default counts in units: 1 s an operation, 1 B a microbatch.
    embedding, loss : Work
        Added to the first and to the last part of every chain.
    sends : Sends or None
        None: free.
    overlap, joint_fraction
        As in :class:`Costs`.
    """
    works = [stage] * placement.stages if isinstance(stage, Work) else list(stage)
    if len(works) != placement.stages:
        raise InputError("stage", len(works), f"one figure, or {placement.stages}: one a stage")
    columns = _columns(works)[:, placement.part_stage] * placement.share
    return _from_columns(placement, columns, embedding, loss, sends, overlap, joint_fraction)


def layer_costs(
    placement: Placement,
    layers: Sequence[int],
    layer: Work,
    *,
    embedding: Work = NOTHING,
    loss: Work = NOTHING,
    sends: Sends | None = None,
    overlap: bool = True,
    joint_fraction: float = 1.0,
) -> Costs:
    """Return costs from the number of layers of every part: uneven stages.

    Parameters
    ----------
    placement : Placement
        Which stage holds which part.
    layers : sequence of int
        Layers of a chain's first part, its second, and so on; the same for every chain.
    layer : Work
        What one layer costs.
    embedding, loss : Work
        Added to the first and to the last part of every chain.
    sends : Sends or None
        None: free.
    overlap, joint_fraction
        As in :class:`Costs`.
    """
    length = len(placement.chains[0])
    if len(layers) != length or min(layers) < 0:
        raise InputError("layers", list(layers), f"{length} whole numbers, none negative: one a part")
    counts = np.tile(np.asarray(layers, dtype=np.float64), len(placement.chains))
    columns = _columns([layer]) * counts
    return _from_columns(placement, columns, embedding, loss, sends, overlap, joint_fraction)


def spread_layers(layers: int, parts: int) -> tuple[int, ...]:
    """Return how many of ``layers`` each of ``parts`` gets: as even as can be, the spare ones in the middle.

    The ends then hold fewer, which is where the embedding and the loss weigh.
    """
    if layers < parts:
        raise InputError("layers", layers, f"at least one layer a part: {parts}", [str(parts)])
    base, spare = divmod(layers, parts)
    first = (parts - spare) // 2
    return tuple(base + (first <= part < first + spare) for part in range(parts))
