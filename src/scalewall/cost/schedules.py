"""Pipeline schedules in closed form: the share of time that stages idle.

References
----------
[1] Narayanan et al., "Efficient large-scale language model training on GPU clusters", SC 2021 (interleaved 1F1B).
[2] Qi et al., "Zero bubble pipeline parallelism", 2023 (ZB-H2).
[3] Erdil and Schneider-Joseph, "Data movement limits to frontier model training", arXiv 2411.01137 (2024).
"""

from __future__ import annotations

from scalewall._jit import scalar_kernel

__all__ = ["bubble_fraction", "zero_bubble_fits"]


@scalar_kernel
def zero_bubble_fits(pp: int, microbatches: int) -> bool:
    """Whether the zero-bubble schedule has enough microbatches in flight: ``M >= 2 PP`` [2][3]."""
    return microbatches >= 2 * pp


@scalar_kernel
def bubble_fraction(pp: int, microbatches: int, interleave: int, zero_bubble: bool) -> float:
    """Share of a batch that a pipeline's stages wait, with equal stages and free sends.

    Interleaved 1F1B: ``(z + PP - 1) / (z + PP - 1 + v M)`` with ``z = (v - 1) max(0, PP - M)`` [1][3];
    zero bubble: 0 [2].

    Parameters
    ----------
    pp : int
        Stages.
    microbatches : int
        Microbatches a batch.
    interleave : int
        Chunks of layers a stage.
    zero_bubble : bool
        Zero-bubble schedule instead of interleaved 1F1B.
    """
    if zero_bubble:
        return 0.0
    waiting = (interleave - 1) * max(0, pp - microbatches) + pp - 1
    return waiting / (waiting + interleave * microbatches)
