"""Rows as Arrow tables: one schema for a whole sweep, and the points that fill it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

from scalewall.study.outputs import KINDS, columns_of
from scalewall.study.paths import MACHINE, Value, is_figure
from scalewall.study.study_file import clusters_of
from scalewall.study.sweep import Sweep

__all__ = ["ERROR", "POINT", "SAMPLE", "evaluate", "input_columns", "schema_of"]

POINT = "point"
SAMPLE = "sample"
ERROR = "error"
"""Columns of every row: the point's number, its sample where there are samples, why it failed (else null)."""

_ARROW = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}


def input_columns(sweep: Sweep) -> tuple[str, ...]:
    """Return the inputs that rows name: the machine, then what varies."""
    return tuple(dict.fromkeys((MACHINE, *sweep.varied)))


def schema_of(sweep: Sweep) -> pa.Schema:
    """Return the columns of a sweep's rows with their types: numbers, inputs, results, error."""
    results = columns_of(KINDS[sweep.kind], clusters_of(sweep))
    columns: dict[str, type] = {POINT: int}
    if sweep.samples.inputs:
        columns[SAMPLE] = int
    columns |= {path: _input_type(sweep, path) for path in input_columns(sweep)}
    columns |= {name: results[name] for name in sweep.columns}
    columns[ERROR] = str
    return pa.schema([pa.field(name, _ARROW[kind]) for name, kind in columns.items()])


def _input_type(sweep: Sweep, path: str) -> type:
    """Return the type that holds every value of an input; lists are written as text."""
    if path == MACHINE:
        return str
    if is_figure(path):
        return float
    sampled = sweep.samples.find(path)
    if sampled and sampled.distribution.name != "choice":
        return int if sampled.distribution.whole else float
    kinds = {type(value) for value in sweep.input_values(path)}
    if kinds == {int, float}:
        return float
    return kinds.pop() if len(kinds) == 1 and kinds <= set(_ARROW) else str


def evaluate(sweep: Sweep, schema: pa.Schema, start: int, stop: int) -> pa.Table:
    """Evaluate the points numbered ``start`` to ``stop - 1``.

    A point that fails makes one row with its inputs and the error's kind and words.

    Parameters
    ----------
    sweep : Sweep
        The question.
    schema : Schema
        Of :func:`schema_of`.
    start, stop : int
        Numbers of points.

    Returns
    -------
    Table
        Rows in the order of the points.
    """
    answer = KINDS[sweep.kind].answer
    results: dict[str, list[Any]] = {name: [] for name in (*sweep.columns, ERROR)}
    numbers: list[int] = []
    for point in sweep.points(start, stop):
        try:
            rows = answer(point.values)
        except Exception as error:  # whatever a point dies of is its own row, not the sweep's end
            rows = [{ERROR: f"{type(error).__name__}: {error}"}]
        for row in rows:
            numbers.append(point.number)
            for name, values in results.items():
                values.append(row.get(name))
    columns = _inputs(sweep, schema, numbers) | results
    arrays = [pa.array(columns[name], kind) for name, kind in zip(schema.names, schema.types, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


def _inputs(sweep: Sweep, schema: pa.Schema, numbers: list[int]) -> dict[str, list[Any]]:
    """Return what rows say of their points: number, sample, inputs."""
    columns: dict[str, list[Any]] = {POINT: numbers}
    if sweep.samples.inputs:
        columns[SAMPLE] = [number % sweep.samples.count for number in numbers]
    for path in input_columns(sweep):
        values = sweep.values_at(path, numbers)
        is_text = pa.types.is_string(schema.field(path).type)
        columns[path] = [_text(value) for value in values] if is_text else values
    return columns


def _text(value: Value) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
