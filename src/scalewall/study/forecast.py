"""When training runs reach the limits: frontier growth against machines that improve, as a distribution of dates.

The frontier stands at ``C0`` in the year ``t0`` and grows by a factor ``g`` a year, so it reaches a limit ``E`` at
``t0 + log(E / C0) / log(g)``. Machines come in generations; the limit in force is the best of those that runs can
use by then. Growth, start, where in its band a limit lies, and the inputs of the model are drawn; a date follows
from each draw.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scalewall.hardware import read_machine
from scalewall.ideal.limits import Limits, limits_of
from scalewall.ideal.results import LinearScaling, Point
from scalewall.ideal.study import LimitsStudy
from scalewall.study.forecast_dates import DateBand, crossing, date_band
from scalewall.study.forecast_machines import improved, released_year
from scalewall.study.forecast_question import ForecastStudy, forecast_question
from scalewall.study.forecast_worlds import sampled_worlds
from scalewall.study.what_if import WhatIf, outcome_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Forecast", "GenerationLimit", "MachineForecast", "forecast", "forecast_of"]

Progressing = Callable[[str, int, int], None]


@dataclass(frozen=True)
class GenerationLimit:
    """What one generation of a machine can do.

    Parameters
    ----------
    number : int
        0: the machine itself.
    year : float
        When frontier runs can use it (release and lag); -inf for a machine without a release date.
    efficient_low, efficient_high : float
        Between which efficient scaling ends (FLOP); both inf if the grid shows no end.
    largest, beyond : float
        The largest run that finishes and the next of the grid, which does not (FLOP); ``beyond`` inf if all finish.
    """

    number: int
    year: float
    efficient_low: float
    efficient_high: float
    largest: float
    beyond: float


@dataclass(frozen=True)
class MachineForecast:
    """When runs on one machine and its successors reach the limits.

    Parameters
    ----------
    machine, title : str
        As in the catalogue.
    generations : tuple of GenerationLimit
        The machine and those of its successors that matter, oldest first.
    efficient, infeasible : DateBand
        When frontier runs stop being efficient; when none of their size finishes any more.
    limits : Limits
        The machine's own answer.
    """

    machine: str
    title: str
    generations: tuple[GenerationLimit, ...]
    efficient: DateBand
    infeasible: DateBand
    limits: Limits


@dataclass(frozen=True)
class Forecast:
    """The answer: one distribution of dates a machine, and the question."""

    study: ForecastStudy
    machines: tuple[MachineForecast, ...]

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Inputs without effect or out of range, one sentence each."""
        found = list(dict.fromkeys(warning for one in self.machines for warning in one.limits.warnings))
        for one in self.machines:
            if one.limits.linear_scaling.grid_limited:
                found.append(
                    f"{one.machine}: the grid's end, not the machine, sets where efficient scaling ends."
                )
            if not math.isfinite(one.generations[0].year):
                found.append(
                    f"{one.machine} has no release date: it counts as usable all along, without successors."
                )
        return tuple(found)

    def to_json(self) -> dict[str, object]:
        """Return everything as JSON values."""
        from scalewall.report.forecast_records import forecast_json

        return forecast_json(self)

    def to_pandas(self) -> pd.DataFrame:
        """Return the distributions as a data frame, one share of the draws a row, with the columns of the CSV."""
        from scalewall.report.forecast_records import forecast_frame

        return forecast_frame(self)

    def __str__(self) -> str:
        from scalewall.report.forecast_words import forecast_text

        return forecast_text(self)

    def _repr_html_(self) -> str:
        from scalewall.report.forecast_tables import forecast_html

        return forecast_html(self)


def forecast(
    study: LimitsStudy | None = None, progress: Progressing | None = None, **settings: Any
) -> Forecast:
    """Return when frontier training runs reach the limits of machines and their successors.

    Parameters
    ----------
    study : LimitsStudy, optional
        Machines, laws, search, duration; default: the H100.
    progress : callable, optional
        Called with (machine, curves done, curves in all at most) after each curve.
    **settings
        How the frontier and machines grow and what is drawn, as
        :func:`scalewall.study.forecast_question.forecast_question` takes them: ``growth="4:5"``,
        ``start="5e26@2025-07"``, ``rates={"latency": 0.9}``, ``generations=0``, ...

    Raises
    ------
    InputError
        Naming the setting, its value and what is allowed.
    """
    return forecast_of(forecast_question(LimitsStudy() if study is None else study, **settings), progress)


def forecast_of(study: ForecastStudy, progress: Progressing | None = None) -> Forecast:
    """Return the answer to a question, see :func:`forecast`."""
    return Forecast(study, tuple(_machine(study, name, progress) for name in study.limits.machines))


