"""One matmul: every published time, the plain equations once more, and what must hold for any shape."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import plain_model
from scalewall.cost.machine_arrays import machine_arrays
from scalewall.cost.matmul import (
    activation_traffic,
    layer_seconds,
    matmul_parts,
    matmul_seconds,
    padded_flop,
    tile_counts,
    weight_gradient_traffic,
    weights_resident,
)
from scalewall.hardware import Accelerator, Cluster, MemoryLevel, load_machine
from scalewall.validation.reference_data import reference_matmuls

EDGES = st.integers(1, 4000).map(float) | st.floats(0.5, 4000)
MACHINES = ("ref-v100", "ref-a100", "ref-h100", "gtx-580", "gb200-nvl72")


def seconds(cluster: Cluster, m: float, n: float, b: float, gradient: bool) -> float:
    arrays = machine_arrays(cluster)
    return matmul_seconds(m, n, b, gradient, arrays, np.empty(1 + arrays.tile_bytes.size))


def with_memory(cluster: Cluster, **changes: object) -> Cluster:
    memory = tuple(dataclasses.replace(level, **changes) for level in cluster.accelerator.memory)
    return dataclasses.replace(cluster, accelerator=dataclasses.replace(cluster.accelerator, memory=memory))


@pytest.mark.parametrize(
    "row", reference_matmuls(), ids=lambda row: f"{row.machine}-{row.m:g}-{row.n:g}-{row.b:g}"
)
def test_every_published_time(row):
    ours = seconds(load_machine(row.machine), row.m, row.n, row.b, row.weight_gradient)
    assert ours == pytest.approx(row.seconds, rel=1e-9)


@given(m=EDGES, n=EDGES, b=EDGES, gradient=st.booleans(), name=st.sampled_from(MACHINES))
def test_the_equations_written_twice_agree(m, n, b, gradient, name):
    cluster = load_machine(name, 32 if name == "gtx-580" else 16)
    plain = plain_model.matmul(m, n, b, gradient, cluster.accelerator)
    assert seconds(cluster, m, n, b, gradient) == pytest.approx(plain, rel=1e-13)


@given(m=EDGES, n=EDGES, b=EDGES)
def test_a_layer_is_six_matmuls(m, n, b):
    cluster = load_machine("ref-a100")
    arrays = machine_arrays(cluster)
    ours = layer_seconds(m, n, b, arrays, np.empty(1 + arrays.tile_bytes.size))
    forward_and_back = [seconds(cluster, *shape, b, False) for shape in ((m, n), (n, m)) for _ in range(2)]
    gradients = [seconds(cluster, *shape, b, True) for shape in ((m, n), (n, m))]
    assert ours == pytest.approx(sum(forward_and_back) + sum(gradients), rel=1e-14)


@pytest.mark.parametrize(
    ("shape", "flop"),
    [((8, 8, 8), 1024.0), ((1, 1, 1), 1024.0), ((9, 8, 8), 2048.0), ((16, 24, 40), 2.0 * 16 * 24 * 40)],
)
def test_fragments_pad_to_eight(shape, flop):
    assert padded_flop(*map(float, shape)) == flop


@given(m=EDGES, n=EDGES, capacity=st.floats(10, 1e9))
def test_tiles_fit_and_cover(m, n, capacity):
    rows, columns = tile_counts(m, n, capacity, 2.0)
    assert rows >= 1 - 1e-12
    assert columns >= 1 - 1e-12
    assert rows * columns == pytest.approx(math.ceil(m * n * 2 / capacity), rel=1e-12)


@pytest.mark.parametrize("shape", [(3.0, 94.0), (94.0, 3.0), (7 / 3, 700 / 3), (49 / 3, 49 / 3)])
@pytest.mark.parametrize("tiles", [1, 2, 3, 5, 7, 31])
def test_rounding_errors_do_not_cut_a_matrix(shape, tiles):
    """Traffic jumps where a matrix is cut into two columns, so a strip must be one column, not 1.0000000000000002."""
    m, n = shape
    counts = tile_counts(m, n, m * n * 2 / (tiles - 0.5), 2.0)
    assert all(count == 1 or count > 1 + 1e-6 for count in counts)
    assert tile_counts(n, m, m * n * 2 / (tiles - 0.5), 2.0) == counts[::-1]


@pytest.mark.parametrize(("kind", "moved"), [(activation_traffic, 1), (weight_gradient_traffic, 2)])
def test_weights_that_fit_below_are_not_moved(kind, moved):
    m, n, b, word = 64.0, 32.0, 10.0, 2.0
    enough, small = 2 * m * n * word, 2 * m * n * word - 1
    assert weights_resident(m, n, enough, 1.0, word)
    assert not weights_resident(m, n, small, 1.0, word)
    difference = kind(m, n, b, small, 1.0, False, word)[0] - kind(m, n, b, enough, 1.0, False, word)[0]
    assert difference == moved * m * n * word


@pytest.mark.parametrize("kind", [activation_traffic, weight_gradient_traffic])
def test_only_shared_memories_exchange_tiles(kind):
    shape = (4096.0, 4096.0, 512.0, 192 * 1024.0, 132.0)
    apart, together = kind(*shape, False, 2.0), kind(*shape, True, 2.0)
    assert apart[1] == 0
    assert together[1] > 0
    assert together[0] < apart[0]


@given(m=EDGES, n=EDGES, b=EDGES, gradient=st.booleans(), factor=st.floats(1, 100))
def test_more_bandwidth_never_hurts_and_none_is_free(m, n, b, gradient, factor):
    cluster = load_machine("ref-h100")
    arrays = machine_arrays(cluster)
    faster = arrays._replace(port_bandwidth=arrays.port_bandwidth * factor)
    scratch = np.empty(1 + arrays.tile_bytes.size)
    assert matmul_seconds(m, n, b, gradient, faster, scratch) <= matmul_seconds(
        m, n, b, gradient, arrays, scratch
    )
    free = with_memory(cluster, bandwidth=math.inf)
    arithmetic = padded_flop(m, n, b) / cluster.accelerator.sustained_flops
    assert seconds(free, m, n, b, gradient) == pytest.approx(arithmetic + 4.5e-6, rel=1e-14)


def test_the_parts_of_a_matmul_are_its_resources():
    cluster = load_machine("ref-a100")
    arrays = machine_arrays(cluster)
    parts = np.empty(1 + arrays.tile_bytes.size)
    matmul_parts(8192.0, 8192.0, 8.0, False, arrays, parts)
    assert np.argmax(parts) == 1, "a matmul of few tokens waits for HBM"
    # The weights do not fit in L2, so HBM's port moves them once, X a row of tiles, Y there and back a column.
    rows, columns = tile_counts(8192.0, 8192.0, cluster.accelerator.memory[1].tile_bytes, 2.0)
    words = 8192 * 8192 + rows * 8192 * 8 + (2 * columns - 1) * 8192 * 8
    assert parts[1] == pytest.approx(2 * words / 1555e9, rel=1e-14)
    matmul_parts(8192.0, 8192.0, 8192.0, False, arrays, parts)
    assert np.argmax(parts) == 0, "a large square matmul is bound by arithmetic"


def test_an_accelerator_with_one_memory_below_hbm():
    """Accelerators whose inner levels are not public have a shorter list; a missing interface costs nothing."""
    memory = (
        MemoryLevel("HBM", 1e9, 1, False, 1e12),
        MemoryLevel("on-chip", 1e6, 1, False, math.inf),
    )
    accelerator = Accelerator("short", 16, 1e14, 0.5, 0.0, 1e9, memory)
    cluster = dataclasses.replace(load_machine("ref-h100"), accelerator=accelerator)
    assert seconds(cluster, 512.0, 512.0, 1e5, False) == pytest.approx(
        plain_model.matmul(512.0, 512.0, 1e5, False, accelerator), rel=1e-14
    )
