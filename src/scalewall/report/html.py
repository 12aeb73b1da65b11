"""One self-contained interactive page about limits: it opens offline and asks nothing of any other origin."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from scalewall._version import __version__
from scalewall.report.chart_data import (
    Chart,
    accelerators_chart,
    degrees_chart,
    shares_chart,
    utilization_chart,
)
from scalewall.report.generations import are_many, generations_chart, spread_words
from scalewall.report.limit_tables import (
    assumed_table,
    assumptions_table,
    closed_form_table,
    curve_table,
    summary_table,
)
from scalewall.report.plotly_figures import named_colours, specification
from scalewall.report.style import Theme, style
from scalewall.report.table import TableView
from scalewall.report.words import (
    LEAVES_OUT,
    all_rest_on,
    all_warnings,
    efficient_means,
    finding,
    warning_notes,
)

if TYPE_CHECKING:
    from scalewall.ideal.limits import Limits

__all__ = [
    "asset",
    "chart_slot",
    "charts_json",
    "command_section",
    "css_colours",
    "document",
    "figure_slot",
    "page",
    "specifications_json",
]

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


def page(limits: Sequence[Limits], command: str = "") -> str:
    """Return an HTML document about the limits of one machine or several.

    Parameters
    ----------
    limits : sequence of Limits
        At least one.
    command : str
        The command that reproduces the result; empty: not shown.

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
    body = asset("limits.html").substitute(
        answers=_answers(limits),
        compared_title="Limits by year of release" if "generations" in charts else "Utilization against size",
        compared_text=_BY_YEAR if "generations" in charts else _BY_SIZE,
        compared=compared,
        summary=_without_repeats(summary_table(limits), limits).html(),
        closed_forms=closed_form_table(limits).html() if any(one.closed_forms for one in limits) else "",
        chooser=_chooser(limits),
        closer="".join(closer),
        warnings=_warnings(limits),
        leaves_out=escape(LEAVES_OUT),
        assumptions=assumptions_table(limits).html(),
        assumed=_assumed(limits),
    )
    return document(_title(limits), body, charts_json(charts), command)


def document(title: str, body: str, charts: str, command: str = "") -> str:
    """Return an HTML document that opens offline and asks nothing of any other origin.

    Parameters
    ----------
    title : str
        What it is about, plain text.
    body : str
        Its sections (HTML).
    charts : str
        What its script draws, from :func:`charts_json` or :func:`specifications_json`.
    command : str
        The command that makes the page again; empty: not shown.
    """
    from plotly.offline import get_plotlyjs

    return asset("frame.html").substitute(
        title=escape(title),
        version=escape(__version__),
        colours=css_colours(),
        css=asset("page.css").template,
        body=body,
        command=command_section(command),
        plotly=get_plotlyjs(),
        charts=charts,
        script=asset("page.js").template,
    )


def _without_repeats(table: TableView, limits: Sequence[Limits]) -> TableView:
    """Leave out the notes of the summary that a page says elsewhere: what it rests on, and warnings."""
    said = {*all_rest_on(limits), *warning_notes(limits)}
    return replace(table, notes=tuple(note for note in table.notes if note not in said))


def _compared(limits: Sequence[Limits]) -> dict[str, Chart]:
    """Return the figures that compare machines: curves, or for many their limits by year of release."""
    if are_many(limits):
        return {"generations": generations_chart(limits)}
    return {"utilization": utilization_chart(limits), "accelerators": accelerators_chart(limits)}


def asset(name: str) -> Template:
    """Return a file of the page's folder as a template."""
    return Template(files("scalewall.report").joinpath("page", name).read_text(encoding="utf-8"))


def _title(limits: Sequence[Limits]) -> str:
    names = [one.title for one in limits]
    if len(names) > _NAMED_IN_TITLE:
        return f"How far can training runs scale? {len(names)} machines compared"
    listed = ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]
    return f"How far can training runs scale on {listed}?"


def _answers(limits: Sequence[Limits]) -> str:
    """Return each machine's finding and, under them, what they rest on."""
    notes = (efficient_means(limits[0]), *all_rest_on(limits))
    rests = "".join(f"<p class='sw-note'>{escape(line)}</p>" for line in notes)
    if len(limits) == 1:
        return f"<p>{escape(finding(limits[0]))}</p>{rests}"
    listed = f"<ul>{''.join(f'<li>{escape(finding(one))}</li>' for one in limits)}</ul>"
    if are_many(limits):
        summary = f"<p>{escape(spread_words(limits))}</p>"
        return f"{summary}<details><summary>Machine by machine</summary>{listed}</details>{rests}"
    return f"{listed}{rests}"


def chart_slot(key: str, chart: Chart) -> str:
    """Return the place on a page where its script draws the chart ``key``."""
    return figure_slot(key, chart.title)


def figure_slot(key: str, title: str) -> str:
    """Return the place on a page where its script draws the specification ``key``, with its title."""
    title = escape(title)
    return (
        f"<figure><figcaption>{title}</figcaption>"
        f"<div class='chart' data-chart='{key}' role='img' aria-label='{title}'></div></figure>"
    )


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


def command_section(command: str) -> str:
    """Return the section that shows the command which makes a page again; nothing if there is none."""
    if not command:
        return ""
    return f"<section><h2>Make this again</h2><pre><code>{escape(command)}</code></pre></section>"


def css_colours() -> str:
    """Return the style's colours as CSS variables, light and dark."""
    look = style()
    dark = f"@media (prefers-color-scheme: dark) {{ :root {{ {_variables(look.dark)} }} }}"
    return f":root {{ --font: {look.font_family}; {_variables(look.light)} }}\n{dark}"


def _variables(theme: Theme) -> str:
    return " ".join(
        f"--{part.name}: {getattr(theme, part.name)};" for part in fields(theme) if part.name != "series"
    )


def charts_json(charts: dict[str, Chart]) -> str:
    """Return the figures and both themes' colours as JSON that cannot end its script element."""
    return specifications_json({key: specification(chart) for key, chart in charts.items()})


def specifications_json(specifications: Mapping[str, dict[str, Any]]) -> str:
    """Return figures, as Plotly data with named colours, and both themes' colours as JSON for a page."""
    look = style()
    document = {
        "themes": {"light": named_colours(look.light), "dark": named_colours(look.dark)},
        "charts": specifications,
    }
    return json.dumps(document, allow_nan=False).replace("<", "\\u003c")
