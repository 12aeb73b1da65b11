"""Ranked plans as flat rows (CSV, pandas) and as JSON.

A row is a plan. Seconds, bytes and FLOP are SI; shares are fractions; ``part_*`` are seconds of the step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from scalewall.planner.layout import Layout

if TYPE_CHECKING:
    import pandas as pd

    from scalewall.planner.plan import FrontPoint, PlanResult, RankedPlan
    from scalewall.planner.recommend import Recommendation

__all__ = [
    "OFFER_COLUMNS",
    "SCHEMA_VERSION",
    "layout_values",
    "offer_rows",
    "offers_to_pandas",
    "plan_columns",
    "plan_json",
    "plan_rows",
    "recommendation_json",
    "to_pandas",
]

SCHEMA_VERSION = 1
"""Version of the JSON shape; goes up when a key is renamed, removed or changes its meaning."""

_DAY = 86400.0

Row = dict[str, Any]
_LAYOUT = tuple(part.name for part in fields(Layout))
_FIGURES = (
    "machine",
    "model",
    "gpus",
    "rank",
    *_LAYOUT,
    "microbatches",
    "step_seconds",
    "step_seconds_low",
    "step_seconds_high",
    "timed_seconds",
    "tokens_per_second_per_gpu",
    "mfu",
    "hfu",
    "memory_bytes",
    "fullest_stage",
    "days",
    "gpu_hours",
    "usd",
    "energy_joules",
)


def layout_values(layout: Layout) -> Row:
    """Return a layout's fields as plain values; modules of recomputation joined by commas."""
    values = {name: getattr(layout, name) for name in _LAYOUT}
    return values | {"recompute_modules": ",".join(layout.recompute_modules)}


def plan_columns(results: Sequence[PlanResult]) -> tuple[str, ...]:
    """Return the columns that the rows of all results have together, in order."""
    parts = dict.fromkeys(
        name for result in results for plan in result.plans for name in plan.estimate.step.parts
    )
    return (*_FIGURES, *(f"part_{name}" for name in parts))


def _row(result: PlanResult, plan: RankedPlan) -> Row:
    estimate, training = plan.estimate, plan.training
    return {
        "machine": result.question.run.device.name,
        "model": result.question.run.model.name,
        "gpus": result.question.ranks,
        "rank": plan.rank,
        **layout_values(plan.layout),
        "microbatches": estimate.step.microbatches,
        "step_seconds": plan.seconds,
        "step_seconds_low": estimate.interval.low,
        "step_seconds_high": estimate.interval.high,
        "timed_seconds": plan.timed_seconds,
        "tokens_per_second_per_gpu": estimate.tokens_per_second,
        "mfu": estimate.mfu,
        "hfu": estimate.hfu,
        "memory_bytes": estimate.fit.needed,
        "fullest_stage": estimate.fit.stage,
        "days": training.seconds / _DAY if training else None,
        "gpu_hours": training.accelerator_hours if training else None,
        "usd": training.usd if training else None,
        "energy_joules": training.energy_joules if training else None,
        **{f"part_{name}": seconds for name, seconds in estimate.step.parts.items()},
    }


def plan_rows(results: Sequence[PlanResult]) -> list[Row]:
    """Return every ranked plan of every result as a flat row."""
    return [_row(result, plan) for result in results for plan in result.plans]


def to_pandas(results: Sequence[PlanResult]) -> pd.DataFrame:
    """Return every ranked plan as a data frame with the columns of :func:`plan_columns`."""
    import pandas as pd

    return pd.DataFrame(plan_rows(results), columns=list(plan_columns(results)))


def _point(point: FrontPoint) -> Row:
    return {
        "layout": layout_values(point.layout),
        "step_seconds": point.seconds,
        "memory_bytes": point.memory_bytes,
    }


