"""Row by row against the authors' program: how many of its rows come out, and what one switch changes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from scalewall.cost.machine_arrays import machine_arrays
from scalewall.cost.matmul import matmul_seconds
from scalewall.hardware import load_machine
from scalewall.ideal.estimate import estimate_batch
from scalewall.ideal.limits import Limits
from scalewall.ideal.results import Point
from scalewall.ideal.space import ModelSwitches
from scalewall.validation.claim import Answer, Measure
from scalewall.validation.evidence import Evidence
from scalewall.validation.reference_data import (
    CurvePoint,
    CurveQuestion,
    PlanRow,
    reference_curves,
    reference_limits,
    reference_matmuls,
    reference_plans,
)

__all__ = [
    "curve_rows",
    "limit_values",
    "matmul_rows",
    "plan_rows",
    "plans_by_latency",
    "runs_by_latency",
    "values_by_latency",
]

TIME_DIGITS = 6e-10
"""Times of matmuls and plans are printed with ten digits: half of the last one, and room for rounding errors."""
SHARE_DIGITS = 6e-10
"""Utilization of plans is printed with nine decimals, likewise."""
CURVE_DIGITS = 6e-7
"""Curves and limits are printed with seven digits, their utilization with six decimals, likewise."""


def _deviation(ours: float, printed: float) -> float:
    """Relative deviation; 0 where both are 0."""
    if ours == printed:
        return 0.0
    return abs(ours / printed - 1) if printed else math.inf


def _largest(deviations: Sequence[float], what: str) -> str:
    return f"Largest relative deviation of a {what}: {max(deviations):.0e}."


def matmul_rows() -> Measure:
    """How many matmul times come out."""

    def measure(_: Evidence) -> Answer:
        deviations = []
        for row in reference_matmuls():
            machine = machine_arrays(load_machine(row.machine))
            scratch = np.empty(1 + machine.tile_bytes.size)
            ours = matmul_seconds(row.m, row.n, row.b, row.weight_gradient, machine, scratch)
            deviations.append(_deviation(ours, row.seconds))
        return Answer(sum(d <= TIME_DIGITS for d in deviations), _largest(deviations, "time"))

    return measure


def plan_rows() -> Measure:
    """How many plans come out: batch time, utilization, each kind of communication and all latency."""

    def measure(_: Evidence) -> Answer:
        deviations, matched = [], 0
        for row in reference_plans():
            ours = estimate_batch(row.stack, row.plan, load_machine(row.machine), _switches("free"))
            terms = ours.terms
            times = [
                _deviation(terms.total, row.batch_seconds),
                _deviation(terms.tensor, row.tensor_seconds),
                _deviation(terms.data, row.data_seconds),
                _deviation(terms.point_to_point, row.point_to_point_seconds),
                _deviation(terms.latency + terms.data_latency, row.latency_seconds),
            ]
            deviations += times
            matched += max(times) <= TIME_DIGITS and abs(ours.utilization - row.utilization) <= SHARE_DIGITS
        return Answer(matched, _largest(deviations, "time"))

    return measure


def _switches(zero_bubble_latency: str) -> ModelSwitches:
    return ModelSwitches(zero_bubble_latency=zero_bubble_latency)


def curve_rows(name: str) -> Measure:
    """How many runs of a curve come out, less the runs that finish here and not there.

    A run comes out if layers, experts, batch, compute, cluster, utilization and run time do; plans may differ
    where several are equally good.
    """

    def measure(evidence: Evidence) -> Answer:
        question, points = reference_curves()[name]
        ours = {point.d_model: point for point in _limits(evidence, question).points}
        matched = sum(p.d_model in ours and _same_run(ours[p.d_model], p) for p in points)
        return Answer(matched - len(ours.keys() - {p.d_model for p in points}))

    return measure


def _same_run(ours: Point, theirs: CurvePoint) -> bool:
    same = (ours.layers, ours.sparsity, ours.batch_tokens, ours.n_gpu)
    return (
        same == (theirs.layers, theirs.sparsity, theirs.batch_tokens, theirs.n_gpu)
        and _deviation(ours.training_flop, theirs.training_flop) <= CURVE_DIGITS
        and _deviation(ours.run_seconds, theirs.run_seconds) <= CURVE_DIGITS
        and abs(ours.utilization - theirs.utilization) <= CURVE_DIGITS
    )


def _limits(evidence: Evidence, question: CurveQuestion, **settings: object) -> Limits:
    return evidence.limits(question.machine, model=question.model, batch_law=question.batch_law, **settings)


def limit_values() -> Measure:
    """How many limits of the curves come out: where efficient scaling ends, and the largest run."""

    def measure(evidence: Evidence) -> Answer:
        curves = reference_curves()
        matched = 0
        for row in reference_limits():
            ours = _limits(evidence, curves[row.curve][0])
            for mine, theirs in (
                (ours.linear_scaling.first_failure_flop, row.linear_scaling_ends_flop),
                (ours.largest_feasible_flop, row.largest_feasible_flop),
            ):
                matched += mine is not None and _deviation(mine, theirs) <= CURVE_DIGITS
        return Answer(matched)

    return measure


def plans_by_latency() -> Measure:
    """How many of the program's plans take longer where zero bubble waits for its latency."""

    def measure(_: Evidence) -> Answer:
        rows = [row for row in reference_plans() if row.plan.zero_bubble]
        slower = [growth for growth in map(_growth, rows) if growth > TIME_DIGITS]
        return Answer(
            len(slower),
            f"Of {len(rows)} zero-bubble plans; the largest change is {100 * max(slower, default=0):.2g} %.",
        )

    return measure


def _growth(row: PlanRow) -> float:
    """By what share a plan takes longer where zero bubble waits for its latency."""
    cluster = load_machine(row.machine)
    free, charged = (
        estimate_batch(row.stack, row.plan, cluster, _switches(rule)).terms.total for rule in ("free", "max")
    )
    return charged / free - 1


def runs_by_latency() -> Measure:
    """How many runs of the program's curves change where zero bubble waits for its latency."""

    def measure(evidence: Evidence) -> Answer:
        changes = []
        for question, _ in reference_curves().values():
            free = _limits(evidence, question).points
            charged = {p.d_model: p for p in _limits(evidence, question, zero_bubble_latency="max").points}
            for point in free:
                other = charged.get(point.d_model)
                changes.append(1.0 if other is None else 1 - other.utilization / point.utilization)
        changed = [change for change in changes if change > CURVE_DIGITS]
        return Answer(
            len(changed),
            f"Of {len(changes)} runs; utilization falls by at most {100 * max(changed, default=0):.1g} %.",
        )

    return measure


def values_by_latency() -> Measure:
    """How many limits of the program's curves change where zero bubble waits for its latency."""

    def measure(evidence: Evidence) -> Answer:
        changed = 0
        for question, _ in reference_curves().values():
            free, charged = (
                _limits(evidence, question, **settings) for settings in ({}, {"zero_bubble_latency": "max"})
            )
            changed += free.linear_scaling != charged.linear_scaling
            changed += free.largest_feasible_flop != charged.largest_feasible_flop
        return Answer(changed)

    return measure
