"""The Plan page's own words for what the planner says in those of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from scalewall.errors import InputError
from scalewall.report.table import Cell, TableView
from scalewall.web import words

__all__ = ["PARTS", "SWITCHES", "page_error", "page_table", "page_words", "settable"]

PARTS: Mapping[str, str] = MappingProxyType(
    {
        "tp": "Tensor",
        "pp": "Pipeline",
        "cp": "Context",
        "ep": "Expert",
        "etp": "Tensor inside experts",
        "dp": "Data",
        "chunks": "Chunks a stage",
        "microbatch": "Microbatch",
        "shard_ranks": "Sharded over",
        "schedule": "Schedule",
        "sharding": "Sharding",
        "recompute": "Recompute",
    }
)
"""Parts of the layout that the page can fix, by knob."""

SWITCHES: Mapping[str, str] = MappingProxyType(
    {
        "graphs": "CUDA graphs",
        "dispatcher": "Dispatch to experts",
        "expert_overlap": "Exchange with experts",
    }
)
"""Switches of the software that the page has, by knob."""

_FIELDS = {
    "--bound": "Fixed parts of the layout",
    "--gpus": "Accelerators",
    "gpus": "Accelerators",
    "ranks": "Accelerators",
    "global_batch": "Sequences a step",
    "seq": "Tokens a sequence",
    "sequence": "Tokens a sequence",
    "tokens": "Tokens to train",
}
_ANY_PART = "|".join(PARTS)
_FIXED = re.compile(rf"\b({_ANY_PART})=([\w:,-]*\w)")
_WORDS = (
    (re.compile(rf"drop --bound ({_ANY_PART})=(\S+)"), lambda found: f"Leave {PARTS[found[1]]} free"),
    (re.compile(r"drop all bounds"), lambda found: "Leave every part free"),
    (re.compile(r" \(--ideal\)"), lambda found: ""),
    (re.compile(r"; give --price \S+"), lambda found: "."),
    (re.compile(r"all in --json"), lambda found: "all in the file with everything (JSON)"),
)


def page_words(text: str) -> str:
    """Return a text of the planner without the command line's options."""
    for pattern, ours in _WORDS:
        text = pattern.sub(ours, text)
    return words.page_words(text)


def page_table(view: TableView) -> TableView:
    """Return a table whose cells and notes are in the page's words."""
    rows = tuple(
        tuple(
            replace(cell, text=page_words(cell.text)) if isinstance(cell, Cell) else page_words(cell)
            for cell in row
        )
        for row in view.rows
    )
    return replace(view, rows=rows, notes=tuple(map(page_words, view.notes)))


def page_error(error: InputError) -> InputError:
    """Return an error of the planner about the controls of the page; it has none for figures that a machine lacks."""
    field, value = error.field, error.value
    suggestions = tuple(one for one in error.suggestions if not one.startswith("--set "))
    option, _, knob = field.partition(" ")
    if option == "--bound" and isinstance(value, str) and _FIXED.fullmatch(value):
        knob, _, value = value.partition("=")
        suggestions = tuple(one.removeprefix(f"{knob}=") for one in suggestions)
    elif isinstance(value, str):
        value = _FIXED.sub(_fixed, value)
    allowed = re.sub(rf"^({_ANY_PART}) of ", lambda found: f"{PARTS[found[1]]} of ", error.allowed)
    return InputError(
        PARTS.get(knob, _FIELDS.get(option, field)), value, _FIXED.sub(_fixed, allowed), suggestions
    )


def _fixed(found: re.Match[str]) -> str:
    return f"{PARTS[found[1]]} {found[2]}"


def settable(names: Iterable[str]) -> tuple[str, ...]:
    """Return those of some knobs and figures of the machine that the page can set, in its words."""
    known = {**PARTS, **SWITCHES}
    return tuple(known[name] for name in names if name in known)
