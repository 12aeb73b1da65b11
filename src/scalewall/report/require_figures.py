"""The picture of what a run needs: one figure of a machine against another."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from scalewall.errors import InputError
from scalewall.report import units
from scalewall.report.chart_data import REST, Axis, Chart, Series
from scalewall.report.files import save_figure, write_text
from scalewall.report.html import asset, chart_slot, charts_json, document
from scalewall.report.require_tables import better, required_table, required_words

if TYPE_CHECKING:
    from scalewall.study.figures_needed import Knob
    from scalewall.study.require import Required

__all__ = ["required_page", "save_required", "trade_chart"]

_ROOM = 1.3
"""How far the axes run on beyond the curve, as a ratio."""
_WIDE = 15.0
"""From which factor on an axis is logarithmic."""


def trade_chart(required: Required) -> Chart:
    """Return the pairs of factors that just suffice; above and to the right of the line the run is efficient.

    Raises
    ------
    InputError
        Even both figures as good as can be do not suffice.
    """
    trade = required.trade
    if not trade.factors:
        both = f"{trade.across.name},{trade.upwards.name}"
        raise InputError("trade", both, "two figures that suffice together, as good as can be")
    ends = [max(pair[place] for pair in trade.factors) * _ROOM for place in (0, 1)]
    corners = [(trade.factors[0][0], ends[1])]
    for first, second in trade.factors:
        corners += [(first, corners[-1][1]), (first, second)]
    corners.append((ends[0], corners[-1][1]))
    line = Series(
        name="just efficient",
        x=tuple(first for first, _ in corners),
        y=tuple(second for _, second in corners),
        hover=tuple(
            f"{trade.across.title} {better(first, trade.across.divides)}, "
            f"{trade.upwards.title} {better(second, trade.upwards.divides)}"
            for first, second in corners
        ),
        colour=0,
        marked=False,
    )
    today = Series("as it is", (1.0,), (1.0,), ("the machine as it is",), REST, kind="points")
    return Chart(
        title=f"{required.title}: enough for {units.flop(required.stack.training_flop)} above and right of the line",
        x=_axis(trade.across, ends[0]),
        y=_axis(trade.upwards, ends[1]),
        series=(line, today),
    )


def _axis(knob: Knob, end: float) -> Axis:
    verb = "divided by" if knob.divides else "times"
    title = f"{knob.title[0].upper()}{knob.title[1:]}, {verb}"
    if end > _WIDE:
        return Axis(title, log=True, limits=(1 / _ROOM, end))
    return Axis(title, limits=(1 - 0.05 * (end - 1), end))


def required_page(required: Required, command: str = "") -> str:
    """Return one self-contained page: the answer in words, the trade-off, the table, the command."""
    charts = {"trade": trade_chart(required)} if required.trade.factors else {}
    body = asset("require.html").substitute(
        answer=escape(required_words(required)),
        chart="".join(chart_slot(key, chart) for key, chart in charts.items())
        or "<p>Even both figures of the trade-off as good as can be do not suffice.</p>",
        table=required_table(required).html(),
    )
    title = f"What does {required.title} need for {units.flop(required.asked_flop)}?"
    return document(title, body, charts_json(charts), command)


def save_required(required: Required, path: Path, command: str = "") -> None:
    """Write the trade-off to ``path``: ``.html`` is a page with the table, the others are print figures.

    Parameters
    ----------
    required : Required
        What to draw.
    path : Path
        Ends in one of :data:`scalewall.report.plots.PLOT_SUFFIXES`.
    command : str
        The command that makes the file again, printed on the page; may be empty.

    Raises
    ------
    InputError
        For a print figure of a trade-off that has no curve.
    """
    if path.suffix.lower() == ".html":
        write_text(path, required_page(required, command))
    else:
        from scalewall.report.matplotlib_figures import figure

        save_figure(figure([trade_chart(required)]), path)
