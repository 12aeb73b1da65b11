"""One plan's report: what is refused, where its seconds go under every combination of switches."""

from __future__ import annotations

import dataclasses
import math
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from benchmarks.plain_search import full_plans
from scalewall.errors import InputError
from scalewall.hardware import Network, load_machine
from scalewall.ideal.breakdown import ARITHMETIC, BUBBLE, DATA, KERNEL, LATENCY, POINT, TENSOR, binding_part
from scalewall.ideal.estimate import check_plan, estimate_batch
from scalewall.ideal.results import Plan
from scalewall.ideal.space import ModelSwitches
from scalewall.workload import MlpStack
from tests.ideal.small_worlds import SLOW, worlds

H100 = load_machine("ref-h100")
STACK = MlpStack(12288, 49152, 192, 4, 2.0**22, 1e12)
PLAN = Plan((1, 4), (2, 1), (4, 1), (1, 8), (1, 4), 64, 2, False)
EVERY_MODEL = [
    ModelSwitches(*overlaps, *rest)
    for overlaps in product((True, False), repeat=3)
    for rest in product(("max", "free"), ("constant", "tree"))
]

REFUSED = [
    ({"dp": (4,)}, "dp", "2 factors", None),
    ({"dp": (0, 4)}, "dp", "at least 1", None),
    ({"tp_model": (3, 1)}, "degrees in network level 0", "at most its size, 8", None),
    ({"ep": (1, 3)}, "ep", "a divisor of 4", "4"),
    ({"pp": (1, 7)}, "pp", "a divisor of 192", "6"),
    ({"tp_ff": (1, 5)}, "tp_ff", "a divisor of 49152", "6"),
    ({"tp_model": (1, 7)}, "tp_model", "a divisor of 12288", "6"),
    ({"dp": (1, 3)}, "dp", "a divisor of 1048576", "4"),
    ({"microbatches": 48}, "microbatches", "a divisor of 262144", "64"),
    ({"microbatches": 0}, "microbatches", "a divisor", "1"),
    ({"interleave": 5}, "interleave", "a divisor of the 24", "4"),
    ({"zero_bubble": True}, "zero_bubble", "1 chunk", "0"),
    ({"zero_bubble": True, "interleave": 1, "microbatches": 8}, "zero_bubble", "16 microbatches", "0"),
]


@pytest.mark.parametrize(("change", "field", "allowed", "nearest"), REFUSED, ids=str)
def test_a_plan_that_does_not_divide_is_refused(change, field, allowed, nearest):
    with pytest.raises(InputError) as caught:
        check_plan(STACK, dataclasses.replace(PLAN, **change), H100)
    assert caught.value.field == field
    assert allowed in caught.value.allowed
    assert nearest is None or nearest in caught.value.suggestions


def test_a_good_plan_passes():
    check_plan(STACK, PLAN, H100)
    report = estimate_batch(STACK, PLAN, H100)
    assert report.terms.n_gpu == 4 * 2 * 4 * 8 * 4
    assert report.run_seconds == pytest.approx(report.terms.total * 1e12 / 2**22)


@settings(SLOW, max_examples=40)
@given(world=worlds(), data=st.data())
def test_attributed_seconds_sum_to_the_batch_under_every_switch(world, data):
    plans = list(full_plans(world.stack, world.cluster, world.space, world.model))
    assume(plans)
    plan = data.draw(st.sampled_from(plans))
    for model in EVERY_MODEL:
        report = estimate_batch(world.stack, plan, world.cluster, model)
        attributed, alone = report.attributed_seconds, report.component_seconds
        assert sum(attributed.values()) == pytest.approx(report.terms.total, rel=1e-9)
        assert min(attributed.values()) >= -1e-12 * report.terms.total
        assert attributed.keys() == alone.keys()
        assert report.binds == ARITHMETIC or attributed[report.binds] > 0
        for part in attributed.keys() - {BUBBLE, KERNEL, ARITHMETIC}:
            assert attributed[part] <= alone[part] * (1 + 1e-9), part


def test_no_switch_makes_a_batch_quicker_than_full_overlap():
    best = ModelSwitches(overlap_data=True, zero_bubble_latency="free")
    least = estimate_batch(STACK, PLAN, H100, best).terms.total
    assert all(estimate_batch(STACK, PLAN, H100, model).terms.total >= least for model in EVERY_MODEL)


@pytest.mark.parametrize(
    ("model", "grows"),
    [
        (ModelSwitches(overlap_tensor=False), TENSOR),
        (ModelSwitches(overlap_point_to_point=False), POINT),
    ],
)
def test_communication_that_does_not_overlap_is_added(model, grows):
    overlapped, exposed = (estimate_batch(STACK, PLAN, H100, switches) for switches in (None, model))
    bubble = overlapped.terms.bubble
    assert exposed.terms.total - overlapped.terms.total == pytest.approx(
        exposed.component_seconds[grows] / (1 - bubble), rel=1e-9
    )
    assert exposed.attributed_seconds[grows] == exposed.component_seconds[grows]


def test_the_gradient_all_reduce_hides_if_told_to():
    added, hidden = (
        estimate_batch(STACK, PLAN, H100, ModelSwitches(overlap_data=overlap)) for overlap in (False, True)
    )
    terms = added.terms
    assert added.terms.total - hidden.terms.total == pytest.approx(terms.data + terms.data_latency)
    assert added.attributed_seconds[DATA] == terms.data
    assert hidden.attributed_seconds[DATA] == 0


def test_zero_bubble_waits_for_its_latency_or_not():
    """Over hops of a tenth of a millisecond, latency takes longer than anything else."""
    levels = tuple(dataclasses.replace(level, latency=1e-4) for level in H100.network.levels)
    slow = dataclasses.replace(H100, network=Network(levels))
    plan = dataclasses.replace(PLAN, dp=(1, 1), microbatches=16, interleave=1, zero_bubble=True)
    stack = dataclasses.replace(STACK, batch_tokens=2.0**12)
    check_plan(stack, plan, slow)
    waits, free = (
        estimate_batch(stack, plan, slow, ModelSwitches(zero_bubble_latency=rule)) for rule in ("max", "free")
    )
    assert waits.terms.total == waits.terms.latency > free.terms.total
    assert waits.binds == LATENCY
    assert free.attributed_seconds[LATENCY] == 0


def test_trees_cost_a_logarithm_of_the_peers():
    constant, tree = (
        estimate_batch(STACK, PLAN, H100, ModelSwitches(latency_model=model))
        for model in ("constant", "tree")
    )
    assert constant.terms.data_latency == pytest.approx(2 * 1.125e-6)
    assert tree.terms.data_latency == pytest.approx(2 * 1.125e-6 * math.log2(4))
    assert tree.terms.total > constant.terms.total


def test_memory_counts_weights_a_replica_and_sharded_optimizer_state():
    n_gpu = estimate_batch(STACK, PLAN, H100).terms.n_gpu
    needed = STACK.parameters * 2 * (4 + 4) / n_gpu
    for capacity, fits in ((needed, True), (0.999 * needed, False)):
        accelerator = dataclasses.replace(H100.accelerator, memory_bytes=capacity)
        cluster = dataclasses.replace(H100, accelerator=accelerator)
        assert estimate_batch(STACK, PLAN, cluster).fits == fits


def test_what_binds_is_the_largest_part_beside_arithmetic():
    assert binding_part({ARITHMETIC: 5.0, TENSOR: 1.0, LATENCY: 2.0}) == LATENCY
    assert binding_part({ARITHMETIC: 5.0, TENSOR: 0.0}) == ARITHMETIC