def plan_json(result: PlanResult) -> dict[str, Any]:
    """Return a result as JSON values; times in seconds, memory in bytes."""
    question = result.question
    return {
        "schema_version": SCHEMA_VERSION,
        "model": question.run.model.name,
        "machine": question.run.device.name,
        "gpus": question.ranks,
        "global_batch": question.run.global_batch,
        "sequence": question.run.sequence,
        "precision": question.run.precision,
        "profile": question.profile.name,
        "objective": question.objective,
        "bounds": [str(bound) for bound in question.bounds],
        "plans": [
            _row(result, plan)
            | {
                "gap": plan.gap,
                "memory_by_stage": [stage.total for stage in plan.estimate.memory],
                "interval_reasons": list(plan.estimate.interval.reasons),
                "training": plan.training,
            }
            for plan in result.plans
        ],
        "front": [_point(point) for point in result.front],
        "evaluated": result.evaluated,
        "fitting": result.fitting,
        "space": list(result.space),
        "excluded": [
            {"region": one.region, "reason": one.reason, "count": one.count} for one in result.excluded
        ],
        "closest": _point(result.closest) if result.closest else None,
        "fixes": [
            {
                "change": fix.change,
                "layout": layout_values(fix.layout),
                "step_seconds": fix.seconds,
                "memory_bytes": fix.memory_bytes,
            }
            for fix in result.fixes
        ],
        "mfu_definition": "model FLOP, causal half of attention, over the dense 16-bit peak",
        "assumptions": list(result.assumptions),
        "warnings": list(result.warnings),
    }


OFFER_COLUMNS = (
    "machine",
    "model",
    "gpus",
    "in_time",
    "chosen",
    "days",
    "usd",
    "gpu_hours",
    "energy_joules",
    *_LAYOUT,
    "step_seconds",
    "step_seconds_low",
    "step_seconds_high",
    "tokens_per_second_per_gpu",
    "mfu",
    "hfu",
    "memory_bytes",
)
"""Columns of what a recommendation tried."""


def offer_rows(recommendations: Sequence[Recommendation]) -> list[Row]:
    """Return every number of accelerators that was tried as a flat row."""
    rows = []
    for one in recommendations:
        run = one.question.run
        for offer in one.offers:
            row: Row = {
                "machine": run.device.name,
                "model": run.model.name,
                "gpus": offer.ranks,
                "in_time": offer.in_time,
                "chosen": offer is one.chosen,
            }
            plan = offer.plan
            if plan and plan.training:
                estimate = plan.estimate
                row |= {
                    "days": plan.training.seconds / _DAY,
                    "usd": plan.training.usd,
                    "gpu_hours": plan.training.accelerator_hours,
                    "energy_joules": plan.training.energy_joules,
                    **layout_values(plan.layout),
                    "step_seconds": plan.seconds,
                    "step_seconds_low": estimate.interval.low,
                    "step_seconds_high": estimate.interval.high,
                    "tokens_per_second_per_gpu": estimate.tokens_per_second,
                    "mfu": estimate.mfu,
                    "hfu": estimate.hfu,
                    "memory_bytes": estimate.fit.needed,
                }
            rows.append(row)
    return rows


def offers_to_pandas(recommendations: Sequence[Recommendation]) -> pd.DataFrame:
    """Return what was tried as a data frame."""
    import pandas as pd

    return pd.DataFrame(offer_rows(recommendations), columns=list(OFFER_COLUMNS))


def recommendation_json(one: Recommendation) -> Row:
    """Return a recommendation as JSON values; times in seconds and days, memory in bytes."""
    rows = offer_rows([one])
    return {
        "schema_version": SCHEMA_VERSION,
        "model": one.question.run.model.name,
        "machine": one.question.run.device.name,
        "profile": one.question.profile.name,
        "tokens": one.question.tokens,
        "days_wanted": one.days,
        "aim": one.aim,
        "chosen": next((row for row in rows if row["chosen"]), None),
        "tried": rows,
        "front": [offer.ranks for offer in one.front],
        "assumptions": list(one.assumptions),
        "warnings": list(one.warnings),
    }
