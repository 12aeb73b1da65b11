"""One batch under one plan: its terms, its time, its memory, the accelerators it occupies.

These are the formulas that the single-plan report and both compiled searches call.

References
----------
[1] Erdil and Schneider-Joseph, "Data movement limits to frontier model training", arXiv 2411.01137 (2024).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scalewall._jit import scalar_kernel
from scalewall.cost.machine_arrays import MachineArrays
from scalewall.cost.reliability import NEVER, Reliability

__all__ = [
    "Method",
    "Switches",
    "arithmetic_seconds",
    "batch_seconds",
    "busy_seconds",
    "cluster_size",
    "compute_share",
    "fits_memory",
    "utilization",
]


class Method(NamedTuple):
    """How steps are made and kept: what replicas exchange, what the optimizer costs, what failures cost.

    The defaults are the ideal model's: every step reduces all gradients, an optimizer of four words a parameter
    whose arithmetic is free, no failures [1].

    Parameters
    ----------
    data_traffic : float
        Bytes that replicas exchange a step, over those of all gradients at the word's width.
    data_latency : float
        Exchanges a step.
    replica_words : float
        Words a parameter that every replica holds.
    shared_words : float
        Words a parameter that replicas share among them.
    extra_compute : float
        Arithmetic of the optimizer, over that of the step.
    reliability : Reliability
        Failures.
    """

    data_traffic: float = 1.0
    data_latency: float = 1.0
    replica_words: float = 1.0
    shared_words: float = 4.0
    extra_compute: float = 0.0
    reliability: Reliability = NEVER


class Switches(NamedTuple):
    """What overlaps what, and which latencies count.

    Parameters
    ----------
    overlap_tensor, overlap_point_to_point : bool
        Whether that communication runs under compute (else its time is added).
    overlap_data : bool
        Whether the gradient all-reduce runs under the whole batch (else it is added).
    free_zero_bubble_latency : bool
        The published program's behaviour: latencies cost nothing under the zero-bubble schedule. The
        authors' stated rule, our default, is the maximum of busy time and latency.
    method : Method
        How steps are made and kept.
    """

    overlap_tensor: bool = True
    overlap_point_to_point: bool = True
    overlap_data: bool = False
    free_zero_bubble_latency: bool = False
    method: Method = Method()


@scalar_kernel
def busy_seconds(compute: float, tensor: float, point_to_point: float, switches: Switches) -> float:
    """Seconds that a stage works or talks: ``max(compute, overlapped) + exposed`` communication [1]."""
    hidden = (tensor if switches.overlap_tensor else 0.0) + (
        point_to_point if switches.overlap_point_to_point else 0.0
    )
    exposed = (0.0 if switches.overlap_tensor else tensor) + (
        0.0 if switches.overlap_point_to_point else point_to_point
    )
    return max(compute, hidden) + exposed


@scalar_kernel
def batch_seconds(
    compute: float,
    tensor: float,
    point_to_point: float,
    data: float,
    bubble: float,
    latency: float,
    data_latency: float,
    zero_bubble: bool,
    switches: Switches,
) -> float:
    """Seconds of one batch, from its terms; it never falls when a term rises [1].

    ``busy / (1 - bubble)``; plus the latency for 1F1B, or at least the latency for zero bubble; plus the
    gradient all-reduce with its latency.

    Parameters
    ----------
    compute, tensor, point_to_point, data : float
        Matmuls and bandwidth times of the three kinds of communication (s).
    bubble : float
        Share of the time that stages wait for the pipeline.
    latency : float
        Tensor-parallel and point-to-point latency (s).
    data_latency : float
        Latency of the gradient all-reduce (s).
    zero_bubble : bool
        Schedule of the plan.
    switches : Switches
        What overlaps what.
    """
    total = busy_seconds(compute, tensor, point_to_point, switches) / (1 - bubble)
    if not zero_bubble:
        total += latency
    elif not switches.free_zero_bubble_latency:
        total = max(total, latency)
    if switches.overlap_data:
        return max(total, data + data_latency)
    return total + data + data_latency


@scalar_kernel
def compute_share(layers: float, sparsity: float, pp: int, ep: int, microbatches: int) -> float:
    """Layer-and-expert passes that one accelerator does in a batch: ``(L / PP) (S / EP) M`` [1]."""
    return layers / pp * (sparsity / ep) * microbatches


@scalar_kernel
def arithmetic_seconds(
    parameters: float, sparsity: float, batch_tokens: float, machine: MachineArrays
) -> float:
    """Accelerator-seconds of a batch's matmuls at the sustained rate, without padding: ``6 (P/S) B / F`` [1]."""
    return 6 * parameters / sparsity * batch_tokens / machine.sustained_flops


@scalar_kernel
def fits_memory(parameters: float, dp: float, n_gpu: float, machine: MachineArrays, method: Method) -> bool:
    """Whether weights and optimizer state fit: ``P w (a DP + s) <= N capacity``.

    Every replica holds ``a`` words a parameter and all together ``s``; in the ideal model the weights, not sharded
    over DP, and the sharded optimizer state: ``P w DP + 4 P w`` [1].
    """
    words = method.replica_words * dp + method.shared_words
    return parameters * machine.word_bytes * words <= n_gpu * machine.memory_bytes


@scalar_kernel
def cluster_size(placed: NDArray[np.int64], level_size: NDArray[np.int64]) -> int:
    """Accelerators that a plan occupies, idle ones in its domains included.

    The degrees placed in level ``k`` multiply to ``p_k <= s_k``; ``floor(s_k / p_k)`` such groups share a
    domain and ``s_k mod p_k`` members stay idle. A run that lies within one domain takes only what it uses. Of the
    last domain, ``part`` groups count their share of its idle ones, rounded up; no product here exceeds the result.

    Parameters
    ----------
    placed : array of int, shape (levels,)
        Product of all degrees at each network level.
    level_size : array of int, shape (levels,)
        Sizes of the levels, innermost first.
    """
    occupied = 1
    for level in range(placed.size - 1, -1, -1):
        outside = occupied
        occupied *= placed[level]
        if outside > 1:
            size = level_size[level]
            groups = size // placed[level]
            left_over = size - groups * placed[level]
            if left_over != 0:
                part = outside % groups
                occupied = outside // groups * size + part * placed[level]
                occupied += (part * left_over + groups - 1) // groups
    return occupied


@scalar_kernel
def utilization(
    active_parameters: float, batch_tokens: float, n_gpu: float, seconds: float, machine: MachineArrays
) -> float:
    """Share of the cluster's peak spent on the model's own FLOP: ``6 (P/S) B / (F_max N t)`` [1]."""
    return 6 * active_parameters * batch_tokens / (machine.peak_flops * n_gpu * seconds)
