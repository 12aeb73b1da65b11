"""Schedules written to files and read back."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
import tomli_w
from hypothesis import given, settings

from scalewall.cost.pipeline import (
    build_schedule,
    load_schedule,
    schedule_from_data,
    schedule_to_data,
    simulate,
    stage_costs,
)
from scalewall.cost.pipeline.files import MOST_BYTES
from scalewall.errors import InputError
from tests.cost.pipeline.samples import NAMED_SHAPES, schedules

ARRAYS = ("offsets", "kind", "part", "microbatch", "joined")


def same(one, other):
    assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ARRAYS)
    assert one.placement == other.placement
    assert (one.microbatches, one.staggered, one.name) == (other.microbatches, other.staggered, other.name)


@settings(max_examples=300, deadline=None)
@given(schedules())
def test_data_round_trip(schedule):
    same(schedule, schedule_from_data(schedule_to_data(schedule)))


@pytest.mark.parametrize("shape", NAMED_SHAPES)
@pytest.mark.parametrize(("suffix", "dump"), [(".json", json.dumps), (".toml", tomli_w.dumps)])
def test_file_round_trip(shape, suffix, dump, tmp_path):
    schedule = build_schedule(*shape)
    file = tmp_path / f"mine{suffix}"
    file.write_text(dump(schedule_to_data(schedule)), encoding="utf-8")
    same(schedule, load_schedule(file))


def test_a_short_file_takes_defaults(tmp_path):
    file = tmp_path / "short.toml"
    file.write_text('microbatches = 1\nstages = ["F0 B0 W0", "F0 BW0"]\n', encoding="utf-8")
    schedule = load_schedule(file)
    assert schedule.name == "short"
    assert schedule.placement.chains == ((0, 1),)
    assert simulate(schedule, stage_costs(schedule.placement)).step_seconds == 6.0


def test_the_example_of_the_docs_runs():
    docs = Path(__file__).parents[3] / "docs" / "schedules.md"
    example = re.search(r"```toml\n(.*?)```", docs.read_text(encoding="utf-8"), re.S)
    schedule = schedule_from_data(tomllib.loads(example.group(1)))
    run = simulate(schedule, stage_costs(schedule.placement, joint_fraction=0.75))
    assert schedule.joined.sum() == 1
    assert run.step_seconds > 6.0


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", "{", "well-formed JSON"),
        ("a.toml", "x =", "well-formed TOML"),
        ("a.json", "[]", r"a\.json: schedule: \[\] .*a table with name, microbatches"),
        ("a.json", "", "well-formed JSON"),
        ("a.json", '{"microbatches": 1, "stages": ["F0', "well-formed JSON"),
        ("a.json", "[" * 100_000, "well-formed JSON"),
        ("a.json", f'{{"microbatches": 1{"0" * 5000}}}', "well-formed JSON"),
        ("a.toml", "", r"a\.toml: stages: None .*a list of texts"),
        ("a.json", '{"microbatches": NaN, "stages": ["F0 BW0"]}', r"a\.json: microbatches: nan"),
    ],
)
def test_files_that_cannot_be_read_are_named(name, text, message, tmp_path):
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_schedule(file)


def test_a_file_of_other_bytes_or_far_too_many_is_named(tmp_path):
    file = tmp_path / "a.json"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"a\.json.*can be read"):
        load_schedule(file)
    with file.open("wb") as hollow:
        hollow.truncate(MOST_BYTES + 1)
    with pytest.raises(InputError, match=r"a\.json.*at most 50,000,000 bytes"):
        load_schedule(file)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.toml"):
        load_schedule(tmp_path / "nowhere.toml")
