"""Tables of one batch under one plan, and of many such batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scalewall.report import units
from scalewall.report.table import Cell, Column, TableView
from scalewall.report.words import part_label, plan_words, short_part_label

if TYPE_CHECKING:
    from scalewall.ideal.estimate import BatchEstimate

__all__ = ["batch_table", "batches_table"]

_DOES_NOT_FIT = "Weights and optimizer state do not fit in memory"


def batch_table(machine: str, estimate: BatchEstimate) -> TableView:
    """Return where a batch's time goes: each resource as if alone, and each second given to its cause."""
    total = estimate.terms.total
    rows = [
        (
            part_label(name),
            units.duration(alone),
            units.duration(estimate.attributed_seconds[name]),
            units.percent(estimate.attributed_seconds[name] / total),
        )
        for name, alone in estimate.component_seconds.items()
    ]
    fits = () if estimate.fits else (f"{_DOES_NOT_FIT}: this plan cannot run.",)
    return TableView(
        title=f"One batch on {units.count(int(estimate.terms.n_gpu))} accelerators of {machine}",
        columns=(
            Column("Part", whole=True),
            Column("Alone", right=True, whole=True),
            Column("Attributed", right=True, whole=True),
            Column("Share", right=True, whole=True),
        ),
        rows=(
            *rows,
            (
                Cell("the batch", "strong"),
                "",
                Cell(units.duration(total), "strong"),
                Cell(units.percent(1.0), "strong"),
            ),
        ),
        notes=(
            f"{plan_words(estimate.plan)}.",
            f"Utilization {units.percent(estimate.utilization)} of the peak; {part_label(estimate.binds)} binds "
            "(the largest part besides arithmetic).",
            *fits,
            "Alone: as if nothing else took time. Attributed: of what overlaps, the longest counts; these sum to "
            "the batch.",
        ),
    )


def batches_table(machines: Sequence[str], estimates: Sequence[BatchEstimate]) -> TableView:
    """Return one row a plan: cluster, utilization, seconds a batch, what binds."""
    misfits = sum(not estimate.fits for estimate in estimates)
    fits = (f"* {_DOES_NOT_FIT}: {misfits} of {len(estimates)} plans cannot run.",) if misfits else ()
    return TableView(
        title=f"{len(estimates)} plans, one batch each",
        columns=(
            Column("Machine", fold=18),
            Column("Accelerators", right=True, whole=True),
            Column("Batch", right=True, whole=True),
            Column("Utili-\nzation", right=True, whole=True),
            Column("Binds"),
        ),
        rows=tuple(
            (
                machine,
                units.count(int(estimate.terms.n_gpu)) + ("" if estimate.fits else "*"),
                units.duration(estimate.terms.total),
                units.percent(estimate.utilization),
                short_part_label(estimate.binds),
            )
            for machine, estimate in zip(machines, estimates, strict=True)
        ),
        notes=fits,
    )
