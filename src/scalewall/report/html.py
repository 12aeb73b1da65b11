"""The frame of every self-contained page: it opens offline and asks nothing of any other origin."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from scalewall._version import __version__
from scalewall.report.chart_data import Chart
from scalewall.report.plotly_figures import named_colours, specification
from scalewall.report.style import Theme, style

__all__ = [
    "asset",
    "chart_slot",
    "charts_json",
    "command_section",
    "css_colours",
    "document",
    "figure_slot",
    "specifications_json",
]


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


def asset(name: str) -> Template:
    """Return a file of the page's folder as a template."""
    return Template(files("scalewall.report").joinpath("page", name).read_text(encoding="utf-8"))


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
