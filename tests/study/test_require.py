"""The inverse question against brute force, and what it refuses."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scalewall.errors import InputError
from scalewall.ideal.search import Searcher
from scalewall.ideal.study import LimitsStudy
from scalewall.study.figures_needed import improved, knobs_of
from scalewall.study.require import DOMAIN, EXACT, Required, least_factor, require
from scalewall.workload import nearest_stack

STUDY = LimitsStudy(flop=(1e30,))


@pytest.fixture(scope="module")
def answered() -> Required:
    return require(STUDY)


def efficient(overrides: dict[str, float]) -> bool:
    """Ask the limits themselves."""
    study = replace(STUDY, overrides=overrides)
    cluster = study.cluster("h100")
    searcher = Searcher.of(cluster, study.space, study.model_switches)
    found, _ = searcher.best(study.stacks[0], study.duration_seconds)
    return found is not None and found.utilization > 0.8 * cluster.accelerator.sustained_fraction


@settings(max_examples=50)
@given(threshold=st.floats(1.0001, 1e9))
def test_the_least_factor_is_exact_to_one_per_cent(threshold: float) -> None:
    found = least_factor(lambda factor: factor >= threshold)
    assert found is not None
    assert threshold <= found <= threshold * EXACT


def test_a_factor_that_is_not_needed_is_one_and_one_that_never_suffices_none() -> None:
    assert least_factor(lambda _: True) == 1.0
    assert least_factor(lambda _: False) is None
    assert least_factor(lambda factor: factor >= 3, high=4.0) == pytest.approx(3, rel=0.01)


def test_every_factor_agrees_with_brute_force(answered: Required) -> None:
    cluster = STUDY.cluster("h100")
    assert not answered.efficient_now
    assert not efficient({})
    assert any(one.factor is None for one in answered.needed)
    assert sum(one.factor is not None for one in answered.needed) >= 3
    for one in answered.needed:
        if one.factor is None:
            assert not any(efficient(one.knob.at(cluster, factor)) for factor in (10.0, 1e3, math.inf))
            assert one.binds
        else:
            steps = [EXACT**step for step in range(round(math.log(one.factor) / math.log(EXACT)) - 1)]
            assert efficient(one.knob.at(cluster, one.factor))
            assert not any(efficient(one.knob.at(cluster, step)) for step in steps[-20:])


def test_the_domain_is_the_first_that_suffices(answered: Required) -> None:
    domain = answered.domain
    assert domain is not None
    assert domain.now == 8
    assert [size for size in domain.tried if efficient({DOMAIN: float(size)})] == [domain.size]


def test_a_trade_off_suffices_all_along_and_falls(answered: Required) -> None:
    trade = answered.trade
    cluster = STUDY.cluster("h100")
    seconds = [second for _, second in trade.factors]
    assert len(seconds) > 10
    assert seconds == sorted(seconds, reverse=True)
    for first, second in trade.factors[::6]:
        assert efficient(improved(cluster, {trade.across: first, trade.upwards: second}))
        if second > 1:
            assert not efficient(improved(cluster, {trade.across: first, trade.upwards: second / EXACT**2}))


def test_the_run_answered_for_is_the_nearest_of_the_fine_grid(answered: Required) -> None:
    assert answered.stack == nearest_stack(1e30, STUDY.laws)
    assert answered.asked_flop == 1e30


def test_a_machine_that_suffices_needs_nothing() -> None:
    found = require(replace(STUDY, flop=(1e26,)))
    assert found.efficient_now
    assert {one.factor for one in found.needed} == {1.0}
    assert found.domain is not None
    assert found.domain.size == 8


def test_beyond_the_wall_no_single_figure_helps_and_what_binds_is_said() -> None:
    found = require(replace(STUDY, flop=(3e31,)))
    singles = [one for one in found.needed if len(one.knob.paths) == 1]
    assert all(one.factor is None for one in singles)
    kernel = next(one for one in singles if one.knob.name == "accelerator.kernel_latency")
    assert kernel.binds != "kernel_latency"
    together = next(one for one in found.needed if one.knob.name == "movement")
    assert together.factor is not None
    assert found.domain is not None
    assert found.domain.size is None


def test_a_knob_turns_figures_the_better_way() -> None:
    cluster = STUDY.cluster("h100")
    for knob in knobs_of(cluster):
        for path, value in knob.at(cluster, 2.0).items():
            before = cluster.figures[path].value
            assert value < before if path.endswith("latency") else value > before


def test_one_network_level_has_no_domain() -> None:
    study = LimitsStudy(machines=("ref-h100-global-nvlink",), flop=(1e27,))
    assert require(study).domain is None


@pytest.mark.parametrize(
    ("study", "trade", "field"),
    [
        (LimitsStudy(), None, "flop"),
        (LimitsStudy(flop=(1e28, 1e29)), None, "flop"),
        (LimitsStudy(machines=("h100", "b200"), flop=(1e28,)), None, "machine"),
        (STUDY, ("network.1.bandwith", "latencies"), "trade"),
        (STUDY, ("bandwidths", "network.1.bandwidth"), "trade"),
    ],
)
def test_what_cannot_be_asked_is_named(study: LimitsStudy, trade: tuple[str, str] | None, field: str) -> None:
    with pytest.raises(InputError) as caught:
        require(study, trade)
    assert caught.value.field == field


def test_a_run_that_nothing_finishes_still_says_what_binds() -> None:
    found = require(replace(STUDY, flop=(1e33,)))
    assert found.now is None
    assert all(one.binds for one in found.needed)
    kernel = next(one for one in found.needed if one.knob.name == "accelerator.kernel_latency")
    assert kernel.binds != "kernel_latency"
    assert {one.factor for one in found.needed if len(one.knob.paths) == 1} == {None}
