"""One self-contained page of sections: question, answer in words, figures and tables, and how to make it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from scalewall.report.bar_chart import BarChart, bar_specification
from scalewall.report.chart_data import Chart
from scalewall.report.html import asset, document, figure_slot, specifications_json
from scalewall.report.plotly_figures import specification
from scalewall.report.table import TableView

__all__ = ["Section", "paragraphs", "sections_page", "written"]


@dataclass(frozen=True)
class Section:
    """A part of a page: heading, words, figures, tables, in this order.

    ``specifications`` are figures that are Plotly data with named colours already; they follow the charts.
    """

    heading: str
    words: tuple[str, ...] = ()
    charts: tuple[Chart | BarChart, ...] = ()
    tables: tuple[TableView, ...] = ()
    specifications: tuple[dict[str, Any], ...] = field(default=())


def sections_page(title: str, answer: Sequence[str], sections: Sequence[Section], command: str = "") -> str:
    """Return an HTML document that opens offline and asks nothing of any other origin.

    Parameters
    ----------
    title : str
        The question.
    answer : sequence of str
        The answer, a paragraph each.
    sections : sequence of Section
        What follows.
    command : str
        The command that makes the page again; empty: not shown.
    """
    sections_html, drawn = written(sections)
    body = asset("report.html").substitute(answer=paragraphs(answer), sections=sections_html)
    return document(title, body, specifications_json(drawn), command)


def written(sections: Sequence[Section]) -> tuple[str, dict[str, dict[str, Any]]]:
    """Return sections as HTML, and what its script draws by the names of the places."""
    drawn: dict[str, dict[str, Any]] = {}
    parts = []
    for section in sections:
        slots = []
        for spec in (*map(_specification, section.charts), *section.specifications):
            key = f"chart-{len(drawn)}"
            drawn[key] = spec
            slots.append(figure_slot(key, str(spec["layout"]["title"]["text"])))
        tables = "".join(table.html() for table in section.tables)
        parts.append(
            f"<section><h2>{escape(section.heading)}</h2>{paragraphs(section.words)}{''.join(slots)}{tables}</section>"
        )
    return "\n".join(parts), drawn


def _specification(chart: Chart | BarChart) -> dict[str, Any]:
    return bar_specification(chart) if isinstance(chart, BarChart) else specification(chart)


def paragraphs(words: Sequence[str]) -> str:
    """Return sentences as paragraphs."""
    return "".join(f"<p>{escape(line)}</p>" for line in words)
