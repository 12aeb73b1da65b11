"""Distributions of uncertain inputs: each turns shares between 0 and 1 into values, and says when it cannot exist.

A draw is the quantile of a share, whatever makes the shares: random numbers, a Latin hypercube, a Sobol sequence.

>>> growth = distribution_of("growth", {"distribution": "log-normal", "p5": 4, "p95": 5})
>>> growth.quantile([0.05, 0.5, 0.95])
(4.0, 4.47..., 5.0)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import NormalDist
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scalewall.errors import InputError, unknown_name
from scalewall.study.axes import finite_number, plain_value
from scalewall.study.paths import Value

__all__ = ["DISTRIBUTIONS", "Distribution", "distribution_of"]

DISTRIBUTIONS: Mapping[str, tuple[tuple[str, ...], ...]] = MappingProxyType(
    {
        "uniform": (("from", "to"),),
        "log-uniform": (("from", "to"),),
        "triangular": (("from", "mode", "to"),),
        "normal": (("mean", "deviation"), ("p5", "p95")),
        "log-normal": (("median", "factor"), ("p5", "p95")),
        "choice": (("values",),),
    }
)
"""Name to parameters, or to several ways of giving them. ``factor`` is the ratio that one standard deviation makes;
``p5`` and ``p95`` are the ends of the middle 90 %."""

_CUT = ("normal", "log-normal")
_COMMON = ("whole", "least", "most")
_P95 = NormalDist().inv_cdf(0.95)
_LEAST_MASS = 1e-6
"""Share of a distribution that its bounds must leave, or else they contradict it."""

_LARGEST_WHOLE = 2**53
_LEAST_SHARE = 2.0**-53
_JUDGED = (0.5, 0.001, 0.999)
_Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Distribution:
    """How likely each value of an input is. Build one with :func:`distribution_of`, which checks it.

    Parameters
    ----------
    name : str
        A name of :data:`DISTRIBUTIONS`.
    numbers : tuple of float
        Its parameters, in the first way of giving them; unused by ``choice``.
    values : tuple
        What ``choice`` takes one of.
    weights : tuple of float
        How likely each of them is; empty: all the same.
    least, most : float
        Bounds of a normal or log-normal one, which is cut off there.
    whole : bool
        Round to the nearest whole number.
    """

    name: str
    numbers: tuple[float, ...] = ()
    values: tuple[Value, ...] = ()
    weights: tuple[float, ...] = ()
    least: float = -math.inf
    most: float = math.inf
    whole: bool = False

    def quantile(self, shares: ArrayLike) -> tuple[Value, ...]:
        """Return the values below which these shares (0 to 1) of the distribution lie.

        Parameters
        ----------
        shares : array_like
            One dimension; of ``choice`` the values in their order.

        Returns
        -------
        tuple
            A value for each share.
        """
        given = np.asarray(shares, dtype=float)
        if self.name == "choice":
            ends = list(accumulate(self.weights or (1.0,) * len(self.values)))
            places = np.searchsorted(np.array(ends) / ends[-1], given, side="right")
            return tuple(self.values[place] for place in np.minimum(places, len(self.values) - 1))
        numbers = self._numbers(given)
        return tuple(np.rint(numbers).astype(int).tolist() if self.whole else numbers.tolist())

    def typical(self) -> tuple[Value, ...]:
        """Return values to judge the input by before any is drawn: all choices; else the median and both ends.

        Of a distribution without ends they are those of the middle 99.8 %.
        """
        if self.name == "choice":
            return self.values
        middle, *ends = self.quantile(_JUDGED) if self.name in _CUT else self.quantile([0.5, 0.0, 1.0])
        return (middle, *ends)

    def ends(self) -> _Numbers:
        """Return the least and the most number that a draw can be, not rounded."""
        return self._numbers(np.array([_LEAST_SHARE, 1 - _LEAST_SHARE]))

    def _numbers(self, shares: _Numbers) -> _Numbers:
        first, last = self.numbers[0], self.numbers[-1]
        if self.name == "uniform":
            return first + shares * (last - first)
        if self.name == "log-uniform":
            return np.asarray(np.exp(math.log(first) + shares * math.log(last / first)))
        if self.name == "triangular":
            return self._triangular(shares)
        scores = self._scores(shares)
        if self.name == "log-normal":
            return np.clip(np.exp(math.log(first) + math.log(last) * scores), self.least, self.most)
        return np.clip(first + last * scores, self.least, self.most)

    def _triangular(self, shares: _Numbers) -> _Numbers:
        low, mode, high = self.numbers
        width = high - low
        rising = low + np.sqrt(shares * width * (mode - low))
        falling = high - np.sqrt((1 - shares) * width * (high - mode))
        return np.where(shares * width < mode - low, rising, falling)

    def _scores(self, shares: _Numbers) -> _Numbers:
        """Return the standard normal's quantiles, between the scores of the bounds."""
        from scipy.special import ndtri

        low, high = (NormalDist().cdf(self._score(bound)) for bound in (self.least, self.most))
        return np.asarray(ndtri(low + shares * (high - low)))

    def _score(self, bound: float) -> float:
        """Return how many standard deviations a bound lies above the middle."""
        middle, spread = self.numbers
        if self.name == "normal":
            return (bound - middle) / spread
        if bound <= 0:
            return -math.inf
        return math.log(bound / middle) / math.log(spread)

    def mass(self) -> float:
        """Return which share of the whole distribution lies within its bounds."""
        if self.name not in _CUT:
            return 1.0
        return NormalDist().cdf(self._score(self.most)) - NormalDist().cdf(self._score(self.least))


