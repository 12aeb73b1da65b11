"""Equal stages and free messages: the simulation gives the closed forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scalewall.cost.pipeline import Work, build_schedule, in_flight, placement_of, simulate, stage_costs
from scalewall.cost.pipeline.classic import interleaved_1f1b
from scalewall.cost.schedules import bubble_fraction
from scalewall.errors import InputError

seconds = st.floats(0.01, 100.0)
thousands = settings(max_examples=1200, deadline=None)


def step(name: str, pp: int, microbatches: int, work: Work, chunks: int = 1, joint: float = 1.0):
    costs = stage_costs(placement_of(name, pp, chunks), work, joint_fraction=joint)
    return simulate(build_schedule(name, pp, microbatches, chunks, costs), costs)


@thousands
@given(st.sampled_from(("1f1b", "gpipe")), st.integers(1, 24), st.integers(1, 96), seconds, seconds, seconds)
def test_one_forward_one_backward_and_gpipe(name, pp, microbatches, f, b, w):
    run = step(name, pp, microbatches, Work(f, b, w))
    assert run.bubble_fraction == pytest.approx(
        bubble_fraction(pp, microbatches, 1, False), rel=1e-9, abs=1e-12
    )
    assert run.step_seconds == pytest.approx((microbatches + pp - 1) * (f + b + w), rel=1e-9)


@thousands
@given(st.data())
def test_interleaved_where_the_closed_form_is_exact(data):
    pp = data.draw(st.integers(1, 16))
    chunks = data.draw(st.integers(2, 8))
    few = st.integers(1, pp)
    multiples = st.integers(1, 6).map(lambda groups: groups * pp)
    microbatches = data.draw(few | multiples)
    f, b, w = (data.draw(seconds) for _ in range(3))
    run = step("interleaved", pp, microbatches, Work(f, b, w), chunks)
    closed = bubble_fraction(pp, microbatches, chunks, False)
    assert run.bubble_fraction == pytest.approx(closed, rel=1e-9, abs=1e-12)


def test_interleaved_elsewhere_is_longer_or_refused():
    longer = refused = 0
    refused_hints = []
    for pp in range(2, 8):
        for chunks in range(2, 5):
            for microbatches in range(pp + 1, 4 * pp):
                if microbatches % pp == 0:
                    continue
                try:
                    schedule = build_schedule("interleaved", pp, microbatches, chunks)
                except InputError as error:
                    refused += error.field == "microbatches" and "waits for itself" in error.allowed
                    refused_hints.extend(int(hint) % pp for hint in error.suggestions)
                    continue
                run = simulate(schedule, stage_costs(schedule.placement))
                assert run.bubble_fraction > bubble_fraction(pp, microbatches, chunks, False)
                longer += 1
    assert longer > 0
    assert refused > 0
    assert len(refused_hints) == 2 * refused
    assert set(refused_hints) == {0}


@pytest.mark.parametrize("chunks", [2, 3, 4, 8])
def test_other_microbatch_counts_are_refused_or_longer_as_the_docs_say(chunks):
    refused, longer = 0, []
    for pp in range(2, 17):
        for microbatches in range(pp + 1, 4 * pp):
            if microbatches % pp == 0:
                continue
            schedule = interleaved_1f1b(pp, microbatches, chunks)
            try:
                run = simulate(schedule, stage_costs(schedule.placement))
            except InputError:
                refused += 1
                continue
            closed = 3.0 * microbatches / (1.0 - bubble_fraction(pp, microbatches, chunks, False))
            longer.append(run.step_seconds / closed - 1.0)
    row = f"| {chunks} | {refused / (refused + len(longer)):.0%} | {np.median(longer):.0%} | {max(longer):.0%} |"
    docs = Path(__file__).parents[3] / "docs" / "schedules.md"
    assert row.replace("%", " %") in docs.read_text(encoding="utf-8")


@thousands
@given(st.integers(1, 16), st.integers(1, 64), seconds, seconds, st.floats(0.0, 1.0))
def test_zb_h1(pp, microbatches, f, b, share):
    w = share * min(f, b)
    run = step("zb-h1", pp, pp + microbatches - 1, Work(f, b, w))
    bubble = run.step_seconds - (pp + microbatches - 1) * (f + b + w)
    assert bubble == pytest.approx((pp - 1) * (f + b - w), rel=1e-9, abs=1e-9)
    assert in_flight(run.schedule).max() <= pp


@thousands
@given(st.integers(1, 16), st.integers(1, 64), seconds, seconds, st.floats(0.0, 1.0))
def test_zb_h2(pp, more, f, b, share):
    w = share * min(f, b)
    microbatches = 2 * pp - 2 + more
    run = step("zb-h2", pp, microbatches, Work(f, b, w))
    bubble = run.step_seconds - microbatches * (f + b + w)
    assert bubble == pytest.approx((pp - 1) * (f + b - 2 * w), rel=1e-9, abs=1e-9 * run.step_seconds)
    assert in_flight(run.schedule).max() <= 2 * pp - 1


@settings(max_examples=600, deadline=None)
@given(st.sampled_from(("zb-h2", "zb-v", "zb-2p")), st.integers(1, 12), st.integers(0, 24), seconds)
def test_no_bubble_where_the_three_passes_take_the_same_time(name, pp, more, time):
    run = step(name, pp, 2 * pp + more, Work(time, time, time, 1.0, 1.0))
    assert bubble_fraction(pp, 2 * pp + more, 1, True) == 0.0
    assert run.bubble_fraction == pytest.approx(0.0, abs=1e-12)


@settings(max_examples=300, deadline=None)
@given(st.integers(1, 16), st.integers(0, 40))
def test_zb_v_holds_on_every_stage_what_1f1b_holds_on_its_first(pp, more):
    flying = in_flight(build_schedule("zb-v", pp, 2 * pp - 1 + more))
    assert np.all(flying <= pp)


@thousands
@given(st.integers(1, 8), st.integers(0, 20), seconds, st.floats(0.0, 1.0))
def test_dualpipe(half, more, f, share):
    pp, microbatches = 2 * half, 4 * half + 2 * more
    w = share * f
    run = step("dualpipe", pp, microbatches, Work(f, f, w))
    pair, backward = f + f + w, f + w
    bubble = run.step_seconds - microbatches * (f + f + w)
    assert bubble == pytest.approx(
        (pp / 2 - 1) * (pair + backward - 3 * w), rel=1e-9, abs=1e-9 * run.step_seconds
    )
    assert in_flight(run.schedule).max() <= pp + 1


@settings(max_examples=500, deadline=None)
@given(st.integers(1, 12), st.integers(0, 30), seconds, st.floats(0.0, 1.0))
def test_dualpipe_v_is_half_of_dualpipe_with_twice_the_stages(pp, more, f, share):
    work = Work(f, f, share * f)
    folded = step("dualpipev", pp, 2 * pp + more, Work(2 * f, 2 * f, 2 * share * f))
    whole = step("dualpipe", 2 * pp, 2 * (2 * pp + more), work)
    assert folded.step_seconds == pytest.approx(whole.step_seconds, rel=1e-9)
