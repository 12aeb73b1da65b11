"""The curve and what is read off it: the band, the largest run, reasons for runs that do not finish."""

from __future__ import annotations

import dataclasses
import math
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewall.errors import InputError
from scalewall.hardware import load_machine
from scalewall.ideal.closed_forms import critical_compute
from scalewall.ideal.limits import at_threshold, evaluate_stack, limits, limits_of, linear_scaling
from scalewall.ideal.results import InfeasiblePoint, Point
from scalewall.ideal.search import Searcher
from scalewall.ideal.space import ModelSwitches, SearchSpace
from scalewall.ideal.study import LimitsStudy
from scalewall.workload import Laws, stack_for

MONTHS = 7.885e6
FEW = (1, 12288, 65536)


@cache
def template() -> Point:
    return limits("ref-h100", search="reference", grid=(1, 16384, 16384)).points[0]


def made(flop: float, utilization: float | None) -> Point | InfeasiblePoint:
    """A run of a curve as far as the band looks at it."""
    if utilization is None:
        return InfeasiblePoint(1, flop, "made up")
    return dataclasses.replace(template(), training_flop=flop, utilization=utilization)


@pytest.mark.parametrize(
    ("utilizations", "first_failure", "last_pass", "at_the_edge"),
    [
        ((0.7, 0.6, 0.5), 2, 1, False),
        ((0.7, 0.5, 0.6, 0.5), 1, 2, False),
        ((0.7, 0.6, None), 2, 1, False),
        ((0.7, 0.8 * 0.7), 1, 0, False),
        ((0.7, 0.6), None, 1, True),
        ((0.5, 0.4), 0, None, True),
        ((0.5, 0.6, 0.4), 0, 1, True),
        ((0.6, 0.5, 0.6), 1, 2, True),
        ((None, None), 0, None, True),
        ((), None, None, True),
    ],
)
def test_the_band_in_which_efficient_scaling_ends(utilizations, first_failure, last_pass, at_the_edge):
    flops = [10.0**number for number in range(len(utilizations))]
    runs = [made(flop, utilization) for flop, utilization in zip(flops, utilizations, strict=True)]
    band = linear_scaling(reversed(runs), threshold=0.8, sustained_fraction=0.7)
    assert band.threshold_utilization == pytest.approx(0.56)
    assert band.first_failure_flop == (None if first_failure is None else flops[first_failure])
    assert band.last_pass_flop == (None if last_pass is None else flops[last_pass])
    assert band.grid_limited == at_the_edge


@given(st.lists(st.floats(0.01, 0.7), min_size=1), st.floats(0.1, 1), st.floats(0.1, 1))
def test_a_lower_threshold_never_ends_sooner(utilizations, one, other):
    runs = [made(10.0**number, utilization) for number, utilization in enumerate(utilizations)]
    loose, strict = (linear_scaling(runs, share, 0.7) for share in sorted((one, other)))
    assert (loose.first_failure_flop or math.inf) >= (strict.first_failure_flop or math.inf)
    assert (loose.last_pass_flop or 0) >= (strict.last_pass_flop or 0)


def test_a_curve_from_end_to_end():
    found = limits("ref-h100", search="reference", grid=(1, 12288, 524288))
    flops = [point.training_flop for point in found.points]
    assert flops == sorted(flops)
    assert found.largest_feasible_flop == flops[-1]
    assert found.infeasible
    assert min(run.training_flop for run in found.infeasible) > flops[-1]
    assert all(point.run_seconds <= found.duration_seconds for point in found.points)
    assert all(point.utilization <= found.sustained_fraction for point in found.points)
    cluster = load_machine("ref-h100")
    assert found.closed_forms["critical_compute_flop"] == critical_compute(
        cluster, seconds=found.duration_seconds
    )
    assert found.assumptions["search"]["method"] == "reference"


@pytest.mark.parametrize("machine", ["ref-h100", "gb200-nvl72"])
def test_a_point_holds_together(machine):
    cluster = load_machine(machine)
    for point in limits(machine, grid=FEW, model="sparse", sparsity=4).points:
        plan = point.plan
        rows = (plan.dp, plan.tp_model, plan.tp_ff, plan.pp, plan.ep)
        assert point.n_gpu - point.idle_gpu == math.prod(map(math.prod, rows))
        assert point.idle_gpu >= 0
        assert sum(point.attributed_seconds.values()) == pytest.approx(point.batch_seconds, rel=1e-9)
        assert point.run_seconds == pytest.approx(point.batch_seconds * point.tokens / point.batch_tokens)
        work = point.training_flop / (cluster.accelerator.peak_flops * point.n_gpu * point.run_seconds)
        assert point.utilization == pytest.approx(work, rel=1e-12)
        assert point.binds in point.attributed_seconds


