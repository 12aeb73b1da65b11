"""The settings of one configuration as controls, each tied to its name in the link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import html

from scalewall.errors import InputError
from scalewall.hardware import machine_names, read_machine
from scalewall.web.pages.controls import machine_choices
from scalewall.web.pages.fields import identity, number_field, segments, slider
from scalewall.web.pages.sections import FIRST_OPEN, SECTIONS
from scalewall.web.parts import accordion, aria, operation
from scalewall.web.question import uploaded_name
from scalewall.web.state import COLOURS, Card, State

__all__ = ["form"]

Part = Any


def form(state: State, opened: Sequence[str] = FIRST_OPEN) -> Part:
    """Return the controls of the configuration that is open.

    Parameters
    ----------
    state : State
        The page's.
    opened : sequence of str
        Which of ``SECTIONS`` get their controls; the others are empty until they are opened.
    """
    place, card = state.chosen, state.cards[state.chosen]
    return html.Div(
        [
            _about(state, place, card),
            _machine_controls(card),
            segments(card, "model", "Model", (("dense", "Dense"), ("sparse", "Sparse (experts)"))),
            *(
                [number_field(card, "sparsity", "Experts a block (empty: by the law)", step=1)]
                if card["model"] == "sparse"
                else []
            ),
            slider(card, "months", "Longest run (months)", 3.0),
            accordion(
                "form-sections",
                FIRST_OPEN,
                *(
                    (name, title, controls(card) if name in opened else [])
                    for name, (title, controls) in SECTIONS.items()
                ),
            ),
        ],
        className="sw-form",
        id=f"form-{place}",
    )


def _about(state: State, place: int, card: Card) -> Part:
    buttons = [
        operation("duplicate", place, "Duplicate"),
        operation("hide", place, "Show" if card.hidden else "Hide"),
        *([operation("up", place, "Move up")] if place else []),
        *([operation("remove", place, "Remove")] if len(state.cards) > 1 else []),
    ]
    colours = [
        html.Button(
            html.Span(className=f"sw-swatch sw-series-{number}"),
            id={"op": "colour", "place": place, "colour": number},
            className="sw-colour",
            type="button",
            **aria(label=f"Colour {number + 1}", pressed=str(number == card.colour).lower()),
        )
        for number in range(COLOURS)
    ]
    return html.Div(
        [
            dmc.TextInput(
                label="Name",
                value=card.name,
                id=identity("name"),
                debounce=400,
                inputProps={"maxLength": 40},
            ),
            html.Div(colours, className="sw-colours", role="group", **aria(label="Colour")),
            html.Div(buttons, className="sw-buttons"),
        ]
    )


def _machine_controls(card: Card) -> Part:
    machine = read_machine(str(card["machine"]))
    bits = [{"value": text, "label": f"{text} bits"} for text in machine.levels("precision")[::-1]]
    chosen = str(card["precision"])
    if chosen not in {choice["value"] for choice in bits}:
        bits.append({"value": chosen, "label": f"{chosen} bits (not offered)"})
    return html.Div(
        [
            _own_file(card),
            dmc.Select(
                label="Machine" if not card["file"] else "Machine (the file above goes first)",
                data=machine_choices(machine_names()),
                value=machine.name,
                id=identity("machine"),
                searchable=True,
                filter={"function": "findMachine"},
                className="sw-search",
                allowDeselect=False,
                nothingFoundMessage="No machine of that name",
                maxDropdownHeight=320,
            ),
            dmc.Select(
                label="Precision", data=bits, value=chosen, id=identity("precision"), allowDeselect=False
            ),
        ],
        className="sw-pair",
    )


def _own_file(card: Card) -> Part:
    if not card["file"]:
        return html.Div(className="sw-none")
    try:
        name = uploaded_name(str(card["file"]))
    except InputError as error:
        name = str(error)
    return html.Div(
        [html.Span(["Your own machine: ", html.Strong(name)]), operation("drop-file", 0, "Drop it")],
        className="sw-own",
    )
