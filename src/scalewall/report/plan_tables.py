"""Tables of one batch under one plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scalewall.report import units
from scalewall.report.table import Cell, Column, TableView
from scalewall.report.words import part_label

if TYPE_CHECKING:
    from scalewall.ideal.estimate import BatchEstimate

__all__ = ["batch_table"]


def batch_table(machine: str, estimate: BatchEstimate) -> TableView:
    """Return where a batch's time goes: each resource as if alone, and each second given to its cause."""
    total = estimate.terms.total
    rows = [
        (
            part_label(name),
            f"{alone:.4g}",
            f"{estimate.attributed_seconds[name]:.4g}",
            units.percent(estimate.attributed_seconds[name] / total),
        )
        for name, alone in estimate.component_seconds.items()
    ]
    fits = "" if estimate.fits else " Weights and optimizer state do not fit in memory."
    return TableView(
        title=f"One batch on {machine}, {units.count(int(estimate.terms.n_gpu))} accelerators",
        columns=(
            Column("Part", whole=True),
            Column("Alone (s)", right=True, whole=True),
            Column("Attributed (s)", right=True, whole=True),
            Column("Share", right=True, whole=True),
        ),
        rows=(
            *rows,
            (Cell("batch", "strong"), "", Cell(f"{total:.4g}", "strong"), units.percent(1.0)),
        ),
        notes=(
            f"Utilization {units.percent(estimate.utilization)}; {part_label(estimate.binds)} binds.{fits}",
            "Alone: as if nothing else took time. Attributed: each maximum goes to its winner; sums to the batch.",
        ),
    )
