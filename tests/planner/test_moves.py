"""Neighbours: one knob away, on as many accelerators, with the times that the planner gives them."""

from __future__ import annotations

import pytest

from scalewall.planner.estimate import estimate
from scalewall.planner.layout import Layout
from scalewall.planner.moves import Move, moves
from scalewall.planner.profile import load_profile
from tests.planner.samples import BRIDGE, LAYOUT, MIXTURE_LAYOUT, dense_run, mixture_run


def of(found: tuple[Move, ...], knob: str) -> list[Move]:
    return [move for move in found if move.knob == knob]


def test_accelerators_and_batch_stay() -> None:
    run = dense_run()
    for move in moves(run, LAYOUT, BRIDGE):
        assert move.run.global_batch == run.global_batch
        if move.layout is not None:
            assert move.layout.ranks == LAYOUT.ranks


def test_times_are_those_of_the_single_plan() -> None:
    for move in moves(mixture_run(), MIXTURE_LAYOUT, BRIDGE):
        if move.layout is not None and move.seconds is not None:
            answer = estimate(move.run, move.layout, BRIDGE)
            assert move.seconds == answer.step.seconds
            assert (move.needed, move.fits) == (answer.fit.needed, answer.fit.fits)


def test_every_knob_moves() -> None:
    knobs = {move.knob for move in moves(dense_run(), LAYOUT, BRIDGE)}
    assert knobs >= {"tp", "cp", "pp", "chunks", "microbatch", "schedule", "sharding", "recompute"}
    assert knobs >= {"sequence_parallel", "precision", "graphs"}
    assert not knobs & {"ep", "etp", "dispatcher", "expert_overlap"}
    assert "shard_ranks" in {move.knob for move in moves(dense_run(), Layout(dp=64), BRIDGE)}
    more = {move.knob for move in moves(mixture_run(), MIXTURE_LAYOUT, BRIDGE)}
    assert more >= {"ep", "etp", "dispatcher", "expert_overlap"}


def test_none_stays_where_it_is() -> None:
    layout = Layout(tp=2, pp=2, dp=4, recompute="selective", chunks=2)
    for move in moves(dense_run(), layout, BRIDGE):
        assert (move.run, move.layout) != (dense_run(), layout)


def test_degrees_trade_with_data_parallelism_and_with_each_other() -> None:
    changes = {move.change for move in of(moves(dense_run(), LAYOUT, BRIDGE), "tp")}
    assert changes == {"tp 2 -> 4, dp 4 -> 2", "tp 2 -> 4, pp 2 -> 1", "tp 2 -> 1, dp 4 -> 8"}


def test_chunks_go_with_the_pipeline_and_the_schedule() -> None:
    found = moves(dense_run(), Layout(tp=2, pp=2, dp=4, chunks=4), BRIDGE)
    assert all(move.layout is None or move.layout.chunks == 1 for move in of(found, "schedule"))
    assert any(move.change == "pp 2 -> 1, dp 4 -> 8, chunks 4 -> 1" for move in of(found, "pp"))
    assert {move.change for move in of(found, "chunks")} == {"chunks 4 -> 2", "chunks 4 -> 8"}


def test_odd_degrees_split_by_their_smallest_factor() -> None:
    run = dense_run(global_batch=45)
    changes = {move.change for move in of(moves(run, Layout(dp=9), BRIDGE), "pp")}
    assert changes == {"pp 1 -> 3, dp 9 -> 3"}


def test_what_cannot_be_laid_out_says_why() -> None:
    found = moves(mixture_run(), MIXTURE_LAYOUT, BRIDGE)
    (wide,) = [move for move in found if move.change == "ep 16 -> 32"]
    assert wide.layout is None
    assert wide.seconds is None
    assert "must divide" in wide.reason


@pytest.mark.parametrize("precision", ["bf16", "fp8-current"])
def test_only_precision_changes_the_arithmetic(precision: str) -> None:
    for move in moves(dense_run(precision=precision), LAYOUT, BRIDGE):
        assert move.same_arithmetic == (move.run.precision == precision)


def test_what_the_software_does_not_offer_is_marked() -> None:
    found = moves(dense_run(), LAYOUT, BRIDGE)
    offered = {move.change: move.offered for move in of(found, "schedule")}
    assert not offered["schedule 1f1b -> zb-2p"]
    assert all(move.offered for move in of(found, "tp"))
    zero = load_profile("zero-bubble-2023")
    more = {move.change: move.offered for move in of(moves(dense_run(), LAYOUT, zero), "schedule")}
    assert more["schedule 1f1b -> zb-2p"]


def test_what_a_plan_had_before_is_not_held_against_its_neighbours() -> None:
    foreign = Layout(tp=2, pp=2, dp=4, schedule="zb-1p")
    found = {move.change: move.offered for move in moves(dense_run(), foreign, BRIDGE)}
    assert found["microbatch 1 -> 2"]
    assert found["schedule zb-1p -> 1f1b"]
