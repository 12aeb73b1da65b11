"""Numbers as people read them: ``2.05e28 FLOP``, ``16.8 million``, ``3.00 months``, ``450 GB/s``, ``12.3 %``.

Every function takes SI units (or a plain share or count) and returns text. None and NaN read "unknown",
infinity reads "unlimited".
"""

from __future__ import annotations

import math
from typing import TypeGuard

__all__ = [
    "MONTH",
    "YEAR",
    "bandwidth",
    "count",
    "data_size",
    "duration",
    "flop",
    "flop_rate",
    "months",
    "percent",
    "quantity",
    "scientific",
]

MINUTE = 60.0
HOUR = 60.0 * MINUTE
DAY = 24.0 * HOUR
YEAR = 365.25 * DAY
MONTH = YEAR / 12.0

_PREFIXES = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_SMALL_PREFIXES = ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
_COUNT_WORDS = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
_TIME_UNITS = (
    (2.0 * YEAR, YEAR, "years"),
    (60.0 * DAY, MONTH, "months"),
    (2.0 * DAY, DAY, "days"),
    (2.0 * HOUR, HOUR, "hours"),
    (2.0 * MINUTE, MINUTE, "minutes"),
)


def _is_finite(value: float | None) -> TypeGuard[float]:
    return value is not None and math.isfinite(value)


def _word(value: float | None) -> str:
    """Return the word for what is not a finite number."""
    return "unlimited" if value is not None and math.isinf(value) else "unknown"


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits - 1}e}")


def _plain(value: float, digits: int = 3) -> str:
    """Write ``value`` with ``digits`` significant digits and no exponent (for values from 0.001 to 9999)."""
    if value == 0.0:
        return "0"
    exponent = math.floor(math.log10(abs(_rounded(value, digits))))
    return f"{value:.{max(0, digits - 1 - exponent)}f}"


def _compact(value: float, digits: int = 3) -> str:
    """Write ``value`` plainly below 10,000 (and above a millionth), else with an exponent."""
    plain = value == 0.0 or 1e-6 <= abs(value) < 9999.5
    return _plain(value, digits) if plain else scientific(value, digits)


def _trimmed(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number


def scientific(value: float | None, digits: int = 3) -> str:
    """Return ``2.05e28``: ``digits`` significant digits, a short exponent; plain from 0.001 to 9999."""
    if not _is_finite(value):
        return _word(value)
    if value == 0.0 or 1e-3 <= abs(value) < 9999.5:
        return _plain(value, digits)
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def flop(value: float | None) -> str:
    """Return training compute in FLOP as ``2.05e28 FLOP``."""
    return f"{scientific(value)} FLOP" if _is_finite(value) else _word(value)


def count(value: float | None) -> str:
    """Return a number of things: to the unit below a million (``131,072``), from there on ``16.8 million``."""
    if not _is_finite(value):
        return _word(value)
    for size, word in _COUNT_WORDS:
        if abs(_rounded(value, 3)) >= size:
            return f"{_compact(value / size)} {word}"
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 999.5 else f"{value:,.3g}"


def duration(seconds: float | None) -> str:
    """Return a time in the unit that people would use, from ``1.13 µs`` to ``4.30 years``."""
    if not _is_finite(seconds):
        return _word(seconds)
    for least, unit, word in _TIME_UNITS:
        if seconds >= least:
            return f"{_compact(seconds / unit)} {word}"
    return _with_prefix(seconds, "s", _SMALL_PREFIXES)


def months(seconds: float) -> str:
    """Return a deadline in months with the digits that say something: ``3 months``, ``2.5 months``."""
    value = _rounded(seconds / MONTH, 2)
    return f"{value:g} month" if value == 1.0 else f"{value:g} months"


def quantity(value: float | None, unit: str, digits: int = 3) -> str:
    """Return ``value`` in an SI ``unit`` with the decimal prefix that suits it: ``1.83 GHz``."""
    if not _is_finite(value):
        return _word(value)
    prefixes = _PREFIXES if abs(value) >= 0.9995 else _SMALL_PREFIXES
    number, prefixed = _with_prefix(value, unit, prefixes, digits).split(" ")
    return f"{_trimmed(number)} {prefixed}"


def _with_prefix(value: float, unit: str, prefixes: tuple[tuple[float, str], ...], digits: int = 3) -> str:
    """Write ``value`` with the largest prefix that leaves 1 or more before it (0 has none)."""
    if value == 0.0:
        return f"0 {unit}"
    size, prefix = next((pair for pair in prefixes if abs(_rounded(value, digits)) >= pair[0]), prefixes[-1])
    return f"{_compact(value / size, digits)} {prefix}{unit}"


def data_size(size: float | None) -> str:
    """Return bytes with a decimal prefix: ``80 GB``."""
    return quantity(size, "B")


def bandwidth(rate: float | None) -> str:
    """Return bytes/s with a decimal prefix: ``450 GB/s``."""
    return quantity(rate, "B/s")


def flop_rate(rate: float | None) -> str:
    """Return FLOP/s with a decimal prefix: ``989 TFLOP/s``."""
    return quantity(rate, "FLOP/s")


def percent(share: float | None) -> str:
    """Return a share of 1 as ``12.3 %``."""
    return f"{_compact(100.0 * share)} %" if _is_finite(share) else _word(share)
