"""A forecast as a file: print figures, or one self-contained page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scalewall.report.figures_page import Section, sections_page
from scalewall.report.files import save_figure, write_text
from scalewall.report.forecast_charts import forecast_charts
from scalewall.report.forecast_tables import dates_table, generations_table, steps_table
from scalewall.report.forecast_words import finding, growth_words, overdue
from scalewall.report.limit_tables import summary_table
from scalewall.report.words import LEAVES_OUT

if TYPE_CHECKING:
    from scalewall.study.forecast import Forecast

__all__ = ["forecast_section", "save_forecast"]


def save_forecast(forecast: Forecast, path: Path, command: str = "") -> None:
    """Write the figures of a forecast to ``path``: ``.html`` is a page with words and tables, others are print.

    Parameters
    ----------
    forecast : Forecast
        The answer.
    path : Path
        Ends in one of :data:`scalewall.report.plots.PLOT_SUFFIXES`.
    command : str
        The command that makes the file again, shown on the page; may be empty.
    """
    if path.suffix.lower() == ".html":
        write_text(path, _page(forecast, command))
    else:
        from scalewall.report.matplotlib_figures import figure

        save_figure(figure(forecast_charts(forecast)), path)


def forecast_section(forecast: Forecast) -> Section:
    """Return the dates, their figures and the way from the published date, for a page."""
    return Section(
        "When the frontier gets there",
        (
            f"The frontier grows {growth_words(forecast)}, from {forecast.study.start.label} on. Points are published "
            "runs. Solid lines show where efficient scaling ends on a machine and its successors, dashed ones the "
            "largest run that finishes; bars at the foot: nine draws of ten reach these limits in these years.",
            *[line for line in (overdue(forecast),) if line],
        ),
        forecast_charts(forecast),
        (
            dates_table(forecast),
            *(steps_table(forecast, one) for one in forecast.machines),
            generations_table(forecast),
        ),
    )


def _page(forecast: Forecast, command: str) -> str:
    limits = [one.limits for one in forecast.machines]
    return sections_page(
        "When do training runs reach the limits?",
        [finding(forecast, one) for one in forecast.machines],
        (
            forecast_section(forecast),
            Section("The limits today", tables=(summary_table(limits),)),
            Section("What this rests on", (*forecast.warnings, LEAVES_OUT)),
        ),
        command,
    )
