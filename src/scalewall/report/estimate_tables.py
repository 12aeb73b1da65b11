"""Tables of one layout's step time and memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scalewall.report import units
from scalewall.report.table import Cell, Column, TableView

if TYPE_CHECKING:
    from scalewall.planner.estimate import Estimate
    from scalewall.planner.fixes import Fix
    from scalewall.planner.memory import Fit, StageMemory

__all__ = ["PARTS", "answer_table", "fixes_table", "memory_table", "time_table"]

PARTS = {
    "matmul": "matmuls",
    "attention": "core of attention",
    "elementwise": "norms, activations, residuals, loss",
    "quantize": "casts to the low precision",
    "tensor": "tensor-parallel collectives, exposed",
    "context": "context-parallel ring, exposed",
    "exchange": "exchange with experts, exposed",
    "host": "waiting for the host's launches",
    "recompute": "recomputation",
    "offload": "activations to the host and back, exposed",
    "accumulate": "adding up gradients",
    "bubble": "pipeline bubble",
    "sends": "pipeline sends, exposed",
    "data": "gradients and weights between ranks, exposed",
    "optimizer": "optimizer step",
    "stragglers": "waiting for the slowest",
}
"""Parts of a step in words."""


def answer_table(answer: Estimate, extra: Sequence[tuple[str, str]] = ()) -> TableView:
    """Return the figures that people compare, with what each counts."""
    from scalewall.planner.estimate import HFU_DEFINITION, MFU_DEFINITION

    step, interval = answer.step, answer.interval
    peak = units.flop_rate(answer.run.device.peak[16])
    rows: list[tuple[str | Cell, ...]] = [
        (
            "step",
            f"{units.duration(step.seconds)} ({units.duration(interval.low)} to {units.duration(interval.high)})",
        ),
        ("tokens/s an accelerator", units.count(round(answer.tokens_per_second))),
        ("model FLOP/s an accelerator", units.flop_rate(answer.flops)),
        (f"MFU, of {peak}", units.percent(answer.mfu)),
        ("HFU, likewise", units.percent(answer.hfu)),
        ("microbatches", str(step.microbatches)),
        *extra,
    ]
    return TableView(
        title=f"{answer.run.model.name} on {answer.layout.ranks} x {answer.run.device.title}",
        columns=(Column("What"), Column("Value", right=True, whole=True)),
        rows=tuple(rows),
        notes=(
            f"MFU: {MFU_DEFINITION}. HFU: {HFU_DEFINITION}.",
            *(f"Interval: {reason}." for reason in interval.reasons),
        ),
    )


def time_table(answer: Estimate) -> TableView:
    """Return where the step's time goes, on its slowest stage."""
    total = answer.step.seconds
    parts = sorted(answer.step.parts.items(), key=lambda item: -item[1])
    rows = [
        (PARTS[name], units.duration(seconds), units.percent(seconds / total))
        for name, seconds in parts
        if seconds > 0.0
    ]
    return TableView(
        title="Where the time goes",
        columns=(
            Column("Part"),
            Column("Time", right=True, whole=True),
            Column("Share", right=True, whole=True),
        ),
        rows=(*rows, (Cell("the step", "strong"), Cell(units.duration(total), "strong"), "")),
    )


def memory_table(stages: Sequence[StageMemory], fit: Fit) -> TableView:
    """Return what the first, the fullest and the last stage hold, and whether all fit."""
    names = list(dict.fromkeys(name for stage in stages for name in stage.terms))
    shown = [stages[index] for index in sorted({0, fit.stage, len(stages) - 1})]
    rows: list[tuple[str | Cell, ...]] = [
        (name, *(units.data_size(stage.terms[name]) if stage.terms.get(name) else "" for stage in shown))
        for name in names
    ]
    rows.append((Cell("total", "strong"), *(Cell(units.data_size(stage.total), "strong") for stage in shown)))
    if fit.fits:
        verdict = (
            f"Fits: {units.data_size(fit.needed)} of {units.data_size(fit.capacity)} on stage {fit.stage}."
        )
    else:
        verdict = (
            f"Does not fit: stage {fit.stage} lacks {units.data_size(fit.shortfall)} of {units.data_size(fit.needed)}; "
            f"largest: {', '.join(fit.largest)}."
        )
    hidden = len(stages) - len(shown)
    return TableView(
        title="Memory an accelerator",
        columns=(
            Column("Held"),
            *(Column(f"Stage {stage.stage}", right=True, whole=True) for stage in shown),
        ),
        rows=tuple(rows),
        notes=(verdict, *((f"{hidden} stages between hold less; all in --json.",) if hidden else ())),
    )


def fixes_table(fixes: Sequence[Fix]) -> TableView:
    """Return the single changes with which a run fits, the fastest first."""
    rows = tuple(
        (fix.change, units.data_size(fix.needed), f"{100 * (fix.slowdown - 1):+.1f} %") for fix in fixes
    )
    return TableView(
        title="What would make it fit",
        columns=(Column("Change"), Column("Needs", right=True, whole=True), Column("Step time", right=True)),
        rows=rows,
        notes=() if rows else ("No single change does.",),
    )
