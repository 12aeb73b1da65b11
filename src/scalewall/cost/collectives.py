"""Communication of a batch over a hierarchy of network levels: bandwidth times and latencies.

Degrees of parallelism come as one integer a network level, innermost first. Bandwidth times share the whole
cluster's bandwidth among all groups, so they fall as ``1 / n_gpu``; called with ``n_gpu = 1`` these functions
give accelerator-seconds, which is how the searches use them.

References
----------
[1] Erdil and Schneider-Joseph, "Data movement limits to frontier model training", arXiv 2411.01137 (2024).
[2] NVIDIA NCCL, tree algorithm: latency grows with the logarithm of the number of peers.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from scalewall._jit import scalar_kernel
from scalewall.cost.machine_arrays import MachineArrays

__all__ = [
    "all_reduce_chain_latency",
    "all_reduce_latency",
    "all_reduce_level_seconds",
    "all_reduce_seconds",
    "boundary_latency",
    "boundary_seconds",
    "data_parallel_seconds",
    "outermost_level",
    "pipeline_crossings",
    "tensor_parallel_latency",
    "tensor_parallel_seconds",
]

IntArray = NDArray[np.int64]


@scalar_kernel
def all_reduce_seconds(
    peers: float, words: float, word_bytes: float, n_gpu: float, bandwidth: float
) -> float:
    """Seconds that all-reduces among ``peers`` of ``words`` take, all groups sharing the cluster's bandwidth.

    ``2 (p - 1) x w / (N b)`` [1], with ``bandwidth`` in bytes/s an accelerator in one direction.
    """
    return 2 * (peers - 1) * words * word_bytes / (n_gpu * bandwidth)


@scalar_kernel
def all_reduce_latency(peers: int, hop_latency: float, tree: bool) -> float:
    """Latency of an all-reduce in seconds: ``2 l`` [1], or ``2 l ceil(log2 p)`` for trees [2]; 0 alone."""
    if peers == 1:
        return 0.0
    return 2 * hop_latency * (math.ceil(math.log2(peers)) if tree else 1)


@scalar_kernel
def all_reduce_level_seconds(
    degrees: IntArray, level: int, words: float, n_gpu: float, machine: MachineArrays
) -> float:
    """Seconds at one network level of an all-reduce of ``words`` among all peers of a degree.

    The peers within the level reduce all words, in as many groups as the degree has above the level [1].
    """
    groups = 1.0
    for above in range(level + 1, degrees.size):
        groups *= degrees[above]
    return groups * all_reduce_seconds(
        degrees[level], words, machine.word_bytes, n_gpu, machine.level_bandwidth[level]
    )


@scalar_kernel
def data_parallel_seconds(dp: IntArray, parameters: float, n_gpu: float, machine: MachineArrays) -> float:
    """Seconds of the all-reduce of all gradients, once a batch; levels overlap, so the slowest counts [1]."""
    slowest = 0.0
    for level in range(dp.size):
        slowest = max(slowest, all_reduce_level_seconds(dp, level, parameters, n_gpu, machine))
    return slowest


@scalar_kernel
def all_reduce_chain_latency(degrees: IntArray, machine: MachineArrays) -> float:
    """Latency in seconds of an all-reduce among all peers of a degree, added over the levels in use [1]."""
    total = 0.0
    for level in range(degrees.size):
        total += all_reduce_latency(degrees[level], machine.level_latency[level], machine.tree_latency)
    return total


@scalar_kernel
def tensor_parallel_seconds(
    tp_model: IntArray,
    tp_ff: IntArray,
    d_model: float,
    d_ff: float,
    layers: float,
    tokens: float,
    n_gpu: float,
    machine: MachineArrays,
) -> float:
    """Seconds of the tensor-parallel all-reduces of one batch.

    Per token and layer, forward and backward: ``d_ff`` words among the ``tp_model`` peers and ``d_model``
    words among the ``tp_ff`` peers. At a level the two add; levels overlap [1].
    """
    words = 2 * layers * tokens
    slowest = 0.0
    for level in range(tp_model.size):
        seconds = all_reduce_level_seconds(tp_model, level, words * d_ff, n_gpu, machine)
        seconds += all_reduce_level_seconds(tp_ff, level, words * d_model, n_gpu, machine)
        slowest = max(slowest, seconds)
    return slowest


@scalar_kernel
def tensor_parallel_latency(
    tp_model: IntArray, tp_ff: IntArray, layers: float, machine: MachineArrays
) -> float:
    """Latency of the ``2 L`` sequential tensor-parallel all-reduces in seconds, added over both kinds [1]."""
    total = all_reduce_chain_latency(tp_model, machine) + all_reduce_chain_latency(tp_ff, machine)
    return 2 * layers * total


@scalar_kernel
def outermost_level(degrees: IntArray) -> int:
    """Index of the outermost network level in which a degree exceeds 1; -1 if none does."""
    for level in range(degrees.size - 1, -1, -1):
        if degrees[level] > 1:
            return level
    return -1


@scalar_kernel
def pipeline_crossings(pp: IntArray, interleave: int, level: int) -> int:
    """Layer boundaries of a pipeline that cross network level ``level``.

    ``v PP_k - 1`` at the outermost level in use, ``v prod(PP_j, j > k) (PP_k - 1)`` below it, 0 above [1].
    """
    outermost = outermost_level(pp)
    if level > outermost:
        return 0
    crossings = interleave * (pp[level] - 1)
    for above in range(level + 1, pp.size):
        crossings *= pp[above]
    return int(crossings) if level < outermost else int(interleave * pp[level]) - 1


@scalar_kernel
def boundary_seconds(
    pp: IntArray,
    ep: IntArray,
    interleave: int,
    d_model: float,
    layers: float,
    tokens: float,
    n_gpu: float,
    machine: MachineArrays,
) -> float:
    """Seconds of point-to-point traffic of one batch: pipeline sends and expert dispatch.

    Each token passes ``2 (L - 1)`` layer boundaries with ``d_model`` words. The pipeline's crossing and the
    expert's (uniform routing: on the same accelerator with probability ``1 / EP``) are independent, and a
    boundary costs at the higher of the two levels, at the bandwidth that one accelerator reaches with one peer
    (pipeline) or with all (experts), the smaller if both cross there. Levels do not overlap [1].
    """
    if layers <= 1:
        return 0.0
    all_pp, all_ep = 1, 1
    for level in range(pp.size):
        all_pp *= pp[level]
        all_ep *= ep[level]
    pipeline_within = (layers - interleave * all_pp if all_pp > 1 else layers - 1) / (layers - 1)
    expert_within = 1.0 / all_ep
    seconds_a_word = 0.0
    inside = 1
    for level in range(pp.size):
        inside *= ep[level]
        pipeline_here = pipeline_crossings(pp, interleave, level) / (layers - 1)
        expert_here = inside / all_ep - expert_within
        pair, exchange = machine.pair_bandwidth[level], machine.exchange_bandwidth[level]
        seconds_a_word += (
            pipeline_here * expert_within / pair
            + pipeline_within * expert_here / exchange
            + pipeline_here * expert_here / min(pair, exchange)
        )
        pipeline_within += pipeline_here
        expert_within += expert_here
    return 2 * (layers - 1) * tokens * d_model * machine.word_bytes * seconds_a_word / n_gpu


@scalar_kernel
def boundary_latency(
    pp: IntArray, ep: IntArray, interleave: int, layers: float, machine: MachineArrays
) -> float:
    """Latency of the ``2 (L - 1)`` layer boundaries in seconds.

    A whole microbatch waits for its slowest token, so with experts every boundary reaches at least the
    outermost level that expert parallelism uses; one hop a boundary [1].
    """
    expert_level = outermost_level(ep)
    total = 0.0
    crossed = 0
    for level in range(pp.size):
        crossings = pipeline_crossings(pp, interleave, level)
        if level > expert_level:
            total += 2 * crossings * machine.level_latency[level]
            crossed += crossings
    if expert_level >= 0:
        total += 2 * max(layers - 1 - crossed, 0.0) * machine.level_latency[expert_level]
    return total
