"""One self-contained interactive page about limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from scalewall.report.chart_data import (
    Chart,
    accelerators_chart,
    degrees_chart,
    shares_chart,
    utilization_chart,
)
from scalewall.report.figures_page import Section, written
from scalewall.report.generations import are_many, generations_chart, spread_words
from scalewall.report.html import asset, chart_slot, document, specifications_json
from scalewall.report.limit_tables import (
    assumed_table,
    assumptions_table,
    closed_form_table,
    curve_table,
    summary_table,
)
from scalewall.report.plotly_figures import specification
from scalewall.report.table import TableView
from scalewall.report.words import (
    LEAVES_OUT,
    all_rest_on,
    all_warnings,
    efficient_means,
    finding,
    warning_notes,
    yardstick,
)

if TYPE_CHECKING:
    from scalewall.ideal.limits import Limits

__all__ = ["page"]

_NAMED_IN_TITLE = 3
_BY_SIZE = (
    "Each point is the best plan that the search found for a run of that size. Shaded: the range in which efficient "
    "(linear) scaling ends, from the first run that falls below the threshold to the last that passes it. Dashed: "
    "what the machine sustains in large matmuls; dotted: the threshold."
)
_BY_YEAR = (
    "A bar is the range in which efficient (linear) scaling ends on a machine, from the first run that falls below "
    "the threshold to the last that passes it; a triangle is the largest run that finishes. The curve of each "
    "machine stands below."
)


def page(limits: Sequence[Limits], command: str = "", more: Sequence[Section] = ()) -> str:
    """Return an HTML document about the limits of one machine or several.

    Parameters
    ----------
    limits : sequence of Limits
        At least one.
    command : str
        The command that reproduces the result; empty: not shown.
    more : sequence of Section
        What follows the curves.

    Returns
    -------
    str
        Question, answer in words, figures, tables, assumptions, sources and the command. Light or dark as the
        reader's system has it; readable from a phone up.
    """
    charts = _compared(limits)
    compared = "".join(chart_slot(key, chart) for key, chart in charts.items())
    closer = []
    for index, one in enumerate(limits):
        own = (
            {f"degrees-{index}": degrees_chart(one), f"shares-{index}": shares_chart(one)}
            if one.points
            else {}
        )
        charts |= own
        closer.append(_closer(one, own, hidden=index > 0))
    specifications = {key: specification(chart) for key, chart in charts.items()}
    sections, drawn = written(more)
    body = asset("limits.html").substitute(
        answers=_answers(limits),
        compared_title="Limits by year of release" if "generations" in charts else "Utilization against size",
        compared_text=_BY_YEAR if "generations" in charts else _BY_SIZE,
        compared=compared,
        summary=_without_repeats(summary_table(limits), limits).html(),
        closed_forms=closed_form_table(limits).html() if any(one.closed_forms for one in limits) else "",
        chooser=_chooser(limits),
        closer="".join(closer),
        more=sections,
        warnings=_warnings(limits),
        leaves_out=escape(LEAVES_OUT),
        assumptions=assumptions_table(limits).html(),
        assumed=_assumed(limits),
    )
    return document(_title(limits), body, specifications_json(specifications | drawn), command)


def _without_repeats(table: TableView, limits: Sequence[Limits]) -> TableView:
    """Leave out the notes of the summary that a page says elsewhere: what it rests on, and warnings."""
    said = {*all_rest_on(limits), *warning_notes(limits)}
    return replace(table, notes=tuple(note for note in table.notes if note not in said))


def _compared(limits: Sequence[Limits]) -> dict[str, Chart]:
    """Return the figures that compare machines: curves, or for many their limits by year of release."""
    if are_many(limits):
        return {"generations": generations_chart(limits)}
    return {"utilization": utilization_chart(limits), "accelerators": accelerators_chart(limits)}


def _title(limits: Sequence[Limits]) -> str:
    names = [one.title for one in limits]
    if len(names) > _NAMED_IN_TITLE:
        return f"How far can training runs scale? {len(names)} machines compared"
    listed = ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]
    return f"How far can training runs scale on {listed}?"


def _answers(limits: Sequence[Limits]) -> str:
    """Return each machine's finding and, under them, what they rest on."""
    size = () if are_many(limits) else filter(None, [yardstick(limits)])
    notes = (*size, efficient_means(limits[0]), *all_rest_on(limits))
    rests = "".join(f"<p class='sw-note'>{escape(line)}</p>" for line in notes)
    if len(limits) == 1:
        return f"<p>{escape(finding(limits[0]))}</p>{rests}"
    listed = f"<ul>{''.join(f'<li>{escape(finding(one))}</li>' for one in limits)}</ul>"
    if are_many(limits):
        summary = f"<p>{escape(spread_words(limits))}</p>"
        return f"{summary}<details><summary>Machine by machine</summary>{listed}</details>{rests}"
    return f"{listed}{rests}"


def _closer(limits: Limits, charts: dict[str, Chart], hidden: bool) -> str:
    figures = "".join(chart_slot(key, chart) for key, chart in charts.items())
    mark = " hidden" if hidden else ""
    return f"<div data-machine='{escape(limits.machine)}'{mark}>{figures}{curve_table(limits).html()}</div>"


def _chooser(limits: Sequence[Limits]) -> str:
    if len(limits) == 1:
        return ""
    options = "".join(f"<option value='{escape(one.machine)}'>{escape(one.title)}</option>" for one in limits)
    return f"<p><label for='machine'>Machine</label> <select id='machine'>{options}</select></p>"


def _warnings(limits: Sequence[Limits]) -> str:
    return "".join(f"<p class='warning'>{escape(warning)}</p>" for warning in all_warnings(limits))


def _assumed(limits: Sequence[Limits]) -> str:
    table = assumed_table(limits)
    return table.html() if table.rows else "<p>No figure of these machines had to be assumed.</p>"
