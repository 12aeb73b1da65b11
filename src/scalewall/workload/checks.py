"""Checks of whole numbers, with errors that name the field."""

from __future__ import annotations

import math

from scalewall.errors import InputError

__all__ = ["check_whole"]


def check_whole(field: str, value: object, low: int, high: int, unit: str) -> int:
    """Return ``value`` as an int if it is a whole number in ``[low, high]``.

    Parameters
    ----------
    field : str
        Name for the error.
    value : object
        What was given; ``8.0`` counts as 8, truth values do not count as numbers.
    low, high : int
        What is accepted, inclusive.
    unit : str
        In words, for the error.

    Raises
    ------
    InputError
        Naming the nearest whole number in the range.
    """
    allowed = f"a whole number from {low:,} to {high:,} {unit}".rstrip()
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or (isinstance(value, float) and math.isnan(value)):
        raise InputError(field, value, allowed)
    assert isinstance(value, (int, float))
    if not low <= value <= high or value != int(value):
        raise InputError(field, value, allowed, [str(round(min(max(value, low), high)))])
    return int(value)
