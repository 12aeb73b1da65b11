"""Every value that the authors' program printed for plans, curves and limits, by our reference switches."""

from __future__ import annotations

from functools import cache

import pytest

from scalewall.hardware import load_machine
from scalewall.ideal.estimate import check_plan, estimate_batch
from scalewall.ideal.limits import Limits, limits_of
from scalewall.ideal.space import ModelSwitches
from scalewall.ideal.study import LimitsStudy
from scalewall.validation.reference_data import reference_curves, reference_limits, reference_plans

PLANS = reference_plans()
CURVES = reference_curves()
FREE = ModelSwitches(zero_bubble_latency="free")


@cache
def our_limits(curve: str) -> Limits:
    question, _ = CURVES[curve]
    study = LimitsStudy(
        machines=(question.machine,), reference=True, model=question.model, batch_law=question.batch_law
    )
    return limits_of(study, question.machine)


@pytest.mark.parametrize("number", range(len(PLANS)))
def test_every_published_plan(number):
    row = PLANS[number]
    cluster = load_machine(row.machine)
    check_plan(row.stack, row.plan, cluster)
    ours = estimate_batch(row.stack, row.plan, cluster, FREE)
    terms = ours.terms
    assert terms.total == pytest.approx(row.batch_seconds, rel=1e-9)
    assert ours.utilization == pytest.approx(row.utilization, abs=1e-9)
    assert terms.tensor == pytest.approx(row.tensor_seconds, rel=1e-9)
    assert terms.data == pytest.approx(row.data_seconds, rel=1e-9)
    assert terms.point_to_point == pytest.approx(row.point_to_point_seconds, rel=1e-9)
    assert terms.latency + terms.data_latency == pytest.approx(row.latency_seconds, rel=1e-9)
    assert terms.n_gpu == terms.n_active


@pytest.mark.parametrize("curve", CURVES)
def test_every_published_curve(curve):
    _, printed = CURVES[curve]
    limits = our_limits(curve)
    assert [point.d_model for point in limits.points] == [row.d_model for row in printed]
    for ours, row in zip(limits.points, printed, strict=True):
        assert (ours.layers, ours.sparsity, ours.batch_tokens) == (row.layers, row.sparsity, row.batch_tokens)
        assert ours.training_flop == pytest.approx(row.training_flop, rel=1e-6)
        assert ours.n_gpu == row.n_gpu
        assert ours.utilization == pytest.approx(row.utilization, abs=1e-6)
        assert ours.run_seconds == pytest.approx(row.run_seconds, rel=1e-6)


@pytest.mark.parametrize("row", reference_limits(), ids=lambda row: row.curve)
def test_every_published_limit(row):
    limits = our_limits(row.curve)
    assert len(limits.points) == row.points
    assert limits.linear_scaling.first_failure_flop == pytest.approx(row.linear_scaling_ends_flop, rel=1e-6)
    assert limits.largest_feasible_flop == pytest.approx(row.largest_feasible_flop, rel=1e-6)


def test_the_data_are_all_there():
    assert len(PLANS) == 120
    assert {name: len(points) for name, (_, points) in CURVES.items()} == {
        "a100_dense_critical": 31,
        "a100_sparse_critical": 25,
        "h100_10x_dense_critical": 40,
        "h100_dense_critical": 31,
        "h100_dense_fixed": 21,
        "h100_global_nvlink_dense_critical": 31,
    }
