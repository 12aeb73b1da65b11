"""Pieces that several pages are built of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from scalewall.report.table import Cell, TableView

__all__ = [
    "BROKEN",
    "accordion",
    "aria",
    "chart_card",
    "copy_text",
    "fold",
    "link_button",
    "link_field",
    "note",
    "notice",
    "operation",
    "progress_slot",
    "section",
    "swatch",
    "table",
    "unusable",
    "upload",
]

Part = Any

BROKEN = "Something went wrong on the server; its log says what. Other questions still work."
"""What a visitor reads where the program has a mistake."""


def aria(**named: str) -> dict[str, Any]:
    """Return attributes for screen readers by their names without ``aria-``."""
    return {f"aria-{name}": value for name, value in named.items()}


def table(view: TableView, caption: bool = True, links: Sequence[str] = (), sortable: bool = False) -> Part:
    """Return a table of ``report`` as it stands on the page: sideways scrolling where it does not fit.

    Parameters
    ----------
    view : TableView
        The table.
    caption : bool
        Whether its title stands above it.
    links : sequence of str
        Where the first cell of each row leads; empty: nowhere.
    sortable : bool
        Whether a click on a heading sorts the rows.
    """
    head = [
        html.Th(
            html.Button(_lines(column.title), type="button", className="sw-sort")
            if sortable
            else _lines(column.title),
            scope="col",
            className=_side(column.right),
        )
        for column in view.columns
    ]
    rows = []
    for number, row in enumerate(view.rows):
        cells = [
            html.Td(_lines(_cell(cell).text), className=f"{_side(column.right)} sw-{_cell(cell).tone}")
            for column, cell in zip(view.columns, row, strict=True)
        ]
        if links:
            text = _cell(row[0]).text
            cells[0] = html.Td(
                dcc.Link(text, href=links[number], title=f"Look at {text}"),
                className=_side(view.columns[0].right),
            )
        rows.append(html.Tr(cells))
    grid = html.Table(
        [html.Thead(html.Tr(head)), html.Tbody(rows)], className="sw-table", **aria(label=view.title)
    )
    return html.Div(
        [
            *([html.H2(view.title, className="sw-caption")] if caption else []),
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


def fold(title: str, *children: Part) -> Part:
    """Return something that opens by a click on its title."""
    return html.Details([html.Summary(title), *children])


def accordion(key: str, opened: Sequence[str], *items: tuple[str, str, Sequence[Part]]) -> Part:
    """Return controls in parts that open; which are open is kept for the session.

    Parameters
    ----------
    key : str
        Its id.
    opened : sequence of str
        Which parts are open at first.
    *items : (str, str, sequence of component)
        Name, title and controls of each part.
    """
    return dmc.Accordion(
        [
            dmc.AccordionItem(
                [
                    dmc.AccordionControl(title),
                    dmc.AccordionPanel(html.Div(content, className="sw-fields", id={"section": name})),
                ],
                value=name,
            )
            for name, title, content in items
        ],
        multiple=True,
        value=list(opened),
        id=key,
        persistence=True,
        persistence_type="session",
        className="sw-accordion",
    )


def progress_slot(status: str) -> Part:
    """Return where the page says that it searches, and how far it is."""
    return html.Div(
        [
            html.Span(status, id="status", className="sw-status"),
            html.Div(
                [html.Span(), html.Progress(value="0", max="1", **aria(label="How far the search is"))],
                id="progress",
                className="sw-progress",
                hidden=True,
            ),
        ],
        className="sw-progress-slot",
    )


def link_field() -> Part:
    """Return the page's own link with a button that copies it; the page's script fills it in."""
    return html.Div(
        [
            dmc.TextInput(
                id="link", label="Link to what you see", readOnly=True, value="", className="sw-grow"
            ),
            dmc.CopyButton("Copy link", copiedChildren="Copied", target_id="link", id="copy-link", size="sm"),
        ],
        className="sw-link",
    )


def copy_text(title: str, text: str) -> Part:
    """Return a text that opens by a click on its title, with a button that copies it."""
    return fold(
        title,
        dmc.CopyButton("Copy", copiedChildren="Copied", value=text, size="xs"),
        html.Pre(html.Code(text), className="sw-code", tabIndex="0", **aria(label=title)),
    )


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


def unusable(problems: Sequence[str]) -> list[Part]:
    """Return what says which settings of a question could not be used; empty where all could."""
    return [notice("Not everything that was asked could be used", problems)] if problems else []


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
                role="group",
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


def operation(name: str, place: int, text: str) -> Part:
    """Return a button that does something with the configuration at a place."""
    return html.Button(
        text, id={"op": name, "place": place, "colour": 0}, className="sw-small-button", type="button"
    )


def upload(key: str, text: str) -> Part:
    """Return a button that takes a file, and the place that says what is wrong with one (``key-problem``).

    Every file goes to the server, which says what it lacks; the page's script stops those that no request carries.
    """
    return html.Div(
        [
            dcc.Upload(html.Button(text, type="button", className="sw-small-button"), id=key),
            html.Div(id=f"{key}-problem", role="status"),
        ]
    )


def swatch(colour: int) -> Part:
    """Return a dot in a configuration's colour."""
    return html.Span(className=f"sw-swatch sw-series-{colour}", **aria(hidden="true"))
