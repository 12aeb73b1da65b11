"""How much both closed forms hang on one exponent: the batch's in training compute, less the depth's."""

from __future__ import annotations

from dataclasses import dataclass

from scalewall.hardware import Cluster
from scalewall.ideal.closed_forms import BatchPerLayer, critical_compute, latency_wall, layer_latency

__all__ = ["ALPHAS", "ExponentRow", "exponent_rows"]

ALPHAS = (-0.1, -0.05, 0.0, 0.05, 0.1, 0.15, 0.2)
"""Exponent differences that are shown; arXiv:2411.01137 gives 0 and 0.2. The published laws make 0.030 (batch 1/6,
depth 0.136), the batch law of Zhang et al. 0.099 (0.235 less the same)."""


@dataclass(frozen=True)
class ExponentRow:
    """Both closed forms at one exponent difference.

    Parameters
    ----------
    alpha : float
        Batch exponent less depth exponent, both in training compute.
    critical_compute_flop : float
        Where bandwidth ends efficient scaling (FLOP).
    latency_wall_flop : float
        Beyond which latency alone outlasts the run (FLOP).
    """

    alpha: float
    critical_compute_flop: float
    latency_wall_flop: float


def exponent_rows(cluster: Cluster, seconds: float) -> tuple[ExponentRow, ...]:
    """Return both closed forms of a machine at every one of :data:`ALPHAS`.

    Parameters
    ----------
    cluster : Cluster
        Accelerator and network.
    seconds : float
        Duration of the run.
    """
    return tuple(
        ExponentRow(
            alpha,
            critical_compute(cluster, BatchPerLayer(alpha), seconds),
            latency_wall(BatchPerLayer(alpha), seconds, layer_latency(cluster)),
        )
        for alpha in ALPHAS
    )
