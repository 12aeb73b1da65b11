"""Every published claim against our numbers, and the machinery that judges them."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from scalewall.cli.reproduction_page import reproduction_page
from scalewall.hardware import machine_names
from scalewall.ideal.study import LimitsStudy
from scalewall.validation import reference_checks
from scalewall.validation.claim import Answer, Claim, Tolerance, judge, kept, printed
from scalewall.validation.evidence import Evidence
from scalewall.validation.measures import decline_on_sizes
from scalewall.validation.reference_data import (
    reference_curves,
    reference_limits,
    reference_matmuls,
    reference_plans,
)
from scalewall.validation.reproduce import SECTIONS, ClaimResult, Section, passed, reproduce
from scalewall.validation.sources import HERE

PAGE = Path(__file__).parents[2] / "docs" / "reproduction.md"
CLAIMS = [claim for section in SECTIONS for claim in section.claims]


@pytest.fixture(scope="module")
def results() -> tuple[ClaimResult, ...]:
    return reproduce()


def value(results: tuple[ClaimResult, ...], name: str) -> float:
    return next(result.answer.value for result in results if result.claim.name == name)


def test_nothing_fails(results: tuple[ClaimResult, ...]) -> None:
    assert [result.claim.name for result in results if result.verdict == "fails"] == []
    assert passed(results)


def test_the_page_is_what_the_command_prints_today(results: tuple[ClaimResult, ...]) -> None:
    assert PAGE.read_text(encoding="utf-8") == reproduction_page(results)


def test_the_pages_own_sentences_are_true(results: tuple[ClaimResult, ...]) -> None:
    published = value(results, "h100-decline")
    assert 9 < value(results, "h100-decline-full") / published < 11
    assert 9 < value(results, "h100-decline-refit") / published < 11
    assert value(results, "a100-over-h100") > 1 > value(results, "a100-over-h100-full")


def test_the_article_names_three_years_and_its_growth_makes_more(results: tuple[ClaimResult, ...]) -> None:
    assert f"{value(results, 'years-at-5x'):.1f} to {value(results, 'years-at-4x'):.1f}" == "3.7 to 4.3"
    three_years = (2e28 / 5e25) ** (1 / 3)
    assert three_years == pytest.approx(7.4, abs=0.05)


def test_names_are_unique() -> None:
    names = [claim.name for claim in CLAIMS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)
def test_every_claim_says_what_it_is_judged_by(claim: Claim) -> None:
    assert claim.tolerance.reason
    assert (claim.published is None) == (claim.source is HERE)
    if claim.expect == "differs":
        assert claim.found is not None
        assert claim.published is not None
        rounding = printed(claim.published, claim.digits)
        assert not rounding.allows(claim.found, claim.published)
    if claim.expect == "holds":
        assert (claim.published is None) == (claim.found is not None)


def claim_of(published: float | None, **settings: object) -> Claim:
    measure = lambda _: Answer(1.0)  # noqa: E731
    base = Claim("test", "a test", published, "", HERE, measure, Tolerance(0.1, "a tenth"))
    return replace(base, **settings)


@pytest.mark.parametrize(
    ("claim", "ours", "verdict"),
    [
        (claim_of(2.0), 2.19, "holds"),
        (claim_of(2.0), 2.21, "fails"),
        (claim_of(2.0), math.nan, "fails"),
        (claim_of(2.0, expect="differs", found=3.0), 2.8, "differs"),
        (claim_of(2.0, expect="differs", found=3.0), 2.0, "fails"),
        (claim_of(None, found=3.0), 3.1, "holds"),
        (claim_of(None), 3.0, "fails"),
        (claim_of(0.0, tolerance=Tolerance(0.0, "a count")), 0.0, "holds"),
        (claim_of(2.0, expect="informs"), 99.0, "informs"),
    ],
)
def test_verdicts(claim: Claim, ours: float, verdict: str) -> None:
    assert judge(claim, ours) == verdict


@pytest.mark.parametrize(
    ("target", "digits", "low", "high"), [(2e28, 1, 1.5e28, 2.5e28), (0.3351, 4, 0.33505, 0.33515)]
)
def test_tolerances_are_half_of_the_last_digit(target: float, digits: int, low: float, high: float) -> None:
    for tolerance in (printed(target, digits), kept(target, digits)):
        inside = (low + 1e-9 * target, high - 1e-9 * target)
        outside = (low - 1e-9 * target, high + 1e-9 * target)
        assert all(tolerance.allows(number, target) for number in inside)
        assert not any(tolerance.allows(number, target) for number in outside)


def test_one_that_fails_makes_all_fail_and_progress_counts() -> None:
    right, wrong = claim_of(1.0, name="right"), claim_of(2.0, name="wrong")
    seen: list[tuple[int, int, str]] = []
    found = reproduce(lambda *step: seen.append(step), [Section("both", "", (right, wrong))])
    assert [result.verdict for result in found] == ["holds", "fails"]
    assert not passed(found)
    assert seen == [(0, 2, "a test"), (1, 2, "a test"), (2, 2, "")]


def test_evidence_works_each_question_out_once() -> None:
    evidence = Evidence()
    grid = (1, 16384, 16384)
    assert evidence.limits("ref-h100", grid=grid) is evidence.limits("ref-h100", grid=grid)
    assert evidence.limits("ref-h100", grid=grid) is not evidence.limits("ref-a100", grid=grid)


def test_reference_data_are_whole_and_name_machines_of_the_catalogue() -> None:
    curves, limits = reference_curves(), reference_limits()
    assert {row.curve: row.points for row in limits} == {
        name: len(points) for name, (_, points) in curves.items()
    }
    named = {row.machine for row in (*reference_matmuls(), *reference_plans())}
    named |= {question.machine for question, _ in curves.values()}
    assert named <= set(machine_names())
    assert (len(reference_matmuls()), len(reference_plans())) == (90, 120)


def test_a_wrong_matmul_or_plan_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = reference_matmuls()
    wrong_matmuls = (replace(first, seconds=first.seconds * (1 + 1e-9)), *others)
    monkeypatch.setattr(reference_checks, "reference_matmuls", lambda: wrong_matmuls)
    assert reference_checks.matmul_rows()(Evidence()).value == len(wrong_matmuls) - 1
    plan, *rest = reference_plans()
    wrong_plans = (replace(plan, latency_seconds=plan.latency_seconds * 1.001), *rest)
    monkeypatch.setattr(reference_checks, "reference_plans", lambda: wrong_plans)
    assert reference_checks.plan_rows()(Evidence()).value == len(wrong_plans) - 1


def test_a_wrong_run_and_a_run_too_many_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "h100_dense_critical"
    question, (first, second, *others) = reference_curves()[name]
    measure, evidence = reference_checks.curve_rows(name), Evidence()
    whole = measure(evidence).value

    wrong = (replace(first, utilization=first.utilization + 2e-6), second, *others)
    monkeypatch.setattr(reference_checks, "reference_curves", lambda: {name: (question, wrong)})
    assert measure(evidence).value == whole - 1

    monkeypatch.setattr(reference_checks, "reference_curves", lambda: {name: (question, (second, *others))})
    assert measure(evidence).value == whole - 2


def test_wrong_limits_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    row = next(row for row in reference_limits() if row.curve == "h100_dense_critical")
    monkeypatch.setattr(reference_checks, "reference_limits", lambda: (row,))
    measure, evidence = reference_checks.limit_values(), Evidence()
    assert measure(evidence).value == 2
    wrong = (replace(row, linear_scaling_ends_flop=3e28),)
    monkeypatch.setattr(reference_checks, "reference_limits", lambda: wrong)
    assert measure(evidence).value == 1


def test_more_cluster_sizes_move_the_limit_between_the_two_searches(results: tuple[ClaimResult, ...]) -> None:
    few = decline_on_sizes("ref-a100", 1)(Evidence()).value
    study = LimitsStudy(machines=("ref-a100",), reference=True)
    assert few in {stack.training_flop for stack in study.stacks}
    assert value(results, "a100-decline") <= few <= value(results, "a100-decline-full")
