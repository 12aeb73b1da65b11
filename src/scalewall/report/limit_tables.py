"""Tables of limits: several machines side by side, and one machine's curve point by point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from scalewall.report import units
from scalewall.report.table import Cell, Column, TableView
from scalewall.report.words import (
    all_rest_on,
    answer,
    assumed_figures,
    degree,
    largest_point,
    part_label,
    settings,
    short_part_label,
    warning_notes,
)

if TYPE_CHECKING:
    from scalewall.ideal.limits import Limits
    from scalewall.ideal.results import Point

__all__ = [
    "assumed_table",
    "assumptions_table",
    "closed_form_table",
    "curve_table",
    "limits_html",
    "summary_table",
]

_ABSENT = Cell("none", "muted")

_SUMMARY = (
    Column("Machine", fold=26),
    Column("Falls\nbelow at", right=True, whole=True),
    Column("Last\nabove at", right=True, whole=True),
    Column("Largest\nrun", right=True, whole=True),
    Column("Accelerators\nit takes", right=True, since=110, whole=True),
    Column("Utilization\nthere", right=True, since=110, whole=True),
    Column("Binds there"),
    Column("Title", since=150),
)

_CURVE = (
    Column("Training\nFLOP", right=True, whole=True),
    Column("d_model", right=True, since=110, whole=True),
    Column("Layers", right=True, since=110, whole=True),
    Column("Experts", right=True, since=150, whole=True),
    Column("Batch\ntokens", right=True, since=130, whole=True),
    Column("Accele-\nrators", right=True, whole=True),
    Column("Run time", right=True, since=130, whole=True),
    Column("Utili-\nzation", right=True, whole=True),
    Column("DP", right=True, whole=True),
    Column("TP", right=True, whole=True),
    Column("PP", right=True, whole=True),
    Column("EP", right=True, since=110, whole=True),
    Column("Micro-\nbatches", right=True, since=150, whole=True),
    Column("Binds, with its\nshare of the time"),
)
_SPARSE_ONLY = ("Experts", "EP")


def summary_table(limits: Sequence[Limits]) -> TableView:
    """Return one row a machine: where efficient scaling ends, the largest run, what binds there.

    Under it stand the search and laws of every answer (once, where they are the same for all). Titles have a column
    where they say more than the names.
    """
    first = limits[0]
    band = first.linear_scaling
    titled = any(one.title != one.machine for one in limits)
    shown = len(_SUMMARY) if titled else len(_SUMMARY) - 1
    return TableView(
        title=f"How far training runs scale in {units.months(first.duration_seconds)} (training FLOP)",
        columns=_SUMMARY[:shown],
        rows=tuple(_summary_row(one)[:shown] for one in limits),
        notes=(
            f"Below, above: {100 * band.threshold:g} % of the utilization that the machine sustains. "
            "Between the two the answer depends on which cluster sizes divide the model.",
            *all_rest_on(limits),
            *_grid_notes(limits),
            *warning_notes(limits),
        ),
    )


def _summary_row(one: Limits) -> tuple[str | Cell, ...]:
    top = largest_point(one)
    mark = "*" if one.linear_scaling.grid_limited else ""
    first, last = one.linear_scaling.first_failure_flop, one.linear_scaling.last_pass_flop
    return (
        Cell(one.machine, "strong"),
        _ABSENT if first is None else units.scientific(first) + mark,
        _ABSENT if last is None else units.scientific(last) + mark,
        _ABSENT if top is None else units.scientific(top.training_flop),
        _ABSENT if top is None else units.count(top.n_gpu),
        _ABSENT if top is None else units.percent(top.utilization),
        _ABSENT if top is None else part_label(top.binds),
        Cell(one.title, "muted"),
    )


def _grid_notes(limits: Sequence[Limits]) -> list[str]:
    if any(one.linear_scaling.grid_limited for one in limits):
        return ["* The end of the grid sets this, not the machine: a wider grid moves it."]
    return []


def curve_table(limits: Limits) -> TableView:
    """Return one row a run of the curve: its size, the cluster, the plan and what binds."""
    threshold = limits.linear_scaling.threshold_utilization
    dense = all(point.sparsity == 1 for point in limits.points)
    shown = [index for index, column in enumerate(_CURVE) if not (dense and column.title in _SPARSE_ONLY)]
    rows = [_curve_row(point, threshold) for point in limits.points]
    return TableView(
        title=f"{limits.title}: the best plan at each size, within {units.months(limits.duration_seconds)}",
        columns=tuple(_CURVE[index] for index in shown),
        rows=tuple(tuple(row[index] for index in shown) for row in rows),
        notes=(
            f"DP, TP (d_model x d_ff), PP{'' if dense else ', EP (in wider terminals)'}: data, tensor, pipeline"
            f"{'' if dense else ', expert'} parallelism. Utilization is of the peak; below "
            f"{units.percent(threshold)} scaling no longer counts as efficient.",
            "Binds: the largest part of a batch's time besides arithmetic at the sustained rate; of what overlaps, "
            "the longest counts.",
            *_unfinished(limits),
        ),
    )


def _curve_row(point: Point, threshold: float) -> tuple[str | Cell, ...]:
    plan = point.plan
    return (
        units.scientific(point.training_flop),
        f"{point.d_model:,}",
        f"{point.layers:,}",
        f"{point.sparsity:,}",
        units.count(point.batch_tokens),
        _compact_count(point.n_gpu),
        units.duration(point.run_seconds),
        Cell(units.percent(point.utilization), "plain" if point.utilization >= threshold else "warn"),
        f"{degree(plan.dp):,}",
        f"{degree(plan.tp_model)}x{degree(plan.tp_ff)}",
        f"{degree(plan.pp):,}",
        f"{degree(plan.ep):,}",
        f"{plan.microbatches:,}",
        f"{short_part_label(point.binds)} {_share(point.attributed_seconds[point.binds] / point.batch_seconds)}",
    )


def _compact_count(number: int) -> str:
    """Return a count for a narrow column: exact below a million, from there on as the FLOP beside it."""
    return units.count(number) if number < 1_000_000 else units.scientific(number)


def _share(share: float) -> str:
    """Return a share of 1 in percent, to a tenth below ten."""
    percent = 100.0 * share
    if percent < 0.05:
        return "< 0.1 %"
    return f"{percent:.1f} %" if percent < 9.95 else f"{percent:.0f} %"


def _unfinished(limits: Limits) -> list[str]:
    """Return how many runs no plan finishes, and why the smallest of them does not."""
    failed = sorted(limits.infeasible, key=lambda point: point.training_flop)
    if not failed:
        return []
    runs = "1 run does" if len(failed) == 1 else f"{len(failed)} runs do"
    return [f"{runs} not finish, from {units.flop(failed[0].training_flop)} on: {failed[0].reason}."]


_CLOSED_FORMS = {"critical_compute_flop": "Bandwidth\nlimit", "latency_wall_flop": "Latency\nwall"}


def closed_form_table(limits: Sequence[Limits]) -> TableView:
    """Return the estimates that need no search, one row a machine."""
    names = list(dict.fromkeys(name for one in limits for name in one.closed_forms))
    return TableView(
        title="Closed forms (FLOP)",
        columns=(Column("Machine"), *(Column(_CLOSED_FORMS[name], right=True, whole=True) for name in names)),
        rows=tuple(
            (Cell(one.machine, "strong"), *(units.scientific(one.closed_forms.get(name)) for name in names))
            for one in limits
        ),
        notes=(
            "Estimates without a search: dense, 20 tokens a parameter, a batch per layer that does not grow "
            "(arXiv 2411.01137), whatever laws and search were chosen.",
        ),
    )


def assumptions_table(limits: Sequence[Limits]) -> TableView:
    """Return every setting behind the limits; where machines differ, each with its value."""
    values = {one.machine: settings(one.assumptions) for one in limits}
    names = dict.fromkeys(name for settings_of_one in values.values() for name in settings_of_one)
    return TableView(
        title="Settings",
        columns=(Column("Setting", whole=True), Column("Value")),
        rows=tuple(
            (
                Cell(name.replace(".", ": ").replace("_", " "), "muted"),
                _agreed({k: v.get(name, "none") for k, v in values.items()}),
            )
            for name in names
        ),
    )


def _agreed(values: Mapping[str, str]) -> str:
    """Return the value that all machines share, else each machine's."""
    shared = set(values.values())
    return (
        shared.pop() if len(shared) == 1 else "; ".join(f"{name}: {value}" for name, value in values.items())
    )


def assumed_table(limits: Sequence[Limits]) -> TableView:
    """Return the machine figures that nobody publishes, each with the reason for its value."""
    return TableView(
        title="Assumed figures: nobody publishes these",
        columns=(Column("Machine"), Column("Figure"), Column("Why this value")),
        rows=tuple(
            (Cell(one.machine, "strong"), path, Cell(reason, "muted"))
            for one in limits
            for path, reason in assumed_figures(one).items()
        ),
    )


def limits_html(limits: Limits) -> str:
    """Return one machine's limits for a notebook: the answer in words, the limits, the curve."""
    return f"<p>{escape(answer(limits))}</p>{summary_table([limits]).html()}{curve_table(limits).html()}"
