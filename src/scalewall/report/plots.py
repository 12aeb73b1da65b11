"""One file with the figures of limits, in the format that its name asks for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scalewall.report.chart_data import Chart, limits_charts
from scalewall.report.files import save_figure, write_text
from scalewall.report.generations import are_many, generations_chart

if TYPE_CHECKING:
    from scalewall.ideal.limits import Limits

__all__ = ["PLOT_SUFFIXES", "print_charts", "save_plot"]

PLOT_SUFFIXES = (".html", ".png", ".svg", ".pdf")


def print_charts(limits: Sequence[Limits]) -> tuple[Chart, ...]:
    """Return the figures of limits for print: curves, or for many machines their limits by year of release."""
    if are_many(limits):
        return (generations_chart(limits),)
    return limits_charts(limits)


def save_plot(limits: Sequence[Limits], path: Path, command: str = "") -> None:
    """Write the figures of ``limits`` to ``path``.

    Parameters
    ----------
    limits : sequence of Limits
        One machine or several; one gets its plans and its time shares drawn too, many are drawn by their years
        of release.
    path : Path
        Ends in one of :data:`PLOT_SUFFIXES`: ``.html`` is the interactive report, the others are print
        figures. :func:`scalewall.report.files.check_output` tells before the work whether it can be written.
    command : str
        The command that reproduces the result, printed in the report; may be empty.
    """
    if path.suffix.lower() == ".html":
        from scalewall.report.html import page

        write_text(path, page(limits, command))
    else:
        from scalewall.report.matplotlib_figures import figure

        save_figure(figure(print_charts(limits)), path)
