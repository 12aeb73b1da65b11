"""Both searches against plain Python that goes through every plan, on spaces small enough for it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from functools import lru_cache

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from benchmarks import plain_model
from benchmarks.plain_search import full_plans, reference_plans
from scalewall.hardware import Accelerator, Cluster, MemoryLevel, Network, NetworkLevel
from scalewall.ideal.estimate import BatchEstimate, check_plan, estimate_batch
from scalewall.ideal.results import Plan
from scalewall.ideal.search import Searcher, find_plan
from scalewall.ideal.space import ModelSwitches, SearchSpace
from scalewall.workload import MlpStack
from tests.ideal.small_worlds import SLOW, World, worlds


@pytest.fixture(autouse=True, scope="module")
def remembered() -> Iterator[None]:
    """Shapes and placements return in many plans: plain Python computes each once."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("layer", "all_reduce", "boundaries", "occupied"):
            patch.setattr(plain_model, name, lru_cache(1 << 16)(getattr(plain_model, name)))
        yield


def searcher(world: World) -> Searcher:
    return Searcher.of(world.cluster, world.space, world.model)


def outcome(world: World, plan: Plan) -> plain_model.Outcome:
    return plain_model.batch(world.stack, plan, world.cluster, world.model)


def clusters_upward(world: World) -> Iterator[list[Plan]]:
    """The reference search's plans, cluster after cluster."""
    stack, ranks = world.stack, 1
    while ranks <= stack.d_model * stack.d_ff * stack.layers * stack.batch_per_expert:
        yield list(reference_plans(stack, world.cluster, world.space, ranks, world.model))
        ranks *= 2


def least_cost(world: World, plans: list[Plan]) -> float:
    """Least accelerator-seconds of a batch in time; infinite if no plan is."""
    outcomes = [outcome(world, plan) for plan in plans]
    return min((o.accelerator_seconds for o in outcomes if o.total <= world.deadline), default=math.inf)


def least_time(world: World, plans: list[Plan]) -> float:
    """Least seconds of a batch; infinite if there is no plan."""
    return min((outcome(world, plan).total for plan in plans), default=math.inf)


def cost_of(found: BatchEstimate | None) -> float:
    return math.inf if found is None else found.terms.total * found.terms.n_gpu


def time_of(found: BatchEstimate | None) -> float:
    return math.inf if found is None else found.terms.total


@settings(SLOW, max_examples=150)
@given(worlds())
def test_the_full_search_finds_what_trying_every_plan_finds(world):
    plans = list(full_plans(world.stack, world.cluster, world.space, world.model))
    found, _ = searcher(world).best(world.stack, world.run_seconds)
    assert cost_of(found) == pytest.approx(least_cost(world, plans), rel=1e-9)
    if found:
        assert found.plan in plans
        check_plan(world.stack, found.plan, world.cluster)


@settings(SLOW, max_examples=80)
@given(worlds("reference"))
def test_the_reference_search_finds_what_trying_every_plan_finds(world):
    expected = math.inf
    for plans in clusters_upward(world):
        expected = least_cost(world, plans)
        if expected < math.inf:
            break
    found, _ = searcher(world).best(world.stack, world.run_seconds)
    assert cost_of(found) == pytest.approx(expected, rel=1e-9)


@settings(SLOW, max_examples=40)
@given(st.sampled_from(("full", "reference")).flatmap(worlds))
def test_no_plan_beats_the_kernels_one_after_the_other(world):
    stack, plans = world.stack, list(full_plans(world.stack, world.cluster, world.space, world.model))
    floor = searcher(world).kernel_floor(stack)
    assume(plans and floor > 0)
    assert least_time(world, plans) * stack.tokens / stack.batch_tokens >= floor * (1 - 1e-12)
    assert searcher(world).best(stack, floor * (1 - 1e-6)) == (None, 0), "known without a search"


@settings(SLOW, max_examples=30)
@given(worlds())
def test_the_fastest_plan_of_the_full_search(world):
    plans = list(full_plans(world.stack, world.cluster, world.space, world.model))
    expected = least_time(world, plans)
    assume(expected > world.deadline)
    found = searcher(world).fastest(world.stack, world.run_seconds)
    assert time_of(found) == pytest.approx(expected, rel=1e-9)


@settings(SLOW, max_examples=30)
@given(worlds("reference"))
def test_the_fastest_plan_of_the_reference_search(world):
    expected = min(least_time(world, plans) for plans in clusters_upward(world))
    assume(expected > world.deadline)
    found = searcher(world).fastest(world.stack, world.run_seconds)
    assert time_of(found) == pytest.approx(expected, rel=1e-9)


