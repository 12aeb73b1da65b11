"""A step's terms add up, and move the way physics says."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scalewall.planner.layout import Layout
from scalewall.planner.profile import load_profile, profile_names, with_constants
from scalewall.planner.run import Run
from scalewall.planner.step import step_time
from tests.planner.samples import BRIDGE, GB200, H100, LAYOUT, MIXTURE_LAYOUT, dense_run, mixture_run

LAYOUTS = st.builds(
    Layout,
    tp=st.sampled_from([1, 2, 4, 8]),
    cp=st.sampled_from([1, 2]),
    pp=st.sampled_from([1, 2, 4]),
    dp=st.sampled_from([1, 2, 8]),
    microbatch=st.sampled_from([1, 2]),
    sharding=st.sampled_from(["none", "optimizer", "parameters"]),
    recompute=st.sampled_from(["none", "selective", "full"]),
)


@pytest.mark.parametrize("name", profile_names())
def test_terms_add_up(name: str) -> None:
    for run, layout in ((dense_run(), LAYOUT), (mixture_run(), MIXTURE_LAYOUT)):
        step = step_time(run, layout, load_profile(name))
        assert sum(step.parts.values()) == pytest.approx(step.seconds)
        assert all(seconds >= 0.0 for seconds in step.parts.values())


def test_in_a_pipeline_sharded_weights_travel_once_a_step() -> None:
    """torchtitan keeps a stage whole until the last microbatch; without a pipeline weights are gathered again."""
    profile = with_constants(load_profile("torchtitan-2024"), {"contention": 1.0})
    for pp, times in ((1, 4.0), (2, 1.0)):
        layout = Layout(pp=pp, dp=8, sharding="parameters")
        once, more = (
            step_time(dense_run(global_batch=count), layout, profile).parts["data"] for count in (16, 64)
        )
        assert more / once == pytest.approx(times, rel=0.05)


def test_slow_collectives_take_less_of_the_compute_beside_them() -> None:
    layout = Layout(dp=64, sharding="parameters")
    run = dense_run(global_batch=512, sequence=8192)
    slow = replace(run, device=replace(run.device, slow_bandwidth=run.device.slow_bandwidth / 4))

    def lost(run: Run, contention: float) -> float:
        """Seconds that collectives take from the compute beside them."""
        values = {"contention": contention}
        with_it = step_time(run, layout, with_constants(load_profile("fsdp-2023"), values))
        return with_it.parts["data"] - _without(run)

    def _without(run: Run) -> float:
        idle = with_constants(load_profile("fsdp-2023"), {"contention": 0.0})
        return step_time(run, layout, idle).parts["data"]

    assert lost(slow, 0.15) > 2 * lost(run, 0.15)
    assert lost(slow, 1.15) - lost(slow, 0.15) == pytest.approx(lost(run, 1.15) - lost(run, 0.15), rel=0.3)


def test_matmuls_by_hand_are_about_the_flop() -> None:
    run = dense_run()
    step = step_time(run, Layout(), with_constants(BRIDGE, {"compute": 1.0}))
    flop = 6 * run.tokens * (32 * (4096 * (4096 + 2048) + 4096 * 4096 + 3 * 4096 * 14336) + 4096 * 128256)
    assert step.parts["matmul"] == pytest.approx(flop / H100.rate(16), rel=0.12)


@settings(max_examples=40, deadline=None)
@given(LAYOUTS, st.floats(1.0, 4.0), st.floats(1.0, 4.0))
def test_faster_links_never_slow_a_step(layout: Layout, fast: float, slow: float) -> None:
    device = replace(
        H100, fast_bandwidth=fast * H100.fast_bandwidth, slow_bandwidth=slow * H100.slow_bandwidth
    )
    before = step_time(dense_run(), layout, BRIDGE).seconds
    assert step_time(dense_run(device), layout, BRIDGE).seconds <= before * (1 + 1e-9)


@settings(max_examples=40, deadline=None)
@given(LAYOUTS, st.floats(1.0, 4.0))
def test_faster_memory_never_slows_a_step(layout: Layout, factor: float) -> None:
    device = replace(H100, memory_bandwidth=factor * H100.memory_bandwidth)
    before = step_time(dense_run(), layout, BRIDGE).seconds
    assert step_time(dense_run(device), layout, BRIDGE).seconds <= before * (1 + 1e-9)


def test_recomputation_costs_time() -> None:
    times = [
        step_time(dense_run(), replace(LAYOUT, recompute=kind), BRIDGE).seconds
        for kind in ("none", "selective", "full")
    ]
    assert times == sorted(times)


def test_lower_precision_is_faster() -> None:
    times = [
        step_time(dense_run(GB200, precision=precision), LAYOUT, BRIDGE).seconds
        for precision in ("bf16", "mxfp8", "nvfp4")
    ]
    assert times == sorted(times, reverse=True)


def test_context_parallelism_loses_something() -> None:
    whole = step_time(dense_run(sequence=32768), Layout(), BRIDGE).seconds
    split = step_time(dense_run(sequence=32768), Layout(cp=4), BRIDGE).seconds
    assert whole / 4 < split < whole / 3


def test_experts_exchange_less_where_copies_are_merged() -> None:
    plain = step_time(mixture_run(dispatcher="all-to-all"), MIXTURE_LAYOUT, BRIDGE)
    merged = step_time(mixture_run(dispatcher="deepep"), MIXTURE_LAYOUT, BRIDGE)
    hidden = step_time(mixture_run(expert_overlap=True), MIXTURE_LAYOUT, BRIDGE)
    assert plain.parts["exchange"] > merged.parts["exchange"] > hidden.parts["exchange"]


def test_graphs_take_the_host_away() -> None:
    none, full = (
        step_time(mixture_run(graphs=graphs), MIXTURE_LAYOUT, BRIDGE).parts["host"]
        for graphs in ("none", "full")
    )
    assert none > 10 * full


def test_natural_routing_waits_for_the_fullest_expert() -> None:
    even = step_time(mixture_run(), MIXTURE_LAYOUT, BRIDGE).seconds
    assert step_time(mixture_run(balanced=False), MIXTURE_LAYOUT, BRIDGE).seconds > even


def test_cost_does_not_grow_with_microbatches() -> None:
    """One evaluation takes at most 5 ms, whatever the number of microbatches."""
    times = {}
    for batch in (64, 65536):
        run = dense_run(global_batch=batch)
        step_time(run, LAYOUT, BRIDGE)
        tries = []
        for _ in range(20):
            begun = perf_counter()
            step_time(run, LAYOUT, BRIDGE)
            tries.append(perf_counter() - begun)
        times[batch] = min(tries)
    assert max(times.values()) < 5e-3
    assert times[65536] < 3 * times[64]
