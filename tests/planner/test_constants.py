"""Every constant is registered with kind and source, and every registered one is used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import scalewall.planner
from scalewall.planner.constants import KINDS, constants, value
from scalewall.planner.device_data import device_figures

SOURCES = [path.read_text() for path in Path(scalewall.planner.__file__).parent.glob("*.py")]


def test_kinds_and_sources() -> None:
    for constant in (*constants().values(), *device_figures()):
        assert constant.kind in KINDS
        assert len(constant.source) > 10
        assert constant.kind != "assumed" or len(constant.note) > 10


def test_what_its_note_calls_assumed_is_not_called_measured_throughout() -> None:
    for constant in constants().values():
        assert constant.kind == "assumed" or "assumed" not in constant.note


def test_no_figure_of_machines_is_fitted() -> None:
    assert all(figure.kind != "fitted" for figure in device_figures())


def test_fitted_ones_that_all_profiles_share_are_few() -> None:
    assert sum(constant.kind == "fitted" for constant in constants().values()) <= 9


@pytest.mark.parametrize("name", list(constants()))
def test_is_used(name: str) -> None:
    table, key = name.split(".")
    by_name = rf'value\(\s*"{re.escape(name)}"\s*\)'
    by_choice = rf'value\(f"{table}\.(\w+_)?\{{'
    assert any(re.search(by_name, text) or re.search(by_choice, text) for text in SOURCES), key


def test_every_name_in_the_code_is_registered() -> None:
    named = {name for text in SOURCES for name in re.findall(r'value\(\s*"([a-z_.0-9-]+)"\s*\)', text)}
    assert named <= set(constants())


def test_value() -> None:
    assert value("attention.backward_flop_ratio") == 2.5
