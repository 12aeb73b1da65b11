"""What a forecast says, in plain words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from scalewall.report import units
from scalewall.study.forecast_worlds import settled
from scalewall.study.training_runs import largest_run

if TYPE_CHECKING:
    from scalewall.study.forecast import Forecast, MachineForecast
    from scalewall.study.forecast_dates import DateBand

__all__ = [
    "band_words",
    "date_words",
    "finding",
    "forecast_text",
    "growth_words",
    "limits_of_dates",
    "overdue",
    "rests_on",
    "years_words",
]

_MONTHS = 12
_AHEAD = 2.0
"""By this factor or more, growth has run ahead of what is known."""


def date_words(year: float) -> str:
    """Return a year as ``2029-10``; ``never`` if it is infinite."""
    if not math.isfinite(year):
        return "never"
    whole = math.floor(year)
    return f"{whole}-{min(_MONTHS, math.floor((year - whole) * _MONTHS) + 1):02d}"


def years_words(years: float) -> str:
    """Return a number of years to a tenth."""
    return f"{years:.1f}" if math.isfinite(years) else "never"


def band_words(band: DateBand) -> str:
    """Return a band as ``2029-10 (90 %: 2029-03 to 2030-05)``."""
    return (
        f"{date_words(band.median)} (90 %: {date_words(band.dates[0.05])} to {date_words(band.dates[0.95])})"
    )


def limits_of_dates(one: MachineForecast) -> tuple[tuple[str, DateBand], ...]:
    """Return a machine's two dates with what they are called."""
    return (("efficient scaling ends", one.efficient), ("infeasible from", one.infeasible))


def forecast_text(forecast: Forecast) -> str:
    """Return the dates, one line a machine and limit: ``h100: infeasible from 2035-08 (90 %: ...)``."""
    return "\n".join(
        f"{one.machine}: {name} {band_words(band)}"
        for one in forecast.machines
        for name, band in limits_of_dates(one)
    )


def growth_words(forecast: Forecast) -> str:
    """Return the growth: ``4.46 times a year (90 %: 4.05 to 4.92; least squares over ...)``."""
    growth = forecast.study.growth
    if growth.low == growth.high:
        return f"{growth.factor:.3g} times a year ({growth.basis})"
    interval = f"{growth.low:.3g} to {growth.high:.3g}"
    return f"{growth.factor:.3g} times a year ({'90 %: ' if growth.kind == 'fit' else ''}{interval}; {growth.basis})"


def finding(forecast: Forecast, one: MachineForecast) -> str:
    """Return what the forecast says about one machine, in two or three sentences."""
    away = one.efficient.median - forecast.study.now
    months = units.months(one.limits.duration_seconds)
    successors = " and its successors" if len(one.generations) > 1 else ""
    if not math.isfinite(one.efficient.median):
        first = f"On {one.title}{successors}, frontier runs stay efficient as far as the grid goes."
    else:
        when = f"{away:.1f} years from now" if away >= 0 else f"{-away:.1f} years ago"
        first = (
            f"On {one.title}{successors}, frontier runs of {months} stop being efficient about "
            f"{band_words(one.efficient)}: {when}."
        )
    if not math.isfinite(one.infeasible.median):
        return f"{first} The grid shows no size that does not finish."
    return f"{first} From about {band_words(one.infeasible)} on, no cluster finishes them, however large."


def overdue(forecast: Forecast) -> str:
    """Return how far the assumed growth has run ahead of the largest run that is known; empty if it has not."""
    study, known = forecast.study, largest_run()
    expected = study.start.flop * study.growth.factor ** (study.now - study.start.year)
    if expected < _AHEAD * known.training_flop:
        return ""
    return (
        f"By this growth the frontier would stand at {units.flop(expected)} now; the largest publicly known run, "
        f"{known.model}, has {units.flop(known.training_flop)}. Dates come later if it slowed down, and --start moves "
        "them."
    )


def rests_on(forecast: Forecast) -> list[str]:
    """Return what the dates rest on, a sentence each."""
    study = forecast.study
    start = study.start
    rates = ", ".join(f"{name.replace('_', ' ')} {rate:.3g}" for name, rate in study.progress.rates().items())
    worlds = (
        f"{study.worlds} worlds of sampled laws and figures (those of scalewall uncertainty, with their evidence; "
        f"settled here: {', '.join(settled(study.limits))})"
        if study.worlds
        else "the laws and figures as they stand"
    )
    successors = (
        f"Successors come every {study.progress.generation_years:.2g} years and reach frontier runs "
        f"{study.lag_years:g} years after release; a year changes their figures by these factors: {rates} "
        f"({study.progress.basis}). The best machine so far counts."
    )
    sentences = [
        f"Growth: {growth_words(forecast)}. Start: {start.label}, {units.flop(start.flop)}, known to a factor of "
        f"{start.spread:g} (one standard deviation). {study.samples:,} draws over growth, start, the place of each "
        f"limit in its band, and {worlds}.",
        successors if study.generations else "The machine stays as it is: no successors.",
    ]
    late = overdue(forecast)
    return [*sentences, late] if late else sentences
