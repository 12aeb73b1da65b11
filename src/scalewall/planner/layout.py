"""How a run is laid out over accelerators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from scalewall.errors import InputError, unknown_name
from scalewall.planner.recompute import MODULES

__all__ = ["INTERLEAVED", "Layout", "Recompute", "Sharding"]

Sharding = Literal["none", "optimizer", "gradients", "parameters"]
"""What is split over data-parallel ranks: nothing, ZeRO 1, 2 or 3 (FSDP)."""
Recompute = Literal["none", "selective", "full"]
"""What the backward pass computes again: nothing, parts of a layer, or whole layers."""

INTERLEAVED = "1f1b"
"""The schedule that takes chunks."""
MOST = 10**6


@dataclass(frozen=True)
class Layout:
    """Degrees of parallelism, schedule, sharding and recomputation.

    Parameters
    ----------
    tp, cp, pp, dp : int
        Tensor, context, pipeline and data parallelism; their product is the number of accelerators.
    ep, etp : int
        Expert parallelism, and tensor parallelism inside experts; carved out of ``tp * cp * dp``.
    chunks : int
        Chunks of layers a pipeline stage holds (virtual stages).
    microbatch : int
        Sequences of a microbatch.
    schedule : str
        ``1f1b`` (interleaved where ``chunks`` is above 1), ``gpipe``, ``zb-1p``, ``zb-2p`` or ``dualpipe``.
    sequence_parallel : bool
        Whether norms and residuals are split over the tensor-parallel ranks too.
    sharding : str
        See :data:`Sharding`.
    shard_ranks : int
        Over how many data-parallel ranks the sharding goes; 0: all.
    recompute : str
        See :data:`Recompute`.
    recompute_modules : tuple of str
        With ``selective``: which of :data:`~scalewall.planner.recompute.MODULES`; empty: the core of attention.
    offloaded_layers : int
        Layers whose activations wait in the host's memory for the backward pass.
    """

    tp: int = 1
    cp: int = 1
    pp: int = 1
    dp: int = 1
    ep: int = 1
    etp: int = 1
    chunks: int = 1
    microbatch: int = 1
    schedule: str = "1f1b"
    sequence_parallel: bool = True
    sharding: Sharding = "optimizer"
    shard_ranks: int = 0
    recompute: Recompute = "none"
    recompute_modules: tuple[str, ...] = ()
    offloaded_layers: int = 0

    def __post_init__(self) -> None:
        """Refuse degrees that are no counts, and names that mean nothing."""
        for name in ("tp", "cp", "pp", "dp", "ep", "etp", "chunks", "microbatch"):
            number = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MOST:
                near = [str(MOST if isinstance(number, int) and number > MOST else 1)]
                raise InputError(name, number, f"a whole number from 1 to {MOST}", near)
        if self.schedule not in SCHEDULES:
            raise unknown_name("schedule", str(self.schedule), SCHEDULES)
        if self.sharding not in get_args(Sharding):
            raise unknown_name("sharding", str(self.sharding), get_args(Sharding))
        if self.recompute not in get_args(Recompute):
            raise unknown_name("recompute", str(self.recompute), get_args(Recompute))
        for module in self.recompute_modules:
            if module not in MODULES:
                raise unknown_name("recompute_modules", str(module), MODULES)
        if self.chunks > 1 and self.pp == 1:
            raise InputError("chunks", self.chunks, "1 without a pipeline", ["1"])
        if self.chunks > 1 and self.schedule != INTERLEAVED:
            allowed = f"1: only {INTERLEAVED} is interleaved, {self.schedule} is not"
            raise InputError("chunks", self.chunks, allowed, ["1"])
        if self.offloaded_layers != 0 and (self.pp > 1 or not 0 <= self.offloaded_layers <= MOST):
            raise InputError(
                "offloaded_layers", self.offloaded_layers, "0, or a count without a pipeline", ["0"]
            )
        if (self.tp * self.cp * self.dp) % (self.ep * self.etp):
            allowed = f"ep x etp must divide tp x cp x dp = {self.tp * self.cp * self.dp}"
            raise InputError("ep", self.ep, allowed, [str(self.dp)])
        self._check_shards()

    def _check_shards(self) -> None:
        """Refuse groups of shards that the ranks which hold the same weights do not split into."""
        shard, ranks = self.shard_ranks, self.gradient_ranks
        whole = isinstance(shard, int) and not isinstance(shard, bool)
        if not whole or shard < 0 or (shard and ranks % shard):
            below = range(min(shard, ranks), 0, -1) if whole else ()
            near = next((count for count in below if ranks % count == 0), 0)
            allowed = f"0 (all) or a divisor of cp x dp = {ranks}"
            raise InputError("shard_ranks", shard, allowed, [str(near)])

    @property
    def ranks(self) -> int:
        """Accelerators: ``tp * cp * pp * dp``."""
        return self.tp * self.cp * self.pp * self.dp

    @property
    def gradient_ranks(self) -> int:
        """Ranks that hold the same dense weights: ``cp * dp``."""
        return self.cp * self.dp

    @property
    def expert_gradient_ranks(self) -> int:
        """Ranks that hold the same experts: ``tp * cp * dp / (ep * etp)``."""
        return self.tp * self.cp * self.dp // (self.ep * self.etp)


SCHEDULES = ("1f1b", "gpipe", "zb-1p", "zb-2p", "dualpipe")
