"""What must hold for any machine and any run: more never hurts, wider never hurts, units do not matter."""

from __future__ import annotations

import dataclasses
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scalewall.hardware import Accelerator, Cluster, Network, load_machine
from scalewall.ideal.search import Searcher, find_plan
from scalewall.ideal.space import ModelSwitches, SearchSpace
from scalewall.ideal.study import LimitsStudy
from scalewall.validation.reference_data import reference_curves
from scalewall.workload import Laws, MlpStack, stack_for
from tests.ideal.small_worlds import SLOW, World, worlds

MONTHS = 7.885e6
RUNS = tuple(stack_for(width, Laws()) for width in (12288, 20480, 49152, 196608))
MACHINES = st.sampled_from(("ref-a100", "ref-h100", "ref-h100-superpod", "gb200-nvl72")).map(load_machine)
CURVES = reference_curves()
SLACK = 1 + 1e-11
"""Searches leave gains of less than 1e-12 aside."""


def utilization(
    stack: MlpStack,
    cluster: Cluster,
    space: SearchSpace | None = None,
    model: ModelSwitches | None = None,
    run_seconds: float = MONTHS,
) -> float:
    """Best utilization in time; 0 if no plan is."""
    found = find_plan(stack, cluster, run_seconds, space, model)
    return found.utilization if found else 0.0


def of(world: World, **changes: object) -> float:
    world = world._replace(**changes)
    return utilization(world.stack, world.cluster, world.space, world.model, world.run_seconds)


def scaled(
    cluster: Cluster,
    flops: float = 1,
    memory: float = 1,
    network: float = 1,
    kernel: float = 1,
    hop: float = 1,
) -> Cluster:
    """The same cluster with rates and latencies multiplied."""
    accelerator: Accelerator = dataclasses.replace(
        cluster.accelerator,
        peak_flops=cluster.accelerator.peak_flops * flops,
        kernel_latency=cluster.accelerator.kernel_latency * kernel,
        memory=tuple(
            dataclasses.replace(level, bandwidth=level.bandwidth * memory)
            for level in cluster.accelerator.memory
        ),
    )
    levels = tuple(
        dataclasses.replace(level, bandwidth=level.bandwidth * network, latency=level.latency * hop)
        for level in cluster.network.levels
    )
    return dataclasses.replace(cluster, accelerator=accelerator, network=Network(levels))


def with_domain(cluster: Cluster, size: int) -> Cluster:
    inner, *outer = cluster.network.levels
    return dataclasses.replace(cluster, network=Network((dataclasses.replace(inner, size=size), *outer)))


@pytest.mark.parametrize("filling", ["exact", "partial"])
@pytest.mark.parametrize("curve", CURVES)
def test_the_full_search_is_never_below_the_published_one(curve, filling):
    question, points = CURVES[curve]
    study = LimitsStudy(
        machines=(question.machine,),
        reference=True,
        model=question.model,
        batch_law=question.batch_law,
        search="full",
        domain_filling=filling,
    )
    searcher = Searcher.of(study.cluster(question.machine), study.space, study.model_switches)
    runs = {stack.d_model: stack for stack in study.stacks}
    for point in points:
        found, _ = searcher.best(runs[point.d_model], study.duration_seconds)
        assert found is not None
        assert found.utilization >= point.utilization - 5e-7


FASTER = st.fixed_dictionaries(
    {
        "memory": st.floats(1, 20) | st.just(math.inf),
        "network": st.floats(1, 20) | st.just(math.inf),
        "kernel": st.floats(0, 1),
        "hop": st.floats(0, 1),
    }
)


@settings(SLOW, max_examples=25)
@given(stack=st.sampled_from(RUNS), cluster=MACHINES, change=FASTER)
def test_more_bandwidth_or_less_latency_never_lowers_utilization(stack, cluster, change):
    assert utilization(stack, scaled(cluster, **change)) * SLACK >= utilization(stack, cluster)


@settings(SLOW, max_examples=60)
@given(world=worlds(), change=FASTER)
def test_nor_does_it_in_any_small_world(world, change):
    assert of(world, cluster=scaled(world.cluster, **change)) * SLACK >= of(world)


