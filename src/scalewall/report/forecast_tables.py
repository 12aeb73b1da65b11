"""Tables of a forecast: the dates, the generations of machines behind them, the way from the published date."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from scalewall.report import units
from scalewall.report.forecast_words import date_words, finding, limits_of_dates, rests_on, years_words
from scalewall.report.table import Cell, Column, TableView
from scalewall.study.forecast_published import Step, steps_to_ours

if TYPE_CHECKING:
    from scalewall.study.forecast import Forecast, MachineForecast

__all__ = ["dates_table", "forecast_html", "generations_table", "steps_table"]


def dates_table(forecast: Forecast) -> TableView:
    """Return one row a machine and limit: median, 90 % interval, years from now."""
    return TableView(
        title=f"When frontier runs reach the limits ({date_words(forecast.study.now)} is now)",
        columns=(
            Column("Machine", fold=20),
            Column("Limit"),
            Column("5 %", right=True, whole=True),
            Column("Median", right=True, whole=True),
            Column("95 %", right=True, whole=True),
            Column("Years\nfrom now", right=True, whole=True),
        ),
        rows=tuple(
            (
                Cell(one.machine if place == 0 else "", "strong"),
                name,
                *(date_words(band.dates[share]) for share in (0.05, 0.5, 0.95)),
                years_words(band.median - forecast.study.now),
            )
            for one in forecast.machines
            for place, (name, band) in enumerate(limits_of_dates(one))
        ),
        notes=tuple(rests_on(forecast)),
    )


def generations_table(forecast: Forecast) -> TableView:
    """Return one row a generation: when runs can use it, where its limits lie."""
    return TableView(
        title="The machines behind the dates (training FLOP)",
        columns=(
            Column("Machine", fold=20),
            Column("Years\nlater", right=True, whole=True),
            Column("In use\nfrom", right=True, whole=True),
            Column("Efficient scaling\nends between", right=True, whole=True),
            Column("Largest run", right=True, whole=True),
        ),
        rows=tuple(
            (
                Cell(one.machine if generation.number == 0 else "", "strong"),
                f"+{generation.number * forecast.study.progress.generation_years:.1f}",
                "any time" if generation.year == float("-inf") else date_words(generation.year),
                f"{units.scientific(generation.efficient_low)} - {units.scientific(generation.efficient_high)}",
                units.scientific(generation.largest),
            )
            for one in forecast.machines
            for generation in one.generations
        ),
        notes=("Only generations that some draw meets before its date are looked at.",)
        if forecast.study.generations
        else (),
    )


def steps_table(forecast: Forecast, one: MachineForecast) -> TableView:
    """Return the way from the published date to ours, one change a row."""
    steps = steps_to_ours(forecast, one)
    return TableView(
        title=f"Why this is not the published date ({one.machine})",
        columns=(
            Column("One change at a time"),
            Column("Start\nFLOP", right=True, whole=True, since=100),
            Column("Growth\na year", right=True, whole=True, since=100),
            Column("Limit\nFLOP", right=True, whole=True),
            Column("Years\nleft", right=True, whole=True),
            Column("Date", right=True, whole=True),
            Column("Moves\nit by", right=True, whole=True),
        ),
        rows=tuple(_step_row(step, steps[place - 1] if place else None) for place, step in enumerate(steps)),
        notes=(
            "Published: Epoch AI's article (November 2024), which follows arXiv 2411.01137. Years left count from "
            "the start of each row, and from the article itself in the first.",
        ),
    )


def _step_row(step: Step, before: Step | None) -> tuple[str | Cell, ...]:
    moved = "" if before is None else f"{round(step.year - before.year, 1) + 0.0:+.1f}"
    return (
        step.words,
        units.scientific(step.start_flop),
        f"{step.growth:.3g}",
        units.scientific(step.limit_flop) if step.limit_flop == step.limit_flop else "drawn",
        years_words(step.years_left),
        date_words(step.year),
        moved if moved not in ("+nan", "-nan", "nan", "+inf", "-inf") else "never",
    )


def forecast_html(forecast: Forecast) -> str:
    """Return a forecast for a notebook: the answer in words and the dates."""
    answers = "".join(f"<p>{escape(finding(forecast, one))}</p>" for one in forecast.machines)
    return f"{answers}{dates_table(forecast).html()}"
