"""The When page: when frontier runs reach the limits of machines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import html

from scalewall.web.flat import decode_flat, encode_flat
from scalewall.web.found import Found
from scalewall.web.pages.asking import Asking, asking_page
from scalewall.web.pages.controls import ask_choice, ask_machines, ask_number
from scalewall.web.parts import accordion, fold, note, table
from scalewall.web.when_question import MOST_MACHINES, WHEN_SETTINGS
from scalewall.web.when_task import when_file_task, when_task
from scalewall.workload.laws import FAMILIES

__all__ = ["WHEN", "when_page"]

Part = Any

_CHARTS = (
    (
        "runs",
        "Points are published runs. Solid: where efficient scaling ends; dashed: the largest run that finishes. Bars "
        "at the foot: the years in which nine draws of ten reach the one (upper bar) and the other.",
    ),
    ("chances", "The share of the draws in which a limit is reached before a date."),
)
_KINDS = {
    "csv": "Dates (CSV)",
    "json": "Everything (JSON)",
    "html": "Report (HTML)",
    "png": "Pictures (PNG)",
    "svg": "Pictures (SVG)",
}
_GROWTH = (
    ("fit", "as fitted to known runs"),
    ("article", "the article's 4 to 5 times a year"),
    *(
        (f"{factor:g}", f"{factor:g} times a year")
        for factor in (1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 10)
    ),
)
_START = (
    ("largest", "the largest known run"),
    ("trend", "the fitted line today"),
    ("article", "the article's 5e25 FLOP in 2024"),
    ("1e26@2025-01", "1e26 FLOP in January 2025"),
    ("5e26@2025-07", "5e26 FLOP in July 2025"),
    ("1e27@2026-01", "1e27 FLOP in January 2026"),
)


def when_page(query: str) -> Part:
    """Return the page for a link."""
    values, problems = decode_flat(query, WHEN_SETTINGS)
    return asking_page(
        "When do training runs reach the limits?",
        "The compute of frontier runs grows, machines improve from generation to generation: the dates at which "
        "runs stop being efficient, and at which none finishes.",
        encode_flat(values, WHEN_SETTINGS),
        problems,
        _controls(values),
        _CHARTS,
    )


def _controls(values: Mapping[str, object]) -> list[Part]:
    rates = {
        "compute": "Arithmetic",
        "memory_bandwidth": "Memory bandwidth",
        "fast_network": "Network in the node",
        "slow_network": "Network between nodes",
        "latency": "Latency",
    }
    laws = [
        ask_choice(
            values,
            f"{family}_law",
            f"{family.capitalize()} law",
            [(name, name) for name, law in FAMILIES[family].items() if None not in law.options.values()],
        )
        for family in ("batch", "depth", "data")
    ]
    return [
        ask_machines(values, MOST_MACHINES, ("product", "announced", "system")),
        ask_choice(values, "growth", "Compute of the largest runs grows", _GROWTH),
        ask_choice(values, "start", "Starting from", _START),
        html.Div(
            [
                ask_number(values, "generations", "Successors of the machine"),
                ask_number(values, "lag", "Years from release to use", step=0.25),
                ask_number(values, "months", "Longest run (months)", empty="3"),
                ask_number(values, "threshold", "Efficient from", step=0.05),
            ],
            className="sw-two",
        ),
        accordion(
            "when-sections",
            [],
            (
                "rates",
                "How machines improve",
                [
                    note(
                        "Times a year; empty: as the catalogue's machines did from V100 to B200, latencies as they are."
                    ),
                    html.Div(
                        [ask_number(values, rate, title, step=0.1) for rate, title in rates.items()],
                        className="sw-two",
                    ),
                    ask_number(
                        values,
                        "generation_years",
                        "Years between generations",
                        step=0.1,
                        empty="as in the catalogue",
                    ),
                ],
            ),
            (
                "model",
                "Model and laws",
                [
                    ask_choice(
                        values, "model", "Model", [("dense", "dense"), ("sparse", "sparse (experts)")]
                    ),
                    *laws,
                    ask_choice(
                        values, "search", "Search", [("", "every layout"), ("reference", "published (quick)")]
                    ),
                    ask_number(values, "since", "Growth fitted to runs since", grouped=False),
                    ask_number(values, "start_spread", "Factor by which the start may be off", step=0.1),
                ],
            ),
        ),
    ]


def _show(found: Found, query: str) -> tuple[Part, Part]:
    """Return what stands beside the question, and what stands under the figures."""
    tables = dict(found.tables)
    beside = [
        html.Div([html.P(line) for line in found.sentences], className="sw-answer"),
        table(tables.pop("dates")),
    ]
    under = [
        *(fold(view.title, table(view, caption=False)) for view in tables.values()),
        fold("What this rests on", *map(note, found.notes)),
    ]
    return beside, under


WHEN = Asking("/when", WHEN_SETTINGS, when_task, when_file_task, _KINDS, _show)
"""The page's question, its files and how its answer is shown."""
