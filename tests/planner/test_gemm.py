"""Matmul times: against hand-worked cases and public measurements, and in the right direction."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewall.planner.gemm import matmul_seconds, weight_gradient_seconds
from tests.planner.samples import A100, GB200, H100

SIZE = st.integers(min_value=64, max_value=16384)


def test_large_square_reaches_the_sustained_share() -> None:
    seconds = matmul_seconds(H100, 16, 16384, 16384, 16384)
    share = 2 * 16384**3 / seconds / H100.peak[16]
    assert share == pytest.approx(0.71, abs=0.01)


def test_by_hand_on_a_machine_without_tiles() -> None:
    rows = columns = inner = 8192
    expected = 2.23e-6 + 2 * 8192**3 / (2500e12 * 0.595)
    assert matmul_seconds(GB200, 16, rows, columns, inner) == pytest.approx(expected)


def test_memory_bound() -> None:
    expected = GB200.kernel_latency + (8192 * 8192 + 8 * (8192 + 8192)) * 2 / GB200.memory_bandwidth
    assert matmul_seconds(GB200, 16, 8, 8192, 8192) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("device", "rows", "measured"),
    [(H100, 256, 0.616), (H100, 512, 0.774), (H100, 4096, 0.826), (A100, 1024, 0.828), (A100, 4096, 0.833)],
)
def test_against_measured_shares(device: object, rows: int, measured: float) -> None:
    """aiconfigurator at 095f58a51, bf16, N = K = 8192: short runs, before the power limit of long ones."""
    seconds = matmul_seconds(device, 16, rows, 8192, 8192)  # type: ignore[arg-type]
    share = 2 * rows * 8192 * 8192 / seconds / device.peak[16]  # type: ignore[attr-defined]
    assert 0.8 * measured < share < 1.1 * measured


def test_one_tile_more_than_the_units_takes_a_second_wave() -> None:
    full = matmul_seconds(H100, 16, 128 * 132, 256, 4096)
    more = matmul_seconds(H100, 16, 128 * 133, 256, 4096)
    assert more > 1.1 * full


@given(SIZE, SIZE, SIZE)
def test_never_faster_than_the_peak(rows: int, columns: int, inner: int) -> None:
    assert matmul_seconds(A100, 16, rows, columns, inner) > 2 * rows * columns * inner / A100.peak[16]


@given(SIZE, SIZE, SIZE)
def test_gradients_of_weights_move_more(outputs: int, inputs: int, tokens: int) -> None:
    plain = matmul_seconds(H100, 16, outputs, inputs, tokens)
    assert weight_gradient_seconds(H100, 16, outputs, inputs, tokens) >= plain
