"""The widths that a sweep visits, and the model for a given training compute."""

from __future__ import annotations

import math
from bisect import bisect_left

from scalewall.errors import InputError, check_finite
from scalewall.workload.lawset import Laws, stack_for
from scalewall.workload.stack import MlpStack

__all__ = ["FINE_ODD_MAX", "REFERENCE_ODD_MAX", "grid", "nearest_stack"]

REFERENCE_ODD_MAX = 15
"""Largest odd factor of the reference sweeps."""

FINE_ODD_MAX = 127
"""Largest odd factor of the grid that answers for any training compute."""

_EXPONENTS = range(11, 22)
_ODD_LIMIT = 2047
_WIDTH_LIMIT = 1e10


def grid(
    odd_max: int = REFERENCE_ODD_MAX, minimum: float = 12288, maximum: float = 128 * 12288
) -> tuple[int, ...]:
    """Return the widths ``{f * 2**i : f odd <= odd_max, i = 11..21}`` in ``[minimum, maximum]``, ascending.

    Parameters
    ----------
    odd_max : int
        Largest odd factor; more make a finer grid.
    minimum, maximum : float
        Bounds on ``d_model`` (elements), both included.

    Returns
    -------
    tuple of int
        Values of ``d_model``, never empty.

    Raises
    ------
    InputError
        For bounds that are not usable or hold no member.
    """
    members = _members(odd_max)
    low = check_finite("minimum", minimum, 1, members[-1], "(d_model)")
    high = check_finite("maximum", maximum, low, _WIDTH_LIMIT, "(d_model)")
    chosen = tuple(member for member in members if low <= member <= high)
    if not chosen:
        below = [str(member) for member in members if member < low][-1:]
        above = [str(member) for member in members if member > high][:1]
        allowed = "bounds that hold a member of the grid f * 2^i (f odd, i = 11..21)"
        raise InputError("minimum, maximum", (minimum, maximum), allowed, below + above)
    return chosen


def nearest_stack(training_flop: float, laws: Laws, odd_max: int = FINE_ODD_MAX) -> MlpStack:
    """Return the model of the whole grid whose training compute is nearest in logarithm.

    Training compute grows with ``d_model`` under every law, so a bisection finds it; its own
    ``training_flop`` is the true one. Widths that the laws make no countable batch of end the grid.

    Parameters
    ----------
    training_flop : float
        The compute asked for (FLOP).
    laws : Laws
        What turns a width into a model.
    odd_max : int
        Largest odd factor of the grid.

    Returns
    -------
    MlpStack

    Raises
    ------
    InputError
        For compute outside what the grid spans under these laws.
    """
    widths = _members(odd_max)
    smallest = stack_for(widths[0], laws)
    del widths[bisect_left(widths, math.inf, key=lambda width: _flop(width, laws)) :]
    largest = stack_for(widths[-1], laws)
    check_finite("training_flop", training_flop, smallest.training_flop, largest.training_flop, "FLOP")
    at = bisect_left(widths, training_flop, key=lambda width: _flop(width, laws))
    nearby = [stack_for(width, laws) for width in widths[max(0, at - 1) : at + 1]]
    return min(nearby, key=lambda stack: abs(math.log(stack.training_flop / training_flop)))


def _flop(width: int, laws: Laws) -> float:
    """Return the training compute of a width (FLOP), infinite where the laws' run is beyond what is counted."""
    try:
        return stack_for(width, laws).training_flop
    except InputError:
        return math.inf


def _members(odd_max: int) -> list[int]:
    """Return every width of the grid, ascending."""
    if check_finite("odd_max", odd_max, 1, _ODD_LIMIT, "") != int(odd_max):
        raise InputError("odd_max", odd_max, "a whole number", [str(int(odd_max))])
    return sorted({odd << shift for odd in range(1, int(odd_max) + 1, 2) for shift in _EXPONENTS})
