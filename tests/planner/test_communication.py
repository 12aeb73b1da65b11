"""Collectives against hand-worked cases and published measurements."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewall.planner.communication import (
    bus_bandwidth,
    call_seconds,
    exchange_seconds,
    gather_seconds,
    pair_seconds,
    ranks_inside,
    reduce_everywhere_seconds,
)
from tests.planner.samples import A100, GB200, H100


def test_ranks_inside_a_domain() -> None:
    assert ranks_inside(H100, 64, 1) == 8
    assert ranks_inside(H100, 64, 4) == 2
    assert ranks_inside(H100, 4, 1) == 4
    assert ranks_inside(H100, 64, 8) == 1


def test_bus_bandwidth() -> None:
    assert bus_bandwidth(H100, 8, 1) == 0.75 * 450e9
    assert bus_bandwidth(H100, 64, 1) == 0.75 * 450e9
    assert bus_bandwidth(H100, 64, 4) == 0.9 * 50e9 * 2
    assert bus_bandwidth(H100, 64, 8) == 0.9 * 50e9
    assert bus_bandwidth(H100, 64, 1, ports=0.125) == 0.9 * 50e9


def test_call_latency_by_hand() -> None:
    assert call_seconds(H100, 64, 1) == pytest.approx(8.4e-6 + 56 * 3.4e-6 + 7 * 14e-6)
    assert call_seconds(H100, 1, 1) == 0.0


@pytest.mark.parametrize(("device", "measured"), [(A100, 2.288e-3), (H100, 1.402e-3)])
def test_all_gather_of_512_mib_over_8(device: object, measured: float) -> None:
    """nccl-tests in aiconfigurator at 095f58a51: one node."""
    assert gather_seconds(device, 8, 1, 2.0**29) == pytest.approx(measured, rel=0.1)  # type: ignore[arg-type]


def test_small_all_reduces_over_many_domains_take_the_tree() -> None:
    """128 nodes: ``2 (7 x 4 us + 7 x 14 us)`` and the call (NCCL), against ``2 x 127`` steps of a ring."""
    tree = reduce_everywhere_seconds(A100, 1024, 1, 1.0)
    assert tree == pytest.approx(8.4e-6 + 2 * (7 * 4e-6 + 7 * 14e-6), rel=1e-3)
    assert tree < 2 * call_seconds(A100, 1024, 1) / 10


def test_large_all_reduces_take_the_ring() -> None:
    assert reduce_everywhere_seconds(H100, 16, 1, 1e11) == gather_seconds(H100, 16, 1, 2e11, 2.0)
    assert reduce_everywhere_seconds(H100, 8, 1, 1e6) == gather_seconds(H100, 8, 1, 2e6, 2.0)


def test_alone_nothing_is_sent() -> None:
    assert gather_seconds(H100, 1, 1, 1e9) == 0.0
    assert reduce_everywhere_seconds(H100, 1, 1, 1e9) == 0.0
    assert exchange_seconds(H100, 1, 1, 0.0, 0.0, "deepep") == 0.0


def test_pairs_beyond_the_domain_use_the_port() -> None:
    assert pair_seconds(H100, 8, 1e9) > 5 * pair_seconds(H100, 1, 1e9)
    assert pair_seconds(GB200, 8, 1e9) == pair_seconds(GB200, 1, 1e9)


@given(st.floats(1e3, 1e11), st.integers(2, 1024), st.sampled_from([1, 2, 4, 8]))
def test_faster_links_never_slow_a_collective(size: float, ranks: int, stride: int) -> None:
    faster = replace(H100, fast_bandwidth=9e11, slow_bandwidth=1e11)
    for seconds in (gather_seconds, reduce_everywhere_seconds):
        assert seconds(faster, ranks, stride, size) <= seconds(H100, ranks, stride, size)
