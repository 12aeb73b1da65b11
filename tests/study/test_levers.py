"""Levers: the curves that they reproduce, what they never do, and what they refuse."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scalewall.errors import InputError
from scalewall.ideal.limits import limits_of
from scalewall.ideal.study import LimitsStudy
from scalewall.study.levers import LEVERS, STANDARD
from scalewall.study.what_if import levers, outcome_of, what_if

FIGURE_3 = "bandwidth=10+kernel-latency=10+network-latency=2.25"


def published(**settings: object) -> LimitsStudy:
    return LimitsStudy(machines=("ref-h100",), reference=True, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("written", "machine"),
    [
        (FIGURE_3, "ref-h100-10x"),
        ("latency=10", "ref-h100-low-latency"),
        ("domain=all", "ref-h100-global-nvlink"),
        ("domain=all+latency=10", "ref-h100-global-nvlink-low-latency"),
    ],
)
def test_levers_make_the_published_machines(written: str, machine: str) -> None:
    ours = outcome_of(what_if(published(), written))
    theirs = limits_of(LimitsStudy(machines=(machine,), reference=True), machine)
    assert [point.training_flop for point in ours.points] == [point.training_flop for point in theirs.points]
    assert [point.utilization for point in ours.points] == pytest.approx(
        [point.utilization for point in theirs.points], rel=1e-9
    )
    assert ours.linear_scaling == theirs.linear_scaling


def test_the_articles_third_figure_comes_out() -> None:
    found = levers(published(), only=[FIGURE_3, "batch-law=zhang"])
    assert found.baseline.linear_scaling.first_failure_flop == pytest.approx(2.05e28, rel=3e-3)
    by_name = {one.what_if.name: one for one in found.outcomes}
    assert by_name[FIGURE_3].linear_scaling.first_failure_flop == pytest.approx(5.1e31, rel=1e-2)
    assert by_name["batch-law=zhang"].linear_scaling.first_failure_flop == pytest.approx(3e30, rel=1e-2)


def test_outcomes_are_ranked_by_what_they_gain() -> None:
    found = levers(
        LimitsStudy(grid=(1, 65536, 1e6), search="reference"),
        only=["months=12", "tokens-per-parameter=100", "domain=72"],
        combine=["domain=72+months=12"],
    )
    gains = [one.gains(found.baseline)[0] for one in found.outcomes]
    assert gains == sorted(gains, reverse=True)
    assert found.outcomes[0].what_if.name == "domain=72+months=12"
    assert found.outcomes[-1].what_if.name == "tokens-per-parameter=100"
    assert found.outcomes[0].what_if.group == "combined"
    band = found.baseline.linear_scaling
    assert band.first_failure_flop is not None
    assert band.last_pass_flop is not None
    assert found.baseline.efficient_flop == pytest.approx(
        math.sqrt(band.first_failure_flop * band.last_pass_flop)
    )
    assert found.baseline.gains(found.baseline) == (1.0, 1.0)


def test_the_usual_levers_leave_out_what_a_machine_has_not() -> None:
    study = LimitsStudy(machines=("ref-h100-global-nvlink",), reference=True, flop=(1e27,))
    found = levers(study)
    refused = {one.name for one in found.unavailable}
    assert {"domain=72", "domain=all"} <= refused
    powers = levers(published(flop=(1e27,)))
    assert {one.name for one in powers.unavailable} == {
        one for one in STANDARD if "domain=72" in one or "domain=576" in one
    }
    assert {one.what_if.name for one in found.outcomes} == set(STANDARD) - refused
    assert all(one.reason for one in found.unavailable)


HARDWARE = [
    name
    for name, lever in LEVERS.items()
    if lever.group == "hardware" and name not in ("domain", "data-centres")
]


@settings(deadline=None, max_examples=12)
@given(
    name=st.sampled_from(HARDWARE),
    machine=st.sampled_from(("h100", "v100", "tpu-v5p")),
    flop=st.sampled_from((1e27, 1e29, 1e30)),
    factor=st.floats(1, 100),
)
def test_better_hardware_never_hurts(name: str, machine: str, flop: float, factor: float) -> None:
    study = LimitsStudy(machines=(machine,), flop=(flop,), schedule="zero-bubble", months=12)
    before, after = outcome_of(what_if(study, f"{name}=1")), outcome_of(what_if(study, f"{name}={factor}"))
    if before.points:
        assert after.points[0].utilization >= before.points[0].utilization * (1 - 1e-9)


@pytest.mark.parametrize(("shorter", "longer"), [(3, 6), (6, 12)])
def test_more_months_never_hurt(shorter: float, longer: float) -> None:
    study = LimitsStudy(flop=(1e30,))
    before, after = (outcome_of(what_if(study, f"months={months}")) for months in (shorter, longer))
    assert after.points[0].utilization >= before.points[0].utilization


@pytest.mark.parametrize(
    ("written", "field", "wanted"),
    [
        ("bandwith=10", "lever", "bandwidth"),
        ("bandwidth", "bandwidth", "bandwidth=VALUE"),
        ("bandwidth=ten", "bandwidth", "a number"),
        ("bandwidth=-1", "bandwidth", "a number"),
        ("months=6+months=9", "months", "each lever once"),
        ("domain=7.5", "domain", "whole number"),
        ("batch-law=zang", "batch", "zhang"),
        ("precision=5", "precision", "16"),
        ("low-communication=100", "low-communication", "STEPS/BITS"),
        ("data-centres=4", "data-centres", "accelerators"),
        ("failures=2", "failures", "hour"),
    ],
)
def test_what_cannot_be_asked_is_named(written: str, field: str, wanted: str) -> None:
    with pytest.raises(InputError) as caught:
        what_if(LimitsStudy(), written)
    assert caught.value.field == field
    assert wanted in str(caught.value)


def test_one_machine_at_a_time() -> None:
    with pytest.raises(InputError, match="one machine"):
        levers(LimitsStudy(machines=("h100", "b200")))


def test_a_precision_that_the_machine_lacks_is_what_if_too() -> None:
    asked = what_if(LimitsStudy(flop=(1e29,)), "precision=4").study.cluster("h100").accelerator
    eight = LimitsStudy(precision=8).cluster("h100").accelerator
    assert asked.word_bytes == 0.5
    assert asked.peak_flops == 2 * eight.peak_flops
    assert asked.sustained_fraction == eight.sustained_fraction


def test_data_centres_are_one_more_level() -> None:
    levels = what_if(LimitsStudy(), "data-centres=100000").study.cluster("h100").network.levels
    assert [level.size for level in levels] == [8, 12500, None]
    assert (levels[-1].bandwidth, levels[-1].latency) == (4.7e9, 2.5e-3)


def test_low_communication_leaves_a_share_of_the_exchange() -> None:
    study = LimitsStudy(flop=(1e28,), bounds={"dp": (64, 64)})
    usual, rare = (
        outcome_of(what_if(study, "months=3")),
        outcome_of(what_if(study, "low-communication=100/4")),
    )
    assert rare.points[0].utilization > usual.points[0].utilization
    before, after = (one.points[0].component_seconds["data_communication"] for one in (usual, rare))
    dp = [math.prod(one.points[0].plan.dp) for one in (usual, rare)]
    assert dp == [64, 64]
    n_gpu = [one.points[0].n_gpu for one in (usual, rare)]
    assert after * n_gpu[1] == pytest.approx(before * n_gpu[0] * 4 / 16 / 100, rel=0.5)


def test_an_optimizer_costs_what_it_says() -> None:
    study = LimitsStudy(flop=(1e26,))
    plain = outcome_of(what_if(study, "batch=2")).points[0]
    muon = outcome_of(what_if(study, "muon=2")).points[0]
    assert muon.batch_tokens == plain.batch_tokens
    assert muon.component_seconds["arithmetic"] * muon.n_gpu == pytest.approx(
        1.02 * plain.component_seconds["arithmetic"] * plain.n_gpu, rel=1e-6
    )
    assert muon.utilization < plain.utilization


def test_failures_cost_least_where_replicas_recover_alone() -> None:
    study = LimitsStudy(flop=(1e26,))
    without, job, replica, brief = (
        outcome_of(what_if(study, written)).points[0]
        for written in (
            "months=3",
            "failures=3.4e-5",
            "failures-by-replica=3.4e-5",
            "failures-by-replica=3.4e-5+pause=10",
        )
    )
    assert without.utilization > brief.utilization > replica.utilization > job.utilization
    assert without.attributed_seconds["failures"] == 0
    assert job.binds == "failures"
    assert sum(job.attributed_seconds.values()) == pytest.approx(job.batch_seconds)


def test_both_closed_forms_hang_on_the_exponent_difference() -> None:
    """arXiv 2411.01137: 1.92e28 and 1.94e31 for the H100's bandwidth, 2.3e31 for latency."""
    found = levers(published(flop=(1e27,), months=3.0), only=["months=6"])
    rows = {row.alpha: row for row in found.exponents}
    assert rows[0.0].critical_compute_flop == pytest.approx(1.92e28, rel=3e-3)
    assert rows[0.2].critical_compute_flop == pytest.approx(1.94e31, rel=3e-3)
    assert rows[0.0].latency_wall_flop == pytest.approx(2.3e31, rel=2e-2)
    walls = [row.latency_wall_flop for row in found.exponents]
    assert walls == sorted(walls)
