"""Errors meant for the user: which field, which value, what is allowed, the nearest valid choice."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence

__all__ = ["InputError", "ScalewallError", "check_finite", "nearest", "unknown_name"]

_LONGEST_VALUE = 200
"""Characters of a value that a message shows; of a longer one its beginning."""


class ScalewallError(ValueError):
    """Base of every error that scalewall raises on purpose; the CLI prints it and exits with code 2."""


class InputError(ScalewallError):
    """An input that cannot be used.

    Parameters
    ----------
    field : str
        The input's name as the user wrote it (``--months``, ``network.1.bandwidth``).
    value : object
        What was given.
    allowed : str
        What would be accepted, in words, with units.
    suggestions : sequence of str
        The nearest valid choices, best first; may be empty.
    """

    def __init__(self, field: str, value: object, allowed: str, suggestions: Sequence[str] = ()) -> None:
        self.field = field
        self.value = value
        self.allowed = allowed
        self.suggestions = tuple(suggestions)
        hint = f" Nearest: {', '.join(self.suggestions)}." if self.suggestions else ""
        super().__init__(f"{field}: {_shown(value)} is not usable. Allowed: {allowed}.{hint}")


def _shown(value: object) -> str:
    """Return a value as it is written, cut where nobody would read on."""
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}..."


def nearest(name: str, choices: Iterable[str], count: int = 3) -> list[str]:
    """Return up to ``count`` of ``choices`` that look most like ``name``, best first; beginnings count most."""
    lowered = {option.lower(): option for option in choices}
    wanted = name.lower()
    begun = sorted((option for option in lowered if wanted and option.startswith(wanted)), key=len)
    alike = difflib.get_close_matches(wanted, list(lowered), n=count, cutoff=0.4)
    return [lowered[option] for option in dict.fromkeys([*begun, *alike])][:count]


def unknown_name(field: str, name: str, choices: Iterable[str]) -> InputError:
    """Build the error for a name that is not among ``choices``, with the nearest ones."""
    options = sorted(choices)
    shown = ", ".join(options) if len(options) <= 14 else f"one of {len(options)} names"
    return InputError(field, name, shown, nearest(name, options))


def check_finite(field: str, value: float, low: float, high: float, unit: str) -> float:
    """Return ``value`` if it is a number in ``[low, high]``; raise InputError naming the field otherwise."""
    number = _as_float(value)
    if low <= number <= high:
        return number
    bound = low if math.isnan(number) else min(max(number, low), high)
    raise InputError(field, value, f"a number from {low:g} to {high:g} {unit}".rstrip(), [f"{bound:g}"])


def _as_float(value: object) -> float:
    """Return a number as a float, whole numbers too large for one as infinite, and what is no number as NaN."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