def _machine(study: ForecastStudy, name: str, progress: Progressing | None) -> MachineForecast:
    """Return one machine's forecast: curves generation by generation, until no draw needs another."""
    generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence([study.seed, 0])))
    growth = study.growth.draw(generator, study.samples)
    starts = math.log10(study.start.flop) + math.log10(study.start.spread) * generator.standard_normal(
        study.samples
    )
    places = generator.uniform(size=(2, study.samples))
    worlds = sampled_worlds(study.limits, name, int(study.worlds or 0), study.seed) if study.worlds else ()
    place = generator.integers(max(1, len(worlds)), size=study.samples)
    own = limits_of(replace(study.limits, machines=(name,)), name)
    done, most = 1, study.generations + 1 + len(worlds)

    def curve(number: int, year: float, asked: LimitsStudy) -> GenerationLimit:
        nonlocal done
        found = outcome_of(WhatIf(name, name, (), asked))
        done += 1
        if progress:
            progress(name, done, most)
        return _generation(number, year, found.linear_scaling, found.largest, found.infeasible_flop)

    first = _generation(
        0,
        _usable_from(name, study.lag_years),
        own.linear_scaling,
        own.points[-1] if own.points else None,
        [one.training_flop for one in own.infeasible],
    )
    drawn = [curve(0, first.year, world) for world in worlds] or [first]
    ends = _limit_draws(drawn, place, places)
    generations = [first]
    while True:
        factors = [_ratio(one, first) for one in generations]
        dates = [
            crossing(
                growth,
                study.start.year,
                starts,
                [(one.year, end + step[kind]) for one, step in zip(generations, factors, strict=True)],
            )
            for kind, end in enumerate(ends)
        ]
        number = len(generations)
        year = first.year + number * study.progress.generation_years
        if number > study.generations or not math.isfinite(year) or year >= max(_last(one) for one in dates):
            break
        generations.append(curve(number, year, _successor(study, name, number)))
    return MachineForecast(
        machine=name,
        title=own.title,
        generations=tuple(generations),
        efficient=date_band(dates[0]),
        infeasible=date_band(dates[1]),
        limits=own,
    )


def _usable_from(name: str, lag_years: float) -> float:
    released = released_year(read_machine(name))
    return -math.inf if released is None else released + lag_years


def _successor(study: ForecastStudy, name: str, number: int) -> LimitsStudy:
    """Return the question about a machine's successor."""
    limits, years = study.limits, number * study.progress.generation_years
    figures = improved(read_machine(name), study.progress, years, limits.precision, limits.overrides)
    return replace(limits, machines=(name,), overrides=figures)


def _generation(
    number: int, year: float, band: LinearScaling, largest: Point | None, failed: Sequence[float]
) -> GenerationLimit:
    """Return a curve's limits; ``failed`` are the sizes that no plan finishes."""
    first, last = band.first_failure_flop, band.last_pass_flop
    ends = [end for end in (first, last) if end is not None]
    open_end = first is None or not ends
    beyond = [flop for flop in failed if largest is None or flop > largest.training_flop]
    return GenerationLimit(
        number=number,
        year=year,
        efficient_low=math.inf if open_end else min(ends),
        efficient_high=math.inf if open_end else max(ends),
        largest=min(beyond) if largest is None else largest.training_flop,
        beyond=min(beyond, default=math.inf),
    )


def _limit_draws(
    drawn: Sequence[GenerationLimit], world: NDArray[np.int64], places: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both limits of each draw in powers of ten: its world's band, at a place that is even in the logarithm."""
    table = np.log10([[one.efficient_low, one.efficient_high, one.largest, one.beyond] for one in drawn])[
        world
    ]
    return _between(table[:, 0], table[:, 1], places[0]), _between(table[:, 2], table[:, 3], places[1])


def _between(
    low: NDArray[np.float64], high: NDArray[np.float64], place: NDArray[np.float64]
) -> NDArray[np.float64]:
    ended = np.isfinite(high)
    return np.where(ended, low + place * (np.where(ended, high, 0.0) - np.where(ended, low, 0.0)), math.inf)


def _ratio(one: GenerationLimit, first: GenerationLimit) -> tuple[float, float]:
    """Return how far a generation's limits lie from the first one's, in powers of ten."""
    return (
        _difference(one.efficient_low * one.efficient_high, first.efficient_low * first.efficient_high) / 2,
        _difference(one.largest, first.largest),
    )


def _difference(one: float, other: float) -> float:
    return 0.0 if one == other else math.log10(one) - math.log10(other)


def _last(dates: NDArray[np.float64]) -> float:
    return float(dates.max())
