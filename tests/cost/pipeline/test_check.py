"""Bad schedules are named: what is missing, doubled, misplaced, or waits for itself."""

from __future__ import annotations

import re

import pytest

from scalewall.cost.pipeline import (
    SCHEDULES,
    build_schedule,
    schedule_from_data,
    simulate,
    stage_costs,
)
from scalewall.errors import InputError

V_SHAPE = [[0, 1, 1, 0]]


def load(stages, microbatches=1, **more):
    return schedule_from_data({"microbatches": microbatches, "stages": stages, **more})


@pytest.mark.parametrize(
    ("stages", "more", "message"),
    [
        (["F0 BW0", "F0"], {}, "stage 1: 'B0' .* missing"),
        (["F0 BW0", "F0 B0"], {}, "stage 1: 'W0' .* missing"),
        (["BW0", "F0 BW0"], {}, "stage 0: 'F0' .* missing"),
        (["F0 F0 BW0", "F0 BW0"], {}, "stage 0: 'F0' .* twice"),
        (["F0 BW0 W0", "F0 BW0"], {}, "stage 0: 'BW0' .* not both"),
        (["BW0 F0", "F0 BW0"], {}, "stage 0: 'BW0' .*F0 comes first"),
        (["F0 BW0", "F0 W0 B0"], {}, "stage 1: 'W0' .*B0 comes first"),
        (["F0 F1 BW0", "F0 BW0"], {}, "stage 0: 'F1' .*microbatches 0 to 0"),
        (["F0 G0", "F0 BW0"], {}, "stage 0: 'G0' .*operations such as"),
        (["F0.1 BW0", "F0 BW0"], {}, "stage 0: 'F0.1' .*chunks that the stage holds, 0 to 0"),
        (["F0&F1 BW0 BW1", "F0 F1 BW0 BW1"], {"microbatches": 2}, "stage 0: 'F0&F1' .*a pair"),
        (["F0 BW0", "F0&BW0"], {}, "stage 1: 'F0&BW0' .*a pair .*of something else"),
        (["F0 BW0", "F0 BW0"], {"chains": [[0, 2]]}, "chains: .*without gaps"),
        (["F0 BW0", "F0 BW0"], {"chains": [[0, 1, 2]]}, "chains: .*stages 0 to 1"),
        (["F0 BW0", "F0 BW0"], {"chains": "01"}, "chains: .*lists of stage numbers"),
        (["F0 BW0", "F0 BW0"], {"chains": []}, "chains: .*at least one chain"),
        (["F0 BW0", "F0 BW0"], {"microbatches": 0}, "microbatches: 0 .*at least 1"),
        (["F0 BW0", "F0 BW0"], {"microbatches": [1, 1]}, "microbatches: .*list of 1"),
        (["F0 BW0", "F0 BW0"], {"staggered": "no"}, "staggered: 'no' .*true or false"),
        (["F0 BW0", "F0 BW0"], {"stage": 1}, "^stage: 1 .*Nearest: stages"),
        ("F0", {}, "stages: .*a list of texts"),
        (["F0 BW0"], {"chains": [[0, 10**9]]}, "chains: .*without gaps; 1 is missing"),
        (["F0 BW0"], {"chains": [[-1, 0]]}, "chains: .*without gaps; -1 is negative"),
        (["F0 BW0"], {"microbatches": 10**12}, "microbatches: .*fewer than the 2000000000000 needed"),
        (["F0 BW0"], {"microbatches": 10**400}, "microbatches: .*fewer than"),
        (["F99999999999999999999 BW0"], {}, "stage 0: 'F99999999999999999999' .*operations such as"),
        (["F\N{ARABIC-INDIC DIGIT ZERO} BW0"], {}, "stage 0: .*operations such as"),
        ([""], {}, "stage 0: 'F0' .* missing"),
        (["F0 BW0"], {"name": {"a": 1}}, "name: .*a text"),
    ],
)
def test_what_is_wrong_is_named(stages, more, message):
    with pytest.raises(InputError, match=message):
        load(stages, **more)


def test_two_stages_that_wait_for_each_other_are_named():
    schedule = load(["F0 B0 F1 B1 W0 W1", "F0 F1 B0 B1 W0 W1"], 2)
    with pytest.raises(InputError) as caught:
        simulate(schedule, stage_costs(schedule.placement))
    message = str(caught.value)
    assert caught.value.field in ("stage 0", "stage 1")
    assert "stage 0 stops at B0, which needs B0 of stage 1" in message
    assert "stage 1 stops at F1, which needs F1 of stage 0" in message


def test_a_stage_that_waits_for_itself_is_named():
    schedule = load(["F0.1 F0.0 BW0.1 BW0.0", "F0.0 F0.1 BW0.1 BW0.0"], chains=V_SHAPE)
    with pytest.raises(InputError, match=re.escape("stage 0 stops at F0.1, which needs F0.1 of stage 1")):
        simulate(schedule, stage_costs(schedule.placement))


def test_a_pair_that_waits_for_what_comes_after_is_named():
    schedule = load(["F0 F1&BW0 BW1", "F0 F1 BW0 BW1"], 2)
    with pytest.raises(InputError, match=r"F1.* needs BW0 of stage 1"):
        simulate(schedule, stage_costs(schedule.placement))


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (("1f1b", 0, 4, 1), "pp: 0 .*at least 1"),
        (("1f1b", 4, 0, 1), "microbatches: 0 .*at least 1"),
        (("1f1b", 4, 4, 2), "chunks: 2 .*only interleaved"),
        (("interleaved", 4, 4, 1), "chunks: 1 .*at least 2"),
        (("interleaved", 5, 7, 2), "microbatches: 7 .*a multiple of 5.*F6.1 of stage 4.*Nearest: 5, 10"),
        (("dualpipe", 3, 8, 1), "pp: 3 .*even.*Nearest: 4"),
        (("dualpipe", 4, 6, 1), "microbatches: 6 .*from 8 up.*Nearest: 8"),
        (("dualpipe", 4, 11, 1), "microbatches: 11 .*even.*Nearest: 12"),
        (("dualpipev", 4, 7, 1), "microbatches: 7 .*at least 8.*Nearest: 8"),
        (("zb-v", 4, 6, 1), "microbatches: 6 .*at least 7.*Nearest: 7"),
        (("1f1b", 64, 10**7, 1), "microbatches: 10000000 .*at most 260,416: .*Nearest: 260416"),
        (("1f1b", 10**9, 1, 1), "pp: 1000000000 .*at most 16,666,666: .*operations"),
        (("interleaved", 4, 4, 10**9), "chunks: 1000000000 .*at most 16,666,666"),
        (("zb-h3", 4, 8, 1), "schedule: 'zb-h3' .*Nearest: zb-h[12]"),
    ],
)
def test_shapes_that_a_schedule_cannot_take_are_named(shape, message):
    with pytest.raises(InputError, match=message.replace("F6.1 of stage 4", "F6.0 of stage 4")):
        build_schedule(*shape)


def test_every_schedule_names_its_source():
    assert all(family.title and family.source for family in SCHEDULES.values())
