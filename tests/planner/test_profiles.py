"""Profiles as data: few constants, found by framework and date, written as they are read."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from importlib.resources import files

import pytest

from scalewall.errors import InputError
from scalewall.planner.constants import constants
from scalewall.planner.profile import FITTED, load_profile, nearest_profile, profile_names
from scalewall.planner.profile_file import profiles_text


def test_at_most_four_fitted_each_and_45_in_all() -> None:
    counts = {name: len(load_profile(name).fitted) for name in profile_names()}
    shared = sum(constant.kind == "fitted" for constant in constants().values())
    assert max(counts.values()) <= 4
    assert sum(counts.values()) + shared <= 45


@pytest.mark.parametrize("name", profile_names())
def test_constants_are_in_range_and_the_fit_is_recorded(name: str) -> None:
    profile = load_profile(name)
    for constant, value in profile.constants.items():
        assert FITTED[constant].low <= value <= FITTED[constant].high
    assert profile.fit.rows > 0
    assert profile.fit.date
    assert profile.fit.machines
    assert profile.nearest in profile_names()
    assert profile.nearest != name


def test_unknown_profile() -> None:
    with pytest.raises(InputError) as caught:
        load_profile("bridge-2024")
    assert "bridge-2025" in caught.value.suggestions


@pytest.mark.parametrize(
    ("framework", "date", "name"),
    [
        ("Megatron-LM", "2021-04", "megatron-2021"),
        ("Megatron-LM", "2022-05", "megatron-2022"),
        ("Megatron-LM fork (zero bubble)", "2023-11", "zero-bubble-2023"),
        ("NeMo", "2024-07", "nemo-2024"),
        ("Megatron-Bridge", "2025-09", "bridge-2025"),
        ("Megatron-Bridge", "2026-04", "bridge-2026"),
        ("Megatron-Bridge", "2026-08", "bridge-main-2026"),
        ("Megatron-Bridge main", "2026-08", "bridge-main-2026"),
        ("torchtitan (PyTorch FSDP2)", "2024-12", "torchtitan-2024"),
        ("MosaicML Composer FSDP", "2023-01", "fsdp-2023"),
        ("MaxText (JAX)", "2024-01", "xla-2024"),
    ],
)
def test_found_by_framework_and_date(framework: str, date: str, name: str) -> None:
    profile, how = nearest_profile(framework, date)
    assert profile.name == name
    assert "framework" in how


def test_an_unknown_framework_is_placed_by_date_and_says_so() -> None:
    profile, how = nearest_profile("something new", "2022-06")
    assert profile.name
    assert "no profile knows" in how


def test_written_as_read() -> None:
    text = profiles_text(load_profile(name) for name in profile_names())
    stored = files("scalewall.planner").joinpath("data/profiles.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text) == tomllib.loads(stored)


def test_profiles_are_told_apart_by_name_only_here() -> None:
    assert replace(load_profile("fsdp-2023"), title="") != load_profile("fsdp-2023")