@settings(SLOW, max_examples=60)
@given(worlds(), st.data())
def test_the_report_of_a_plan_is_the_plain_equations(world, data):
    plans = list(full_plans(world.stack, world.cluster, world.space, world.model))
    assume(plans)
    plan = data.draw(st.sampled_from(plans))
    report = estimate_batch(world.stack, plan, world.cluster, world.model)
    terms, plain = report.terms, outcome(world, plan)
    for name in plain_model.Outcome._fields:
        assert getattr(terms, name) == pytest.approx(getattr(plain, name), rel=1e-12), name
    flop = 6 * world.stack.active_parameters * world.stack.batch_tokens
    peak = world.cluster.accelerator.peak_flops
    assert report.utilization == pytest.approx(flop / (peak * plain.accelerator_seconds), rel=1e-12)
    assert report.fits


def latency_bound(latency: float) -> Cluster:
    """One level of free bandwidth, on which nothing costs but arithmetic and hops."""
    free = MemoryLevel("HBM", math.inf, 1, False, math.inf)
    accelerator = Accelerator("a", 16, 6 * 64 * 2.0 * 64 * 256 * 16, 1.0, 1e-9, 1e12, (free,))
    return Cluster("c", "C", accelerator, Network((NetworkLevel("all", None, math.inf, latency),)))


@pytest.mark.parametrize("latency", [1e-4, 3e-4, 1e-3, 2e-3])
def test_latency_counts_for_the_accelerators_that_a_plan_uses(latency):
    """A shape of many microbatches can feed many accelerators; its best plan may use few of them."""
    stack = MlpStack(64, 256, 16, 1, 64.0, 64e3)
    space = SearchSpace(schedule="1f1b", bounds={"tp": (2, 2), "dp": (1, 1)})
    world = World(stack, latency_bound(latency), space, ModelSwitches(), run_seconds=400.0)
    plans = list(full_plans(stack, world.cluster, space))
    found = find_plan(stack, world.cluster, world.run_seconds, space, world.model)
    assert found is not None
    assert cost_of(found) == pytest.approx(least_cost(world, plans), rel=1e-9)


@pytest.mark.parametrize("placed", [(51, 145), (127, 29), (85, 243), (3, 7), (4480, 3)])
def test_idle_accelerators_are_counted_exactly(placed):
    """Groups of 51 in domains of 8,960: 175 a domain, so 145 of them take 145/175 of one, 7,424."""
    inner, outer = placed
    network = Network((NetworkLevel("torus", 8960, 1e11, 1e-6), NetworkLevel("fabric", None, 1e10, 1e-6)))
    cluster = dataclasses.replace(latency_bound(0.0), network=network)
    stack = MlpStack(inner * 64, 256, outer * 2, 1, 64.0, 64e3)
    one = (1, 1)
    plan = Plan(one, (inner, 1), one, (1, outer), one, 2 * outer, 1, False)
    terms = estimate_batch(stack, plan, cluster).terms
    assert terms.n_active == inner * outer
    groups = 8960 // inner
    exact = -(-outer * 8960 // groups) if 8960 % inner else inner * outer
    assert terms.n_gpu == exact


@pytest.mark.parametrize("slow", [1e5, 1e6, 1e7])
@pytest.mark.parametrize("schedule", ["1f1b", "any"])
def test_a_network_that_is_faster_outside(slow, schedule):
    """There more chunks can send less: boundaries that cross stages leave the slow inner level."""
    stack = MlpStack(64, 256, 16, 4, 256.0, 256e3)
    network = Network((NetworkLevel("slow", 4, slow, 1e-3), NetworkLevel("fast", None, 1e10, 0.0)))
    cluster = dataclasses.replace(latency_bound(0.0), network=network)
    bounds = {"tp": (1, 1), "pp": (2, 16), "ep": (4, 4)}
    space = SearchSpace(schedule=schedule, bounds=bounds, domain_filling="exact")
    model = ModelSwitches(overlap_point_to_point=False)
    world = World(stack, cluster, space, model, run_seconds=1e4)
    found, _ = searcher(world).best(stack, world.run_seconds)
    assert cost_of(found) == pytest.approx(
        least_cost(world, list(full_plans(stack, cluster, space))), rel=1e-9
    )


def test_tensor_parallelism_that_fits_nowhere():
    """Both degrees alone would fit in a node of 4, but not together."""
    network = Network((NetworkLevel("node", 4, 1e6, 1.0), NetworkLevel("fabric", None, 1e6, 1.0)))
    cluster = dataclasses.replace(latency_bound(0.0), network=network)
    stack = MlpStack(64, 256, 16, 1, 256.0, 256e3)
    space = SearchSpace(tensor_levels=1, bounds={"tp_model": (4, 4), "tp_ff": (4, 4)})
    assert find_plan(stack, cluster, 1e9, space) is None
    assert Searcher.of(cluster, space, ModelSwitches()).fastest(stack, 1e-9) is None
