"""One file with the figures of limits, in the format that its name asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


def save_plot(
    limits: Sequence[Limits], path: Path, command: str = "", prices: Mapping[str, float] | None = None
) -> None:
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
    prices : mapping of str to float, optional
        Adds what runs cost and draw, with these prices set by the names of :data:`scalewall.cost.money.PRICES` and
        the others as the machines' files have them.
    """
    if path.suffix.lower() == ".html":
        from scalewall.report.limits_page import page
        from scalewall.report.money_files import limits_costs

        sections = () if prices is None else (limits_costs(limits, prices),)
        write_text(path, page(limits, command, sections))
    else:
        from scalewall.report.matplotlib_figures import figure
        from scalewall.report.money_charts import money_charts
        from scalewall.report.money_files import drawn_runs

        charts = () if prices is None else money_charts(drawn_runs(limits, prices))
        save_figure(figure((*print_charts(limits), *charts)), path)
