"""How a law's real number becomes a whole one.

The reference rounding keeps numbers that clusters of a power of two accelerators divide well: the nearest
member, by linear distance, of ``{f * 2**i : f in 1, 3, 5, 7, 9; i >= 0}``, ties to the smaller (the rule
of arXiv:2411.01137's published values).
"""

from __future__ import annotations

import math

__all__ = ["REFERENCE_FACTORS", "nearest_whole", "reference_round"]

REFERENCE_FACTORS = (1, 3, 5, 7, 9)
"""Odd factors of the reference rounding."""


def reference_round(value: float) -> int:
    """Round to the nearest of ``{f * 2**i : f in 1, 3, 5, 7, 9}``, ties to the smaller.

    Parameters
    ----------
    value : float
        Positive and finite.

    Returns
    -------
    int
        At least 1.
    """
    exponent = math.floor(math.log2(max(value, 1.0)))
    lowest = max(0, exponent - 4)
    members = {factor << shift for factor in REFERENCE_FACTORS for shift in range(lowest, exponent + 2)}
    return min(members, key=lambda member: (abs(member - value), member))


def nearest_whole(value: float) -> int:
    """Round to the nearest whole number that is at least 1, ties to the smaller.

    Parameters
    ----------
    value : float
        Positive and finite.

    Returns
    -------
    int
        At least 1.
    """
    return max(1, math.ceil(value - 0.5))
