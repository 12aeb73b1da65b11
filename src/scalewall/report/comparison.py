"""Machines side by side as one file: their rooflines, and on a page the table too."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from scalewall.errors import InputError
from scalewall.hardware import MachineFile
from scalewall.report.catalogue_tables import comparison_table
from scalewall.report.files import save_figure, write_text
from scalewall.report.html import asset, chart_slot, charts_json, document
from scalewall.report.roofline import lacks_roofline, links_shown, roofline_chart

__all__ = ["comparison_page", "save_comparison"]


def save_comparison(
    machines: Sequence[MachineFile], path: Path, precision: int = 16, command: str = ""
) -> None:
    """Write the rooflines of machines to ``path``: ``.html`` is an interactive page with the table.

    Parameters
    ----------
    machines : sequence of MachineFile
        At least one with peak, sustained share and memory bandwidth.
    path : Path
        Ends in one of :data:`scalewall.report.plots.PLOT_SUFFIXES`.
    precision : int
        Bits of a word.
    command : str
        The command that makes the file again, printed on the page; may be empty.

    Raises
    ------
    InputError
        No machine has what a roofline needs at this precision.
    """
    if all(lacks_roofline(machine, precision) for machine in machines):
        names = ", ".join(machine.name for machine in machines)
        raise InputError("machine", names, f"one with a peak and a memory bandwidth at {precision} bits")
    if path.suffix.lower() == ".html":
        write_text(path, comparison_page(machines, precision, command))
    else:
        from scalewall.report.matplotlib_figures import figure

        save_figure(figure([roofline_chart(machines, precision)]), path)


def comparison_page(machines: Sequence[MachineFile], precision: int = 16, command: str = "") -> str:
    """Return one self-contained page: the rooflines and the table of machines."""
    chart = roofline_chart(machines, precision)
    missing = [machine.name for machine in machines if lacks_roofline(machine, precision)]
    left_out = f" Without the figures for it: {', '.join(missing)}." if missing else ""
    body = asset("comparison.html").substitute(
        roofs="from memory (solid) and over its links (dashed)"
        if links_shown(machines, precision)
        else "from memory",
        left_out=escape(left_out),
        chart=chart_slot("roofline", chart),
        table=comparison_table(machines, precision).html(),
    )
    title = ", ".join(machine.name for machine in machines) + " side by side"
    return document(title, body, charts_json({"roofline": chart}), command)
