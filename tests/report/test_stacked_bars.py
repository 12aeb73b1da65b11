"""Bars that begin where others end: the same data on a page and in print."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from scalewall.report.chart_data import NEUTRAL
from scalewall.report.stacked_bars import (
    BarSeries,
    Limit,
    StackedBars,
    stacked_bars_figure,
    stacked_bars_specification,
)
from scalewall.report.style import style

CHART = StackedBars(
    title="Title",
    axis="GB",
    labels=("one", "two"),
    series=(
        BarSeries("low", (0, 1), (0.0, 0.0), (3.0, 2.0), ("a", "b"), NEUTRAL),
        BarSeries("high", (1,), (2.0,), (4.0,), ("c",), 0),
    ),
    texts=("3 GB", "6 GB"),
    limit=Limit(8.0, "capacity"),
)


def test_ends_and_scale() -> None:
    assert CHART.ends == (3.0, 6.0)
    assert CHART.top > 8.0
    assert replace(CHART, limit=None).top < 8.0


def test_a_bar_that_goes_back_ends_where_it_began() -> None:
    back = BarSeries("back", (0,), (3.0,), (-1.0,), ("x",), 0)
    assert replace(CHART, series=(back,)).ends == (3.0, 0.0)


@pytest.mark.parametrize("upright", [False, True])
def test_page(upright: bool) -> None:
    spec = stacked_bars_specification(replace(CHART, upright=upright))
    json.dumps(spec)
    along, across = ("y", "x") if upright else ("x", "y")
    first, second = spec["data"]
    assert first[along] == [3.0, 2.0]
    assert second["base"] == [2.0]
    assert second[across] == [1]
    assert first["marker"]["color"] == "@neutral"
    assert spec["layout"][f"{across}axis"]["ticktext"] == ["one", "two"]
    assert spec["layout"]["shapes"][0][f"{along}0"] == 8.0
    assert [note["text"] for note in spec["layout"]["annotations"]] == ["3 GB", "6 GB"]


@pytest.mark.parametrize("upright", [False, True])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_print(upright: bool, theme: str) -> None:
    drawn = stacked_bars_figure(replace(CHART, upright=upright), getattr(style(), theme))
    (axes,) = drawn.axes
    assert len(axes.patches) == 3
    assert axes.get_title(loc="left") == "Title"
    names = axes.get_xticklabels() if upright else axes.get_yticklabels()
    assert [name.get_text() for name in names] == ["one", "two"]
    assert {text.get_text() for text in axes.texts} == {"3 GB", "6 GB", "capacity"}
    drawn.canvas.draw()


def test_of_many_stages_some_are_named() -> None:
    many = replace(CHART, labels=tuple(map(str, range(128))), upright=True, texts=())
    assert len(many.ticks) <= 24
    assert many.ticks[0] == 0
    assert len(replace(many, upright=False).ticks) == 128


def test_a_single_series_needs_no_legend() -> None:
    alone = replace(CHART, series=CHART.series[:1])
    assert stacked_bars_figure(alone).axes[0].get_legend() is None
    assert not stacked_bars_specification(alone)["layout"]["showlegend"]
