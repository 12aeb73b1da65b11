"""The page of a plan in a browser: figures are drawn, on wide and narrow screens, and nothing is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from scalewall.planner.explain import explain
from scalewall.planner.layout import Layout
from scalewall.planner.plan import FrontPoint
from scalewall.report.plan_plots import save_plan_plot
from tests.planner.samples import BRIDGE, LAYOUT, dense_run
from tests.report.browser import chromium, opened

FRONT = (FrontPoint(LAYOUT, 2.0, 30e9), FrontPoint(Layout(tp=4, pp=2, dp=2), 2.5, 20e9))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "plan.html"
    save_plan_plot(explain(dense_run(), LAYOUT, BRIDGE), file, front=FRONT)
    return file


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_figures_are_drawn(browser: Browser, page_file: Path, width: int, scheme: str) -> None:
    with opened(browser, page_file, width, scheme) as (page, seen):
        page.wait_for_selector("[data-chart='front'] .main-svg")
        bars = page.locator("[data-chart='waterfall'] .bars path")
        assert bars.count() > 8
        assert page.locator("[data-chart='memory'] .bars path").count() >= 2 * LAYOUT.pp
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert seen.console == []
        assert seen.requests == []


def test_a_bar_says_its_cause(browser: Browser, page_file: Path) -> None:
    with opened(browser, page_file) as (page, _):
        bar = page.locator("[data-chart='waterfall'] .bars path").first
        bar.scroll_into_view_if_needed()
        box = bar.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.wait_for_selector("[data-chart='waterfall'] .hoverlayer .hovertext")
        words = page.locator("[data-chart='waterfall'] .hoverlayer").text_content() or ""
        assert "arithmetic at the peak" in words
