"""Zero-bubble schedules searched under a memory limit."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scalewall.cost.pipeline import (
    Work,
    build_schedule,
    check_operations,
    lower_bounds,
    peak_bytes,
    placement_of,
    search_zero_bubble,
    simulate,
    stage_costs,
)
from scalewall.errors import InputError

times = st.floats(0.2, 5.0)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 6), st.integers(1, 14), st.data())
def test_searched_schedules_are_sound_fit_and_never_lose_to_the_hand_made(pp, microbatches, data):
    works = [Work(data.draw(times), data.draw(times), data.draw(times), 4.0, 1.5) for _ in range(pp)]
    costs = stage_costs(placement_of("zb-1p", pp), works)
    steps = {}
    for name, limit in (("zb-1p", 1), ("zb-2p", 2)):
        schedule = build_schedule(name, pp, microbatches, costs=costs)
        check_operations(schedule)
        run = simulate(schedule, costs)
        assert peak_bytes(run).max() <= limit * pp * 4.0 * (1 + 1e-9)
        assert run.step_seconds >= lower_bounds(run).busiest_stage_seconds - 1e-9
        steps[name] = run.step_seconds
    for name, other in (("zb-1p", "zb-h1"), ("zb-2p", "zb-h2")):
        hand_made = simulate(build_schedule(other, pp, microbatches), costs).step_seconds
        assert steps[name] <= hand_made + 1e-9
    assert steps["zb-2p"] <= steps["zb-1p"] + 1e-9


def test_twice_the_memory_takes_the_bubble_away_where_weight_gradients_are_short():
    costs = stage_costs(placement_of("zb-2p", 8), Work(2.0, 2.0, 1.0, 10.0, 4.0))
    searched = simulate(build_schedule("zb-2p", 8, 32, costs=costs), costs)
    hand_made = simulate(build_schedule("zb-h2", 8, 32), costs)
    assert hand_made.bubble_fraction > 0.07
    assert searched.bubble_fraction < 0.01


def test_more_memory_never_hurts():
    costs = stage_costs(placement_of("zb-1p", 6), Work(1.0, 1.2, 0.8, 1.0, 0.4))
    steps = [
        simulate(search_zero_bubble("mine", 18, costs, limit), costs).step_seconds
        for limit in np.arange(6.0, 13.0)
    ]
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(steps))


def test_less_memory_than_1f1b_takes_longer():
    costs = stage_costs(placement_of("zb-1p", 6))
    short = simulate(search_zero_bubble("mine", 18, costs, 3.0), costs)
    assert peak_bytes(short).max() <= 3.0
    assert short.step_seconds > simulate(build_schedule("zb-1p", 6, 18, costs=costs), costs).step_seconds


def test_a_limit_below_one_microbatch_is_refused():
    costs = stage_costs(placement_of("zb-1p", 4), Work(1.0, 1.0, 1.0, 8.0, 8.0))
    with pytest.raises(InputError, match=r"limit_bytes: 7.0 .*one microbatch on stage 0.*Nearest: 8"):
        search_zero_bubble("mine", 8, costs, 7.0)


def test_other_placements_are_refused():
    with pytest.raises(InputError, match="placement"):
        search_zero_bubble("mine", 8, stage_costs(placement_of("zb-v", 4)), 8.0)