def distribution_of(field: str, written: object) -> Distribution:
    """Read a distribution.

    Parameters
    ----------
    field : str
        What an error calls it (``samples.months``).
    written : object
        A table such as ``{ distribution = "log-uniform", from = 25e9, to = 400e9 }``: a name of
        :data:`DISTRIBUTIONS` and its parameters; ``whole = true``; of normal and log-normal ones bounds
        ``least`` and ``most``; of ``choice`` optional ``weights``.

    Returns
    -------
    Distribution

    Raises
    ------
    InputError
        Unknown distribution, a parameter missing, surplus or without meaning, bounds that leave nothing.
    """
    if not isinstance(written, Mapping):
        allowed = 'a distribution such as { distribution = "log-uniform", from = 25e9, to = 400e9 }'
        raise InputError(field, written, allowed)
    name = str(written.get("distribution"))
    if name not in DISTRIBUTIONS:
        raise unknown_name(f"{field}.distribution", name, DISTRIBUTIONS)
    given = written.keys() - {"distribution", *_COMMON}
    ways = DISTRIBUTIONS[name]
    needed = next((way for way in ways if given & set(way)), ways[0])
    known = (*needed, "whole", *(("least", "most") if name in _CUT else ()))
    known += ("weights",) if name == "choice" else ()
    for key in written:
        if key not in ("distribution", *known):
            raise unknown_name(f"{field}.{key}", str(key), known)
    whole = written.get("whole", False)
    if not isinstance(whole, bool):
        raise InputError(f"{field}.whole", whole, "true or false")
    if name == "choice":
        return _choice(field, written)
    numbers = _parameters(field, name, {key: _number(f"{field}.{key}", written.get(key)) for key in needed})
    bounds = {key: _number(f"{field}.{key}", written[key]) for key in ("least", "most") if key in written}
    least, most = bounds.get("least", -math.inf), bounds.get("most", math.inf)
    found = Distribution(name, numbers, whole=whole, least=least, most=most)
    if found.least >= found.most:
        raise InputError(f"{field}.most", found.most, f"a number above {found.least:g}")
    if found.mass() < _LEAST_MASS:
        allowed = f"bounds that leave some of the distribution ({name}, {needed[0]} {written[needed[0]]:g})"
        raise InputError(f"{field}.{next(iter(bounds))}", next(iter(bounds.values())), allowed)
    if whole and np.abs(found.ends()).max() > _LARGEST_WHOLE:
        raise InputError(f"{field}.whole", whole, "false for numbers that may lie beyond 2^53")
    return found


def _choice(field: str, written: Mapping[str, object]) -> Distribution:
    values, weights = written.get("values"), written.get("weights", ())
    if not isinstance(values, Sequence) or isinstance(values, str) or not values:
        raise InputError(f"{field}.values", values, "a list of at least one value")
    if "whole" in written:
        raise InputError(f"{field}.whole", written["whole"], "nothing: a choice is of values as they are")
    if not isinstance(weights, Sequence) or isinstance(weights, str) or len(weights) not in (0, len(values)):
        raise InputError(f"{field}.weights", weights, f"{len(values)} numbers, one a value")
    shares = tuple(_number(f"{field}.weights", weight) for weight in weights)
    if any(share <= 0 for share in shares):
        raise InputError(f"{field}.weights", min(shares), "numbers above 0")
    return Distribution(
        "choice", values=tuple(plain_value(f"{field}.values", value) for value in values), weights=shares
    )


def _parameters(field: str, name: str, given: Mapping[str, float]) -> tuple[float, ...]:
    """Return a distribution's parameters in the first way of giving them, if they mean something."""
    if name.startswith("log"):
        for key, number in given.items():
            if number <= 0:
                raise InputError(f"{field}.{key}", number, "a number above 0")
    if name in _CUT and "p5" not in given:
        middle, spread = given.values()
        least = {"normal": 0.0, "log-normal": 1.0}[name]
        if spread <= least:
            key = tuple(given)[1]
            raise InputError(f"{field}.{key}", spread, f"a number above {least:g}")
        return middle, spread
    numbers = tuple(given.values())
    last = tuple(given)[-1]
    if numbers[0] >= numbers[-1]:
        raise InputError(f"{field}.{last}", numbers[-1], f"a number above {numbers[0]:g}")
    if name == "triangular" and not numbers[0] <= numbers[1] <= numbers[2]:
        raise InputError(f"{field}.mode", numbers[1], f"a number from {numbers[0]:g} to {numbers[2]:g}")
    if name == "normal":
        return (numbers[0] + numbers[1]) / 2, (numbers[1] - numbers[0]) / (2 * _P95)
    if name == "log-normal":
        return math.sqrt(numbers[0] * numbers[1]), (numbers[1] / numbers[0]) ** (1 / (2 * _P95))
    return numbers


def _number(field: str, value: object) -> float:
    return float(finite_number(field, value))
