"""Time of one matmul by shape, from public microbenchmarks."""

from __future__ import annotations

import math
from functools import lru_cache

from scalewall.planner.constants import value
from scalewall.planner.device import Device

__all__ = ["matmul_seconds", "weight_gradient_seconds"]

_SMOOTH_WAVES = value("gemm.smooth_waves")
_OUT = value("gemm.activation_output_bytes")
_GRADIENT = value("gemm.weight_gradient_output_bytes")


@lru_cache(maxsize=100_000)
def matmul_seconds(
    device: Device, bits: int, rows: float, columns: float, inner: float, output_bytes: float = _OUT
) -> float:
    """Seconds of ``rows x inner`` times ``inner x columns``.

    ``t0 + max(waves x tile time, bytes / bandwidth)``: output tiles are dealt out over the multiprocessors in
    waves, and the library takes the tile that is done first.

    Parameters
    ----------
    device : Device
        Where.
    bits : int
        Of a word of the factors.
    rows, columns, inner : float
        Shape.
    output_bytes : float
        Bytes moved for each element of the result.
    """
    flop = 2.0 * rows * columns * inner
    rate = device.rate(bits)
    compute = flop / rate
    if device.tiles:
        compute = min(
            _waves(math.ceil(rows / m) * math.ceil(columns / n) / device.units) * m * n * speed
            for m, n, speed in ((m, n, 1.0 / relative) for m, n, relative in device.tiles)
        )
        compute *= 2.0 * inner * device.units / rate
    compute *= 1 + device.depth[bits] / inner
    moved = (rows + columns) * inner * bits / 8 + rows * columns * output_bytes
    return device.kernel_latency + max(compute, moved / device.memory_bandwidth)


def _waves(exact: float) -> float:
    return exact if exact >= _SMOOTH_WAVES else math.ceil(exact)


def weight_gradient_seconds(device: Device, bits: int, outputs: float, inputs: float, tokens: float) -> float:
    """Seconds of a weight gradient: ``outputs x tokens`` times ``tokens x inputs``, added up in 32 bits."""
    return matmul_seconds(device, bits, outputs, inputs, tokens, _GRADIENT)
