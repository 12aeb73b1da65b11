"""One file with the figures of limits, in the format that its name asks for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scalewall.report.chart_data import limits_charts

if TYPE_CHECKING:
    from scalewall.ideal.limits import Limits

__all__ = ["PLOT_SUFFIXES", "save_plot"]

PLOT_SUFFIXES = (".html", ".png", ".svg", ".pdf")


def save_plot(limits: Sequence[Limits], path: Path, command: str = "") -> None:
    """Write the figures of ``limits`` to ``path``.

    Parameters
    ----------
    limits : sequence of Limits
        One machine or several; one gets its plans and its time shares drawn too.
    path : Path
        Ends in one of :data:`PLOT_SUFFIXES`: ``.html`` is the interactive report, the others are print
        figures. :func:`scalewall.report.files.check_output` tells before the work whether it can be written.
    command : str
        The command that reproduces the result, printed in the report; may be empty.
    """
    if path.suffix.lower() == ".html":
        from scalewall.report.files import write_text
        from scalewall.report.html import page

        write_text(path, page(limits, command))
    else:
        from scalewall.report.matplotlib_figures import figure

        figure(limits_charts(limits)).savefig(path)
