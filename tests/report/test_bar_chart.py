"""Bars of factors: as thick on a page as in print, and readable on a phone."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from scalewall.report.bar_chart import Bar, BarChart, bar_specification
from scalewall.report.figures_page import Section, sections_page
from tests.report.browser import chromium, opened

CHART = BarChart(
    "Gains",
    "Gain",
    "largest run",
    ("hardware", "laws", "the run"),
    (
        Bar(
            "everything that can be had at once, with a label as long as they come", 1e4, 1e3, "hardware", "a"
        ),
        Bar("a law", 100.0, 1e3, "laws", "b"),
        Bar("months", 90.0, 10.0, "the run", "c"),
        Bar("nothing", 1.0, None, "laws", "d"),
        Bar("failures", 1e-3, 1e-4, "hardware", "e"),
    ),
)
"""Bars of a group have others between them."""


def test_every_bar_keeps_to_its_own_row() -> None:
    """Plotly would make a bar as thick as its distance to the next of its group."""
    bars = [trace for trace in bar_specification(CHART)["data"] if trace["type"] == "bar"]
    assert len(bars) == 3
    assert all(0 < trace["width"] < 1 for trace in bars)


@pytest.mark.parametrize("width", [1280, 390])
def test_bars_have_room_beside_their_labels(width: int, tmp_path: Path) -> None:
    file = tmp_path / "gains.html"
    file.write_text(
        sections_page("Gains?", ("Yes.",), (Section("Gains", charts=(CHART,)),)), encoding="utf-8"
    )
    with chromium() as browser, opened(browser, file, width) as (page, seen):
        page.wait_for_selector(".bars path")
        boxes = page.evaluate(
            "[...document.querySelectorAll('.bars path')].map((bar) => bar.getBoundingClientRect())"
            ".map((box) => [box.top, box.height, box.width]).sort((one, other) => one[0] - other[0])"
        )
        below = [(one[0] + one[1], other[0]) for one, other in pairwise(boxes)]
        assert len(boxes) == len(CHART.bars)
        assert all(end < start for end, start in below), "bars lie on each other"
        assert max(box[2] for box in boxes) > width / 5
        for bar in CHART.bars:
            assert page.get_by_text(bar.label, exact=True).count() >= 1
        assert page.locator(".xtick text:visible").count() >= 2
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert seen.console == []