def test_idle_accelerators_are_counted():
    """Groups of 5 in domains of 8 leave 3 idle, and utilization falls by 5/8."""
    stack = stack_for(20480, Laws())
    space = SearchSpace(bounds={"tp_model": (5, 5), "tp_ff": (1, 1), "dp": (1, 1)}, tensor_levels=1)
    run = evaluate_stack(Searcher.of(load_machine("ref-h100"), space, ModelSwitches()), stack, 100 * MONTHS)
    assert isinstance(run, Point)
    assert run.plan.tp_model == (5, 1)
    placed = math.prod(degrees[0] for degrees in (run.plan.dp, run.plan.tp_model, run.plan.pp))
    assert run.idle_gpu == run.n_gpu - run.n_gpu // 8 * placed


REASONS = [
    (1572864, SearchSpace(), MONTHS, "kernel latency of"),
    (196608, SearchSpace(), 0.7 * MONTHS, "the fastest, however many accelerators it uses, takes"),
    (12288, SearchSpace(bounds={"n_gpu": (1, 8)}), MONTHS, "the full search without bounds finds one on"),
    (12288, SearchSpace(bounds={"tp_model": (7, 7)}), MONTHS, "the full search without bounds finds one on"),
]


@pytest.mark.parametrize(("width", "space", "seconds", "said"), REASONS)
def test_why_a_run_does_not_finish(width, space, seconds, said):
    searcher = Searcher.of(load_machine("ref-h100"), space, ModelSwitches())
    run = evaluate_stack(searcher, stack_for(width, Laws()), seconds)
    assert isinstance(run, InfeasiblePoint)
    assert said in run.reason


@pytest.mark.parametrize("method", ["full", "reference"])
def test_the_reason_names_what_binds_and_by_how_much(method):
    searcher = Searcher.of(load_machine("ref-h100"), SearchSpace(method=method), ModelSwitches())
    stack = stack_for(245760, Laws())
    run = evaluate_stack(searcher, stack, MONTHS)
    assert isinstance(run, InfeasiblePoint)
    assert "binds" in run.reason or "kernel latency" in run.reason
    fastest = searcher.fastest(stack, MONTHS)
    assert fastest is not None
    assert fastest.run_seconds > MONTHS
    enough, _ = searcher.best(stack, fastest.run_seconds * (1 + 1e-9))
    assert enough is not None, "given the fastest plan's time, a plan finishes"


def test_reasons_can_be_left_out():
    study = LimitsStudy(machines=("ref-h100",), search="reference", grid=(1, 12288, 524288))
    told, untold = (limits_of(study, "ref-h100", reasons=reasons) for reasons in (True, False))
    assert told.infeasible
    assert all(run.reason for run in told.infeasible)
    assert not any(run.reason for run in untold.infeasible)
    silent = tuple(dataclasses.replace(run, reason="") for run in told.infeasible)
    assert untold == dataclasses.replace(told, infeasible=silent), "nothing else differs"


def test_another_threshold_needs_no_search():
    settings = {"search": "reference", "grid": (1, 12288, 524288)}
    assert at_threshold(limits("ref-h100", **settings), 0.5) == limits("ref-h100", threshold=0.5, **settings)


def test_progress_is_told_after_each_run():
    calls = []
    study = LimitsStudy(machines=("ref-h100",), grid=FEW)
    limits_of(study, "ref-h100", lambda done, total, run: calls.append((done, total, run.training_flop)))
    assert [done for done, _, _ in calls] == list(range(1, len(study.stacks) + 1))
    assert {total for _, total, _ in calls} == {len(study.stacks)}


def test_several_machines_and_one():
    several = limits(["ref-h100", "ref-a100"], grid=(1, 12288, 16384))
    assert [one.machine for one in several] == ["ref-h100", "ref-a100"]
    assert limits("ref-a100", grid=(1, 12288, 16384)) == several[1]


def test_an_unknown_setting_is_refused():
    with pytest.raises(InputError) as caught:
        limits("ref-h100", serch="full")
    assert "search" in caught.value.suggestions


def test_the_band_moves_with_the_threshold():
    loose, strict = (limits("ref-h100", grid=(3, 12288, 196608), threshold=share) for share in (0.5, 0.9))
    assert strict.linear_scaling.first_failure_flop < loose.linear_scaling.first_failure_flop
