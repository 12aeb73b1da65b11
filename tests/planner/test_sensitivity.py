"""Better figures never make a step longer, and only those that are used make it shorter."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scalewall.planner.layout import Layout
from scalewall.planner.moves import moves
from scalewall.planner.run import Run
from scalewall.planner.sensitivity import CAPACITY, FIGURES, Sensitivity, sensitivities
from scalewall.planner.step import step_time
from tests.planner.samples import BRIDGE, LAYOUT, MIXTURE_LAYOUT, dense_run, mixture_run


def of(run: Run, layout: Layout) -> dict[str, Sensitivity]:
    found = sensitivities(run, layout, BRIDGE, moves(run, layout, BRIDGE))
    return {one.figure: one for one in found}


@pytest.mark.parametrize(
    ("run", "layout"),
    [
        (dense_run(), LAYOUT),
        (dense_run(), Layout(tp=2, cp=2, pp=2, dp=4, chunks=2)),
        (dense_run(), Layout(dp=64, sharding="parameters")),
        (mixture_run(), MIXTURE_LAYOUT),
        (mixture_run(dispatcher="all-to-all"), MIXTURE_LAYOUT),
    ],
)
def test_better_is_never_slower(run: Run, layout: Layout) -> None:
    found = of(run, layout)
    assert set(found) == set(FIGURES)
    for one in found.values():
        assert one.much <= one.little + 1e-12
        assert one.little <= 1 + 1e-12
        assert one.elasticity <= 1e-9


def test_elasticities_of_rates_are_shares_of_time() -> None:
    """What scales with some figure takes a share of the step; all of them together at most the step."""
    found = of(dense_run(), LAYOUT)
    assert -1 < sum(one.elasticity for name, one in found.items() if name != CAPACITY) < -0.9


def test_twice_the_peak_is_what_the_planner_says_of_such_a_machine() -> None:
    run = dense_run()
    fast = replace(run.device, peak={bits: 2 * rate for bits, rate in run.device.peak.items()})
    ratio = (
        step_time(replace(run, device=fast), LAYOUT, BRIDGE).seconds / step_time(run, LAYOUT, BRIDGE).seconds
    )
    assert of(run, LAYOUT)["peak"].much == pytest.approx(ratio)


def test_one_domain_does_not_feel_the_slow_network() -> None:
    found = of(dense_run(), Layout(tp=2, dp=4))
    assert found["slow network's bandwidth"].much == found["slow network's latency"].much == 1
    assert found["fast domain's bandwidth"].much < 1


def test_latencies_are_felt() -> None:
    found = of(dense_run(), Layout(dp=64, sharding="parameters"))
    assert found["slow network's latency"].much < 1
    assert found["latency of a call"].much < 1
    assert found["launch latency"].much < 1


def test_more_memory_lets_faster_plans_in() -> None:
    run = dense_run()
    tight = replace(run, device=replace(run.device, memory_bytes=22e9))
    found = of(tight, Layout(tp=4, pp=2, dp=2))[CAPACITY]
    assert found.much < 1
    assert "->" in found.through
    assert of(run, LAYOUT)[CAPACITY] == Sensitivity(CAPACITY, 1.0, 1.0)


def test_the_host_counts_where_experts_wait_for_it() -> None:
    assert of(mixture_run(), MIXTURE_LAYOUT)["host's speed"].much < 0.9
    assert of(dense_run(), LAYOUT)["host's speed"].much == 1


def test_the_host_link_counts_where_activations_wait_there() -> None:
    run = dense_run()
    slow = replace(run, device=replace(run.device, host_bandwidth=10e9))
    layout = Layout(tp=2, dp=8, offloaded_layers=32)
    assert of(slow, layout)["host's link"].much < 0.9
    assert of(run, LAYOUT)["host's link"].much == 1
