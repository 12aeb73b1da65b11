"""Pictures of levers: what each gains as sorted bars, and the curves behind them."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from scalewall.report import units
from scalewall.report.bar_chart import Bar, BarChart, bar_figure, bar_specification
from scalewall.report.chart_data import NEUTRAL, Axis, Chart, Rule, Series
from scalewall.report.files import save_figure, write_text
from scalewall.report.html import asset, document, figure_slot, specifications_json
from scalewall.report.lever_tables import exponents_table, factor, levers_table, levers_words
from scalewall.report.plotly_figures import specification
from scalewall.report.words import part_label
from scalewall.study.levers import GROUPS

if TYPE_CHECKING:
    from scalewall.study.what_if import Levers, Outcome

__all__ = ["gains_chart", "levers_page", "save_levers", "what_if_curves"]

_COMBINED = "combined"
_MOST_CURVES = 6


def gains_chart(levers: Levers) -> BarChart:
    """Return what each what-if gains, most first: bars for efficient scaling, diamonds for the largest run."""
    base = levers.baseline
    return BarChart(
        title=f"What moves the limits of {levers.title}",
        axis="Gain in the training compute at which efficient scaling ends",
        mark="largest run that finishes",
        groups=(*GROUPS.values(), _COMBINED),
        bars=tuple(_bar(one, base) for one in levers.outcomes),
    )


def _bar(one: Outcome, base: Outcome) -> Bar:
    efficient, largest = one.gains(base)
    band = one.linear_scaling
    return Bar(
        label=f"{one.what_if.title} [A]" if one.what_if.changes_algorithm else one.what_if.title,
        value=efficient,
        mark=largest,
        group=GROUPS.get(one.what_if.group, _COMBINED),
        hover=(
            f"{one.what_if.title}\nfalls below at {units.flop(band.first_failure_flop)}, "
            f"last above at {units.flop(band.last_pass_flop)} ({factor(efficient)})\n"
            f"largest run {units.flop(one.largest.training_flop) if one.largest else 'none'} ({factor(largest)})"
        ),
    )


def what_if_curves(levers: Levers, most: int = _MOST_CURVES) -> Chart:
    """Return utilization against training compute of the baseline and of the first ``most`` what-ifs.

    As the third figure of Epoch AI's article, where the what-if is bandwidths times ten and latencies a tenth.
    """
    shown = (levers.baseline, *levers.outcomes[:most])
    sustained = max(one.sustained_fraction for one in shown)
    band = levers.baseline.linear_scaling
    return Chart(
        title=f"Best utilization against training compute: {levers.title}",
        x=Axis("Training compute (FLOP)", log=True),
        y=Axis("Utilization of the peak", percent=True, top=min(1.0, 1.12 * sustained)),
        series=tuple(_curve(one, index) for index, one in enumerate(shown)),
        rules=(
            Rule(levers.baseline.sustained_fraction, "sustained", NEUTRAL, "dash"),
            Rule(band.threshold_utilization, f"{100 * band.threshold:g} % of sustained", NEUTRAL, "dot"),
        ),
    )


def _curve(one: Outcome, colour: int) -> Series:
    return Series(
        name=one.what_if.title,
        x=tuple(point.training_flop for point in one.points),
        y=tuple(point.utilization for point in one.points),
        hover=tuple(
            f"{units.flop(point.training_flop)}, {units.percent(point.utilization)} utilization\n"
            f"{units.count(point.n_gpu)} accelerators, binds: {part_label(point.binds)}"
            for point in one.points
        ),
        colour=colour,
        marked=False,
    )


def levers_page(levers: Levers, command: str = "") -> str:
    """Return one self-contained page: the answer in words, both figures, the table, the command."""
    bars, curves = gains_chart(levers), what_if_curves(levers)
    body = asset("levers.html").substitute(
        answer=escape(levers_words(levers)),
        bars=figure_slot("bars", bars.title),
        curves=figure_slot("curves", curves.title),
        table=levers_table(levers).html(),
        exponents=exponents_table(levers).html(),
    )
    drawn = specifications_json({"bars": bar_specification(bars), "curves": specification(curves)})
    return document(f"What moves the limits of {levers.title}?", body, drawn, command)


def save_levers(levers: Levers, path: Path, command: str = "") -> None:
    """Write the pictures of levers to ``path``: ``.html`` is a page, ``.png``, ``.svg`` and ``.pdf`` the bars.

    Parameters
    ----------
    levers : Levers
        What to draw.
    path : Path
        Ends in one of :data:`scalewall.report.plots.PLOT_SUFFIXES`.
    command : str
        The command that makes the file again, printed on the page; may be empty.
    """
    if path.suffix.lower() == ".html":
        write_text(path, levers_page(levers, command))
    else:
        save_figure(bar_figure(gains_chart(levers)), path)
