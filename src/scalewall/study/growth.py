"""How fast the training compute of frontier runs grows: fitted to the table of runs, or as stated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scalewall.errors import InputError, check_finite
from scalewall.study.training_runs import TrainingRun, training_runs

__all__ = ["ARTICLE_GROWTH", "FIT_SINCE", "Growth", "fit_growth", "frontier", "read_growth", "stated_growth"]

FIT_SINCE = 2018.0
"""First year of the fit: when language models took over the frontier; the choice is the user's."""

ARTICLE_GROWTH = (4.0, 5.0)
"""Growth a year in Epoch AI, "Data movement bottlenecks to large-scale model training" (2024)."""

LEAST, MOST = 1.01, 100.0
"""Growth a year that makes sense: slower reaches no limit in a lifetime, faster was never seen."""

INTERVAL = 0.90
"""Share of the distribution between ``low`` and ``high``."""

_FEWEST = 5


@dataclass(frozen=True)
class Growth:
    """Growth of the frontier's training compute.

    Parameters
    ----------
    factor : float
        Median growth a year (4.5: 4.5 times as much compute a year later).
    low, high : float
        Ends of the 90 % interval; equal to ``factor`` where it is taken as certain.
    kind : str
        ``fit`` (Student's t in the logarithm), ``range`` (uniform in the logarithm between the ends), ``stated``.
    deviation : float
        Standard error of the slope, in powers of ten a year (fit only).
    runs : int
        Runs behind a fit; 0 else.
    level_year, level_flop, scatter : float
        Where the fitted line passes (year, FLOP), and the standard deviation of runs around it in powers of ten.
    basis : str
        Where it comes from, in words.
    """

    factor: float
    low: float
    high: float
    kind: Literal["fit", "range", "stated"]
    basis: str
    deviation: float = 0.0
    runs: int = 0
    level_year: float = math.nan
    level_flop: float = math.nan
    scatter: float = math.nan

    def draw(self, generator: np.random.Generator, count: int) -> NDArray[np.float64]:
        """Return ``count`` draws of the growth in powers of ten a year; slower than 1.01x a year becomes that."""
        middle = math.log10(self.factor)
        if self.kind == "fit":
            drawn = middle + self.deviation * generator.standard_t(self.runs - 2, count)
        elif self.kind == "range":
            drawn = generator.uniform(math.log10(self.low), math.log10(self.high), count)
        else:
            drawn = np.full(count, middle)
        return np.maximum(drawn, math.log10(LEAST))

    def trend(self, year: float) -> float:
        """Return the compute of the fitted line in ``year`` (FLOP); NaN if this is no fit."""
        return float(self.level_flop * self.factor ** (year - self.level_year))


def frontier(since: float = FIT_SINCE, until: float = math.inf) -> tuple[TrainingRun, ...]:
    """Return the table's frontier runs published from the year ``since`` on and before ``until``."""
    return tuple(run for run in training_runs() if run.role == "frontier" and since <= run.year < until)


def fit_growth(since: float = FIT_SINCE, runs: Sequence[TrainingRun] | None = None) -> Growth:
    """Fit exponential growth to runs by least squares in the logarithm of their compute.

    Parameters
    ----------
    since : float
        First year of the table's frontier to take.
    runs : sequence of TrainingRun, optional
        Other runs, all taken.

    Returns
    -------
    Growth
        With the 90 % interval of the slope. ``log10 C = a + b t``; ``factor = 10**b``; the slope's standard error
        is ``s / sqrt(sum((t - mean t)**2))``, with ``s**2`` the residuals' sum of squares over ``n - 2``.

    Raises
    ------
    InputError
        Fewer than five runs, or all on one day.
    """
    chosen = frontier(since) if runs is None else tuple(runs)
    years = np.array([run.year for run in chosen])
    if len(chosen) < _FEWEST or np.ptp(years) == 0.0:
        raise InputError(
            "since",
            since,
            f"a year from which at least {_FEWEST} frontier runs are known, {len(chosen)} are",
            [f"{FIT_SINCE:g}"],
        )
    logs = np.log10([run.training_flop for run in chosen])
    spread = years - years.mean()
    squares = float(spread @ spread)
    slope = float(spread @ (logs - logs.mean())) / squares
    residuals = logs - logs.mean() - slope * spread
    scatter = math.sqrt(float(residuals @ residuals) / (len(chosen) - 2))
    deviation = scatter / math.sqrt(squares)
    reach = student_quantile(0.5 + INTERVAL / 2, len(chosen) - 2) * deviation
    return Growth(
        factor=10.0**slope,
        low=10.0 ** (slope - reach),
        high=10.0 ** (slope + reach),
        kind="fit",
        deviation=deviation,
        runs=len(chosen),
        level_year=float(years.mean()),
        level_flop=float(10.0 ** logs.mean()),
        scatter=scatter,
        basis=f"least squares over {len(chosen)} frontier runs since {since:g}",
    )


def student_quantile(share: float, freedom: int) -> float:
    """Return the quantile of Student's t from the normal one, to 1e-3 of it from 5 degrees of freedom on.

    ``z + (z^3 + z) / 4n + (5 z^5 + 16 z^3 + 3 z) / 96 n^2 + (3 z^7 + 19 z^5 + 17 z^3 - 15 z) / 384 n^3``
    (Abramowitz and Stegun, 26.7.5).
    """
    z = NormalDist().inv_cdf(share)
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )


def stated_growth(low: float, high: float | None = None, basis: str = "as stated") -> Growth:
    """Return growth as a user states it: one factor a year, or anything between two, evenly in the logarithm.

    Raises
    ------
    InputError
        Not between 1.01 and 100 times a year, or the ends turned round.
    """
    check_finite("growth", low, LEAST, MOST, "times a year")
    if high is None or high == low:
        return Growth(low, low, low, "stated", basis)
    check_finite("growth", high, LEAST, MOST, "times a year")
    if high < low:
        raise InputError("growth", f"{low:g}:{high:g}", "the smaller factor first", [f"{high:g}:{low:g}"])
    return Growth(math.sqrt(low * high), low, high, "range", basis)


def read_growth(text: str, since: float = FIT_SINCE) -> Growth:
    """Read ``fit``, ``article``, ``4.5`` or ``4:5``.

    Raises
    ------
    InputError
        Another form, or numbers out of range.
    """
    if text == "fit":
        return fit_growth(since)
    if text == "article":
        return stated_growth(*ARTICLE_GROWTH, basis="the article's 4 to 5 times a year")
    low, colon, high = text.partition(":")
    try:
        ends = float(low), float(high) if colon else None
    except ValueError:
        allowed = "fit, article, a factor a year such as 4.5, or a range such as 4:5"
        raise InputError("growth", text, allowed, ["fit", "article"]) from None
    return stated_growth(*ends)
