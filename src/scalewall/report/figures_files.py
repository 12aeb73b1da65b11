"""The set of figures as files: print figures in several formats, with the data of each beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scalewall._version import __version__
from scalewall.errors import InputError, unknown_name
from scalewall.report.bar_chart import BarChart, bar_figure
from scalewall.report.chart_data import Chart
from scalewall.report.figures_list import FIGURES, Answers, Drawn, Figure
from scalewall.report.files import RowWriter, save_figure, write_text
from scalewall.report.records import json_text
from scalewall.report.table import Cell, Column, TableView
from scalewall.report.uncertainty_figures import fan_chart, print_figure, shares_of_worlds
from scalewall.study.uncertainty import QUANTILES, Uncertainty

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

__all__ = [
    "DATA_COLUMNS",
    "FORMATS",
    "chosen_figures",
    "data_rows",
    "drawn_figure",
    "figures_index",
    "figures_table",
    "write_figures",
]

FORMATS = ("pdf", "svg", "png")
DATA_COLUMNS = ("chart", "series", "x", "y", "top", "label", "x_title", "y_title")
"""Columns of the data beside each figure; for bars, ``label`` names the bar and ``top`` is its mark."""

_INDEX = "figures.json"


def chosen_figures(names: Sequence[str]) -> tuple[Figure, ...]:
    """Return the figures of these names; all for none.

    Raises
    ------
    InputError
        Unknown name.
    """
    known = {figure.name: figure for figure in FIGURES}
    for name in names:
        if name not in known:
            raise unknown_name("only", name, known)
    return tuple(known[name] for name in dict.fromkeys(names)) if names else FIGURES


def write_figures(
    folder: Path,
    figures: Sequence[Figure],
    formats: Sequence[str],
    answers: Answers,
    progress: Callable[[str, int, int], None] | None = None,
) -> list[Path]:
    """Draw figures into a folder, each with its data, and an index of them all.

    Parameters
    ----------
    folder : Path
        Made if it is missing.
    figures : sequence of Figure
        From :func:`chosen_figures`.
    formats : sequence of str
        From :data:`FORMATS`.
    answers : Answers
        What they are drawn from.
    progress : callable, optional
        Called with (figure, done, in all) before each figure and once at the end.

    Returns
    -------
    list of Path
        The files, the index last.

    Raises
    ------
    InputError
        A format that is not known, or a folder that cannot be made.
    """
    for name in formats:
        if name not in FORMATS:
            raise unknown_name("format", name, FORMATS)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError("out", str(folder), f"a folder that can be made ({error.strerror})") from error
    written = []
    for number, one in enumerate(figures):
        if progress:
            progress(one.name, number, len(figures))
        drawn = one.draw(answers)
        for ending in formats:
            path = folder / f"{one.name}.{ending}"
            save_figure(drawn_figure(drawn), path)
            written.append(path)
        data = folder / f"{one.name}.csv"
        with RowWriter(data, DATA_COLUMNS) as rows:
            for row in data_rows(drawn):
                rows.write(row)
        written.append(data)
    index = folder / _INDEX
    write_text(index, json_text(figures_index(figures, formats)))
    if progress:
        progress("", len(figures), len(figures))
    return [*written, index]


def drawn_figure(drawn: Drawn) -> MatplotlibFigure:
    """Return what a figure draws as a Matplotlib figure."""
    from scalewall.report.matplotlib_figures import figure

    if isinstance(drawn, BarChart):
        return bar_figure(drawn)
    return print_figure(drawn) if isinstance(drawn, Uncertainty) else figure(drawn)


def data_rows(drawn: Drawn) -> list[dict[str, object]]:
    """Return what a figure shows as rows with the columns of :data:`DATA_COLUMNS`: every point of every series."""
    if isinstance(drawn, BarChart):
        return [
            {"chart": drawn.title, "series": bar.group, "x": bar.value, "top": bar.mark, "label": bar.label}
            | {"x_title": drawn.axis}
            for bar in drawn.bars
        ]
    if isinstance(drawn, Uncertainty):
        return _uncertainty_rows(drawn)
    return [row for chart in drawn for row in _chart_rows(chart)]


def _uncertainty_rows(found: Uncertainty) -> list[dict[str, object]]:
    """Return quantiles of the utilization at each compute, then the shares of worlds in which a run works."""
    fan, shares = fan_chart(found), shares_of_worlds(found)
    titles = {"x_title": fan.x.title, "y_title": fan.y.title}
    rows: list[dict[str, object]] = [
        {
            "chart": fan.title,
            "series": f"{100 * share:g} % of the worlds lie below",
            "x": one.flop,
            "y": value,
        }
        | titles
        for one in found.curve
        for share, value in zip(QUANTILES, one.quantiles, strict=True)
    ]
    return [*rows, *_chart_rows(shares)]


def _chart_rows(chart: Chart) -> list[dict[str, object]]:
    titles = {"x_title": chart.x.title, "y_title": chart.y.title}
    rows: list[dict[str, object]] = [
        {
            "chart": chart.title,
            "series": series.name,
            "x": x,
            "y": series.y[place],
            "top": series.tops[place] if series.tops else None,
            "label": series.labels[place] if series.labels else "",
        }
        | titles
        for series in chart.series
        for place, x in enumerate(series.x)
    ]
    rows += [
        {"chart": chart.title, "series": "line", "y": rule.y, "label": rule.label} | titles
        for rule in chart.rules
    ]
    rows += [
        {"chart": chart.title, "series": "band", "x": band.low, "top": band.high, "label": band.label}
        | titles
        for band in chart.bands
    ]
    return rows


def figures_index(figures: Sequence[Figure], formats: Sequence[str]) -> dict[str, object]:
    """Return what the index of a set of figures says, as JSON values."""
    return {
        "version": __version__,
        "figures": [
            {
                "name": one.name,
                "shows": one.shows,
                "published": one.published or None,
                "command": one.command,
                "files": [*(f"{one.name}.{ending}" for ending in formats), f"{one.name}.csv"],
            }
            for one in figures
        ],
    }


def figures_table() -> TableView:
    """Return every figure with what it shows and the published one that it corresponds to."""
    return TableView(
        title="Figures",
        columns=(Column("Name", whole=True), Column("What it shows"), Column("Published")),
        rows=tuple(
            (Cell(one.name, "strong"), one.shows, Cell(one.published or "ours", "muted")) for one in FIGURES
        ),
    )
