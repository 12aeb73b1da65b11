"""Sampled inputs of a sweep: every draw follows from the seed, the path and its number alone.

Draws come in blocks, each from a generator of its own, so that any worker makes any of them by itself, and
another sampled input leaves them as they are.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from scalewall.errors import InputError, unknown_name
from scalewall.study.axes import plain_value
from scalewall.study.paths import Value

__all__ = ["DISTRIBUTIONS", "Sampled", "sampled_of"]

_BLOCK = 1024
_KEPT_BLOCKS = 64

Draws = NDArray[np.float64]
_Generate = Callable[[np.random.Generator, float, float], Draws]


def _log_uniform(generator: np.random.Generator, low: float, high: float) -> Draws:
    return np.exp(generator.uniform(math.log(low), math.log(high), _BLOCK))


def _log_normal(generator: np.random.Generator, median: float, factor: float) -> Draws:
    return np.exp(generator.normal(math.log(median), math.log(factor), _BLOCK))


DISTRIBUTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "uniform": ("from", "to"),
        "log-uniform": ("from", "to"),
        "normal": ("mean", "deviation"),
        "log-normal": ("median", "factor"),
        "choice": ("values",),
    }
)
"""Name to parameters. ``factor`` is the ratio that one standard deviation makes."""

_GENERATE: Mapping[str, _Generate] = MappingProxyType(
    {
        "uniform": lambda generator, low, high: generator.uniform(low, high, _BLOCK),
        "log-uniform": _log_uniform,
        "normal": lambda generator, mean, deviation: generator.normal(mean, deviation, _BLOCK),
        "log-normal": _log_normal,
    }
)


@dataclass(frozen=True)
class Sampled:
    """One sampled input.

    Parameters
    ----------
    path : str
        What is drawn.
    distribution : str
        A name of :data:`DISTRIBUTIONS`.
    numbers : (float, float)
        Its two parameters; unused by ``choice``.
    values : tuple
        What ``choice`` draws from, each with the same chance.
    whole : bool
        Round to the nearest whole number.
    """

    path: str
    distribution: str
    numbers: tuple[float, float] = (0.0, 0.0)
    values: tuple[Value, ...] = field(default=())
    whole: bool = False

    def value(self, seed: int, number: int) -> Value:
        """Return draw ``number`` (from 0) under ``seed``."""
        return _block(self, seed, number // _BLOCK)[number % _BLOCK]

    def typical(self) -> tuple[Value, ...]:
        """Return values to judge the input by before any is drawn: all choices, both ends, or the middle."""
        if self.distribution == "choice":
            return self.values
        ends = self.numbers if DISTRIBUTIONS[self.distribution] == ("from", "to") else self.numbers[:1]
        return tuple(round(end) if self.whole else end for end in ends)


@lru_cache(maxsize=_KEPT_BLOCKS)
def _block(sampled: Sampled, seed: int, block: int) -> tuple[Value, ...]:
    key = [seed, zlib.crc32(sampled.path.encode()), block]
    generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(key)))
    if sampled.distribution == "choice":
        return tuple(sampled.values[place] for place in generator.integers(len(sampled.values), size=_BLOCK))
    draws = _GENERATE[sampled.distribution](generator, *sampled.numbers).tolist()
    return tuple(round(draw) for draw in draws) if sampled.whole else tuple(draws)


def sampled_of(field: str, path: str, written: object) -> Sampled:
    """Read one sampled input.

    Parameters
    ----------
    field : str
        What an error calls it (``samples.months``).
    path : str
        What is drawn.
    written : object
        A table such as ``{ distribution = "log-uniform", from = 25e9, to = 400e9 }``.

    Raises
    ------
    InputError
        Unknown distribution, a parameter missing, surplus or without meaning.
    """
    if not isinstance(written, Mapping):
        allowed = 'a distribution such as { distribution = "log-uniform", from = 25e9, to = 400e9 }'
        raise InputError(field, written, allowed)
    name = str(written.get("distribution"))
    if name not in DISTRIBUTIONS:
        raise unknown_name(f"{field}.distribution", name, DISTRIBUTIONS)
    needed = DISTRIBUTIONS[name]
    for key in written:
        if key not in ("distribution", "whole", *needed):
            raise unknown_name(f"{field}.{key}", key, ("whole", *needed))
    whole = written.get("whole", False)
    if not isinstance(whole, bool):
        raise InputError(f"{field}.whole", whole, "true or false")
    if name == "choice":
        values = written.get("values")
        if not isinstance(values, list) or not values:
            raise InputError(f"{field}.values", values, "a list of at least one value")
        return Sampled(path, name, values=tuple(plain_value(f"{field}.values", value) for value in values))
    first, second = (_number(f"{field}.{key}", written.get(key)) for key in needed)
    if needed[0] == "from" and not first < second:
        raise InputError(f"{field}.to", second, f"a number above {first:g}")
    if name.startswith("log") and first <= 0:
        raise InputError(f"{field}.{needed[0]}", first, "a number above 0")
    least = {"normal": 0.0, "log-normal": 1.0}.get(name)
    if least is not None and not second > least:
        raise InputError(f"{field}.{needed[1]}", second, f"a number above {least:g}")
    return Sampled(path, name, (first, second), whole=whole)


def _number(field: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise InputError(field, value, "a finite number")
    return float(value)
