"""What the figures of a forecast show: runs over the years with the limits of machines, and the dates' chances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from scalewall.report import units
from scalewall.report.chart_data import REST, Axis, Band, Chart, Series
from scalewall.report.forecast_words import band_words, date_words
from scalewall.study.training_runs import TrainingRun, largest_run, training_runs

if TYPE_CHECKING:
    from scalewall.study.forecast import Forecast, MachineForecast

__all__ = ["chances_chart", "forecast_charts", "timeline_chart"]

_FIRST_YEAR = 2014.0
_LAST_YEAR = 2100.0
_BARS_FOR = 3
"""Up to so many machines get bars for their dates; more would reach up to the points."""
_BAR, _BAR_STEP = 0.035, 0.045
"""Height of a bar, and from one to the next, as shares of the chart's height."""
_LABELLED = 1.25
"""A run is named where it beats the largest before it by this factor."""


def forecast_charts(forecast: Forecast) -> tuple[Chart, ...]:
    """Return both figures of a forecast."""
    return (timeline_chart(forecast), chances_chart(forecast))


def timeline_chart(forecast: Forecast) -> Chart:
    """Return training compute over the years: runs, the growth that is assumed, and each machine's limits.

    The article's first question (how far is the frontier from the limits?) with current data and any machines. Bars at
    the foot are the dates between which nine draws of ten reach a limit.
    """
    study = forecast.study
    ends = [band.dates[0.95] for one in forecast.machines for band in (one.efficient, one.infeasible)]
    last = min(
        _LAST_YEAR, math.ceil(max([end for end in ends if math.isfinite(end)], default=study.now + 10)) + 1
    )
    runs = [run for run in training_runs() if run.year >= _FIRST_YEAR]
    tops = [_highest(one) for one in forecast.machines]
    top = max([*tops, study.start.flop])
    return Chart(
        title="Training compute over the years, and where machines' limits lie",
        x=Axis("Year", limits=(_FIRST_YEAR, last), whole=True),
        y=Axis("Training compute (FLOP)", log=True, limits=(1e18, 10.0 ** math.ceil(math.log10(top) + 0.5))),
        series=(
            *_run_series(runs),
            *_growth_series(forecast, last),
            *(
                series
                for index, one in enumerate(forecast.machines)
                for series in _limit_series(one, index + 2, last)
            ),
        ),
        bands=_date_bands(forecast, last) if len(forecast.machines) <= _BARS_FOR else (),
        height=1.5,
    )


def _date_bands(forecast: Forecast, last: float) -> tuple[Band, ...]:
    """Return a bar for each limit of each machine, the first one on top; one that goes on ends with the axis.

    Those of a machine alone are shaded over the whole height too.
    """
    dates = [
        (f"{one.machine}: {words}", index + 2, band.dates[0.05], min(band.dates[0.95], last))
        for index, one in enumerate(forecast.machines)
        for words, band in (("efficiency ends", one.efficient), ("none finishes", one.infeasible))
        if band.dates[0.05] < last
    ]
    bars = [
        Band(low, high, label, colour, (bottom, bottom + _BAR))
        for place, (label, colour, low, high) in enumerate(reversed(dates))
        for bottom in (0.015 + _BAR_STEP * place,)
    ]
    if len(forecast.machines) > 1:
        return tuple(bars)
    return (*(replace(bar, label="", bar=None) for bar in bars), *bars)


