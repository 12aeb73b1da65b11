"""Tables of a sweep: what it asks, what a results folder holds, rows of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scalewall.hardware.fields import FIGURES, pattern
from scalewall.report import units
from scalewall.report.catalogue_tables import figure_text
from scalewall.report.table import Cell, Column, TableView

if TYPE_CHECKING:
    import pandas as pd

    from scalewall.study.distributions import Distribution
    from scalewall.study.results import ColumnSpread, Summary
    from scalewall.study.sweep import Sweep

__all__ = [
    "distribution_text",
    "inputs_table",
    "medians_table",
    "rows_table",
    "summary_tables",
    "title_of",
    "value_text",
]

_SHOWN_VALUES = 6
_UNITS = {"_flop": "FLOP", "_seconds": "s", "_tokens": "tokens"}
_SHARES = ("utilization", "threshold", "threshold_utilization", "best_utilization")


def title_of(name: str) -> str:
    """Return a column's name for people: ``first failure (FLOP)``; figures of machines keep their path."""
    if pattern(name) in FIGURES:
        unit = FIGURES[pattern(name)].unit
        return f"{name} ({unit})" if unit else name
    for ending, unit in _UNITS.items():
        if name.endswith(ending):
            return f"{name.removesuffix(ending).replace('_', ' ')} ({unit})"
    return name.replace("_", " ")


def value_text(name: str, value: object) -> str:
    """Return a value of the column ``name`` as people read it."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if pattern(name) in FIGURES:
        return figure_text(name, float(value))
    if name.endswith(_SHARES):
        return units.percent(value)
    if name.endswith("_seconds") or name.startswith("attributed_"):
        return units.duration(value)
    if isinstance(value, int):
        return units.count(value)
    return units.scientific(value) if abs(value) >= 1e4 else f"{value:.4g}"


def inputs_table(sweep: Sweep) -> TableView:
    """Return what a sweep fixes and varies, one input a row."""
    rows: list[tuple[str | Cell, ...]] = []
    for path, value in sweep.fixed.items():
        rows.append((path, "fixed", "", value_text(path, value)))
    for path, values in sweep.axes.items():
        rows.append((path, "axis", units.count(len(values)), _listed(path, values)))
    for sampled in sweep.samples.inputs:
        rows.append(
            (
                sampled.path,
                "sampled",
                units.count(sweep.samples.count),
                distribution_text(sampled.path, sampled.distribution),
            )
        )
    return TableView(
        title=f"{units.count(sweep.count)} point{'s' if sweep.count > 1 else ''}, each: {sweep.kind}",
        columns=(
            Column("Input"),
            Column("", whole=True),
            Column("Values", right=True, whole=True),
            Column(""),
        ),
        rows=tuple(rows),
    )


def distribution_text(path: str, drawn: Distribution) -> str:
    """Return the distribution of the input ``path`` in a line: its name, parameters and bounds."""
    words = [value_text(path, value) for value in drawn.values]
    if drawn.numbers:
        plain = len(drawn.numbers) - (drawn.name == "log-normal")
        words = [value_text(path, number) for number in drawn.numbers[:plain]]
        words += [f"x{number:.3g}" for number in drawn.numbers[plain:]]
    for word, bound in (("least", drawn.least), ("most", drawn.most)):
        words += [f"{word} {value_text(path, bound)}"] if math.isfinite(bound) else []
    return f"{drawn.name}: {', '.join(words)}"


def _listed(path: str, values: Sequence[object]) -> str:
    """Return an axis' values, the middle of a long one left out."""
    texts = [value_text(path, value) for value in values]
    if len(texts) > _SHOWN_VALUES:
        texts = [*texts[: _SHOWN_VALUES - 1], "...", texts[-1]]
    return ", ".join(texts)


def summary_tables(summary: Summary) -> list[TableView]:
    """Return what a results folder holds: its inputs and results, and its errors if there are any."""
    missing = summary.points - summary.done
    counts = [f"{units.count(summary.done)} of {units.count(summary.points)} points"]
    if missing:
        counts.append(f"{units.count(missing)} missing: run the sweep again to go on")
    counts.append(f"{units.count(summary.failed)} failed")
    counts.append(f"{units.count(summary.rows)} rows")
    columns = (
        Column("Column"),
        Column("Least", right=True, whole=True),
        Column("Median", right=True, whole=True),
        Column("Most", right=True, whole=True),
        Column("Different", right=True, whole=True),
        Column("Missing", right=True, whole=True),
    )
    tables = [
        TableView("Inputs", columns, tuple(_spread_row(spread) for spread in summary.inputs)),
        TableView(
            "Results",
            columns,
            tuple(_spread_row(spread) for spread in summary.results),
            (", ".join(counts) + ".",),
        ),
    ]
    if summary.errors:
        tables.append(
            TableView(
                "Commonest errors",
                (Column("Points", right=True, whole=True), Column("Error")),
                tuple((units.count(count), Cell(text, "bad")) for text, count in summary.errors),
            )
        )
    return tables


def _spread_row(spread: ColumnSpread) -> tuple[str | Cell, ...]:
    ends = (value_text(spread.name, value) for value in (spread.low, spread.median, spread.high))
    different = "" if spread.distinct is None else units.count(spread.distinct)
    return (title_of(spread.name), *ends, different, units.count(spread.missing) if spread.missing else "")


def medians_table(medians: pd.DataFrame, by: Sequence[str]) -> TableView:
    """Return medians by inputs as a table; ``medians`` as of :meth:`~scalewall.study.results.Results.medians`."""
    table = rows_table(medians)
    return TableView(f"Medians by {', '.join(by)}", table.columns, table.rows)


def rows_table(rows: pd.DataFrame, notes: tuple[str, ...] = ()) -> TableView:
    """Return rows of results as a table."""
    names = [str(name) for name in rows.columns]
    return TableView(
        title="",
        columns=tuple(Column(title_of(name), right=rows[name].dtype.kind in "iuf") for name in names),
        rows=tuple(
            tuple(value_text(name, value) for name, value in zip(names, row, strict=True))
            for row in rows.itertuples(index=False)
        ),
        notes=notes,
    )
