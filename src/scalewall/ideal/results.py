"""What the ideal model answers with: plans, points of a curve, limits. Plain frozen data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["InfeasiblePoint", "LinearScaling", "Plan", "Point"]


@dataclass(frozen=True)
class Plan:
    """How one run is split over accelerators.

    Each degree is a tuple with one entry a network level, innermost first; its product is the degree.

    Parameters
    ----------
    dp : tuple of int
        Data parallelism.
    tp_model, tp_ff : tuple of int
        Tensor parallelism along ``d_model`` and along ``d_ff``.
    pp : tuple of int
        Pipeline parallelism (stages).
    ep : tuple of int
        Expert parallelism.
    microbatches : int
        Microbatches in flight in a pipeline, one batch's worth.
    interleave : int
        Chunks of layers a stage (virtual pipeline stages).
    zero_bubble : bool
        Zero-bubble schedule instead of interleaved 1F1B.
    """

    dp: tuple[int, ...]
    tp_model: tuple[int, ...]
    tp_ff: tuple[int, ...]
    pp: tuple[int, ...]
    ep: tuple[int, ...]
    microbatches: int
    interleave: int
    zero_bubble: bool


@dataclass(frozen=True)
class Point:
    """One training run of a curve under its best plan. Times in seconds, compute in FLOP."""

    d_model: int
    d_ff: int
    layers: int
    sparsity: int
    batch_tokens: float
    parameters: float
    tokens: float
    training_flop: float
    n_gpu: int
    idle_gpu: int
    utilization: float
    batch_seconds: float
    run_seconds: float
    plan: Plan
    component_seconds: Mapping[str, float]
    attributed_seconds: Mapping[str, float]
    binds: str


@dataclass(frozen=True)
class InfeasiblePoint:
    """A run that no plan finishes in time, and why; no reason where the caller did not want any."""

    d_model: int
    training_flop: float
    reason: str


@dataclass(frozen=True)
class LinearScaling:
    """The band in which efficient (linear) scaling ends.

    Parameters
    ----------
    first_failure_flop : float or None
        Least training compute on the grid that does not exceed the threshold or does not finish; None: none
        failed.
    last_pass_flop : float or None
        Largest training compute on the grid above the threshold; None: none passed.
    threshold : float
        Share of the sustained utilization.
    threshold_utilization : float
        The same as a utilization (share of the peak).
    grid_limited : bool
        Whether the grid's edge, not the hardware, sets one end of the band.
    """

    first_failure_flop: float | None
    last_pass_flop: float | None
    threshold: float
    threshold_utilization: float
    grid_limited: bool
