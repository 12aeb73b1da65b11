"""The catalogue under the model: every machine has a limit or says why not, and figures agree with each other."""

from __future__ import annotations

import numpy as np
import pytest

from scalewall.cost.machine_arrays import machine_arrays
from scalewall.cost.matmul import matmul_parts
from scalewall.hardware import (
    UnsupportedMachineError,
    load_machine,
    machine_names,
    read_machine,
    usable_products,
)
from scalewall.ideal.limits import limits
from scalewall.ideal.study import LimitsStudy

MACHINES = [read_machine(name) for name in machine_names()]
LARGE = 16384
"""Edge of a matmul that counts as large: what sustained shares are measured on goes up to it."""

MEASURED = [
    (machine.name, bits)
    for machine in MACHINES
    for bits in map(int, machine.levels("precision"))
    if machine.figures[f"precision.{bits}.sustained_fraction"].evidence == "measured"
]


def narrowest_common(name: str) -> int:
    """Return 16 bits, or 32 where a machine has nothing narrower."""
    return 16 if "16" in read_machine(name).levels("precision") else 32


@pytest.mark.parametrize("name", machine_names())
def test_every_machine_has_a_limit_curve_or_names_the_missing_figure(name: str) -> None:
    question = {"precision": narrowest_common(name), "search": "reference", "grid": (1, 12288, 1572864)}
    missing = read_machine(name).missing
    if missing:
        with pytest.raises(UnsupportedMachineError, match="ideal: unsupported, missing") as caught:
            limits(name, **question)
        assert caught.value.missing == missing
        return
    found = limits(name, **question)
    assert found.points
    assert found.linear_scaling.last_pass_flop is not None
    assert found.linear_scaling.first_failure_flop is not None


@pytest.mark.parametrize(("name", "bits"), MEASURED)
@pytest.mark.parametrize("weight_gradient", [False, True], ids=["activation", "weight gradient"])
def test_a_measured_share_of_the_peak_is_reached_in_the_matmul_model(
    name: str, bits: int, weight_gradient: bool
) -> None:
    """Else the figures of the memory levels contradict the measurement."""
    given = {path: 8.0 if path.endswith("size") else 10e9 for path in read_machine(name).missing}
    arrays = machine_arrays(load_machine(name, bits, given))
    parts = np.zeros(1 + arrays.tile_bytes.size)
    matmul_parts(LARGE, LARGE, LARGE, weight_gradient, arrays, parts)
    assert parts.argmax() == 0
    measured = read_machine(name).figures[f"precision.{bits}.sustained_fraction"].value
    rate = 2 * LARGE**3 / (parts.max() + arrays.kernel_latency)
    assert rate / arrays.peak_flops == pytest.approx(measured, rel=0.02)


def test_all_stands_for_the_products_that_the_model_can_use() -> None:
    machines = LimitsStudy(machines=("all",)).machines
    kinds = {read_machine(name).kind for name in machines}
    assert kinds == {"product"}
    assert not any(read_machine(name).missing for name in machines)
    assert len(machines) >= 30
    dates = [read_machine(name).released.value for name in machines]
    assert dates == sorted(dates)
    assert "gtx-580" not in machines
    assert "gtx-580" in LimitsStudy(machines=("all",), precision=32).machines


def test_all_goes_with_other_machines_and_with_what_the_user_sets() -> None:
    machines = LimitsStudy(machines=("h100", "all", "rubin-nvl72")).machines
    assert machines[0] == "h100"
    assert machines[-1] == "rubin-nvl72"
    assert len(set(machines)) == len(machines)
    assert set(usable_products(16, {"network.1.bandwidth": 25e9})) - set(usable_products()) == {
        "tpu-v3",
        "tpu-v4",
    }


def test_the_limits_of_all_are_a_list_even_by_that_one_name() -> None:
    found = limits("all", precision=4, search="reference", flop=(1e26,))
    assert [one.machine for one in found] == usable_products(4)
