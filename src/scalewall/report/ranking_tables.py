"""Tables of ranked plans, one machine or several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scalewall.report import units
from scalewall.report.table import Cell, Column, TableView

if TYPE_CHECKING:
    from scalewall.planner.layout import Layout
    from scalewall.planner.plan import PlanResult, RankedPlan

__all__ = ["comparison_table", "layout_words", "ranking_table"]

_SHARDING = {"none": "", "optimizer": "Z1", "gradients": "Z2", "parameters": "Z3"}
_RECOMPUTE = {"none": "", "selective": "part", "full": "full"}


def layout_words(layout: Layout) -> str:
    """Return a layout on one line: ``TP 8 PP 12x2 DP 16 B 1 Z1``; degrees of 1 are left out."""
    words = []
    for name, degree in (("TP", layout.tp), ("CP", layout.cp)):
        if degree > 1:
            words.append(f"{name} {degree}")
    if layout.pp > 1:
        words.append(f"PP {layout.pp}" + (f"x{layout.chunks}" if layout.chunks > 1 else ""))
        if layout.schedule != "1f1b":
            words.append(layout.schedule)
    for name, degree in (("EP", layout.ep), ("ETP", layout.etp)):
        if degree > 1:
            words.append(f"{name} {degree}")
    words += [f"DP {layout.dp}", f"B {layout.microbatch}"]
    if layout.dp * layout.cp > 1 and layout.sharding != "none":
        ranks = f"/{layout.shard_ranks}" if layout.shard_ranks else ""
        words.append(_SHARDING[layout.sharding] + ranks)
    if layout.recompute != "none":
        modules = ",".join(layout.recompute_modules)
        words.append(f"again {modules or ('all' if layout.recompute == 'full' else 'attention')}")
    return " ".join(words)


def _figures(plan: RankedPlan) -> tuple[str, ...]:
    estimate = plan.estimate
    return (
        units.duration(plan.seconds),
        f"{100 * estimate.interval.width:.0f} %",
        units.count(round(estimate.tokens_per_second)),
        f"{100 * estimate.mfu:.1f}",
        f"{100 * estimate.hfu:.1f}",
        units.data_size(estimate.fit.needed),
    )


_COLUMNS = (
    Column("Step", right=True, whole=True),
    Column("+/-", right=True, whole=True),
    Column("Tokens/s", right=True, whole=True),
    Column("MFU", right=True, whole=True),
    Column("HFU", right=True, whole=True),
    Column("Memory", right=True, whole=True),
)


def ranking_table(result: PlanResult) -> TableView:
    """Return the ranked plans of one machine."""
    question = result.question
    rows: list[tuple[str | Cell, ...]] = [
        (str(plan.rank), layout_words(plan.layout), *_figures(plan)) for plan in result.plans
    ]
    return TableView(
        title=f"{question.run.model.name} on {units.count(question.ranks)} x {question.run.device.title}",
        columns=(Column("#", right=True, whole=True), Column("Plan"), *_COLUMNS),
        rows=tuple(rows),
    )


def comparison_table(results: Sequence[PlanResult]) -> TableView:
    """Return the best plan of each machine and number of accelerators."""
    rows: list[tuple[str | Cell, ...]] = []
    for result in results:
        question = result.question
        named = f"{units.count(question.ranks)} x {question.run.device.name}"
        if result.best:
            rows.append((named, layout_words(result.best.layout), *_figures(result.best)))
        else:
            rows.append((named, Cell("nothing fits", "bad"), *[""] * len(_COLUMNS)))
    return TableView(
        title="The best plan of each",
        columns=(Column("Machine"), Column("Plan"), *_COLUMNS),
        rows=tuple(rows),
    )
