"""The one set of columns that CSV, pandas and other tools see, and the JSON shape of limits.

A row is a run of the curve. Columns are the fields of :class:`~scalewall.ideal.results.Point` under their own
names and units (SI), the plan's fields (degrees as ``"8 64"``, one factor a network level, innermost first),
``component_*`` and ``attributed_*`` in seconds. A run that no plan finishes has only its size and ``reason``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from typing import TYPE_CHECKING

from scalewall.ideal.results import InfeasiblePoint, Plan, Point

if TYPE_CHECKING:
    import pandas as pd

    from scalewall.ideal.limits import Limits

__all__ = [
    "SCHEMA_VERSION",
    "columns",
    "columns_of",
    "failed_row",
    "json_text",
    "limits_json",
    "point_row",
    "rows",
    "to_pandas",
]

SCHEMA_VERSION = 1
"""Version of the JSON shape; goes up when a key is renamed, removed or changes its meaning."""

Value = str | int | float | bool | None
Row = dict[str, Value]

_PLAN = tuple(part.name for part in fields(Plan))
_NESTED = ("plan", "component_seconds", "attributed_seconds")
_SCALARS = tuple(part.name for part in fields(Point) if part.name not in _NESTED)
_PARTS = (("component_", "component_seconds"), ("attributed_", "attributed_seconds"))


def columns(points: Iterable[Point]) -> tuple[str, ...]:
    """Return the columns that rows of ``points`` have together, in order."""
    names: dict[str, None] = {}
    for point in points:
        names.update(dict.fromkeys(point.component_seconds))
    return columns_of(names)


def columns_of(part_names: Iterable[str]) -> tuple[str, ...]:
    """Return the columns of rows whose time has these parts, in order."""
    names = list(part_names)
    parts = [f"{prefix}{name}" for prefix, _ in _PARTS for name in names]
    return ("machine", *_SCALARS, *_PLAN, *parts, "reason")


def point_row(machine: str, point: Point) -> Row:
    """Return one run as a flat row."""
    row: Row = {"machine": machine} | {name: getattr(point, name) for name in _SCALARS}
    for name in _PLAN:
        value = getattr(point.plan, name)
        row[name] = " ".join(map(str, value)) if isinstance(value, tuple) else value
    for prefix, mapping in _PARTS:
        row |= {f"{prefix}{name}": seconds for name, seconds in getattr(point, mapping).items()}
    return row


def failed_row(machine: str, point: InfeasiblePoint) -> Row:
    """Return a run that no plan finishes as a flat row: its size and the reason."""
    return {"machine": machine} | asdict(point)


def rows(limits: Sequence[Limits]) -> list[Row]:
    """Return every run of every machine as flat rows, in the order of the curves."""
    found: list[Row] = []
    for one in limits:
        found += (point_row(one.machine, point) for point in one.points)
        found += (failed_row(one.machine, point) for point in one.infeasible)
    return found


def to_pandas(limits: Sequence[Limits]) -> pd.DataFrame:
    """Return every run as a data frame with the columns of :func:`columns`; absent values are missing."""
    import pandas as pd

    names = columns([point for one in limits for point in one.points])
    return pd.DataFrame(rows(limits), columns=list(names))


def limits_json(limits: Limits) -> dict[str, object]:
    """Return one machine's limits as JSON values, in the shape that ``schema_version`` names.

    Times are in seconds and compute in FLOP. Infinite and undefined numbers become null.
    """
    document = {
        "schema_version": SCHEMA_VERSION,
        "machine": limits.machine,
        "title": limits.title,
        "points": limits.points,
        "infeasible": limits.infeasible,
        "linear_scaling": limits.linear_scaling,
        "largest_feasible_flop": limits.largest_feasible_flop,
        "closed_forms": limits.closed_forms,
        "sustained_fraction": limits.sustained_fraction,
        "duration_seconds": limits.duration_seconds,
        "assumptions": limits.assumptions,
        "warnings": limits.warnings,
    }
    return {key: _json_value(value) for key, value in document.items()}


def json_text(document: object) -> str:
    """Return strict JSON (no NaN, no Infinity), indented, with a final line break."""
    return json.dumps(_json_value(document), indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def _json_value(value: object) -> object:
    """Return ``value`` built of what JSON knows: dataclasses as objects, inf and NaN as null."""
    if is_dataclass(value):
        return {part.name: _json_value(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _json_value(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json_value(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
