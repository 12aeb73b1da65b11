"""Rooflines of machines, and the file that puts machines side by side."""

from __future__ import annotations

from pathlib import Path

import pytest

from scalewall.errors import InputError
from scalewall.hardware import load_machine, read_machine
from scalewall.report.comparison import comparison_page, save_comparison
from scalewall.report.plots import PLOT_SUFFIXES
from scalewall.report.roofline import lacks_roofline, roofline_chart

H100, MESH, WAFER, OLD, RACK = (
    read_machine(name) for name in ("h100", "mi300x", "wse-3", "gtx-580", "gb200-nvl72")
)


def test_a_roof_bends_where_bandwidth_feeds_the_sustained_rate() -> None:
    memory, inner, outer = roofline_chart([H100]).series
    cluster = load_machine("h100")
    sustained = cluster.accelerator.sustained_flops
    for series, bandwidth, dash in ((memory, 3.35e12, "solid"), (inner, 450e9, "dash"), (outer, 50e9, "dot")):
        assert series.x[1] == pytest.approx(sustained / bandwidth)
        assert series.y[1:] == pytest.approx((sustained,) * (len(series.y) - 1))
        assert len(series.x) == len(series.y) == len(series.hover) == (3 if dash == "solid" else 2)
        assert series.y[0] == pytest.approx(series.x[0] * bandwidth)
        assert series.dash == dash
    assert [series.name for series in (memory, inner, outer)] == [
        "h100: HBM",
        "h100: NVLink 4",
        "h100: InfiniBand NDR",
    ]


def test_many_machines_get_their_memory_roofs_only() -> None:
    machines = [read_machine(name) for name in ("v100", "a100-80gb", "h100", "b200")]
    chart = roofline_chart(machines)
    assert [series.name.split(":")[0] for series in chart.series] == [machine.name for machine in machines]


def test_roofs_that_lie_on_each_other_can_all_be_seen() -> None:
    roofs = {roof.name: roof.thickness for roof in roofline_chart([H100, read_machine("b200"), RACK]).series}
    assert roofs["b200: HBM"] > roofs["gb200-nvl72: HBM"] == roofs["h100: HBM"] == 1.0
    shared = [roofs[f"{name}: InfiniBand NDR"] for name in ("h100", "b200", "gb200-nvl72")]
    assert shared == sorted(set(shared), reverse=True)


def test_unknown_links_have_no_roof_and_unknown_peaks_no_machine() -> None:
    assert [series.name for series in roofline_chart([WAFER, OLD]).series] == ["wse-3: SRAM"]
    assert lacks_roofline(OLD, 16)
    assert not lacks_roofline(OLD, 32)
    endless = read_machine("ref-h100-infinite-network-low-latency")
    assert [series.name.split(": ")[1] for series in roofline_chart([endless]).series] == ["HBM"]


@pytest.mark.parametrize("suffix", PLOT_SUFFIXES)
def test_saves_by_suffix(suffix: str, tmp_path: Path) -> None:
    target = tmp_path / f"compare{suffix}"
    save_comparison([H100, MESH], target)
    starts = {".html": b"<!doctype html>", ".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}
    assert target.read_bytes().startswith(starts[suffix])


def test_the_page_has_chart_table_command_and_says_who_is_left_out() -> None:
    page = comparison_page([H100, OLD], command="scalewall hardware compare h100 gtx-580")
    assert "Without the figures for it: gtx-580." in page
    assert "NVLink 4" in page
    assert "hardware compare h100 gtx-580</code>" in page
    assert "http://" not in page.split("<script>")[0]


def test_nobody_to_draw_is_an_error_before_any_file(tmp_path: Path) -> None:
    target = tmp_path / "compare.png"
    with pytest.raises(InputError, match=r"gtx-580.*a peak and a memory bandwidth at 16 bits"):
        save_comparison([OLD], target)
    assert not target.exists()
