"""Limits by year of release: the chart for many machines, on the page and in print."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scalewall.ideal.limits import Limits
from scalewall.ideal.results import LinearScaling
from scalewall.report import matplotlib_figures, plotly_figures
from scalewall.report.generations import MANY, answer_words, generations, generations_chart, spread_words
from scalewall.report.limits_page import page
from scalewall.report.plots import print_charts
from tests.report.samples import make_limits

NAMES = ("gb200-nvl72", "v100", "a100-80gb", "h100", "mi300x", "tpu-v5p", "p100", "b200", "ref-h100")


def limits_named(name: str, shift: float = 1.0) -> Limits:
    return replace(make_limits(shift=shift), machine=name, title=name.upper())


LIMITS = [limits_named(name, 1.5**place) for place, name in enumerate(NAMES)]


def test_machines_stand_by_date_and_those_without_one_are_left_out() -> None:
    shown = generations(LIMITS)
    assert [one.limits.machine for one in shown] == [
        *("p100", "v100", "a100-80gb", "h100", "mi300x", "tpu-v5p", "gb200-nvl72", "b200")
    ]
    assert shown[0].year == pytest.approx(2016 + 3.5 / 12)
    assert all(one.low <= one.high for one in shown)


def test_an_open_end_of_the_range_is_its_other_end() -> None:
    only_passes = replace(LIMITS[0], linear_scaling=LinearScaling(None, 3e28, 0.8, 0.56, True))
    (one,) = generations([only_passes])
    assert one.low == one.high == 3e28
    assert generations([replace(LIMITS[0], linear_scaling=LinearScaling(None, None, 0.8, 0.56, True))]) == []


def test_one_series_a_vendor_with_names_and_one_for_the_largest_runs() -> None:
    chart = generations_chart(LIMITS)
    assert [series.name for series in chart.series] == [
        "NVIDIA",
        "AMD",
        "Google",
        "largest run that finishes",
    ]
    nvidia, *_, top = chart.series
    assert nvidia.labels == ("p100", "v100", "a100-80gb", "h100", "gb200-nvl72", "b200")
    assert all(low <= high for low, high in zip(nvidia.y, nvidia.tops, strict=True))
    assert len(top.x) == 8
    assert not top.labels
    low, high = chart.y.limits or (0.0, 0.0)
    assert low < min(nvidia.y)
    assert high > max(top.y)


def test_both_libraries_draw_every_name() -> None:
    chart = generations_chart(LIMITS)
    annotations = plotly_figures.figure(chart).layout.annotations
    assert sorted(one.text for one in annotations) == sorted(set(NAMES) - {"ref-h100"})
    (axes,) = matplotlib_figures.figure([chart]).axes
    assert {text.get_text() for text in axes.texts} == set(NAMES) - {"ref-h100"}
    assert axes.get_xlim() == pytest.approx(chart.x.limits)


def test_many_machines_are_drawn_by_year_few_curve_by_curve() -> None:
    assert len(LIMITS) > MANY
    assert [chart.title[:28] for chart in print_charts(LIMITS)] == ["Where efficient scaling ends"]
    assert len(print_charts(LIMITS[:MANY])) == 2
    assert len(print_charts([limits_named("ref-h100")] * (MANY + 1))) == 2


def test_the_page_of_many_machines_starts_with_the_spread() -> None:
    document = page(LIMITS)
    assert spread_words(LIMITS).split(",")[0] in document
    assert "Limits by year of release" in document
    assert "<details><summary>Machine by machine" in document
    assert "Utilization against size" in page(LIMITS[:2])


def test_the_spread_names_first_and_last() -> None:
    words = spread_words(LIMITS)
    assert words.startswith("Of 8 machines, efficient scaling ends first on GB200-NVL72")
    assert "last on B200" in words
    assert "finishes has between " in words
    assert "finishes has between " not in spread_words(LIMITS[:1])


def test_few_machines_get_a_sentence_each() -> None:
    assert answer_words(LIMITS) == [spread_words(LIMITS)]
    assert [words[:6] for words in answer_words(LIMITS[:2])] == ["On GB2", "On V10", "The la"]
