"""The registry of constants: value, unit, kind, source. What profiles fit stands in profiles.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

__all__ = ["KINDS", "Constant", "constants", "value"]

KINDS = ("physics", "measured", "assumed", "fitted")
"""Kinds of constants; see :class:`Constant`."""


@dataclass(frozen=True)
class Constant:
    """One constant.

    Parameters
    ----------
    name : str
        ``table.key``.
    value : float
        In ``unit``, SI.
    unit : str
        Empty for ratios.
    kind : str
        ``physics`` (arithmetic, a datasheet, a published algorithm), ``measured`` (not on the runs that we validate
        on), ``assumed`` (no measurement; the note says why it is what it is) or ``fitted`` (on those runs).
    source : str
        Where it comes from.
    note : str
        Remarks; may be empty.
    """

    name: str
    value: float
    unit: str
    kind: str
    source: str
    note: str = ""


@cache
def constants() -> Mapping[str, Constant]:
    """Return every constant by name.

    Raises
    ------
    ValueError
        An entry of unknown kind or without a source.
    """
    text = files("scalewall.planner").joinpath("data/constants.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    sources = tables.pop("sources")
    found: dict[str, Constant] = {}
    for table, entries in tables.items():
        for key, entry in entries.items():
            name = f"{table}.{key}"
            if entry["kind"] not in KINDS or entry["source"] not in sources:
                raise ValueError(f"constants.toml: {name} needs a kind of {KINDS} and a listed source")
            found[name] = Constant(
                name=name,
                value=float(entry["value"]),
                unit=entry["unit"],
                kind=entry["kind"],
                source=sources[entry["source"]],
                note=entry.get("note", ""),
            )
    return MappingProxyType(found)


def value(name: str) -> float:
    """Return the value of the constant called ``name``, in its unit."""
    return constants()[name].value
