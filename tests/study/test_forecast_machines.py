"""Machines to come: rates from the catalogue, figures that improve by them."""

from __future__ import annotations

import pytest

from scalewall.errors import InputError
from scalewall.hardware import load_machine, machine_names, read_machine
from scalewall.study.forecast_machines import Progress, catalogue_progress, improved, released_year

DOUBLING = Progress(
    compute=2.0,
    memory_bandwidth=2.0,
    memory_capacity=2.0,
    fast_network=4.0,
    slow_network=0.5,
    latency=0.5,
    domain=2.0,
)


def test_the_rates_are_the_catalogues_own_by_hand() -> None:
    """V100 (2018-03) to B200 (2025-02), 6.92 years: 125 to 2,250 TFLOP/s, 900 to 8,000 GB/s."""
    progress = catalogue_progress()
    years = 6 + 11 / 12
    assert progress.compute == pytest.approx(18 ** (1 / years), rel=1e-3)
    assert progress.memory_bandwidth == pytest.approx((8000 / 900) ** (1 / years), rel=1e-3)
    assert progress.slow_network == pytest.approx(8 ** (1 / years), rel=1e-3)
    assert progress.latency == progress.domain == 1.0
    assert progress.generation_years == pytest.approx(years / 3, rel=1e-3)


def test_a_year_changes_each_figure_by_its_rate() -> None:
    before = load_machine("h100")
    after = load_machine("h100", overrides=improved(read_machine("h100"), DOUBLING, 1.0, 16, {}))
    assert after.accelerator.peak_flops == pytest.approx(2 * before.accelerator.peak_flops)
    assert after.accelerator.kernel_latency == pytest.approx(before.accelerator.kernel_latency / 2)
    for one, other in zip(before.accelerator.memory, after.accelerator.memory, strict=True):
        assert other.bandwidth == pytest.approx(2 * one.bandwidth)
    inner, outer = after.network.levels
    assert inner.bandwidth == pytest.approx(4 * 450e9)
    assert inner.size == 16
    assert outer.bandwidth == pytest.approx(25e9)
    assert outer.latency == pytest.approx(before.network.levels[1].latency / 2)


def test_what_the_user_set_improves_too() -> None:
    changed = improved(read_machine("h100"), DOUBLING, 2.0, 16, {"network.1.bandwidth": 100e9})
    assert changed["network.1.bandwidth"] == pytest.approx(25e9)


def test_rates_of_one_change_nothing() -> None:
    same = Progress(1.0, 1.0, 1.0, 1.0, 1.0)
    assert improved(read_machine("h100"), same, 5.0, 16, {}) == {}


@pytest.mark.parametrize(
    "name", ["ref-h100", "tpu-v5p", "gb200-nvl72", "h100-four-data-centres", "trainium2"]
)
def test_every_kind_of_machine_has_successors_that_can_stand(name: str) -> None:
    assert name in machine_names()
    machine = read_machine(name)
    changed = improved(machine, catalogue_progress(), 18.0, 16, {})
    assert (
        load_machine(name, overrides=changed).accelerator.peak_flops
        > load_machine(name).accelerator.peak_flops
    )


def test_rates_by_name() -> None:
    progress = catalogue_progress().with_rates({"latency": 0.9})
    assert progress.latency == 0.9
    assert "latency 0.9 as stated" in progress.basis
    with pytest.raises(InputError, match=r"rate: 'speed' .* Allowed: .*compute"):
        catalogue_progress().with_rates({"speed": 2.0})
    with pytest.raises(InputError, match="latency: 100"):
        catalogue_progress().with_rates({"latency": 100.0})


def test_release_dates() -> None:
    assert released_year(read_machine("ref-h100")) is None
    assert released_year(read_machine("h100")) == pytest.approx(2022.70, abs=0.01)
