"""What microbenchmarks say of accelerators: the file devices.toml, checked, and its figures as a list."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from scalewall.planner.constants import KINDS

__all__ = ["DeviceFigure", "device_figures", "device_tables", "generation_of"]


@dataclass(frozen=True)
class DeviceFigure:
    """One figure of the file.

    Parameters
    ----------
    name : str
        ``table.key``: of a generation, or of what is measured and a machine.
    value : str
        As it reads.
    kind, source, note : str
        As of a :class:`~scalewall.planner.constants.Constant`.
    """

    name: str
    value: str
    kind: str
    source: str
    note: str


@cache
def device_tables() -> Mapping[str, Any]:
    """Return the tables of the file: ``sustained``, ``visible``, ``host``, ``head``, ``depth`` and the generations.

    Raises
    ------
    ValueError
        A figure of unknown kind or without a source.
    """
    tables = _read()
    for name, _, entry in _entries(tables):
        if entry["kind"] not in KINDS or entry["source"] not in tables["sources"]:
            raise ValueError(f"devices.toml: {name} needs a kind of {KINDS} and a listed source")
    return MappingProxyType({name: table for name, table in tables.items() if name != "sources"})


def device_figures() -> tuple[DeviceFigure, ...]:
    """Return every figure of the file in order."""
    tables = _read()
    return tuple(
        DeviceFigure(name, text, entry["kind"], tables["sources"][entry["source"]], entry.get("note", ""))
        for name, text, entry in _entries(tables)
    )


def generation_of(machine: str) -> str:
    """Return the name of the generation that a machine's name belongs to, or ``other``."""
    for name, table in device_tables().items():
        if any(match in machine for match in table.get("matches", ())):
            return name
    return "other"


def _read() -> dict[str, Any]:
    text = files("scalewall.planner").joinpath("data/devices.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _entries(tables: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield name, value in words and entry of every figure."""
    for table, entries in tables.items():
        for key, entry in entries.items():
            if isinstance(entry, dict):
                yield f"{table}.{key}", _words(entry), entry


def _words(entry: Mapping[str, Any]) -> str:
    if "value" not in entry:
        return ", ".join(f"{entry[bits]:g} at {bits} bits" for bits in ("16", "8", "4") if bits in entry)
    value = entry["value"]
    if not isinstance(value, list):
        return f"{value:g}"
    if not value:
        return "none"
    if isinstance(value[0], list):
        return ", ".join(f"{rows} x {columns}: {rate:g}" for rows, columns, rate in value)
    return ", ".join(f"{one:g}" for one in value)
