"""Charts as data, and the same charts drawn by Plotly and Matplotlib."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from scalewall.ideal.limits import Limits
from scalewall.ideal.results import LinearScaling
from scalewall.report import chart_data, matplotlib_figures, plotly_figures
from scalewall.report.plots import PLOT_SUFFIXES, save_plot
from scalewall.report.style import Theme, style
from tests.report.samples import ROWS, make_limits

ONE = make_limits()
EMPTY = make_limits("empty", rows=0, band=LinearScaling(1e23, None, 0.8, 0.56, True))
SEVERAL = [ONE, make_limits("b", shift=10.0), EMPTY]
CHARTS = {chart.title: chart for limits in ([ONE], SEVERAL) for chart in chart_data.limits_charts(limits)}


def test_utilization_has_a_line_a_machine_with_threshold_sustained_and_band() -> None:
    chart = chart_data.utilization_chart(SEVERAL)
    assert [series.name for series in chart.series] == ["h100", "b", "empty"]
    assert chart.x.log
    assert chart.series[0].y == tuple(row[4] for row in ROWS)
    assert [(rule.y, rule.dash) for rule in chart.rules] == [(0.7, "dash"), (0.56, "dot")]
    assert [band.low for band in chart.bands] == pytest.approx([2.048422e28, 2.048422e29])
    assert [band.high for band in chart.bands] == pytest.approx([3.401521e28, 3.401521e29])


def test_a_band_runs_from_the_lesser_end_to_the_greater() -> None:
    limits = make_limits(band=LinearScaling(3e28, 2e28, 0.8, 0.56, False))
    (band,) = chart_data.utilization_chart([limits]).bands
    assert (band.low, band.high) == (2e28, 3e28)


def test_machines_that_sustain_different_shares_each_get_their_lines() -> None:
    other = replace(make_limits("b"), sustained_fraction=0.82)
    rules = chart_data.utilization_chart([ONE, other]).rules
    assert [(rule.y, rule.colour) for rule in rules] == [(0.7, 0), (0.56, 0), (0.82, 1), (0.56, 1)]


def test_degrees_leave_out_parallelism_that_no_plan_uses() -> None:
    chart = chart_data.degrees_chart(ONE)
    assert [series.name for series in chart.series] == ["Data", "Tensor", "Pipeline"]
    assert chart.series[1].y[-1] == 64 * 512


def test_hovering_shows_the_full_plan_the_model_and_what_it_is_trained_on() -> None:
    assert chart_data.utilization_chart([ONE]).series[0].hover[0].split("\n") == [
        "6.45e24 FLOP, 69.9 % utilization",
        "d_model 12,288, 192 layers, 232 billion parameters",
        "4.64 trillion tokens, 7.00 million a batch",
        "2,048 accelerators for 52.7 days",
        "DP 1, TP 4x8, PP 64, EP 1, 128 microbatches, zero bubble",
        "binds: arithmetic",
    ]
    sparse = replace(ONE, points=tuple(replace(point, sparsity=8) for point in ONE.points))
    assert "192 layers, 8 experts, " in chart_data.accelerators_chart([sparse]).series[0].hover[0]


def test_shares_sum_to_one_with_arithmetic_at_the_bottom() -> None:
    chart = chart_data.shares_chart(ONE)
    assert chart.series[0].name == "arithmetic"
    for parts in zip(*(series.y for series in chart.series), strict=True):
        assert sum(parts) == pytest.approx(1.0)


def test_shares_are_steps_that_meet_midway() -> None:
    layer = chart_data.shares_chart(ONE).series[0]
    assert len(layer.x) == 2 * len(ROWS)
    assert layer.x[1] == layer.x[2] == pytest.approx((ROWS[0][2] * ROWS[1][2]) ** 0.5)
    assert layer.y[0] == layer.y[1]
    single = chart_data.shares_chart(make_limits(rows=1)).series[0]
    assert single.x[0] < ROWS[0][2] < single.x[1]


def test_small_shares_become_one_layer() -> None:
    chart = chart_data.shares_chart(make_limits(rows=4))
    assert [series.name for series in chart.series][-1] == "everything else"
    for parts in zip(*(series.y for series in chart.series), strict=True):
        assert sum(parts) == pytest.approx(1.0)


@pytest.mark.parametrize("theme", [style().light, style().dark], ids=["light", "dark"])
@pytest.mark.parametrize("chart", list(CHARTS.values()), ids=list(CHARTS))
def test_plotly_draws_every_chart(chart: chart_data.Chart, theme: Theme) -> None:
    figure = plotly_figures.figure(chart, theme)
    assert len(figure.data) == len(chart.series)
    text = figure.to_json()
    assert '"@' not in text
    json.loads(text)


def test_plotly_draws_light_by_default() -> None:
    chart = chart_data.accelerators_chart([ONE])
    assert plotly_figures.figure(chart).layout.paper_bgcolor == style().light.background


@pytest.mark.parametrize("suffix", PLOT_SUFFIXES)
@pytest.mark.parametrize("limits", [[ONE], SEVERAL], ids=["one", "several"])
def test_saves_by_suffix(limits: list[Limits], suffix: str, tmp_path: Path) -> None:
    target = tmp_path / f"plot{suffix}"
    save_plot(limits, target)
    starts = {".html": b"<!doctype html>", ".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}
    assert target.read_bytes().startswith(starts[suffix])


def test_print_figures_hold_every_chart_and_no_window() -> None:
    figure = matplotlib_figures.figure(chart_data.limits_charts([ONE]), style().dark)
    assert [axes.get_title(loc="left") for axes in figure.axes] == list(CHARTS)[:4]
    assert figure.get_facecolor()[:3] == pytest.approx((20 / 255, 23 / 255, 28 / 255))
    assert "matplotlib.pyplot" not in sys.modules
