"""Controls of a configuration's settings, each tied to its setting's name in the link."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import html

from scalewall.web.parts import aria
from scalewall.web.state import Card

__all__ = ["STEPS", "identity", "number_field", "segments", "selection", "slider", "toggle"]

Part = Any

STEPS: Mapping[str, tuple[float, ...]] = {
    "months": (0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9, 10, 12, 15, 18, 24, 30, 36),
    "threshold": tuple(round(0.3 + 0.05 * step, 2) for step in range(14)),
    "network_bandwidth": (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100),
    "memory_bandwidth": (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100),
    "latency": (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10),
    "data_factor": (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100),
}
"""What the sliders step through."""


def identity(field: str, **more: object) -> dict[str, object]:
    """Return the id of a setting's control; what it shows times ``scale`` is the link's."""
    return {"field": field, "kind": "value", "scale": 1, **more}


def segments(
    card: Card, field: str, label: str, choices: Sequence[tuple[str, str]], default: str = ""
) -> Part:
    """Return a few choices side by side; each is the link's text and what it says."""
    return html.Div(
        [
            html.Span(label, className="sw-label", id=f"label-{field}"),
            dmc.SegmentedControl(
                data=[{"value": value, "label": text} for value, text in choices],
                value=str(card[field] or default),
                id=identity(field),
                fullWidth=True,
                **aria(labelledby=f"label-{field}"),
            ),
        ]
    )


def slider(card: Card, field: str, label: str, default: float) -> Part:
    """Return a slider through the field's steps, with the number beside it for any other value."""
    steps = STEPS[field]
    value = card[field]
    number = float(value) if isinstance(value, (int, float)) else default
    nearest = min(range(len(steps)), key=lambda index: abs(math.log(steps[index] / number)))
    return html.Div(
        [
            html.Span(label, className="sw-label"),
            html.Div(
                [
                    dmc.Slider(
                        id=identity(field, kind="slider"),
                        min=0,
                        max=len(steps) - 1,
                        step=1,
                        value=nearest,
                        updatemode="drag",
                        label={"function": "stepLabel", "options": {"steps": list(steps)}},
                        thumbLabel=label,
                        className="sw-slider",
                    ),
                    dmc.NumberInput(
                        id=identity(field, kind="number"),
                        value=number,
                        placeholder=f"{default:g}",
                        min=0,
                        step=1 if field == "months" else 0.1,
                        decimalScale=4,
                        hideControls=True,
                        debounce=300,
                        className="sw-number",
                        **aria(label=label),
                    ),
                ],
                className="sw-slider-row",
            ),
        ]
    )


def number_field(
    card: Card, field: str, label: str, default: float | None = None, scale: float = 1, step: float = 0.1
) -> Part:
    """Return a number, which may be empty; what it shows times ``scale`` is the link's."""
    value = card[field]
    shown = float(value) if isinstance(value, (int, float)) else default
    return dmc.NumberInput(
        label=label,
        value="" if shown is None else shown / scale,
        id=identity(field, scale=scale),
        min=0,
        step=step,
        hideControls=True,
        debounce=300,
        thousandSeparator=",",
    )


def selection(
    card: Card, field: str, label: str, choices: Sequence[tuple[str, str]], default: str = ""
) -> Part:
    """Return a list to choose one of; each choice is the link's text and what it says."""
    return dmc.Select(
        label=label,
        data=[{"value": value, "label": text} for value, text in choices],
        value=str(card[field] or default),
        id=identity(field),
        allowDeselect=False,
    )


def toggle(card: Card, field: str, label: str) -> Part:
    """Return a switch."""
    return dmc.Switch(label=label, checked=bool(card[field]), id={"toggle": field})
