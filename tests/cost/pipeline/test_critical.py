"""The critical path: which operations, which messages, by kind."""

from __future__ import annotations

import numpy as np
import pytest

from scalewall.cost.pipeline import (
    Sends,
    Work,
    build_schedule,
    critical_path,
    lower_bounds,
    path_seconds,
    placement_of,
    simulate,
    stage_costs,
)


def test_1f1b_by_kind():
    run = simulate(build_schedule("1f1b", 4, 8), stage_costs(placement_of("1f1b", 4), Work(1.0, 1.0, 1.0)))
    assert path_seconds(critical_path(run)) == pytest.approx({"F": 11.0, "BW": 22.0})


def test_one_microbatch_goes_down_and_back():
    lane = np.array([[0, 1, -1], [-1, 2, 3]])
    sends = Sends((lane >= 0) * 0.5, (lane >= 0) * 0.25, lane)
    costs = stage_costs(placement_of("1f1b", 3), Work(1.0, 2.0, 3.0), sends=sends)
    run = simulate(build_schedule("1f1b", 3, 1), costs)
    path = critical_path(run)
    assert [(s.stage, s.label, s.kind) for s in path] == [
        (0, "F0", "F"),
        (0, "F0", "send"),
        (1, "F0", "F"),
        (1, "F0", "send"),
        (2, "F0", "F"),
        (2, "BW0", "BW"),
        (2, "BW0", "send"),
        (1, "BW0", "BW"),
        (1, "BW0", "send"),
        (0, "BW0", "BW"),
    ]
    assert path_seconds(path) == {"F": 3.0, "send": 3.0, "BW": 15.0}
    assert lower_bounds(run).longest_chain_seconds == run.makespan_seconds == 21.0


def test_messages_queue_on_a_narrow_link():
    lane = np.array([[0, -1], [-1, 1]])
    sends = Sends((lane >= 0) * 5.0, np.zeros((2, 2)), lane)
    costs = stage_costs(placement_of("gpipe", 2), Work(1.0, 0.5, 0.5), sends=sends)
    run = simulate(build_schedule("gpipe", 2, 4), costs)
    queued = run.departure > run.end
    assert queued.any()
    assert np.all(run.behind[queued] >= 0)
    assert path_seconds(critical_path(run))["send"] >= 5 * 5.0


def test_pairs_are_named_as_pairs():
    run = simulate(build_schedule("dualpipe", 4, 8), stage_costs(placement_of("dualpipe", 4)))
    labels = {segment.label for segment in critical_path(run) if segment.kind == "F&BW"}
    assert labels
    assert all("&BW" in label for label in labels)
