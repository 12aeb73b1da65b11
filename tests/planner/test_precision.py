"""Which precisions a machine has: from the formats of the catalogue, by one rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from scalewall.errors import InputError
from scalewall.planner.device import load_device
from scalewall.planner.moves import moves
from scalewall.planner.precision import precisions_of
from tests.planner.samples import A100, BRIDGE, LAYOUT, dense_run

FLOATS = ("bf16", "fp8-delayed", "fp8-current")


@pytest.mark.parametrize(
    ("machine", "precisions"),
    [
        ("v100", ("bf16",)),
        ("a100-40gb", ("bf16",)),
        ("a100-80gb", ("bf16",)),
        ("mi250x", ("bf16",)),
        ("tpu-v5e", ("bf16",)),
        ("h100", FLOATS),
        ("h800", FLOATS),
        ("mi300x", FLOATS),
        ("b200", (*FLOATS, "mxfp8", "nvfp4")),
        ("gb300-nvl72", (*FLOATS, "mxfp8", "nvfp4")),
        ("mi355x", (*FLOATS, "mxfp8")),
        ("trainium3", (*FLOATS, "mxfp8")),
    ],
)
def test_precisions_of_machines(machine: str, precisions: tuple[str, ...]) -> None:
    device = load_device(machine)
    assert device.precisions == precisions
    assert (8 in device.peak) == ("fp8-delayed" in precisions)


def test_a_format_called_mxfp8_needs_no_4_bits() -> None:
    assert precisions_of({16: "bf16", 8: "mxfp8"}) == (*FLOATS, "mxfp8")


@pytest.mark.parametrize(
    ("machine", "wanted", "nearest"),
    [
        ("a100-80gb", "fp8-delayed", ("bf16",)),
        ("h100", "mxfp8", ("fp8-delayed", "fp8-current", "bf16")),
        ("h100", "nvfp4", ("fp8-delayed", "fp8-current", "bf16")),
        ("mi355x", "nvfp4", ("fp8-delayed", "fp8-current", "mxfp8", "bf16")),
    ],
)
def test_what_a_machine_lacks_is_refused_with_the_nearest(
    machine: str, wanted: str, nearest: tuple[str, ...]
) -> None:
    with pytest.raises(InputError, match=f"on {machine}: bf16") as caught:
        dense_run(load_device(machine), precision=wanted)
    assert caught.value.field == "precision"
    assert caught.value.suggestions == nearest


def test_moves_offer_what_the_machine_has() -> None:
    assert not [move for move in moves(dense_run(A100), LAYOUT, BRIDGE) if move.knob == "precision"]
    found = [move.run.precision for move in moves(dense_run(), LAYOUT, BRIDGE) if move.knob == "precision"]
    assert found == ["fp8-delayed", "fp8-current"]


def test_a_machine_of_the_users_own_has_what_its_base_has(tmp_path: Path) -> None:
    text = 'schema = 1\nname = "pod"\ntitle = "Pod"\nkind = "system"\nbase = "{}"\n'
    for base in ("gb200-nvl72", "a100-80gb"):
        path = tmp_path / f"{base}.toml"
        path.write_text(text.format(base))
        assert load_device(str(path)).precisions == load_device(base).precisions
