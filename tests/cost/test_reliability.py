"""What failures cost, by hand and against published runs."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewall.cost.reliability import (
    NEVER,
    Reliability,
    checkpoint_interval,
    replica_share,
    slowdown,
    whole_job_share,
)

RATE = 3.4e-5 / 3600


def test_by_hand() -> None:
    """A job that fails every 100,000 s and writes a checkpoint in 20 s: every 2,000 s, 2 % + 0.5 % lost."""
    assert checkpoint_interval(1e5, 20.0) == 2000.0
    assert whole_job_share(1e5, 20.0, 500.0) == pytest.approx(1 - 0.01 - 0.01 - 0.005, abs=5e-4)
    assert replica_share(1e5, 100.0, 1000.0, 10) == pytest.approx(1 - 0.001 - 0.001, abs=1e-5)


def test_published_shares_at_100000_accelerators() -> None:
    """arXiv 2602.00277: 10 minutes a failure leave 44 %, pauses of 3 minutes and recovery by replica 80 %."""
    rates = Reliability(RATE)
    assert 1 / slowdown(1e5, 64, rates) == pytest.approx(0.44, abs=0.01)
    assert 1 / slowdown(1e5, 64, rates._replace(by_replica=True)) == pytest.approx(0.80, abs=0.05)


def test_llama_3_kept_nine_tenths() -> None:
    """arXiv 2407.21783: 16,384 accelerators, 419 interruptions in 54 days, over 90 % of the time effective."""
    rate = 419 / (54 * 86400 * 16384)
    assert 1 / slowdown(16384, 128, Reliability(rate)) == pytest.approx(0.9, abs=0.03)


def test_the_share_of_a_whole_job_is_what_happens() -> None:
    """Play a job whose failures come at random, in restarts too."""
    between, checkpoint, restart = 3000.0, 30.0, 600.0
    interval = checkpoint_interval(between, checkpoint)
    dice = random.Random(1)
    clock = 0.0
    done, wanted = 0, 20_000
    while done < wanted:
        until = dice.expovariate(1 / between)
        cycles = min(int(until // (interval + checkpoint)), wanted - done)
        done += cycles
        if done == wanted:
            clock += cycles * (interval + checkpoint)
            break
        clock += until
        while (again := dice.expovariate(1 / between)) < restart:
            clock += again
        clock += restart
    assert wanted * interval / clock == pytest.approx(whole_job_share(between, checkpoint, restart), rel=0.02)


def test_without_failures_nothing_changes() -> None:
    assert slowdown(1e9, 4, NEVER) == 1.0


def test_a_job_that_never_gets_anywhere_is_endless_and_no_error() -> None:
    assert slowdown(1e12, 4, Reliability(RATE)) == math.inf
    assert slowdown(1e12, 4, Reliability(RATE, by_replica=True)) == math.inf


@given(st.floats(1, 1e7), st.floats(1, 10), st.floats(1e-7, 1e-3), st.booleans(), st.integers(1, 1000))
def test_more_accelerators_and_more_failures_never_help(
    accelerators: float, more: float, rate: float, by_replica: bool, replicas: int
) -> None:
    before = Reliability(rate / 3600, by_replica=by_replica)
    least = slowdown(accelerators, replicas, before)
    assert least >= 1
    least *= 1 - 1e-12
    assert slowdown(more * accelerators, replicas, before) >= least
    assert slowdown(accelerators, replicas, before._replace(failure_rate=more * rate / 3600)) >= least


def test_one_replica_has_no_other_to_recover_from() -> None:
    rates = Reliability(RATE)
    assert slowdown(1e4, 1, rates._replace(by_replica=True)) == slowdown(1e4, 1, rates)
    assert slowdown(1e4, 2, rates._replace(by_replica=True)) < slowdown(1e4, 2, rates)
