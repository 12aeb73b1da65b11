"""The waterfall adds up to the step, starts at the arithmetic, and puts each cause where it belongs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scalewall.errors import InputError
from scalewall.planner.estimate import Estimate, estimate
from scalewall.planner.layout import Layout
from scalewall.planner.profile import load_profile, profile_names, with_constants
from scalewall.planner.run import Run
from scalewall.planner.waterfall import ARITHMETIC, waterfall
from scalewall.report.estimate_tables import PARTS
from scalewall.workload.models import read_model
from tests.planner.samples import BRIDGE, GB200, LAYOUT, MIXTURE_LAYOUT, dense_run, mixture_run


def by_name(answer: Estimate) -> dict[str, float]:
    return {segment.name: segment.seconds for segment in waterfall(answer)}


DEEPSEEK = Run(
    model=read_model("deepseek-v3").model,
    device=GB200,
    sequence=4096,
    global_batch=4096,
    precision="mxfp8",
    dispatcher="hybridep",
)
CASES = [
    (dense_run(), LAYOUT),
    (dense_run(), Layout(tp=2, cp=2, pp=4, dp=2, chunks=4, recompute="full")),
    (dense_run(precision="fp8-current"), Layout(tp=2, pp=4, dp=2, recompute="selective")),
    (mixture_run(), MIXTURE_LAYOUT),
    (mixture_run(balanced=False), Layout(pp=2, dp=8, ep=8)),
    (dense_run(), Layout(tp=2, dp=8, offloaded_layers=32)),
    (DEEPSEEK, Layout(pp=4, chunks=4, ep=64, dp=64)),
]


@pytest.mark.parametrize(("run", "layout"), CASES)
def test_segments_add_up_to_the_step(run: Run, layout: Layout) -> None:
    answer = estimate(run, layout, BRIDGE)
    assert sum(by_name(answer).values()) == pytest.approx(answer.step.seconds, rel=1e-12)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(profile_names()),
    st.sampled_from([1, 2, 4]),
    st.sampled_from([1, 2]),
    st.sampled_from([1, 2, 4]),
    st.sampled_from(["none", "selective", "full"]),
    st.sampled_from(["none", "optimizer", "gradients", "parameters"]),
    st.sampled_from(["1f1b", "gpipe", "zb-1p", "zb-2p", "dualpipe"]),
)
def test_they_add_up_under_any_software(
    name: str, tp: int, cp: int, pp: int, recompute: str, sharding: str, schedule: str
) -> None:
    layout = Layout(
        tp=tp,
        cp=cp,
        pp=pp,
        dp=2,
        recompute=recompute,  # type: ignore[arg-type]
        sharding=sharding,  # type: ignore[arg-type]
        schedule=schedule,
    )
    try:
        answer = estimate(dense_run(), layout, load_profile(name))
    except InputError:
        return
    assert sum(by_name(answer).values()) == pytest.approx(answer.step.seconds, rel=1e-12)


def test_arithmetic_over_the_step_is_mfu() -> None:
    for run, layout in CASES:
        if run.precision == "bf16":
            answer = estimate(run, layout, BRIDGE)
            assert by_name(answer)[ARITHMETIC] / answer.step.seconds == pytest.approx(answer.mfu)


def test_at_half_the_word_layers_need_half_the_arithmetic() -> None:
    whole, half = (
        by_name(estimate(dense_run(precision=precision), LAYOUT, BRIDGE))[ARITHMETIC]
        for precision in ("bf16", "fp8-current")
    )
    assert 0.5 * whole < half < 0.65 * whole


def test_prediction_layers_count_in_the_arithmetic() -> None:
    plain = replace(DEEPSEEK, precision="bf16")
    answer = estimate(plain, Layout(pp=4, chunks=4, ep=64, dp=64), BRIDGE)
    assert by_name(answer)[ARITHMETIC] / answer.step.seconds == pytest.approx(answer.mfu)


def test_one_stage_has_no_imbalance() -> None:
    for run, layout in ((dense_run(), Layout(tp=2, dp=8)), (mixture_run(), MIXTURE_LAYOUT)):
        assert by_name(estimate(run, layout, BRIDGE))["imbalance"] == pytest.approx(0.0, abs=1e-12)


def test_the_head_makes_the_last_stage_the_slowest() -> None:
    assert by_name(estimate(dense_run(), Layout(pp=8, dp=2), BRIDGE))["imbalance"] > 0


def test_software_that_is_as_fast_as_microbenchmarks_costs_nothing() -> None:
    ideal = with_constants(BRIDGE, {"compute": 1.0})
    assert by_name(estimate(dense_run(), LAYOUT, ideal))["software"] == pytest.approx(0.0, abs=1e-12)


def test_each_way_of_splitting_shows_up_in_its_own_segment() -> None:
    alone = by_name(estimate(dense_run(), Layout(dp=8), BRIDGE))
    assert alone["tensor"] == alone["context"] == alone["bubble"] == alone["exchange"] == 0
    assert by_name(estimate(dense_run(), Layout(tp=4, dp=2), BRIDGE))["tensor"] > 0
    assert by_name(estimate(dense_run(), Layout(pp=4, dp=2), BRIDGE))["bubble"] > 0
    assert by_name(estimate(mixture_run(), MIXTURE_LAYOUT, BRIDGE))["exchange"] > 0
    assert by_name(estimate(dense_run(), Layout(dp=8, recompute="full"), BRIDGE))["recompute"] > 0
    assert by_name(estimate(mixture_run(), MIXTURE_LAYOUT, BRIDGE))["host"] > 0


def test_every_part_of_a_step_has_a_place() -> None:
    """What the estimate's table knows of is a segment, or belongs to one."""
    names = {segment.name for segment in waterfall(estimate(dense_run(), LAYOUT, BRIDGE))}
    assert set(PARTS) - names == {"matmul", "accumulate"}
