"""A machine as the planner takes it: what programs see of its memory, and what a power limit leaves."""

from __future__ import annotations

import pytest

from scalewall.hardware import machine_names, read_machine
from scalewall.planner.device import load_device
from scalewall.planner.device_data import device_tables, generation_of


def test_programs_see_gibibytes_less_what_the_driver_keeps() -> None:
    assert load_device("h100").memory_bytes == pytest.approx(79.15 * 2**30, rel=0.002)
    assert load_device("a100-40gb").memory_bytes == pytest.approx(39.5 * 2**30, rel=0.002)


@pytest.mark.parametrize("name", device_tables()["visible"])
def test_what_programs_see_is_near_the_data_sheet(name: str) -> None:
    assert name in machine_names()
    printed = read_machine(name).figures["memory.0.capacity_bytes"].value
    assert 0.95 < load_device(name).memory_bytes / printed < 1.08


def test_a_capacity_that_the_user_sets_stands() -> None:
    assert load_device("h100", {"memory.0.capacity_bytes": 60e9}).memory_bytes == 60e9


def test_without_a_report_the_data_sheet_stands() -> None:
    assert (
        load_device("mi300x").memory_bytes == read_machine("mi300x").figures["memory.0.capacity_bytes"].value
    )


def test_a_power_limit_slows_matmuls_and_attention() -> None:
    full, capped = load_device("h100"), load_device("h100", {"power.watts": 500.0})
    share = (500 / 700) ** 0.5
    assert capped.rate(16) == pytest.approx(share * full.rate(16))
    assert capped.attention["fused"][0] == pytest.approx(share * full.attention["fused"][0])
    assert capped.memory_bandwidth == full.memory_bandwidth
    assert capped.peak == full.peak


def test_more_power_does_not_pass_the_peak() -> None:
    assert load_device("h100", {"power.watts": 5000.0}).sustained[16] == 1.0


def test_generations() -> None:
    assert generation_of("gb200-nvl72") == "blackwell"
    assert generation_of("h800") == "hopper"
    assert generation_of("mi300x") == "other"


def test_superchips_reach_their_hosts_faster() -> None:
    assert load_device("gb200-nvl72").host_bandwidth > 5 * load_device("b200").host_bandwidth
