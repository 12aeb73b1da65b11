"""Terms that no plan with given degrees can beat: what the searches cut branches with.

A network at its best is flat: its levels' bandwidths added (they overlap, and the traffic of a degree split
over levels adds up to that of the whole degree) and every hop at the least latency.
"""

from __future__ import annotations

from typing import NamedTuple

from scalewall._jit import kernel
from scalewall.cost.collectives import all_reduce_latency, all_reduce_seconds
from scalewall.cost.machine_arrays import MachineArrays
from scalewall.ideal.placement import StackArrays

__all__ = [
    "MATMULS_A_LAYER",
    "FlatNetwork",
    "compute_floor",
    "data_floor",
    "flat_network",
    "latency_floor",
    "tensor_floor",
]

MATMULS_A_LAYER = 6
"""Forward, input gradient and weight gradient of two weight matrices."""


class FlatNetwork(NamedTuple):
    """The network at its best: all bandwidth on one level (bytes/s), the least latency of a hop (s)."""

    bandwidth: float
    latency: float


@kernel
def flat_network(machine: MachineArrays) -> FlatNetwork:
    """Sum of the levels' bandwidths, least of their latencies."""
    return FlatNetwork(machine.level_bandwidth.sum(), machine.level_latency.min())


@kernel
def compute_floor(stack: StackArrays, share: float, n_active: float, machine: MachineArrays) -> float:
    """Seconds of a batch's matmuls at the sustained rate without padding or data movement, kernels included."""
    flop = 6 * stack.parameters / stack.sparsity * stack.batch_tokens
    return flop / (n_active * machine.sustained_flops) + share * MATMULS_A_LAYER * machine.kernel_latency


@kernel
def tensor_floor(
    tp_model: int, tp_ff: int, stack: StackArrays, n_active: float, flat: FlatNetwork, machine: MachineArrays
) -> float:
    """Seconds of tensor-parallel all-reduces over a flat network."""
    return (
        2
        * stack.layers
        * stack.batch_tokens
        * (
            all_reduce_seconds(tp_model, stack.d_ff, machine.word_bytes, n_active, flat.bandwidth)
            + all_reduce_seconds(tp_ff, stack.d_model, machine.word_bytes, n_active, flat.bandwidth)
        )
    )


@kernel
def data_floor(
    dp: int, stack: StackArrays, n_active: float, flat: FlatNetwork, machine: MachineArrays
) -> float:
    """Seconds of the gradient all-reduce over a flat network."""
    return all_reduce_seconds(dp, stack.parameters, machine.word_bytes, n_active, flat.bandwidth)


@kernel
def latency_floor(
    tp_model: int, tp_ff: int, pp: int, ep: int, stack: StackArrays, flat: FlatNetwork
) -> float:
    """Seconds of tensor-parallel and point-to-point latency if each degree stays in one level."""
    tensor = all_reduce_latency(tp_model, flat.latency, False) + all_reduce_latency(
        tp_ff, flat.latency, False
    )
    boundaries = stack.layers - 1 if ep > 1 else pp - 1
    return 2 * stack.layers * tensor + 2 * boundaries * flat.latency
