"""Our date beside the published one, one change at a time: which input moves it, and by how much."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from scalewall.study.forecast import Forecast, MachineForecast
from scalewall.study.forecast_dates import crossing
from scalewall.study.forecast_question import ARTICLE_START
from scalewall.study.growth import ARTICLE_GROWTH
from scalewall.validation.claims_published import FRONTIER_FLOP, TARGET_FLOP, YEARS_LEFT
from scalewall.validation.measures import growth_years

__all__ = ["ARTICLE_YEAR", "Step", "steps_to_ours"]

ARTICLE_YEAR = 2024.84
"""The article appeared on 2 November 2024."""


@dataclass(frozen=True)
class Step:
    """One date at which efficient scaling ends, and what it rests on.

    Parameters
    ----------
    words : str
        What is new against the step before.
    start_year, start_flop : float
        Where the frontier stands (year, FLOP).
    growth : float
        Factor a year.
    limit_flop : float
        Where efficient scaling ends (FLOP); NaN where it is no single number.
    year : float
        The date that follows (years).
    """

    words: str
    start_year: float
    start_flop: float
    growth: float
    limit_flop: float
    year: float

    @property
    def years_left(self) -> float:
        """Years from the start to the date."""
        return self.year - self.start_year


def steps_to_ours(forecast: Forecast, machine: MachineForecast) -> tuple[Step, ...]:
    """Return the way from the article's date to ours for one machine, changing one thing a step.

    The article says three years; its own growth and start give four. Then come our growth, our start, the machine
    under our search and laws (the middle of its band), its successors if it has any, and all draws of the forecast
    (the median).
    """
    study = forecast.study
    article = math.sqrt(ARTICLE_GROWTH[0] * ARTICLE_GROWTH[1])
    own = machine.generations[0]
    middle = math.sqrt(own.efficient_low) * math.sqrt(own.efficient_high)
    before, ours = ARTICLE_START, (study.start.year, study.start.flop)
    growth = study.growth.factor
    claimed = Step(
        "the article: about three years",
        ARTICLE_YEAR,
        FRONTIER_FLOP,
        article,
        TARGET_FLOP,
        ARTICLE_YEAR + YEARS_LEFT,
    )
    return (
        claimed,
        _step("its numbers, calculated: 5e25 in 2024, 4 to 5 times a year", before, article, TARGET_FLOP),
        _step(f"growth: {study.growth.basis}", before, growth, TARGET_FLOP),
        _step(f"start: {study.start.label}", ours, growth, TARGET_FLOP),
        _step(f"limit: {machine.machine}, {study.limits.search} search", ours, growth, middle),
        *([_successors(forecast, machine)] if study.generations and math.isfinite(own.year) else []),
        Step(
            f"every draw of growth, start{', laws and figures' if study.worlds else ' and the place in the band'}: "
            "the median",
            *ours,
            growth,
            math.nan,
            machine.efficient.median,
        ),
    )


def _step(words: str, start: tuple[float, float], growth: float, limit: float) -> Step:
    year, flop = start
    reached = year + growth_years(limit, flop, growth) if math.isfinite(limit) else math.inf
    return Step(words, year, flop, growth, limit, reached)


def _successors(forecast: Forecast, machine: MachineForecast) -> Step:
    """Return the date with the machine's successors and everything else in its middle."""
    study = forecast.study
    limits = [
        (one.year, np.array([(np.log10(one.efficient_low) + np.log10(one.efficient_high)) / 2]))
        for one in machine.generations
    ]
    slope = np.array([math.log10(study.growth.factor)])
    start, growth = study.start, study.growth.factor
    year = float(crossing(slope, start.year, np.array([math.log10(start.flop)]), limits)[0])
    reached = start.flop * growth ** (year - start.year) if math.isfinite(year) else math.nan
    return Step("its successors", start.year, start.flop, growth, reached, year)