@settings(SLOW, max_examples=60)
@given(world=worlds(), longer=st.floats(1, 10))
def test_more_time_never_lowers_utilization(world, longer):
    assert of(world, run_seconds=world.run_seconds * longer) * SLACK >= of(world)


@settings(SLOW, max_examples=60)
@given(world=worlds(), power=st.integers(-20, 20))
def test_a_slower_clock_for_everything_changes_nothing(world, power):
    k = 2.0**power
    slow = scaled(world.cluster, flops=1 / k, memory=1 / k, network=1 / k, kernel=k, hop=k)
    assert of(world, cluster=slow, run_seconds=k * world.run_seconds) == of(world)


@settings(SLOW, max_examples=60)
@given(world=worlds())
def test_no_plan_beats_the_sustained_rate(world):
    assert of(world) <= world.cluster.accelerator.sustained_fraction * SLACK


WIDER = {
    "no bounds": {"bounds": {}},
    "any schedule": {"schedule": "any"},
    "any order": {"classic_order": False},
    "tensor parallelism anywhere": {"tensor_levels": None},
    "idle accelerators allowed": {"domain_filling": "partial"},
}


@pytest.mark.parametrize("change", WIDER.values(), ids=WIDER)
@settings(SLOW, max_examples=30)
@given(world=worlds())
def test_a_wider_search_is_never_worse(change, world):
    assert of(world, space=dataclasses.replace(world.space, **change)) * SLACK >= of(world)


@settings(SLOW, max_examples=20)
@given(stack=st.sampled_from(RUNS), cluster=MACHINES)
def test_a_domain_of_72_is_never_worse_than_one_of_8(stack, cluster):
    assert utilization(stack, with_domain(cluster, 72)) * SLACK >= utilization(stack, with_domain(cluster, 8))


@pytest.mark.parametrize(
    ("bounds", "degree"),
    [
        ({"dp": (4, 4)}, lambda plan: math.prod(plan.dp) == 4),
        ({"tp": (16, 16)}, lambda plan: math.prod(plan.tp_model + plan.tp_ff) == 16),
        ({"tp_model": (2, 2)}, lambda plan: math.prod(plan.tp_model) == 2),
        ({"tp_ff": (1, 4)}, lambda plan: math.prod(plan.tp_ff) <= 4),
        ({"pp": (8, 8)}, lambda plan: math.prod(plan.pp) == 8),
        ({"microbatches": (128, 128)}, lambda plan: plan.microbatches == 128),
        ({"interleave": (2, 2)}, lambda plan: plan.interleave == 2 and not plan.zero_bubble),
        ({"n_gpu": (30000, 40000)}, lambda plan: True),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
@pytest.mark.parametrize("method", ["full", "reference"])
def test_bounds_are_honoured(method, bounds, degree):
    space = SearchSpace(method=method, bounds=bounds)
    # Four times the time: enough for every one of these bounds.
    found = find_plan(RUNS[0], load_machine("ref-h100"), 4 * MONTHS, space)
    if method == "reference" and "interleave" in bounds:
        assert found is None or degree(found.plan), "the published search has all chunks or none"
        return
    assert found is not None
    assert degree(found.plan)
    if "n_gpu" in bounds:
        low, high = bounds["n_gpu"]
        assert low <= found.terms.n_gpu <= high


@pytest.mark.parametrize(("schedule", "zero"), [("1f1b", False), ("zero-bubble", True)])
def test_a_forced_schedule(schedule, zero):
    found = find_plan(RUNS[1], load_machine("ref-h100"), MONTHS, SearchSpace(schedule=schedule))
    assert found is not None
    assert found.plan.zero_bubble == zero


def test_tensor_parallelism_kept_inside_the_node():
    found = find_plan(RUNS[1], load_machine("ref-h100"), MONTHS, SearchSpace(tensor_levels=1))
    assert found is not None
    assert found.plan.tp_model[1] == found.plan.tp_ff[1] == 1


def test_the_classic_order_interleaves_only_where_stages_divide_microbatches():
    space = SearchSpace(classic_order=True, schedule="1f1b", bounds={"interleave": (2, 8)})
    found = find_plan(RUNS[1], load_machine("ref-h100"), MONTHS, space)
    assert found is not None
    assert found.plan.microbatches % math.prod(found.plan.pp) == 0
