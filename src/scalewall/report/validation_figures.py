"""The chart of the planner's validation: predicted against measured, log-log."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scalewall.report import units
from scalewall.report.chart_data import NEUTRAL, Axis, Chart, Series
from scalewall.report.files import save_figure, write_text

if TYPE_CHECKING:
    from scalewall.validation.planner_validation import RunRow

__all__ = ["predicted_chart", "save_chart"]

_KINDS = (("dense", False), ("experts", True))


def predicted_chart(rows: Sequence[RunRow]) -> Chart:
    """Return predicted against published step time, a point a run, dense and with experts apart."""
    shown = [row for row in rows if row.predicted and row.step.step_seconds]
    ends = [row.step.step_seconds for row in shown]
    span = (min(ends), max(ends)) if ends else (1.0, 1.0)
    line = Series("equal", span, span, ("", ""), NEUTRAL, dash="dash", marked=False)
    points = tuple(
        Series(
            name=name,
            x=tuple(row.step.step_seconds for row in members),
            y=tuple(row.predicted or 0.0 for row in members),
            hover=tuple(_words(row) for row in members),
            colour=index,
            kind="points",
        )
        for index, (name, experts) in enumerate(_KINDS)
        if (members := [row for row in shown if row.step.experts == experts])
    )
    return Chart(
        title="Step time: predicted against published",
        x=Axis("Published (s)", log=True),
        y=Axis("Predicted (s)", log=True),
        series=(line, *points),
    )


def _words(row: RunRow) -> str:
    error = row.error(row.predicted) or 0.0
    return (
        f"{row.step.id}: {row.step.architecture.get('name', '')} on {row.machine}\n"
        f"published {units.duration(row.step.step_seconds)}, predicted {units.duration(row.predicted)} "
        f"({100 * error:+.1f} %), {row.profile}"
    )


def save_chart(chart: Chart, path: Path) -> None:
    """Write a chart to a file, in the format that its name asks for (``.html``, ``.png``, ``.svg``, ``.pdf``)."""
    if path.suffix.lower() == ".html":
        from scalewall.report.plotly_figures import figure

        write_text(path, figure(chart).to_html(include_plotlyjs=True, full_html=True))
    else:
        from scalewall.report.matplotlib_figures import figure as print_figure

        save_figure(print_figure((chart,)), path)
