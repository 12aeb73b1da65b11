"""A cluster's figures as flat arrays, the form that compiled kernels take."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scalewall.hardware.machine import Cluster

__all__ = ["UNBOUNDED", "MachineArrays", "machine_arrays"]

UNBOUNDED = 1 << 62
"""Size of a network level that has none: larger than any cluster."""


class MachineArrays(NamedTuple):
    """Figures of one cluster at one precision, SI units.

    ``tile_bytes``, ``holders``, ``distributed`` and ``port_bandwidth`` have one entry a memory level,
    outermost first; ``level_size``, ``level_bandwidth``, ``pair_bandwidth`` (between two accelerators),
    ``exchange_bandwidth`` (of one with all, as experts do) and ``level_latency`` one a network level, innermost
    first. ``tree_latency`` tells whether an all-reduce's latency grows with the logarithm of its
    peers (else it is constant).
    """

    peak_flops: float
    sustained_flops: float
    kernel_latency: float
    word_bytes: float
    memory_bytes: float
    tile_bytes: NDArray[np.float64]
    holders: NDArray[np.float64]
    distributed: NDArray[np.bool_]
    port_bandwidth: NDArray[np.float64]
    level_size: NDArray[np.int64]
    level_bandwidth: NDArray[np.float64]
    pair_bandwidth: NDArray[np.float64]
    exchange_bandwidth: NDArray[np.float64]
    level_latency: NDArray[np.float64]
    tree_latency: bool


def machine_arrays(cluster: Cluster, tree_latency: bool = False) -> MachineArrays:
    """Flatten ``cluster`` for the kernels.

    Parameters
    ----------
    cluster : Cluster
        Accelerator and network.
    tree_latency : bool
        All-reduce latency ``2 l ceil(log2 p)`` (as NCCL's trees) instead of ``2 l``.
    """
    accelerator, levels = cluster.accelerator, cluster.network.levels
    memory = accelerator.memory
    return MachineArrays(
        peak_flops=accelerator.peak_flops,
        sustained_flops=accelerator.sustained_flops,
        kernel_latency=accelerator.kernel_latency,
        word_bytes=accelerator.word_bytes,
        memory_bytes=accelerator.memory_bytes,
        tile_bytes=np.array([level.tile_bytes for level in memory], dtype=np.float64),
        holders=np.array([level.holders for level in memory], dtype=np.float64),
        distributed=np.array([level.distributed for level in memory], dtype=np.bool_),
        port_bandwidth=np.array([level.bandwidth for level in memory], dtype=np.float64),
        level_size=np.array([level.size or UNBOUNDED for level in levels], dtype=np.int64),
        level_bandwidth=np.array([level.bandwidth for level in levels], dtype=np.float64),
        pair_bandwidth=np.array(
            [min(level.bandwidth, level.pair_bandwidth) for level in levels], dtype=np.float64
        ),
        exchange_bandwidth=np.array(
            [min(level.bandwidth, level.all_to_all_bandwidth) for level in levels], dtype=np.float64
        ),
        level_latency=np.array([level.latency for level in levels], dtype=np.float64),
        tree_latency=tree_latency,
    )
