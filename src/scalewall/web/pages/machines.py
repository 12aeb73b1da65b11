"""The Machines page: the catalogue, and one machine's figures with their sources."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dash import dcc, html

from scalewall.errors import InputError
from scalewall.hardware import machine_names, read_machine
from scalewall.hardware.fields import PRECISIONS
from scalewall.report.catalogue_tables import machine_table, machines_tables
from scalewall.report.table import Cell
from scalewall.web.parts import link_button, notice, table
from scalewall.web.sources import linked
from scalewall.web.words import page_words

__all__ = ["machine_page", "machines_page"]

Part = Any


def machines_page(precision: int = 16) -> Part:
    """Return the catalogue by kind of machine at one precision."""
    machines = [read_machine(name) for name in machine_names()]
    return html.Div(
        [
            html.H1("Machines"),
            html.P(
                "Every figure of every machine has its evidence and its source; a star marks what had to be assumed. "
                "Bandwidths between accelerators are each one's own, one way.",
                className="sw-lead",
            ),
            html.Div(
                [
                    dcc.Link(
                        f"{bits} bits",
                        href=f"/machines?precision={bits}",
                        className=f"sw-link-button{' sw-here' if bits == precision else ''}",
                    )
                    for bits in PRECISIONS
                ],
                className="sw-buttons",
            ),
            *(
                table(view, links=[f"/machines/{_text(row[0])}" for row in view.rows], sortable=True)
                for view in machines_tables(machines, precision)
            ),
        ]
    )


def _text(cell: str | Cell) -> str:
    return cell.text if isinstance(cell, Cell) else cell


def machine_page(name: str) -> Part:
    """Return one machine's figures, each with its evidence and source."""
    back = dcc.Link("All machines", href="/machines")
    try:
        if name not in machine_names():
            raise InputError("machine", name, "a machine of the catalogue")
        machine = read_machine(name)
    except InputError as error:
        return html.Div([html.H1("Machines"), notice("No such machine", [str(error)], "bad"), back])
    usable = not machine.missing
    view = machine_table(machine)
    return html.Div(
        [
            html.P(back),
            html.H1(machine.title),
            *(
                [link_button("How far training scales on it", f"/?v=1&1.machine={machine.name}")]
                if usable
                else []
            ),
            table(replace(view, notes=()), caption=False),
            *(html.P(linked(page_words(text)), className="sw-note") for text in view.notes),
        ]
    )
