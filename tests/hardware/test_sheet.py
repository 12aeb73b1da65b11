"""Machines as rows."""

import pytest

from scalewall.hardware import read_machine
from scalewall.hardware.sheet import comparison_rows, sheet_rows


def test_a_sheet_has_every_figure_in_the_order_of_the_format():
    rows = sheet_rows(read_machine("h100"))
    assert len(rows) == len(read_machine("h100").figures)
    paths = [row.path for row in rows]
    tables = [path.split(".")[0] for path in paths]
    assert tables == sorted(
        tables, key=["accelerator", "precision", "memory", "network", "power", "price"].index
    )
    assert paths.index("precision.32.peak_flops") < paths.index("precision.8.peak_flops")
    outer = next(row for row in rows if row.path == "network.1.bandwidth")
    assert (outer.part, outer.value, outer.unit, outer.evidence) == (
        "InfiniBand NDR, switch",
        50e9,
        "bytes/s",
        "datasheet",
    )


def test_missing_figures_are_rows_too():
    missing = [row for row in sheet_rows(read_machine("wse-3")) if row.evidence == "missing"]
    assert [(row.path, row.value) for row in missing] == [("network.0.bandwidth", None)]
    assert missing[0].note


def test_comparison_keeps_machines_with_gaps():
    rows = {
        row.quantity: row
        for row in comparison_rows([read_machine(n) for n in ("h100", "ref-h100", "tpu-v4")])
    }
    assert rows["peak"].values == (989.4e12, pytest.approx(989.43e12, rel=1e-4), 275e12)
    assert rows["ridge"].values[0] == pytest.approx(0.82 * 989.4e12 / 3350e9)
    assert rows["network bandwidth 1"].values == (50e9, 50e9, None)
    assert rows["FLOP/s per watt"].values[0] == pytest.approx(989.4e12 / 700)
    assert rows["price"].values[1:] == (None, None)
    assert rows["sustained share"].assumed == (False, False, True)


def test_comparison_at_a_precision_that_one_machine_lacks():
    rows = {row.quantity: row for row in comparison_rows([read_machine("h100"), read_machine("v100")], 8)}
    assert rows["peak"].values == (1979e12, None)
    assert rows["number format"].values == ("fp8", None)
