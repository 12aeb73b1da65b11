"""When drawn frontiers reach the limits in force, and the distribution of such dates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["QUANTILES", "DateBand", "crossing", "date_band"]

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Shares of the draws below the dates that a band gives."""

_GRID_OF_SHARES = tuple(np.linspace(0.005, 0.995, 199).tolist())


@dataclass(frozen=True)
class DateBand:
    """A distribution of dates.

    Parameters
    ----------
    dates : mapping of float to float
        Share of the draws that lie before to date (year); inf: never, so far as was looked.
    shares : tuple of float
        Fine shares between 0 and 1, for charts.
    years : tuple of float
        The dates that belong to them.
    """

    dates: Mapping[float, float]
    shares: tuple[float, ...]
    years: tuple[float, ...]

    @property
    def median(self) -> float:
        """The date before and after which half of the draws lie (year)."""
        return self.dates[0.5]

    def share_before(self, year: float) -> float:
        """Return the share of the draws that lie before ``year``."""
        finite = [date if math.isfinite(date) else math.inf for date in self.years]
        return float(np.interp(year, finite, self.shares, left=0.0, right=1.0))


def crossing(
    growth: NDArray[np.float64],
    start_year: float,
    start_logs: NDArray[np.float64],
    limits: Sequence[tuple[float, NDArray[np.float64]]],
) -> NDArray[np.float64]:
    """Return when each draw's frontier reaches the limit in force.

    Parameters
    ----------
    growth : array, shape (draws,)
        Powers of ten a year, above 0.
    start_year : float
        Year in which the frontier stands at its start.
    start_logs : array, shape (draws,)
        Compute at the start, in powers of ten of FLOP.
    limits : sequence of (year, array of shape (draws,))
        From when on a generation is usable, and its limit in powers of ten; by year. The first counts from the
        beginning of time.

    Returns
    -------
    array, shape (draws,)
        Years; inf where no limit is ever reached. The limit in force is the best so far: an older machine can
        still be bought.
    """
    dates = np.full(growth.shape, math.inf)
    best = np.full(growth.shape, -math.inf)
    for number, (year, limit) in enumerate(limits):
        best = np.maximum(best, limit)
        reached = start_year + (best - start_logs) / growth
        since = -math.inf if number == 0 else year
        until = limits[number + 1][0] if number + 1 < len(limits) else math.inf
        found = np.maximum(reached, since)
        dates = np.where(np.isinf(dates) & (found < until), found, dates)
    return dates


def date_band(dates: NDArray[np.float64]) -> DateBand:
    """Return the distribution of drawn dates (years; inf: never)."""

    def at(share: float) -> float:
        return float(np.quantile(dates, share, method="higher"))

    return DateBand(
        dates={share: at(share) for share in QUANTILES},
        shares=_GRID_OF_SHARES,
        years=tuple(at(share) for share in _GRID_OF_SHARES),
    )
