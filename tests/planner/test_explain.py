"""Explanations: what binds, what helps, what does nothing."""

from __future__ import annotations

from dataclasses import replace
from time import process_time

import pytest

from scalewall.planner.estimate import estimate
from scalewall.planner.explain import explain, explain_estimate
from scalewall.planner.fixes import cheapest_fixes
from scalewall.planner.layout import Layout
from tests.planner.samples import A100, BRIDGE, LAYOUT, MIXTURE_LAYOUT, dense_run, mixture_run


def test_arithmetic_binds_a_dense_model() -> None:
    explained = explain(dense_run(), LAYOUT, BRIDGE)
    assert explained.binds.figure == "peak"
    assert explained.largest_loss.name == "sustained"
    assert sum(one.seconds for one in explained.segments) == pytest.approx(explained.answer.step.seconds)


def test_the_host_binds_small_experts() -> None:
    explained = explain(mixture_run(), MIXTURE_LAYOUT, BRIDGE)
    assert explained.binds.figure == "host's speed"
    assert explained.largest_loss.name == "host"
    assert explained.helps()[0].knob in {"graphs", "microbatch"}


def test_helps_are_the_fastest_that_fit_one_a_knob() -> None:
    explained = explain(dense_run(), LAYOUT, BRIDGE)
    helps = explained.helps()
    assert 0 < len(helps) <= 3
    assert len({move.knob for move in helps}) == len(helps)
    for move in helps:
        assert move.fits
        assert move.same_arithmetic
        assert move.seconds is not None
        assert move.seconds < explained.answer.step.seconds
    fastest = min(
        move.seconds
        for move in explained.moves
        if move.seconds is not None and move.fits and move.same_arithmetic
    )
    assert helps[0].seconds == fastest


def test_a_helpful_change_gives_what_it_promises() -> None:
    best = explain(dense_run(), LAYOUT, BRIDGE).helps()[0]
    assert best.layout is not None
    assert estimate(best.run, best.layout, BRIDGE).step.seconds == best.seconds


def test_of_a_plan_that_does_not_fit_what_makes_it_fit() -> None:
    run = dense_run(A100)
    run = replace(run, device=replace(run.device, memory_bytes=20e9))
    explained = explain(run, Layout(dp=16), BRIDGE)
    assert not explained.answer.fit.fits
    assert explained.memory_binds
    assert "memory capacity" not in explained.without_effect
    fixes = cheapest_fixes(run, Layout(dp=16), BRIDGE)
    of_layout = [move for move in explained.helps(20) if move.run == run]
    assert [(fix.change, fix.layout) for fix in fixes] == [
        (move.change, move.layout) for move in of_layout[:3]
    ]
    assert all(move.fits for move in explained.helps())


def test_inputs_without_effect_are_named() -> None:
    explained = explain(dense_run(), Layout(dp=8), BRIDGE)
    assert {"schedule", "sequence_parallel", "graphs", "slow network's bandwidth"} <= set(
        explained.without_effect
    )
    assert not {"sharding", "recompute", "microbatch", "peak"} & set(explained.without_effect)
    busy = explain(dense_run(), Layout(tp=2, pp=4, dp=2), BRIDGE).without_effect
    assert not {"schedule", "sequence_parallel"} & set(busy)


def test_what_belongs_to_other_choices_is_without_effect() -> None:
    layout = Layout(dp=8, recompute="full", recompute_modules=("mlp",))
    assert {"recompute_modules", "dispatcher"} <= set(explain(dense_run(), layout, BRIDGE).without_effect)
    assert "dispatcher" not in explain(mixture_run(), MIXTURE_LAYOUT, BRIDGE).without_effect


def test_without_effect_means_that_no_value_does_anything() -> None:
    explained = explain(dense_run(), Layout(dp=8), BRIDGE)
    step, needed = explained.answer.step.seconds, explained.answer.fit.needed
    for move in explained.moves:
        if move.knob in explained.without_effect and move.seconds is not None:
            assert move.seconds == pytest.approx(step)
            assert move.needed == pytest.approx(needed)


def test_an_estimate_that_was_made_already_is_explained_as_such() -> None:
    answer = estimate(dense_run(), LAYOUT, BRIDGE)
    assert explain_estimate(answer) == explain(dense_run(), LAYOUT, BRIDGE)


def test_an_explanation_is_quick() -> None:
    explain(mixture_run(), MIXTURE_LAYOUT, BRIDGE)
    start = process_time()
    explain(mixture_run(), MIXTURE_LAYOUT, BRIDGE)
    assert process_time() - start < 1.0


def test_an_explanation_shows_itself() -> None:
    explained = explain(dense_run(), LAYOUT, BRIDGE)
    assert sum(explained.to_json()["waterfall"].values()) == pytest.approx(explained.answer.step.seconds)
    html = explained._repr_html_()
    for words in ("From the arithmetic to the step", "What would help the most", "Bound by the peak"):
        assert words in html


def test_the_fastest_that_memory_keeps_out_is_named() -> None:
    run = dense_run()
    full = estimate(run, LAYOUT, BRIDGE).fit.needed
    explained = explain(replace(run, device=replace(run.device, memory_bytes=full)), LAYOUT, BRIDGE)
    out = explained.kept_out
    assert out is not None
    assert out.seconds is not None
    assert not out.fits
    assert out.seconds < explained.answer.step.seconds
    assert explained.memory_binds
