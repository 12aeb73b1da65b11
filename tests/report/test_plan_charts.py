"""Pictures of a plan show its own numbers."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from scalewall.planner.estimate import estimate
from scalewall.planner.explain import Explanation, explain
from scalewall.planner.layout import Layout
from scalewall.planner.plan import FrontPoint
from scalewall.planner.run import Run
from scalewall.report.plan_charts import front_chart, memory_chart, waterfall_chart
from scalewall.report.plan_plots import plan_figure, plan_page, save_plan_plot
from tests.planner.samples import BRIDGE, LAYOUT, MIXTURE_LAYOUT, dense_run, mixture_run

PLANS = [
    (dense_run(), LAYOUT),
    (dense_run(), Layout(tp=2, cp=2, pp=4, dp=2, chunks=4, recompute="full")),
    (dense_run(), Layout(dp=16, sharding="parameters")),
    (mixture_run(), MIXTURE_LAYOUT),
]
FRONT = (FrontPoint(LAYOUT, 2.0, 30e9), FrontPoint(Layout(tp=4, pp=2, dp=2), 2.5, 20e9))


@pytest.fixture(scope="module")
def explained() -> Explanation:
    return explain(dense_run(), LAYOUT, BRIDGE)


@pytest.mark.parametrize(("run", "layout"), PLANS)
def test_bars_of_the_step_follow_on_each_other(run: Run, layout: Layout) -> None:
    one = explain(run, layout, BRIDGE)
    chart = waterfall_chart(one.answer, one.segments)
    bars = sorted(
        (row, start, value, series.name)
        for series in chart.series
        for row, start, value in zip(series.rows, series.starts, series.values, strict=True)
    )
    assert [row for row, *_ in bars] == list(range(len(chart.labels)))
    *causes, (_, start, whole, name) = bars
    assert (start, name) == (0.0, "the step")
    for (_, before, value, _), (_, after, _, _) in pairwise(causes):
        assert after == pytest.approx(before + value)
    last = causes[-1]
    assert last[1] + last[2] == pytest.approx(whole, rel=0.01)
    unit = 1e3 if "ms" in chart.axis else 1.0
    assert whole == pytest.approx(unit * one.answer.step.seconds)
    assert len(chart.texts) == len(chart.labels)


@pytest.mark.parametrize(("run", "layout"), PLANS)
def test_stacks_of_memory_are_what_stages_hold(run: Run, layout: Layout) -> None:
    answer = estimate(run, layout, BRIDGE)
    chart = memory_chart(answer)
    assert chart.ends == pytest.approx([stage.total / 1e9 for stage in answer.memory])
    assert chart.limit is not None
    assert chart.limit.value == pytest.approx(answer.fit.capacity / 1e9)
    assert len(chart.labels) == layout.pp


def test_the_front_runs_by_memory() -> None:
    (series,) = front_chart(FRONT, 80e9).series
    assert series.x == (20.0, 30.0)
    assert series.y == (2.5, 2.0)
    assert "TP 4 PP 2" in series.hover[0]


def test_a_front_of_one_plan_has_room_around_it() -> None:
    low, high = front_chart(FRONT[:1], 80e9).y.limits or (0.0, 0.0)
    assert low < FRONT[0].seconds < high


def test_print(explained: Explanation) -> None:
    assert len(plan_figure(explained).axes) == 2
    assert len(plan_figure(explained, FRONT).axes) == 3


def test_a_page_stands_alone(explained: Explanation) -> None:
    page = plan_page(explained, "scalewall explain --model x", FRONT)
    for words in ("data-chart='waterfall'", "data-chart='memory'", "data-chart='front'", "Make this again"):
        assert words in page
    assert "src=" not in page.partition("<script>")[0]
    assert "data-chart='front'" not in plan_page(explained)


@pytest.mark.parametrize("suffix", [".html", ".png", ".svg", ".pdf"])
def test_files(explained: Explanation, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"plan{suffix}"
    save_plan_plot(explained, path)
    begins = {".html": b"<!doctype", ".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}
    assert path.read_bytes().startswith(begins[suffix])
