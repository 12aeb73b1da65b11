"""Axes of a sweep: lists, ranges and logarithmic ranges, written out as values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from scalewall.errors import InputError, unknown_name
from scalewall.study.paths import Value

__all__ = [
    "MOST_VALUES",
    "RANGE_KEYS",
    "axis_values",
    "finite_number",
    "plain_table",
    "plain_value",
    "whole_number",
]

RANGE_KEYS = ("from", "to", "step", "count", "spacing", "whole")
"""Keys of a range: its ends, either a step or a count of values, ``linear`` or ``log``, whole numbers or not."""

MOST_VALUES = 1_000_000
"""Values of one axis: what a list in memory holds easily; more ask for samples instead."""

MOST_WHOLE = 2**63 - 1
"""Whole numbers of rows are 64 bits wide."""

_SPACINGS = ("linear", "log")
_ALMOST = 1e-9
"""Share of a step by which rounding may put the last value beyond the end."""


def axis_values(field: str, written: object) -> tuple[Value, ...]:
    """Return the values of an axis, in order, each once.

    Parameters
    ----------
    field : str
        What an error calls it (``axes.months``).
    written : object
        A list; or a range ``{from, to, step}`` or ``{from, to, count}``, both ends included, with
        ``spacing = "log"`` for equal ratios and ``whole = true`` for the nearest whole numbers.

    Raises
    ------
    InputError
        Empty, endless or too long, a value twice, or keys that make no range.
    """
    if isinstance(written, Mapping) and written:
        values: Iterable[object] = _range(field, written)
    elif isinstance(written, (list, tuple, Mapping)):
        values = written
    else:
        allowed = "a list of values, or a range such as { from = 1, to = 12, count = 12 }"
        raise InputError(field, written, allowed, [f"[{written!r}]"])
    found = tuple(plain_value(field, value) for value in values)
    if not found:
        raise InputError(field, [], "at least one value")
    if len(found) > MOST_VALUES:
        raise InputError(field, f"{len(found):,} values", f"at most {MOST_VALUES:,} values")
    seen: set[tuple[bool, Value]] = set()
    for value in found:
        if (isinstance(value, bool), value) in seen:
            raise InputError(field, value, "each value once")
        seen.add((isinstance(value, bool), value))
    return found


def plain_table(table: Mapping[str, object]) -> dict[str, object]:
    """Return a study's tables with arrays and numbers of NumPy as lists and numbers of Python, ranges as lists."""
    return {str(key): _plain(value) for key, value in table.items()}


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return plain_table(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, (list, tuple, range)):
        return [_plain(part) for part in value]
    return value


def plain_value(field: str, value: object) -> Value:
    """Return a value as it is compared and kept: text, a number, true or false, or several of them."""
    if isinstance(value, float) and math.isnan(value):
        raise InputError(field, value, "a number")
    if isinstance(value, int) and abs(value) > MOST_WHOLE:
        raise InputError(field, value, "a whole number below 2^63; with a point (1e30) it may be larger")
    if isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(part, (str, int, float, bool)) for part in value):
        return tuple(value)
    raise InputError(field, value, "text, a number, true or false, or a list of them")


def whole_number(field: str, value: object, low: int, high: int) -> int:
    """Return ``value`` if it is a whole number in ``[low, high]``.

    Raises
    ------
    InputError
        It is not.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise InputError(field, value, f"a whole number from {low} to {high:,}")
    return value


def finite_number(field: str, value: object) -> int | float:
    """Return ``value`` if it is a number that a float can hold.

    Raises
    ------
    InputError
        It is not.
    """
    try:
        finite = not isinstance(value, bool) and isinstance(value, (int, float)) and math.isfinite(value)
    except OverflowError:
        finite = False
    if not finite:
        raise InputError(field, value, "a finite number")
    return value  # type: ignore[return-value]


def _range(field: str, written: Mapping[str, object]) -> tuple[Value, ...]:
    for key in written:
        if key not in RANGE_KEYS:
            raise unknown_name(f"{field}.{key}", key, RANGE_KEYS)
    start, end = (finite_number(f"{field}.{key}", written.get(key)) for key in ("from", "to"))
    if not math.isfinite(float(end) - float(start)):
        raise InputError(f"{field}.to", end, f"a number nearer to {start:g}")
    spacing = written.get("spacing", "linear")
    if spacing not in _SPACINGS:
        raise unknown_name(f"{field}.spacing", str(spacing), _SPACINGS)
    if ("step" in written) == ("count" in written):
        raise InputError(field, dict(written), "a range with either a step or a count")
    if "step" in written:
        if spacing == "log":
            raise InputError(f"{field}.step", written["step"], "a count for equal ratios")
        numbers = _stepped(field, start, end, finite_number(f"{field}.step", written["step"]))
    else:
        count = whole_number(f"{field}.count", written["count"], 2, MOST_VALUES)
        numbers = _counted(field, start, end, count, log=spacing == "log")
    whole = written.get("whole", False)
    if not isinstance(whole, bool):
        raise InputError(f"{field}.whole", whole, "true or false")
    return tuple(dict.fromkeys(round(number) for number in numbers)) if whole else numbers


def _stepped(field: str, start: float, end: float, step: float) -> tuple[float, ...]:
    steps = (float(end) - float(start)) / step if step else -1.0
    if steps < 0:
        raise InputError(f"{field}.step", step, "a step that leads from one end to the other")
    if steps >= MOST_VALUES:
        raise InputError(f"{field}.step", step, f"a step that makes at most {MOST_VALUES:,} values")
    return tuple(start + index * step for index in range(math.floor(steps + _ALMOST) + 1))


def _counted(field: str, start: float, end: float, count: int, log: bool) -> tuple[float, ...]:
    if start == end:
        raise InputError(f"{field}.to", end, "another number than the first")
    if log and (start <= 0 or end <= 0):
        raise InputError(f"{field}.from", start, "two numbers above 0 for equal ratios")
    shares = (index / (count - 1) for index in range(1, count - 1))
    inner = (start * (end / start) ** share if log else start + (end - start) * share for share in shares)
    return (float(start), *inner, float(end))
