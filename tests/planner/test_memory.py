"""Memory: against published formulas and tables, terms by hand, and in the right direction."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scalewall.planner.fixes import cheapest_fixes
from scalewall.planner.layout import Layout
from scalewall.planner.memory import fit_of, in_flight, layer_bytes, stage_memory
from scalewall.planner.profile import load_profile
from scalewall.workload.transformer import Transformer
from tests.planner.samples import A100, BRIDGE, DENSE, H100, LAYOUT, MEGATRON, dense_run, mixture_run

GPT = Transformer(
    name="GPT-22B",
    layers=48,
    hidden=6144,
    heads=64,
    kv_heads=64,
    head_dim=96,
    ffn=24576,
    vocab=51200,
    gated=False,
    tied_embeddings=True,
)


def test_activations_of_a_layer_after_korthikanti() -> None:
    """Without parallelism: ``s b h (34 + 5 a s / h)`` (arXiv 2205.05198, section 4.1)."""
    run = replace(dense_run(A100), model=GPT, sequence=2048, global_batch=4)
    published = 2048 * 4 * 6144 * (34 + 5 * 64 * 2048 / 6144)
    assert layer_bytes(run, Layout(microbatch=4), MEGATRON, experts=False) == pytest.approx(
        published, rel=0.04
    )


def test_tensor_and_sequence_parallelism_divide_all_of_it() -> None:
    run = replace(dense_run(A100), model=GPT, sequence=2048, global_batch=4)
    whole = layer_bytes(run, Layout(microbatch=4), MEGATRON, experts=False)
    split = layer_bytes(run, Layout(tp=8, microbatch=4), MEGATRON, experts=False)
    assert split == pytest.approx(whole / 8)


def test_without_sequence_parallelism_norms_stay_whole() -> None:
    run = replace(dense_run(A100), model=GPT, sequence=2048, global_batch=4)
    layout = Layout(tp=8, microbatch=4)
    split = layer_bytes(run, layout, MEGATRON, experts=False)
    more = layer_bytes(run, replace(layout, sequence_parallel=False), MEGATRON, experts=False)
    assert more - split == pytest.approx(2048 * 4 * 6144 * 10 * 7 / 8)


@pytest.mark.parametrize(
    ("layout", "stage", "expected"),
    [
        (Layout(pp=4), 0, 4.0),
        (Layout(pp=4), 3, 1.0),
        (Layout(pp=4, chunks=2), 0, 5.5),
        (Layout(pp=4, schedule="gpipe"), 0, 16.0),
        (Layout(pp=4, schedule="zb-1p"), 3, 4.0),
        (Layout(pp=4, schedule="zb-2p"), 0, 7.0),
    ],
)
def test_microbatches_in_flight(layout: Layout, stage: int, expected: float) -> None:
    assert in_flight(layout, stage, 16) == expected


@pytest.mark.parametrize("schedule", ["1f1b", "gpipe", "zb-1p", "zb-2p", "dualpipe"])
def test_without_a_pipeline_one_microbatch_is_in_flight(schedule: str) -> None:
    assert in_flight(Layout(dp=8, schedule=schedule), 0, 16) == 1.0


def test_state_by_hand() -> None:
    terms = stage_memory(dense_run(), Layout(dp=8, sharding="none"), load_profile("megatron-2022"))[0].terms
    parameters = 32 * (4096 * 6144 + 4096 * 4096 + 3 * 4096 * 14336) + 2 * 4096 * 128256
    assert terms["weights"] == 2 * parameters
    assert terms["gradients"] == 4 * parameters
    assert terms["optimizer"] == 12 * parameters


def test_sharding_divides_state() -> None:
    none, one, two, three = (
        stage_memory(dense_run(), Layout(dp=8, sharding=sharding), BRIDGE)[0].terms  # type: ignore[arg-type]
        for sharding in ("none", "optimizer", "gradients", "parameters")
    )
    assert one["optimizer"] == none["optimizer"] / 8
    assert two["gradients"] == none["gradients"] / 8
    assert three["weights"] == none["weights"] / 8


def test_software_that_keeps_what_bf16_weights_lack_holds_two_bytes_less() -> None:
    """The optimizer of NeMo in 2024 keeps 16 bits beside the 16 of the weights, and two moments of 32."""
    terms = stage_memory(dense_run(), Layout(dp=8), load_profile("nemo-2024"))[0].terms
    usual = stage_memory(dense_run(), Layout(dp=8), BRIDGE)[0].terms
    assert terms["optimizer"] == pytest.approx(usual["optimizer"] * 10 / 12)


def test_weights_gathered_from_32_bit_shards_are_not_held_twice() -> None:
    terms = stage_memory(dense_run(), Layout(dp=8, sharding="parameters"), load_profile("torchtitan-2024"))
    assert terms[0].terms["weights"] == 0.0
    assert terms[0].terms["gathered"] > 0.0


def test_offloaded_layers_leave_the_accelerator() -> None:
    whole = stage_memory(dense_run(), Layout(dp=8), BRIDGE)[0].terms["activations"]
    half = stage_memory(dense_run(), Layout(dp=8, offloaded_layers=16), BRIDGE)[0].terms["activations"]
    assert half == pytest.approx(whole / 2)


def test_recomputing_dense_feed_forward_parts_saves_nothing_in_layers_of_experts() -> None:
    layout = Layout(dp=16, ep=16, recompute="selective", recompute_modules=("mlp",))
    with_experts = replace(layout, recompute_modules=("moe",))
    none = fit_of(mixture_run(), replace(layout, recompute="none"), BRIDGE).needed
    assert fit_of(mixture_run(), layout, BRIDGE).needed == pytest.approx(none)
    assert fit_of(mixture_run(), with_experts, BRIDGE).needed < none


@pytest.mark.parametrize(
    ("module", "per_token"),
    [("layernorm", 2 * 2 * 4096), ("mlp", 6 * 14336), ("core_attn", 0.0), ("moe_act", 0.0)],
)
def test_what_recomputing_a_part_saves_by_hand(module: str, per_token: float) -> None:
    layout = Layout(dp=8, recompute="selective", recompute_modules=(module,))
    whole = stage_memory(dense_run(), Layout(dp=8), BRIDGE)[0].terms["activations"]
    left = stage_memory(dense_run(), layout, BRIDGE)[0].terms["activations"]
    assert whole - left == pytest.approx(32 * 4096 * per_token)


def test_total_is_the_sum_of_the_terms() -> None:
    for stage in stage_memory(dense_run(), LAYOUT, BRIDGE):
        assert stage.total == pytest.approx(sum(stage.terms.values()))


def test_recomputation_saves_memory() -> None:
    totals = [
        fit_of(dense_run(), replace(LAYOUT, recompute=kind, recompute_modules=modules), BRIDGE).needed  # type: ignore[arg-type]
        for kind, modules in (("none", ()), ("selective", ("mlp",)), ("full", ()))
    ]
    assert totals == sorted(totals, reverse=True)


@settings(max_examples=30, deadline=None)
@given(st.floats(1.0, 8.0), st.sampled_from([1, 2, 4]), st.sampled_from([1, 2]))
def test_more_memory_never_turns_a_fit_into_a_misfit(factor: float, tp: int, microbatch: int) -> None:
    layout = Layout(tp=tp, dp=4, microbatch=microbatch)
    before = fit_of(dense_run(), layout, BRIDGE)
    after = fit_of(dense_run(replace(H100, memory_bytes=factor * H100.memory_bytes)), layout, BRIDGE)
    assert after.fits or not before.fits
    assert after.shortfall <= before.shortfall


def test_a_misfit_names_stage_terms_shortfall_and_fixes() -> None:
    run = replace(dense_run(), model=replace(DENSE, layers=64, hidden=8192, heads=64, ffn=28672))
    layout = Layout(tp=4, dp=8)
    fit = fit_of(run, layout, BRIDGE)
    assert not fit.fits
    assert fit.shortfall == pytest.approx(fit.needed - H100.memory_bytes)
    assert set(fit.largest) <= {"weights", "gradients", "optimizer", "activations"}
    fixes = cheapest_fixes(run, layout, BRIDGE)
    assert fixes
    assert [fix.slowdown for fix in fixes] == sorted(fix.slowdown for fix in fixes)
    assert all(fit_of(run, fix.layout, BRIDGE).fits for fix in fixes)


def test_experts_share_their_weights_out() -> None:
    one = stage_memory(mixture_run(), Layout(dp=16), BRIDGE)[0].terms["weights"]
    many = stage_memory(mixture_run(), Layout(dp=16, ep=16), BRIDGE)[0].terms["weights"]
    assert many < one / 4
