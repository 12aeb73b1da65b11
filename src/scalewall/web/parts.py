"""Pieces that several pages are built of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import dcc, html

from scalewall.report.table import Cell, TableView

__all__ = ["aria", "chart_card", "link_button", "note", "notice", "section", "swatch", "table"]

Part = Any


def aria(**named: str) -> dict[str, Any]:
    """Return attributes for screen readers by their names without ``aria-``."""
    return {f"aria-{name}": value for name, value in named.items()}


def table(view: TableView, caption: bool = True) -> Part:
    """Return a table of ``report`` as it stands on the page: sideways scrolling where it does not fit."""
    head = [
        html.Th(_lines(column.title), scope="col", className=_side(column.right)) for column in view.columns
    ]
    rows = [
        html.Tr(
            [
                html.Td(_lines(_cell(cell).text), className=f"{_side(column.right)} sw-{_cell(cell).tone}")
                for column, cell in zip(view.columns, row, strict=True)
            ]
        )
        for row in view.rows
    ]
    grid = html.Table(
        [html.Thead(html.Tr(head)), html.Tbody(rows)], className="sw-table", **aria(label=view.title)
    )
    return html.Div(
        [
            *([html.H3(view.title, className="sw-caption")] if caption else []),
            html.Div(grid, className="sw-scroll", tabIndex="0", role="region", **aria(label=view.title)),
            *(html.P(text, className="sw-note") for text in view.notes),
        ]
    )


def _cell(cell: str | Cell) -> Cell:
    return Cell(cell) if isinstance(cell, str) else cell


def _side(right: bool) -> str:
    return "sw-right" if right else "sw-left"


def _lines(text: str) -> list[Part]:
    """Return a text with its line breaks."""
    lines = text.split("\n")
    return [part for index, line in enumerate(lines) for part in ((html.Br(), line) if index else (line,))]


def section(title: str, *children: Part) -> Part:
    """Return a part of a page under a heading."""
    return html.Section([html.H2(title, className="sw-heading"), *children])


def note(text: str) -> Part:
    """Return a small remark."""
    return html.P(text, className="sw-note")


def notice(title: str, lines: Sequence[str], tone: str = "warn") -> Part:
    """Return a box that says what is wrong or worth knowing; ``tone`` is ``warn``, ``bad`` or ``plain``."""
    return html.Div(
        [html.Strong(title), *(html.P(line) for line in lines)],
        className=f"sw-notice sw-notice-{tone}",
        role="alert" if tone == "bad" else "status",
    )


def chart_card(key: str, title: str, about: str) -> Part:
    """Return the place of a chart: a heading, the picture, and a line on how to read it."""
    return html.Figure(
        [
            html.Figcaption(title, id=f"title-{key}"),
            html.Div(
                dcc.Graph(
                    id={"chart": key},
                    config={
                        "displaylogo": False,
                        "modeBarButtons": [["toImage", "zoom2d", "pan2d", "resetScale2d"]],
                        "toImageButtonOptions": {"filename": f"scalewall-{key}", "scale": 2},
                    },
                    responsive=True,
                    className="sw-chart",
                ),
                role="img",
                **aria(labelledby=f"title-{key}"),
            ),
            html.P(about, className="sw-note"),
        ],
        className="sw-figure",
        id=f"figure-{key}",
    )


def link_button(text: str, href: str, download: bool = False) -> Part:
    """Return a link that looks like a button."""
    extra: dict[str, Any] = {"download": ""} if download else {}
    return html.A(text, href=href, className="sw-link-button", **extra)


def swatch(colour: int) -> Part:
    """Return a dot in a configuration's colour."""
    return html.Span(className=f"sw-swatch sw-series-{colour}", **aria(hidden="true"))
