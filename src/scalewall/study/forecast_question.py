"""A forecast's question: where the frontier stands, how it and the machines grow, what is drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from types import MappingProxyType
from typing import Any

from scalewall.errors import InputError, check_finite
from scalewall.ideal.study import LimitsStudy
from scalewall.study.forecast_machines import Progress, catalogue_progress
from scalewall.study.growth import FIT_SINCE, Growth, fit_growth, read_growth
from scalewall.study.training_runs import decimal_year, largest_run, read_date
from scalewall.validation.claims_published import FRONTIER_FLOP

__all__ = [
    "ARTICLE_START",
    "MOST_GENERATIONS",
    "ForecastStudy",
    "Start",
    "forecast_question",
    "largest_start",
    "read_start",
]

START_SPREAD = 1.5
"""Assumed: one standard deviation of a start's estimate, as a factor. Two snapshots of the same data set differ by
1.8 on one undisclosed run (Claude 3.5 Sonnet, 2.7e25 and 4.98e25 FLOP), which is sqrt(2) of such deviations."""

LAG_YEARS = 1.25
"""From a machine's release to the first frontier run on it: 1.2 years for the H100 (2022-09; Inflection-2,
2023-11), 1.25 for the A100 (2020-05; Jurassic-1, 2021-08), in the tables of machines and runs."""

WORLDS = 32
"""Sampled worlds: enough for a median and a band, and some ten seconds of search a machine."""

MOST_GENERATIONS = 8
"""Generations that are looked at; the last one stays in force after that."""


@dataclass(frozen=True)
class Start:
    """Where the frontier stands: a year, its training compute (FLOP), what it is, and how sure its compute is."""

    year: float
    flop: float
    label: str
    spread: float = START_SPREAD

    def __post_init__(self) -> None:
        check_finite("start", self.year, 1950, 2100, "(a year)")
        check_finite("start", self.flop, 1e15, 1e40, "FLOP")
        check_finite("start_spread", self.spread, 1, 100, "(a factor; 1: certain)")


ARTICLE_START = (2024.5, FRONTIER_FLOP)
"""The middle of 2024 and the largest run then, as the article on data movement takes it."""


def read_start(text: str, growth: Growth, spread: float = START_SPREAD) -> Start:
    """Read where the frontier stands: ``largest``, ``trend``, ``article`` or ``FLOP@DATE``.

    ``trend`` is the fitted line at the date of the largest known run, as sure as a fit makes its level.

    Raises
    ------
    InputError
        Another form, or ``trend`` without a fit.
    """
    if text == "largest":
        return largest_start(spread)
    if text == "article":
        return Start(*ARTICLE_START, "the article's largest run of 2024", spread)
    if text == "trend":
        if growth.kind != "fit":
            raise InputError("start", text, "trend only with the growth that is fitted", ["largest"])
        year = largest_run().year
        level = 10.0 ** (growth.scatter / math.sqrt(growth.runs))
        return Start(year, growth.trend(year), "the fitted line", level)
    flop, at, day = text.partition("@")
    try:
        compute = float(flop)
    except ValueError:
        at = ""
    if not at:
        allowed = "largest, trend, article, or FLOP@DATE such as 5e26@2025-07"
        raise InputError("start", text, allowed, ["largest", "5e26@2025-07"])
    return Start(read_date("start", day), compute, f"as stated, {day}", spread)


def largest_start(spread: float = START_SPREAD) -> Start:
    """Return the largest publicly known run as the start."""
    run = largest_run()
    return Start(run.year, run.training_flop, f"{run.model}, {run.published:%Y-%m}", spread)


@dataclass(frozen=True)
class ForecastStudy:
    """A forecast's question.

    Parameters
    ----------
    limits : LimitsStudy
        Machines, laws, search, duration.
    growth : Growth
        Of the frontier's compute; default: fitted to the table of runs.
    start : Start
        Default: the largest publicly known run.
    progress : Progress
        How machines improve; default: as the catalogue's did.
    generations : int
        At most so many generations after the machine itself; 0: it stays as it is.
    lag_years : float
        From a machine's release to the first frontier run on it.
    samples, seed : int
        Draws, and what makes them the same again.
    worlds : int
        Sampled worlds (laws, machine figures) that draws choose from, each with the same chance, see
        :mod:`scalewall.study.forecast_worlds`; 0: the study's own for all. Default: 32, and none for a reference
        study, whose laws and figures are the published ones.
    now : float
        From when years are counted (year); default: today.
    """

    limits: LimitsStudy
    growth: Growth = field(default_factory=fit_growth)
    start: Start = field(default_factory=largest_start)
    progress: Progress = field(default_factory=catalogue_progress)
    generations: int = MOST_GENERATIONS
    lag_years: float = LAG_YEARS
    samples: int = 4000
    seed: int = 0
    worlds: int | None = None
    now: float = field(default_factory=lambda: decimal_year(date.today()))

    def __post_init__(self) -> None:
        if self.worlds is None:
            object.__setattr__(self, "worlds", 0 if self.limits.reference else WORLDS)
        for name, low, high in (
            ("generations", 0, MOST_GENERATIONS),
            ("worlds", 0, 10_000),
            ("samples", 100, 1_000_000),
            ("seed", 0, 2**63),
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise InputError(name, value, f"a whole number from {low:,} to {high:,}")
        check_finite("lag_years", self.lag_years, 0, 20, "years")
        check_finite("now", self.now, 1950, 2100, "(a year)")
        if self.limits.flop:
            raise InputError(
                "flop", list(self.limits.flop), "a grid of runs: a forecast looks for their limits"
            )


def forecast_question(
    limits: LimitsStudy,
    *,
    growth: str | float = "fit",
    since: float = FIT_SINCE,
    start: str = "largest",
    start_spread: float = START_SPREAD,
    rates: Mapping[str, float] = MappingProxyType({}),
    generation_years: float | None = None,
    now: str | None = None,
    **counts: Any,
) -> ForecastStudy:
    """Return a forecast's question from settings as users write them.

    Parameters
    ----------
    limits : LimitsStudy
        Machines, laws, search, duration.
    growth : str or float
        Of the frontier: ``fit``, ``article``, or times a year (``4.5``, ``4:5``).
    since : float
        First year of the runs that growth is fitted to.
    start : str
        ``largest``, ``trend``, ``article`` or ``FLOP@DATE``.
    start_spread : float
        Factor by which the start may be off, one standard deviation; 1: certain.
    rates : mapping of str to float
        Yearly factors by the names of :class:`~scalewall.study.forecast_machines.Progress`; others are the
        catalogue's.
    generation_years : float, optional
        Years from a machine to its successor; default: as in the catalogue.
    now : str, optional
        Date that years are counted from (``2026-11-30``); default: today.
    **counts
        ``generations``, ``lag_years``, ``samples``, ``worlds``, ``seed`` of :class:`ForecastStudy`.

    Raises
    ------
    InputError
        Naming the setting, its value and what is allowed.
    """
    grown = read_growth(str(growth), since)
    progress = catalogue_progress().with_rates(rates)
    if generation_years is not None:
        progress = replace(progress, generation_years=generation_years)
    study = ForecastStudy(
        limits=limits,
        growth=grown,
        start=read_start(start, grown, start_spread),
        progress=progress,
        **counts,
    )
    return study if now is None else replace(study, now=read_date("now", now))
