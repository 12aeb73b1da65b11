"""Rows as Arrow tables: one form for a whole sweep, and the points that fill it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from scalewall.study.outputs import KINDS, Row, columns_of
from scalewall.study.paths import MACHINE, Value, is_figure
from scalewall.study.study_file import clusters_of
from scalewall.study.sweep import Sweep

__all__ = ["ERROR", "POINT", "SAMPLE", "Form", "evaluate", "form_of"]

POINT = "point"
SAMPLE = "sample"
ERROR = "error"
"""Columns of every row: the point's number, its sample where there are samples, why it failed (else null)."""

_ARROW = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}


@dataclass(frozen=True)
class Form:
    """How the rows of a sweep look.

    Parameters
    ----------
    schema : Schema
        Columns with their types: numbers, inputs, results, error.
    results : mapping of str to str
        Columns of results, to what an answer calls each.
    """

    schema: pa.Schema
    results: Mapping[str, str]


def form_of(sweep: Sweep) -> Form:
    """Return how the rows of a sweep look."""
    results = columns_of(KINDS[sweep.kind], clusters_of(sweep), sweep.inputs)
    columns: dict[str, type] = {POINT: int}
    if sweep.samples.inputs:
        columns[SAMPLE] = int
    columns |= {path: _input_type(sweep, path) for path in sweep.inputs}
    columns |= {name: results[name][1] for name in sweep.columns}
    columns[ERROR] = str
    schema = pa.schema([pa.field(name, _ARROW[kind]) for name, kind in columns.items()])
    return Form(schema, {name: results[name][0] for name in sweep.columns} | {ERROR: ERROR})


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


def evaluate(sweep: Sweep, form: Form, start: int, stop: int) -> pa.Table:
    """Evaluate the points numbered ``start`` to ``stop - 1``.

    A point that fails makes one row with its inputs and the error's kind and words.

    Parameters
    ----------
    sweep : Sweep
        The question.
    form : Form
        Of :func:`form_of`.
    start, stop : int
        Numbers of points.

    Returns
    -------
    Table
        Rows in the order of the points.
    """
    answer = KINDS[sweep.kind].answer
    numbers: list[int] = []
    rows: list[Row] = []
    for number, values in enumerate(sweep.inputs_of(start, stop), start):
        try:
            answers = answer(values)
        except Exception as error:  # whatever a point dies of is its own row, not the sweep's end
            answers = [{ERROR: f"{type(error).__name__}: {error}"}]
        rows += answers
        numbers += [number] * len(answers)
    columns = _inputs(sweep, form.schema, numbers)
    columns |= {name: [row.get(key) for row in rows] for name, key in form.results.items()}
    arrays = [pa.array(columns[field.name], field.type) for field in form.schema]
    return pa.Table.from_arrays(arrays, schema=form.schema)


def _inputs(sweep: Sweep, schema: pa.Schema, numbers: list[int]) -> dict[str, list[Any]]:
    """Return what rows say of their points: number, sample, inputs."""
    columns: dict[str, list[Any]] = {POINT: numbers}
    if sweep.samples.inputs:
        columns[SAMPLE] = [number % sweep.samples.count for number in numbers]
    for path in sweep.inputs:
        values = sweep.values_at(path, numbers)
        is_text = pa.types.is_string(schema.field(path).type)
        columns[path] = [_text(value) for value in values] if is_text else values
    return columns


def _text(value: Value) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
