"""Terms that no plan with given degrees can beat: what the searches cut branches with.

A network at its best is flat: its levels' bandwidths added (they overlap, and the traffic of a degree split
over levels adds up to that of the whole degree) and every hop at the least latency.
"""

from __future__ import annotations

from typing import NamedTuple

from scalewall._jit import inner_kernel, inner_scalar_kernel
from scalewall.cost.collectives import all_reduce_seconds
from scalewall.cost.machine_arrays import MachineArrays
from scalewall.ideal.question import Question
from scalewall.ideal.step import arithmetic_seconds

__all__ = [
    "MATMULS_A_LAYER",
    "FlatNetwork",
    "arithmetic_floor",
    "compute_floor",
    "flat_network",
    "tensor_floor",
]

MATMULS_A_LAYER = 6
"""Forward, input gradient and weight gradient of two weight matrices."""


class FlatNetwork(NamedTuple):
    """The network at its best: all bandwidth on one level (bytes/s), the least latency of a hop (s)."""

    bandwidth: float
    latency: float


@inner_kernel
def flat_network(machine: MachineArrays) -> FlatNetwork:
    """Sum of the levels' bandwidths, least of their latencies."""
    return FlatNetwork(machine.level_bandwidth.sum(), machine.level_latency.min())


@inner_scalar_kernel
def arithmetic_floor(question: Question) -> float:
    """Accelerator-seconds of a batch's matmuls at the sustained rate, without padding or data movement."""
    return arithmetic_seconds(question.parameters, question.sparsity, question.batch_tokens, question.machine)


@inner_scalar_kernel
def compute_floor(arithmetic: float, passes: float, kernel_latency: float) -> float:
    """Accelerator-seconds of a batch's matmuls: :func:`arithmetic_floor` and the latency of all kernels.

    Parameters
    ----------
    arithmetic : float
        From :func:`arithmetic_floor`.
    passes : float
        Layer-and-expert passes of six matmuls that all accelerators do in a batch.
    kernel_latency : float
        Seconds.
    """
    return arithmetic + passes * MATMULS_A_LAYER * kernel_latency


@inner_scalar_kernel
def tensor_floor(tp_model: int, tp_ff: int, question: Question, flat: FlatNetwork) -> float:
    """Accelerator-seconds of tensor-parallel all-reduces over a flat network."""
    words = 2 * question.layers * question.batch_tokens
    word_bytes = question.machine.word_bytes
    return all_reduce_seconds(
        tp_model, words * question.d_ff, word_bytes, 1.0, flat.bandwidth
    ) + all_reduce_seconds(tp_ff, words * question.d_model, word_bytes, 1.0, flat.bandwidth)
