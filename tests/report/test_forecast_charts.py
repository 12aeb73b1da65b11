"""The figure of a forecast: both limits' dates of up to three machines, told apart in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scalewall.ideal.study import LimitsStudy
from scalewall.report.chart_data import Chart
from scalewall.report.forecast_charts import timeline_chart
from scalewall.report.matplotlib_figures import figure
from scalewall.report.plotly_figures import specification
from scalewall.study.forecast import Forecast, forecast_of
from scalewall.study.forecast_question import ForecastStudy
from scalewall.study.growth import read_growth


@pytest.fixture(scope="module")
def found() -> Forecast:
    limits = LimitsStudy(machines=("ref-h100",), reference=True)
    return forecast_of(ForecastStudy(limits, worlds=0, samples=200, generations=0, now=2026.9))


def several(found: Forecast, count: int) -> Chart:
    (one,) = found.machines
    machines = tuple(replace(one, machine=f"machine {number}") for number in range(count))
    return timeline_chart(replace(found, machines=machines))


def test_the_dates_of_both_limits_are_drawn_with_their_names(found: Forecast) -> None:
    chart = timeline_chart(found)
    (one,) = found.machines
    bars = {band.label: (band.low, band.high) for band in chart.bands if band.bar}
    assert bars == {
        "ref-h100: efficiency ends": (one.efficient.dates[0.05], one.efficient.dates[0.95]),
        "ref-h100: none finishes": (one.infeasible.dates[0.05], one.infeasible.dates[0.95]),
    }
    assert chart.x.limits
    assert chart.x.limits[1] > one.infeasible.dates[0.95]
    assert sorted((band.low, band.high) for band in chart.bands if not band.bar) == sorted(bars.values())


def test_bars_of_three_machines_lie_below_each_other_and_keep_to_the_foot(found: Forecast) -> None:
    bars = [band.bar for band in several(found, 3).bands if band.bar]
    assert len(bars) == len(several(found, 3).bands) == 6
    edges = [edge for bar in bars for edge in bar]
    assert edges == sorted(edges)
    assert edges[-1] < 0.3
    assert not several(found, 4).bands


def test_both_libraries_draw_a_bar_with_its_label_to_the_left(found: Forecast) -> None:
    chart = several(found, 2)
    shapes = specification(chart)["layout"]["shapes"]
    assert [(shape["y0"], shape["y1"]) for shape in shapes] == [band.bar for band in chart.bands]
    labels = {one["text"]: one["x"] for one in specification(chart)["layout"]["annotations"]}
    assert {band.label: band.low for band in chart.bands}.items() <= labels.items()
    (axes,) = figure([chart]).axes
    words = {text.get_text(): text.get_horizontalalignment() for text in axes.texts}
    assert words["machine 1: none finishes"] == "right"


def test_slow_growth_stretches_the_years_to_the_later_dates(found: Forecast) -> None:
    study = replace(found.study, growth=read_growth("1.5"))
    chart = timeline_chart(forecast_of(study))
    assert chart.x.limits
    assert chart.x.limits[1] > max(band.high for band in chart.bands) > 2050
