"""Communication over network levels: the plain equations once more, closed forms, and limits of each."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import plain_model
from scalewall.cost.collectives import (
    all_reduce_chain_latency,
    all_reduce_latency,
    all_reduce_seconds,
    boundary_latency,
    boundary_seconds,
    data_parallel_seconds,
    outermost_level,
    pipeline_crossings,
    tensor_parallel_latency,
    tensor_parallel_seconds,
)
from scalewall.cost.machine_arrays import machine_arrays
from scalewall.hardware import Cluster, load_machine
from scalewall.ideal.results import Plan
from scalewall.workload import MlpStack

SUPERPOD = load_machine("ref-h100-superpod")
FACTORS = st.tuples(*[st.sampled_from((1, 1, 2, 3, 4, 8))] * 3)
TREES = st.booleans()
APART = (1, 1, 1)


def degrees(factors: tuple[int, ...]) -> np.ndarray:
    return np.array(factors, dtype=np.int64)


def arrays(tree: bool = False, cluster: Cluster = SUPERPOD):
    return machine_arrays(cluster, tree)


def test_an_all_reduce_sends_nearly_twice_the_data():
    # 2 (p - 1) x w / (N b): 8 peers, 1e9 words of 2 bytes, 16 accelerators of 1e10 bytes/s.
    assert all_reduce_seconds(8, 1e9, 2, 16, 1e10) == pytest.approx(2 * 7 * 1e9 * 2 / (16 * 1e10))
    assert all_reduce_seconds(1, 1e9, 2, 16, 1e10) == 0
    assert all_reduce_seconds(8, 1e9, 2, 16, math.inf) == 0


@pytest.mark.parametrize(
    ("peers", "hops"), [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (1000, 10), (1024, 10), (1025, 11)]
)
def test_latency_is_two_hops_or_a_tree(peers, hops):
    assert all_reduce_latency(peers, 1e-6, False) == (2e-6 if peers > 1 else 0)
    assert all_reduce_latency(peers, 1e-6, True) == pytest.approx(2e-6 * hops)


@given(dp=FACTORS, words=st.floats(1, 1e15), n_gpu=st.integers(1, 10**6), tree=TREES)
def test_data_parallel_traffic_is_the_slowest_level(dp, words, n_gpu, tree):
    seconds, latency = plain_model.all_reduce(dp, words, n_gpu, 2, SUPERPOD.network, tree)
    assert data_parallel_seconds(degrees(dp), words, n_gpu, arrays(tree)) == pytest.approx(max(seconds))
    assert all_reduce_chain_latency(degrees(dp), arrays(tree)) == pytest.approx(latency)


@given(dp=FACTORS)
def test_what_levels_carry_adds_up_to_the_whole_degree(dp):
    """Over equal links, the levels' traffic of a split all-reduce is that of one over all peers."""
    seconds, _ = plain_model.all_reduce(dp, 1e9, 1, 2, SUPERPOD.network, False)
    carried = sum(
        time * level.bandwidth for time, level in zip(seconds, SUPERPOD.network.levels, strict=True)
    )
    assert carried == pytest.approx(2 * (math.prod(dp) - 1) * 1e9 * 2)


@given(tp_model=FACTORS, tp_ff=FACTORS, tree=TREES)
def test_tensor_parallel_kinds_add_and_levels_overlap(tp_model, tp_ff, tree):
    d_model, d_ff, layers, tokens, n_gpu = 4096, 16384, 32, 2.0**22, 1024
    wide, wide_latency = plain_model.all_reduce(tp_model, d_ff, n_gpu, 2, SUPERPOD.network, tree)
    narrow, narrow_latency = plain_model.all_reduce(tp_ff, d_model, n_gpu, 2, SUPERPOD.network, tree)
    slowest = max(a + b for a, b in zip(wide, narrow, strict=True))
    model, ff = degrees(tp_model), degrees(tp_ff)
    ours = tensor_parallel_seconds(model, ff, d_model, d_ff, layers, tokens, n_gpu, arrays(tree))
    assert ours == pytest.approx(2 * layers * tokens * slowest)
    latency = tensor_parallel_latency(model, ff, layers, arrays(tree))
    assert latency == pytest.approx(2 * layers * (wide_latency + narrow_latency))


@pytest.mark.parametrize(
    ("factors", "level"), [((1, 1, 1), -1), ((8, 1, 1), 0), ((8, 2, 1), 1), ((1, 1, 3), 2)]
)
def test_outermost_level(factors, level):
    assert outermost_level(degrees(factors)) == level


@given(pp=FACTORS, interleave=st.integers(1, 8))
def test_a_pipeline_crosses_each_of_its_chunk_boundaries_once(pp, interleave):
    crossings = [pipeline_crossings(degrees(pp), interleave, level) for level in range(3)]
    stages = math.prod(pp)
    assert sum(crossings) == (interleave * stages - 1 if stages > 1 else 0)
    assert min(crossings) >= 0


def test_an_interleaved_pipeline_returns_to_the_first_stage_over_the_outermost_level():
    # 2 chunks of 4 x 2 stages: within each half 3 crossings a chunk, between halves 2 * 2 - 1.
    assert [pipeline_crossings(degrees((4, 2, 1)), 2, level) for level in range(3)] == [12, 3, 0]


@given(pp=FACTORS, ep=FACTORS, chunks=st.integers(1, 4), spare=st.integers(1, 3))
def test_boundaries_cost_at_the_higher_of_two_crossings(pp, ep, chunks, spare):
    stages = math.prod(pp)
    interleave = chunks if stages > 1 else 1
    layers = stages * chunks * spare
    stack = MlpStack(1024, 4096, layers, math.prod(ep), 4096.0 * math.prod(ep), 1e9)
    plan = Plan(APART, APART, APART, pp, ep, stages, interleave, False)
    n_gpu = stages * math.prod(ep)
    seconds, latency = plain_model.boundaries(stack, plan, n_gpu, 2, SUPERPOD.network)
    ours = boundary_seconds(
        degrees(pp), degrees(ep), interleave, 1024, layers, stack.batch_tokens, n_gpu, arrays()
    )
    assert ours == pytest.approx(seconds, rel=1e-12, abs=1e-18)
    assert boundary_latency(degrees(pp), degrees(ep), interleave, layers, arrays()) == pytest.approx(
        latency, rel=1e-12, abs=1e-18
    )


def test_one_layer_has_no_boundaries():
    alone, experts = degrees(APART), degrees((8, 4, 2))
    assert boundary_seconds(alone, experts, 1, 1024, 1, 4096.0, 64, arrays()) == 0
    assert boundary_latency(alone, experts, 1, 1, arrays()) == 0


def test_a_dense_layer_stack_on_one_accelerator_sends_nothing():
    alone = degrees(APART)
    assert boundary_seconds(alone, alone, 1, 1024, 96, 4096.0, 1, arrays()) == 0
    assert boundary_latency(alone, alone, 1, 96, arrays()) == 0


def test_experts_send_all_but_what_stays():
    """Uniform routing over 4 experts in a node: three of four tokens leave their accelerator, over NVLink."""
    experts = degrees((4, 1, 1))
    ours = boundary_seconds(degrees(APART), experts, 1, 1024, 33, 4096.0, 4, arrays())
    assert ours == pytest.approx(2 * 32 * 0.75 * 4096 * 1024 * 2 / (4 * 450e9))
    assert boundary_latency(degrees(APART), experts, 1, 33, arrays()) == pytest.approx(2 * 32 * 1.125e-6)