def chances_chart(forecast: Forecast) -> Chart:
    """Return the share of the draws in which a limit is reached before a date."""
    series = []
    for index, one in enumerate(forecast.machines):
        for name, band, dash in (
            ("inefficient", one.efficient, "solid"),
            ("infeasible", one.infeasible, "dot"),
        ):
            pairs = [
                (year, share)
                for year, share in zip(band.years, band.shares, strict=True)
                if math.isfinite(year) and year <= _LAST_YEAR
            ]
            if pairs:
                series.append(
                    Series(
                        name=f"{one.machine}: {name}",
                        x=tuple(year for year, _ in pairs),
                        y=tuple(share for _, share in pairs),
                        hover=tuple(
                            f"{units.percent(share)} before {date_words(year)}" for year, share in pairs
                        ),
                        colour=index + 2,
                        dash=dash,  # type: ignore[arg-type]
                        marked=False,
                    )
                )
    return Chart(
        title="How likely a limit is reached before a date",
        x=Axis("Year", whole=True),
        y=Axis("Share of the draws", percent=True, top=1.0),
        series=tuple(series),
    )


def _run_series(runs: Sequence[TrainingRun]) -> tuple[Series, ...]:
    """Return runs that set a mark by a margin, with their names, then the other frontier runs, then the rest."""
    records: list[TrainingRun] = []
    others: list[TrainingRun] = []
    largest, top = 0.0, largest_run()
    for run in (run for run in runs if run.role == "frontier"):
        (records if run is top or run.training_flop > _LABELLED * largest else others).append(run)
        largest = max(largest, run.training_flop)
    rest = [run for run in runs if run.role != "frontier"]
    return (
        _points("largest so far", records, 0, labelled=True),
        _points("other frontier", others, 1),
        _points("not fitted", rest, REST),
    )


def _points(name: str, runs: Sequence[TrainingRun], colour: int, labelled: bool = False) -> Series:
    return Series(
        name=name,
        x=tuple(run.year for run in runs),
        y=tuple(run.training_flop for run in runs),
        hover=tuple(
            f"{run.model}, {run.organization}, {run.published:%Y-%m}\n{units.flop(run.training_flop)} "
            f"({run.confidence}){f': {run.note}' if run.note else ''}"
            for run in runs
        ),
        colour=colour,
        kind="points",
        labels=tuple(run.model.split(" (")[0] for run in runs) if labelled else (),
    )


def _growth_series(forecast: Forecast, last: float) -> tuple[Series, ...]:
    """Return the median growth from the start on, and the ends of its interval."""
    study = forecast.study
    factors = dict.fromkeys((study.growth.factor, study.growth.low, study.growth.high))
    return tuple(
        Series(
            name=f"{factor:.3g} times a year",
            x=(study.start.year, last),
            y=(study.start.flop, study.start.flop * factor ** (last - study.start.year)),
            hover=(
                study.start.label,
                f"{units.flop(study.start.flop * factor ** (last - study.start.year))}",
            ),
            colour=REST,
            dash="solid" if factor == study.growth.factor else "dot",
            marked=False,
        )
        for factor in factors
    )


def _limit_series(one: MachineForecast, colour: int, last: float) -> tuple[Series, ...]:
    """Return a machine's limits as steps: each generation from when on it is usable, the best so far."""
    found = []
    for name, dash, value, band in (
        ("efficient", "solid", lambda g: math.sqrt(g.efficient_low) * math.sqrt(g.efficient_high), 0),
        ("largest", "dash", lambda g: g.largest, 1),
    ):
        x: list[float] = []
        y: list[float] = []
        best = 0.0
        for place, generation in enumerate(one.generations):
            since = max(generation.year, _FIRST_YEAR)
            until = one.generations[place + 1].year if place + 1 < len(one.generations) else last
            best = max(best, value(generation))
            x += [since, min(until, last)]
            y += [best, best]
        if math.isfinite(best) and x[0] < last:
            dates = one.infeasible if band else one.efficient
            found.append(
                Series(
                    name=f"{one.machine}: {name}",
                    x=tuple(x),
                    y=tuple(y),
                    hover=tuple(f"{units.flop(flop)}\nreached {band_words(dates)}" for flop in y),
                    colour=colour,
                    dash=dash,  # type: ignore[arg-type]
                    marked=False,
                )
            )
    return tuple(found)


def _highest(one: MachineForecast) -> float:
    return max(generation.largest for generation in one.generations)
