"""The timeline's script in a browser: it draws, tells what runs, zooms and moves, and asks for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from scalewall.cost.pipeline import SCHEDULES, Work, build_schedule, placement_of, simulate, stage_costs
from scalewall.report.style import style
from scalewall.report.timeline import save_timeline
from scalewall.report.timeline_figure import SERIES
from tests.report.browser import chromium, opened

STAGES, MICROBATCHES = 4, 8
LEFT, RIGHT, LANE = 74, 12, 28
"""Pixels beside the lanes, and the height of a stage's lane, as the page lays them out."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


def write_page(
    folder: Path, name: str, in_bytes: bool = True, shape: tuple[int, int] = (STAGES, MICROBATCHES)
) -> Path:
    stages, microbatches = shape
    chunks = 2 if name == "interleaved" else 1
    work = Work(0.010, 0.010, 0.010, 2e9, 1e9, 10e9)
    costs = stage_costs(placement_of(name, stages, chunks), work)
    file = folder / f"{name}.html"
    save_timeline(simulate(build_schedule(name, stages, microbatches, chunks, costs), costs), file, in_bytes)
    return file


def pixel(page: Page, canvas: str, x: float, y: float) -> str:
    """Return the colour of a canvas at ``x``, ``y`` (pixels of the page) as ``#rrggbb``."""
    script = (
        "([id, x, y]) => Array.from(document.getElementById(id).getContext('2d')"
        ".getImageData(x * devicePixelRatio, y * devicePixelRatio, 1, 1).data)"
    )
    red, green, blue, _ = page.evaluate(script, [canvas, x, y])
    return f"#{red:02x}{green:02x}{blue:02x}"


def hover(page: Page, stage: int, share: float, lane: int = LANE) -> str:
    """Point at ``stage`` at ``share`` of what is shown of the step; return what the page says there."""
    box = page.locator("#lanes").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + LEFT + share * (box["width"] - LEFT - RIGHT), box["y"] + (stage + 0.5) * lane)
    return page.locator("#tip").inner_text()


def shown(page: Page) -> tuple[float, float]:
    """Return the ends of what is shown, as shares of the step."""
    return tuple(page.evaluate("[from / data.ticks, to / data.ticks]"))


def settle(page: Page) -> None:
    """Wait until what was asked for is drawn."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_schedule_is_drawn_without_a_word_on_the_console(
    name: str, scheme: str, browser: Browser, tmp_path: Path
) -> None:
    theme = getattr(style(), scheme)
    with opened(browser, write_page(tmp_path, name), scheme=scheme) as (page, seen):
        settle(page)
        assert pixel(page, "lanes", LEFT + 2, 4) == theme.series[SERIES["F"]]
        assert page.locator(".key").first.inner_text() == "F forward"
        page.locator("#path").check()
        settle(page)
        for button in ("#in", "#out", "#all"):
            page.locator(button).click()
        settle(page)
    assert seen.console == []
    assert seen.requests == []


def test_hovering_tells_what_runs_and_what_the_stage_holds(browser: Browser, tmp_path: Path) -> None:
    """1F1B of equal passes: 8 microbatches and 3 waits of 30 ms, so 11 blocks of 30 ms."""
    with opened(browser, write_page(tmp_path, "1f1b")) as (page, seen):
        first = hover(page, 0, 0.5 / 33)
        assert "stage 0" in first
        assert "forward (F), microbatch 0" in first
        assert "0 s to 10 ms, 10 ms" in first
        assert "holds 12 GB" in first
        assert "waits" in hover(page, 3, 0.5 / 33)
        last = hover(page, 0, 32.5 / 33)
        assert "backward (BW), microbatch 7" in last
        page.mouse.move(1, 1)
        assert not page.locator("#tip").is_visible()
    assert seen.console == []


def test_pairs_tell_both_halves(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, write_page(tmp_path, "dualpipe")) as (page, _):
        told = [hover(page, 1, place / 40) for place in range(40)]
    assert any("forward (F)" in text and "backward (BW)" in text and "chunk" in text for text in told)


def test_the_page_zooms_and_moves_and_comes_back(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, write_page(tmp_path, "zb-h1")) as (page, seen):
        assert shown(page) == (0.0, 1.0)
        hover(page, 1, 0.25)
        page.mouse.wheel(0, -500)
        page.wait_for_function("to - from < data.ticks")
        low, high = shown(page)
        assert low < 0.25 < high < 1.0
        assert (0.25 - low) / (high - low) == pytest.approx(0.25, abs=0.01)
        page.locator("#lanes").focus()
        page.keyboard.press("ArrowRight")
        assert shown(page)[0] == pytest.approx(low + (high - low) / 8)
        hover(page, 1, 0.5)
        page.mouse.down()
        hover(page, 1, 0.9)
        page.mouse.up()
        assert shown(page)[0] < low + (high - low) / 8
        for _ in range(60):
            page.keyboard.press("+")
        assert shown(page)[1] - shown(page)[0] == pytest.approx(50 / page.evaluate("data.ticks"))
        for _ in range(80):
            page.keyboard.press("-")
        assert shown(page) == (0.0, 1.0)
        page.keyboard.press("+")
        page.keyboard.press("0")
        assert shown(page) == (0.0, 1.0)
        settle(page)
    assert seen.console == []


def test_the_critical_path_is_drawn_on_demand(browser: Browser, tmp_path: Path) -> None:
    picture = "document.getElementById('lanes').toDataURL()"
    with opened(browser, write_page(tmp_path, "1f1b")) as (page, _):
        settle(page)
        without = page.evaluate(picture)
        page.locator("#path").check()
        settle(page)
        assert page.evaluate(picture) != without
        page.locator("#path").uncheck()
        settle(page)
        assert page.evaluate(picture) == without


@pytest.mark.parametrize("in_bytes", [True, False])
def test_memory_is_drawn_with_its_scale_where_it_can_be_read(
    in_bytes: bool, browser: Browser, tmp_path: Path
) -> None:
    file = write_page(tmp_path, "1f1b", in_bytes)
    spy = """
        window.written = [];
        const write = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (text, x, ...rest) {
          const wide = this.measureText(text).width;
          const start = this.textAlign === "right" ? x - wide : this.textAlign === "center" ? x - wide / 2 : x;
          if (this.canvas.id === "memory") window.written.push([text, start]);
          return write.call(this, text, x, ...rest);
        };
        drawMemory();
    """
    with opened(browser, file) as (page, _):
        page.evaluate(spy)
        written = dict(page.evaluate("window.written"))
    scale = ["18 GB", "9 GB", "0 B"] if in_bytes else ["4", "2", "0"]
    assert set(scale) <= set(written)
    assert min(written.values()) >= 0


def test_a_narrow_window_cuts_nothing_off(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, write_page(tmp_path, "zb-h1"), width=360) as (page, seen):
        settle(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        height = page.evaluate("document.querySelector('.sw-table tbody tr').offsetHeight")
        assert height < 2 * 20
    assert seen.console == []


def test_a_large_step_is_drawn_in_a_moment(browser: Browser, tmp_path: Path) -> None:
    """100,000 operations, most of them narrower than a pixel."""
    file = write_page(tmp_path, "1f1b", shape=(64, 800))
    with opened(browser, file) as (page, seen):
        settle(page)
        spent = page.evaluate(
            "() => { const t = performance.now(); drawLanes(); return performance.now() - t; }"
        )
        assert "stage 5," in hover(page, 5, 0.5, lane=10)
    assert spent < 2000
    assert seen.console == []
