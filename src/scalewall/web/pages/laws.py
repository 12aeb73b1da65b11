"""The Laws page: every scaling law with its formula, its source and the range that it rests on."""

from __future__ import annotations

from typing import Any

from dash import html

from scalewall.workload import list_laws

__all__ = ["laws_page"]

Part = Any
_TITLES = {
    "depth": "Depth",
    "width": "Feed-forward width",
    "data": "Data",
    "batch": "Batch",
    "sparsity": "Sparsity",
}


def laws_page() -> Part:
    """Return the laws by the quantity that they give."""
    laws = list_laws()
    families = list(dict.fromkeys(law["family"] for law in laws))
    return html.Div(
        [
            html.H1("Scaling laws"),
            html.P(
                "Laws turn a size into a training run: how deep and wide the model is, how much data it sees, how "
                "large its batches are. Any mix works, one for each quantity; results say where they go beyond a "
                "law's evidence.",
                className="sw-lead",
            ),
            *(_family(family, [law for law in laws if law["family"] == family]) for family in families),
        ]
    )


def _family(family: str, laws: list[dict[str, str]]) -> Part:
    return html.Section([html.H2(_TITLES[family], className="sw-heading"), *map(_law, laws)])


def _law(law: dict[str, str]) -> Part:
    aliases = f" (also {law['aliases']})" if law["aliases"] else ""
    facts = [
        ("Rests on", law["fitted"]),
        ("Your own parameters", law["options"].replace("_", " ")),
        ("Source", law["source"]),
    ]
    return html.Article(
        [
            html.H3(f"{law['name']}{aliases}", className="sw-caption"),
            html.Pre(law["formula"], className="sw-code sw-formula", tabIndex="0"),
            html.P(law["note"]),
            *(
                html.P([html.Strong(f"{title}: "), text], className="sw-note")
                for title, text in facts
                if text
            ),
        ],
        className="sw-law",
        id=f"{law['family']}-{law['name']}",
    )
