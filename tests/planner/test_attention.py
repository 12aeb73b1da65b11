"""Core of attention: FLOP by hand, windows, kinds of kernels."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scalewall.planner.attention import core_attention_seconds, visible_tokens
from scalewall.workload.attention import LocalAttention
from tests.planner.samples import A100, DENSE, H100


def test_fused_by_hand() -> None:
    done = core_attention_seconds(DENSE, H100, "fused", 8192, 8192, tp=1, cp=1)
    flop = 4 * 8192 * 4096 * 4096
    reach = 8192 / (8192 + 1200)
    assert done.forward == pytest.approx(flop / (989.4e12 * 0.66 * reach))
    assert done.backward == pytest.approx(2.5 * flop / (989.4e12 * 0.55 * reach))


def test_unfused_moves_every_score() -> None:
    done = core_attention_seconds(DENSE, A100, "unfused", 4096, 2048, tp=4, cp=1)
    scores = 4096 * 2048 * 32 / 4
    assert done.forward_bytes == 13 * scores
    assert done.backward_bytes == 19 * scores


def test_windows_cut_what_a_token_sees() -> None:
    windowed = replace(DENSE, local=LocalAttention(window=1024, layers=16))
    near = 1024 - 1024**2 / (2 * 8192)
    assert visible_tokens(DENSE, 8192) == 4096
    assert visible_tokens(windowed, 8192) == pytest.approx((near + 4096) / 2)


def test_heads_that_matrix_units_cannot_take_are_slow() -> None:
    odd = replace(DENSE, head_dim=108)
    even = replace(DENSE, head_dim=112)
    slow = core_attention_seconds(odd, A100, "unfused", 4096, 2048, tp=1, cp=1)
    fast = core_attention_seconds(even, A100, "unfused", 4096, 2048, tp=1, cp=1)
    assert slow.forward > 6 * fast.forward


def test_tensor_parallelism_divides() -> None:
    one = core_attention_seconds(DENSE, H100, "fused", 8192, 8192, tp=1, cp=1)
    four = core_attention_seconds(DENSE, H100, "fused", 8192, 8192, tp=4, cp=1)
    assert four.forward == pytest.approx(one.forward / 4)
