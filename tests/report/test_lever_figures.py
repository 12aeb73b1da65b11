"""Pictures of levers and of what a run needs: drawn, not empty, the same data on page and in print."""

from __future__ import annotations

from pathlib import Path

import pytest

from scalewall.errors import InputError
from scalewall.ideal.study import LimitsStudy
from scalewall.report.bar_chart import bar_page_figure, bar_specification
from scalewall.report.lever_figures import gains_chart, save_levers, what_if_curves
from scalewall.report.lever_tables import factor, levers_words
from scalewall.report.require_figures import save_required, trade_chart
from scalewall.report.require_tables import better, figure_text, required_words
from scalewall.study.require import Required, require
from scalewall.study.what_if import Levers, levers


@pytest.fixture(scope="module")
def pulled() -> Levers:
    study = LimitsStudy(grid=(1, 65536, 1e6), search="reference")
    return levers(study, only=["months=12", "tokens-per-parameter=100"], combine=["months=6+domain=72"])


@pytest.fixture(scope="module")
def needed() -> Required:
    return require(LimitsStudy(flop=(1e30,)))


def test_bars_are_sorted_and_coloured_by_group(pulled: Levers) -> None:
    chart = gains_chart(pulled)
    assert [bar.value for bar in chart.bars] == sorted((bar.value for bar in chart.bars), reverse=True)
    assert {bar.group for bar in chart.bars} <= set(chart.groups)
    low, high = chart.ends
    assert low < 0 < high
    drawn = bar_specification(chart)
    assert sum(len(trace["x"]) for trace in drawn["data"] if trace["type"] == "bar") == len(chart.bars)
    assert len(bar_page_figure(chart).data) == len(drawn["data"])


def test_the_curves_begin_with_the_baseline(pulled: Levers) -> None:
    chart = what_if_curves(pulled)
    assert [series.name for series in chart.series] == [
        "as it is",
        *(one.what_if.title for one in pulled.outcomes),
    ]
    assert all(series.x for series in chart.series)


def test_the_trade_off_is_a_falling_staircase(needed: Required) -> None:
    line, today = trade_chart(needed).series
    assert list(line.x) == sorted(line.x)
    assert list(line.y) == sorted(line.y, reverse=True)
    assert (today.x, today.y) == ((1.0,), (1.0,))


@pytest.mark.parametrize("name", ["bars.png", "bars.svg", "bars.html"])
def test_every_file_is_written_and_shows_something(
    name: str, pulled: Levers, needed: Required, tmp_path: Path
) -> None:
    for save, what in ((save_levers, pulled), (save_required, needed)):
        path = tmp_path / name
        save(what, path)  # type: ignore[operator]
        assert path.stat().st_size > 20_000
        path.unlink()


def test_a_trade_off_without_a_curve_says_so(tmp_path: Path) -> None:
    from scalewall.study.figures_needed import knobs_of
    from scalewall.study.require import Trade

    found = require(LimitsStudy(flop=(1e27,)))
    knobs = knobs_of(LimitsStudy().cluster("h100"))
    empty = Required(**{**vars(found), "trade": Trade(knobs[0], knobs[1], ())})
    with pytest.raises(InputError, match="suffice together"):
        save_required(empty, tmp_path / "trade.png")
    save_required(empty, tmp_path / "trade.html")
    assert "do not suffice" in (tmp_path / "trade.html").read_text(encoding="utf-8")


def test_words(pulled: Levers, needed: Required) -> None:
    assert "efficient scaling ends between" in levers_words(pulled)
    assert "12 months moves it most" in levers_words(pulled)
    assert "Any one of these suffices: InfiniBand NDR bandwidth x2.28" in required_words(needed)
    assert (factor(None), factor(1.0), factor(13.62), factor(2184.0), factor(0.39)) == (
        "-",
        "x1",
        "x14",
        "x2200",
        "x0.39",
    )
    assert (better(None), better(2.277), better(2.753, True)) == ("none", "x2.28", "/2.75")
    assert figure_text("network.1.bandwidth", 50e9) == "50 GB/s"
    assert figure_text("memory.2.bytes_per_clock", 128) == "128 B/clock"
