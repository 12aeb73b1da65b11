"""Scores, order of layouts, noise and the constant rate, on small made-up cases."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scalewall.planner.layout import Layout
from scalewall.planner.profile import load_profile, with_constants
from scalewall.validation.planner_cases import Case, log_errors, predicted_seconds
from scalewall.validation.planner_fit import fit_profile, left_out_profile
from scalewall.validation.planner_scores import constant_rates, noise_floor, ordering, score
from scalewall.validation.runs import MeasuredStep
from tests.planner.samples import BRIDGE, dense_run

EMPTY: dict[str, object] = {}
STEP = MeasuredStep(
    "", "one", "", "Megatron-Bridge", "2026-02", 1.0, "stated", True, "train", "", EMPTY, EMPTY, EMPTY, EMPTY
)
LAYOUTS = [Layout(tp=tp, pp=pp, dp=16 // tp // pp) for tp in (1, 2, 4, 8) for pp in (1, 2)]
TRUE = with_constants(BRIDGE, {"compute": 1.31, "tensor": 0.9, "host": 0.004})


def _case(layout: Layout, seconds: float | None = None, source: str = "one") -> Case:
    run = dense_run()
    case = Case(replace(STEP, id=f"{source} {layout}", source=source), run, layout, BRIDGE, "")
    true = predicted_seconds(case, TRUE) if seconds is None else seconds
    return replace(case, step=replace(case.step, step_seconds=true))


def test_score() -> None:
    found = score([-0.2, 0.05, 0.1, 0.0])
    assert found is not None
    assert found.rows == 4
    assert found.median == pytest.approx(0.075)
    assert found.bias == pytest.approx(-0.0125)
    assert found.close == 0.75
    assert score([]) is None


def test_a_fit_finds_the_constants_that_made_the_runs() -> None:
    cases = [_case(layout) for layout in LAYOUTS]
    fitted = fit_profile(BRIDGE, cases)
    assert abs(log_errors(cases, fitted)).max() < 0.01
    assert fitted["compute"] == pytest.approx(1.31, rel=0.02)


def test_a_fit_does_not_follow_an_outlier() -> None:
    cases = [_case(layout) for layout in LAYOUTS]
    outlier = replace(cases[0], step=replace(cases[0].step, step_seconds=10 * cases[0].step.step_seconds))
    fitted = fit_profile(BRIDGE, [outlier, *cases[1:]])
    assert abs(log_errors(cases[1:], fitted)).max() < 0.05


def test_without_runs_the_nearest_profile_lends_its_constants() -> None:
    near = with_constants(load_profile("bridge-2025"), {"compute": 1.23})
    kept = {"bridge-2025": [_case(LAYOUTS[0])]}
    profile, lent = left_out_profile(BRIDGE, kept, {}, {"bridge-2025": near})
    assert profile["compute"] == 1.23
    assert "bridge-2025" in lent


def test_order_of_layouts() -> None:
    cases = [_case(Layout(dp=16), 1.0), _case(Layout(tp=2, dp=8), 1.02), _case(Layout(tp=4, dp=4), 1.5)]
    times = {case.step.id: time for case, time in zip(cases, (1.0, 3.0, 2.0), strict=True)}
    found = ordering(cases, times)
    assert found.pairs == 2
    assert found.right == 1


def test_noise_is_what_other_sources_measured_of_the_same() -> None:
    cases = [_case(Layout(dp=16), 1.0), _case(Layout(dp=16), 1.1, "two"), _case(Layout(tp=2, dp=8), 5.0)]
    found = noise_floor(cases)
    assert found is not None
    assert found.rows == 1
    assert found.median == pytest.approx(0.1)


def test_constant_rate() -> None:
    cases = [
        _case(Layout(dp=16), 1.0),
        _case(Layout(tp=2, dp=8), 1.2, "two"),
        _case(Layout(tp=4, dp=4), 1.4, "three"),
    ]
    predicted = constant_rates(cases, leave_out=False)
    assert predicted[cases[0].step.id] == pytest.approx(1.2)
    left = constant_rates(cases[:2], leave_out=True)
    assert left[cases[0].step.id] == pytest.approx(1.2)
