"""Time of one matmul on an accelerator with a hierarchy of memories.

``Y = W X`` with ``W`` of shape ``m x n`` and ``X`` of shape ``n x b``. Two kinds: *activation* (forward, or
the gradient of the input with ``W`` transposed) and *weight gradient* (``m x b`` times ``b x n``, accumulated
into ``m x n``). Data moves between neighbouring memory levels in tiles; the time is that of the busiest of
the arithmetic units and the memories' ports, plus the fixed latency of a kernel.

References
----------
[1] Erdil and Schneider-Joseph, "Data movement limits to frontier model training", arXiv 2411.01137 (2024).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from scalewall._jit import scalar_kernel
from scalewall.cost.machine_arrays import MachineArrays

__all__ = [
    "FRAGMENT",
    "activation_traffic",
    "layer_parts",
    "layer_seconds",
    "matmul_parts",
    "matmul_seconds",
    "padded_flop",
    "tile_counts",
    "weight_gradient_traffic",
]

FRAGMENT = 8
"""Matrix units work on fragments of this many rows and columns; smaller edges are padded [1]."""

_SAME = 1 + 1e-12
"""Edges this close are equal: traffic jumps where a matrix is cut, and rounding errors must not decide that."""


@scalar_kernel
def padded_flop(m: float, n: float, b: float) -> float:
    """FLOP that the matrix units carry out: ``2 * 8^3 * ceil(m/8) * ceil(n/8) * ceil(b/8)`` [1]."""
    fragments = math.ceil(m / FRAGMENT) * math.ceil(n / FRAGMENT) * math.ceil(b / FRAGMENT)
    return 2.0 * FRAGMENT**3 * fragments


@scalar_kernel
def tile_counts(m: float, n: float, tile_bytes: float, word_bytes: float) -> tuple[float, float]:
    """How many tiles of at most ``tile_bytes`` an ``m x n`` matrix is cut into, by rows and by columns.

    ``t = ceil(m n w / Q)``, ``q = m n / t``, ``tile_m = max(min(m, sqrt(q)), q / n)``, ``tile_n = q / tile_m``;
    returns ``(m / tile_m, n / tile_n)`` [1]: squares of edge ``sqrt(q)``, or ``t`` strips where an edge of the
    matrix is no longer than that. Counts of at least 1, and of exactly 1 across a strip.
    """
    tiles = float(math.ceil(m * n * word_bytes / tile_bytes))
    edge = math.sqrt(m * n / tiles)
    if n <= edge * _SAME:
        return tiles, 1.0
    if m <= edge * _SAME:
        return 1.0, tiles
    return m / edge, n / edge


@scalar_kernel
def _tilings(
    m: float, n: float, tile_bytes: float, holders: float, distributed: bool, word_bytes: float
) -> tuple[float, float, float, float]:
    """Rows and columns of the tiling seen from above (big) and among the holders (small) [1]."""
    if distributed:
        rows, columns = tile_counts(m, n, tile_bytes * holders, word_bytes)
        small_rows, small_columns = tile_counts(m, n, tile_bytes, word_bytes)
        return rows, columns, small_rows, small_columns
    rows, columns = tile_counts(m, n, tile_bytes, word_bytes)
    return rows, columns, 1.0, 1.0


@scalar_kernel
def weights_resident(m: float, n: float, tile_bytes: float, holders: float, word_bytes: float) -> bool:
    """Whether weights and their gradients stay below an interface: ``2 m n w <= Q * count`` [1]."""
    return 2 * m * n * word_bytes <= tile_bytes * holders


@scalar_kernel
def activation_traffic(
    m: float, n: float, b: float, tile_bytes: float, holders: float, distributed: bool, word_bytes: float
) -> tuple[float, float]:
    """Bytes of an activation matmul across one interface, and between the holders below it.

    Across: ``(0 if resident else m n w) + r_big n b w + (2 k_big - 1) m b w``; between:
    ``(r_small n b w if r_small > 1) + 2 (k_small - 1) m b w`` [1].

    Parameters
    ----------
    m, n, b : float
        Rows and columns of the weights, tokens.
    tile_bytes : float
        Capacity of one holder below the interface (bytes).
    holders : float
        Number of holders below.
    distributed : bool
        Whether the holders form one distributed memory.
    word_bytes : float
        Bytes a word.
    """
    rows, columns, small_rows, small_columns = _tilings(m, n, tile_bytes, holders, distributed, word_bytes)
    weights = 0.0 if weights_resident(m, n, tile_bytes, holders, word_bytes) else m * n
    across = weights + rows * n * b + (2 * columns - 1) * m * b
    between = (small_rows * n * b if small_rows > 1 else 0.0) + 2 * (small_columns - 1) * m * b
    return across * word_bytes, between * word_bytes


@scalar_kernel
def weight_gradient_traffic(
    m: float, n: float, b: float, tile_bytes: float, holders: float, distributed: bool, word_bytes: float
) -> tuple[float, float]:
    """Bytes of a weight-gradient matmul across one interface, and between the holders below it.

    Across: ``(0 if resident else 2 m n w) + r_big n b w + k_big m b w``; between:
    ``(r_small n b w if r_small > 1) + (k_small m b w if k_small > 1)`` [1]. Parameters as
    :func:`activation_traffic`.
    """
    rows, columns, small_rows, small_columns = _tilings(m, n, tile_bytes, holders, distributed, word_bytes)
    weights = 0.0 if weights_resident(m, n, tile_bytes, holders, word_bytes) else 2 * m * n
    across = weights + rows * n * b + columns * m * b
    between = (small_rows * n * b if small_rows > 1 else 0.0) + (
        small_columns * m * b if small_columns > 1 else 0.0
    )
    return across * word_bytes, between * word_bytes


@scalar_kernel
def matmul_parts(
    m: float, n: float, b: float, weight_gradient: bool, machine: MachineArrays, parts: NDArray[np.float64]
) -> None:
    """Seconds that each resource needs for one matmul, were it alone.

    Writes ``parts[0]`` = arithmetic (padded FLOP over the sustained rate) and ``parts[1 + i]`` = the port of
    memory level ``i``, which carries what crosses to its neighbours above and below and what its holders
    exchange [1].
    """
    levels = machine.tile_bytes.size
    parts[0] = padded_flop(m, n, b) / machine.sustained_flops
    parts[1:] = 0.0
    for below in range(1, levels):
        capacity, holders = machine.tile_bytes[below], machine.holders[below]
        distributed = machine.distributed[below]
        if weight_gradient:
            across, between = weight_gradient_traffic(
                m, n, b, capacity, holders, distributed, machine.word_bytes
            )
        else:
            across, between = activation_traffic(m, n, b, capacity, holders, distributed, machine.word_bytes)
        parts[below] += across
        parts[below + 1] += across + between
    for level in range(levels):
        parts[1 + level] /= machine.port_bandwidth[level]


@scalar_kernel
def layer_parts(m: float, n: float, b: float, machine: MachineArrays, parts: NDArray[np.float64]) -> None:
    """:func:`matmul_parts` of the four kinds of matmul of :func:`layer_seconds`.

    Writes a row each: as activation ``m x n`` and ``n x m``, which occur twice, then as weight gradient, once.
    """
    for kind in range(2):
        matmul_parts(m, n, b, kind == 1, machine, parts[2 * kind])
        matmul_parts(n, m, b, kind == 1, machine, parts[2 * kind + 1])


@scalar_kernel
def matmul_seconds(
    m: float, n: float, b: float, weight_gradient: bool, machine: MachineArrays, scratch: NDArray[np.float64]
) -> float:
    """Seconds of one matmul: its busiest resource plus the latency of a kernel [1].

    Parameters
    ----------
    m, n, b : float
        Rows and columns of the weights, tokens.
    weight_gradient : bool
        Which of the two kinds.
    machine : MachineArrays
        The accelerator's figures.
    scratch : array of shape (1 + memory levels,)
        Overwritten.
    """
    matmul_parts(m, n, b, weight_gradient, machine, scratch)
    busiest = 0.0
    for resource in range(scratch.size):
        busiest = max(busiest, scratch[resource])
    return busiest + machine.kernel_latency


@scalar_kernel
def layer_seconds(
    m: float, n: float, b: float, machine: MachineArrays, scratch: NDArray[np.float64]
) -> float:
    """Seconds of the six matmuls of one expert of one layer for one microbatch's shard.

    The block's two weight matrices are ``m x n`` and ``n x m``; each has a forward, an input-gradient (its
    transpose) and a weight-gradient matmul, so both orientations occur twice as activation and once as weight
    gradient [1].
    """
    total = 0.0
    for kind in range(2):
        weight_gradient = kind == 1
        times = 1.0 if weight_gradient else 2.0
        total += times * matmul_seconds(m, n, b, weight_gradient, machine, scratch)
        total += times * matmul_seconds(n, m, b, weight_gradient, machine, scratch)
    return total
