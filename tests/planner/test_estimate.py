"""Estimates: what people quote, the interval, failures, and pinned measurements."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from scalewall.errors import InputError
from scalewall.planner.estimate import estimate, goodput
from scalewall.planner.layout import Layout
from scalewall.planner.measured import pin_measured
from scalewall.planner.profile import load_profile
from tests.planner.samples import BRIDGE, GB200, H100, LAYOUT, dense_run, mixture_run


def test_utilizations_and_throughput() -> None:
    answer = estimate(dense_run(), LAYOUT, BRIDGE)
    assert answer.mfu == answer.hfu
    assert 0.3 < answer.mfu < 0.7
    seconds = answer.run.tokens / answer.tokens_per_second / LAYOUT.ranks
    assert seconds == pytest.approx(answer.step.seconds)
    assert answer.seconds_for(10 * answer.run.tokens) == pytest.approx(10 * answer.step.seconds)


def test_recomputed_flop_count_in_hfu_only() -> None:
    full = estimate(dense_run(), replace(LAYOUT, recompute="full"), BRIDGE)
    assert 1.2 * full.mfu < full.hfu < 4 / 3 * full.mfu


def test_interval_widens_beyond_what_was_fitted() -> None:
    usual = estimate(dense_run(), LAYOUT, BRIDGE).interval
    larger = estimate(dense_run(global_batch=65536), replace(LAYOUT, dp=2048), BRIDGE).interval
    elsewhere = estimate(dense_run(GB200), LAYOUT, load_profile("megatron-2022")).interval
    assert usual.low < usual.high
    assert larger.width > usual.width
    assert any("not fitted on" in reason for reason in elsewhere.reasons)


def test_interval_where_a_profile_knows_no_run_of_the_kind() -> None:
    interval = estimate(mixture_run(), Layout(dp=16, ep=16), load_profile("megatron-2022")).interval
    assert interval.width >= 0.5
    assert "no run" in interval.reasons[0]


def test_failures_by_hand() -> None:
    """Llama 3 (arXiv 2407.21783): 419 interruptions in 54 days on 16,384."""
    lost = goodput(16384)
    assert lost.failures_per_day == pytest.approx(419 / 54, rel=0.01)
    assert 0.85 < lost.share < 0.97
    assert goodput(8).share > 0.99


def test_own_measurements_take_the_place_of_public_ones(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text("[matmul]\nshare_16 = 0.5\n[collectives]\nfast_bus_bandwidth = 2e11\n")
    device = pin_measured(H100, file)
    assert device.rate(16) == 0.5 * H100.peak[16]
    before = estimate(dense_run(), LAYOUT, BRIDGE).step
    after = estimate(dense_run(device), LAYOUT, BRIDGE).step
    assert after.parts["matmul"] > 1.2 * before.parts["matmul"]
    assert after.parts["tensor"] > before.parts["tensor"]


@pytest.mark.parametrize(
    "text",
    [
        *("[matmul]\nshare_17 = 0.5", "[matmul]\nshare_4 = 0.5", "[matmuls]\n", "matmul = 3"),
        *("[matmul]\nshare_16 = 7", "[matmul", "", "[matmul]\n"),
    ],
)
def test_bad_measurements(tmp_path: Path, text: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text)
    with pytest.raises(InputError):
        pin_measured(H100, file)


def test_missing_measurements(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="existing"):
        pin_measured(H100, tmp_path / "none.toml")
