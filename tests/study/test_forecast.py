"""Forecasts against dates computed by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from scalewall.errors import InputError
from scalewall.ideal.study import LimitsStudy
from scalewall.report.forecast_records import FORECAST_COLUMNS
from scalewall.report.forecast_words import band_words
from scalewall.study.forecast import Forecast, forecast, forecast_of
from scalewall.study.forecast_dates import QUANTILES, crossing
from scalewall.study.forecast_published import steps_to_ours
from scalewall.study.forecast_question import ForecastStudy, Start, largest_start, read_start
from scalewall.study.forecast_worlds import sampled_worlds, settled, uncertain_limits
from scalewall.study.growth import fit_growth, stated_growth

TENFOLD = np.array([1.0])
AT_1E26 = np.array([26.0])


def date_of(*limits: tuple[float, float]) -> float:
    """Return when ten times a year from 1e26 in 2025 reaches the limits, given as (usable from, powers of ten)."""
    steps = [(year, np.array([limit])) for year, limit in limits]
    return float(crossing(TENFOLD, 2025.0, AT_1E26, steps)[0])


def test_one_machine_by_hand() -> None:
    assert date_of((2020.0, 29.0)) == 2028.0
    assert date_of((2020.0, 25.0)) == 2024.0, "the frontier is past it already"
    assert date_of((2020.0, math.inf)) == math.inf


def test_a_successor_in_time_puts_the_date_off() -> None:
    assert date_of((2020.0, 29.0), (2027.0, 30.0)) == 2029.0


def test_a_successor_that_comes_too_late_changes_nothing() -> None:
    assert date_of((2020.0, 29.0), (2028.5, 31.0)) == 2028.0


def test_a_successor_that_scales_worse_leaves_the_older_machine() -> None:
    assert date_of((2020.0, 29.0), (2026.0, 27.0)) == 2028.0


def test_the_articles_own_numbers_make_four_years() -> None:
    """5e25 to 2e28 is a factor of 400: log 400 / log 4 = 4.32 and log 400 / log 5 = 3.72 years."""
    logs = np.log10(np.array([4.0, 5.0]))
    start = np.full(2, math.log10(5e25))
    dates = crossing(logs, 2024.5, start, [(2020.0, np.full(2, math.log10(2e28)))])
    assert dates == pytest.approx([2028.82, 2028.22], abs=0.005)


def small(**settings: object) -> LimitsStudy:
    given: dict[str, object] = {"machines": ("ref-h100",), "reference": True, "grid": (3, 12288, 400_000)}
    return LimitsStudy(**(given | settings))  # type: ignore[arg-type]


def certain(limits: LimitsStudy, **settings: object) -> ForecastStudy:
    """A forecast without draws: ten times a year from 1e27 on, in 2025."""
    given: dict[str, object] = {
        "growth": stated_growth(10.0),
        "start": Start(2025.0, 1e27, "test", spread=1.0),
        "generations": 0,
        "samples": 400,
        "now": 2025.0,
    }
    return ForecastStudy(limits, **(given | settings))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def simple() -> Forecast:
    return forecast_of(certain(small()))


def test_a_forecast_is_asked_in_words_and_shows_itself(simple: Forecast) -> None:
    words = {"growth": 10, "start": "1e27@2025-01-01", "start_spread": 1, "generations": 0, "samples": 400}
    found = forecast(small(), now="2025-01-01", **words)
    assert found.machines == simple.machines
    frame = found.to_pandas()
    assert list(frame) == list(FORECAST_COLUMNS)
    assert len(frame) == 2 * len(found.machines[0].efficient.shares)
    assert f"ref-h100: efficient scaling ends {band_words(found.machines[0].efficient)}" in str(found)


def test_dates_lie_where_the_limits_band_puts_them(simple: Forecast) -> None:
    (one,) = simple.machines
    (own,) = one.generations
    assert own.year == -math.inf
    for band, low, high in (
        (one.efficient, own.efficient_low, own.efficient_high),
        (one.infeasible, own.largest, own.beyond),
    ):
        ends = 2025.0 + math.log10(low / 1e27), 2025.0 + math.log10(high / 1e27)
        assert ends[0] <= band.dates[0.05] <= band.median <= band.dates[0.95] <= ends[1]
        assert band.median == pytest.approx(sum(ends) / 2, abs=0.1 * (ends[1] - ends[0]))
        assert list(band.dates) == list(QUANTILES)
        assert band.share_before(ends[0] - 1) == 0.0
        assert band.share_before(ends[1] + 1) == 1.0
    assert one.efficient.median < one.infeasible.median


def test_the_same_seed_gives_the_same_dates_and_another_does_not() -> None:
    again = forecast_of(certain(small())).machines[0].efficient.years
    assert again == forecast_of(certain(small())).machines[0].efficient.years
    assert again != forecast_of(certain(small(), seed=1)).machines[0].efficient.years


def test_faster_growth_comes_sooner_and_a_later_start_later(simple: Forecast) -> None:
    base = simple.machines[0].efficient.median
    faster = forecast_of(certain(small(), growth=stated_growth(20.0))).machines[0].efficient.median
    later = forecast_of(certain(small(), start=Start(2026.0, 1e27, "test", 1.0))).machines[0].efficient.median
    assert faster < base
    assert later == pytest.approx(base + 1.0)


def test_an_uncertain_start_widens_the_dates(simple: Forecast) -> None:
    wide = forecast_of(certain(small(), start=Start(2025.0, 1e27, "test", 10.0))).machines[0].efficient.dates
    narrow = simple.machines[0].efficient.dates
    assert wide[0.95] - wide[0.05] > narrow[0.95] - narrow[0.05] + 2.0


def test_successors_are_looked_at_until_no_draw_needs_another() -> None:
    limits = small(machines=("h100",), reference=False, search="reference")
    slow = certain(limits, growth=stated_growth(3.0), generations=8)
    (one,) = forecast_of(slow).machines
    years = [generation.year for generation in one.generations]
    assert len(years) > 2
    assert np.diff(years) == pytest.approx(slow.progress.generation_years)
    assert years[-1] < max(one.infeasible.years) + slow.progress.generation_years
    (fixed,) = forecast_of(certain(limits, growth=stated_growth(3.0))).machines
    assert len(fixed.generations) == 1
    assert one.infeasible.median >= fixed.infeasible.median


def test_worlds_widen_the_dates_and_come_out_again(simple: Forecast) -> None:
    drawn = forecast_of(certain(small(), worlds=4)).machines[0].efficient
    base = simple.machines[0].efficient
    assert drawn.dates[0.95] - drawn.dates[0.05] > base.dates[0.95] - base.dates[0.05]
    assert forecast_of(certain(small(), worlds=4)).machines[0].efficient.years == drawn.years


def test_a_reference_study_has_no_worlds_unless_asked() -> None:
    assert certain(small()).worlds == 0
    assert certain(small(machines=("h100",), reference=False)).worlds == 32


def test_what_the_question_settles_is_not_drawn() -> None:
    (world,) = sampled_worlds(LimitsStudy(), "h100", 1, 0)
    assert (world.depth_law, world.data_law, world.batch_law) == ("power", "tokens-per-parameter", "power")
    assert world.months == 3.0
    chosen = LimitsStudy(
        batch_law="zhang",
        months=6.0,
        overrides={"network.1.bandwidth": 100e9},
        bounds={"tp": (1, 64)},
        grid=(3, 12288, 400_000),
    )
    worlds = sampled_worlds(chosen, "h100", 8, 0)
    assert {one.batch_law for one in worlds} == {"zhang"}
    assert {one.months for one in worlds} == {6.0}
    assert {one.overrides["network.1.bandwidth"] for one in worlds} == {100e9}
    assert {one.grid for one in worlds} == {(3, 12288, 400_000)}
    assert {one.bounds["tp"] for one in worlds} == {(1, 64)}
    assert len({one.overrides["memory.0.bandwidth"] for one in worlds}) == 8
    assert settled(chosen) == ("months", "batch_anchor_tokens", "batch_exponent", "network.1.bandwidth")


def test_an_endless_bandwidth_is_certain() -> None:
    (world,) = sampled_worlds(LimitsStudy(), "ref-h100-infinite-network-low-latency", 1, 0)
    assert "network.0.bandwidth" not in world.overrides
    assert "network.0.latency" in world.overrides


def test_uncertain_limits_of_a_question() -> None:
    seen: list[tuple[int, int]] = []
    found = uncertain_limits(small(), 4, progress=lambda done, total: seen.append((done, total)))
    assert found.worlds == 4
    assert seen[-1] == (4, 4)
    assert all(spread.quantiles == tuple(sorted(spread.quantiles)) for spread in found.limits)


def test_the_way_from_the_published_date_changes_one_thing_a_step(simple: Forecast) -> None:
    claimed, computed, growth, start, limit, ours = steps_to_ours(simple, simple.machines[0])
    assert claimed.years_left == pytest.approx(3.0)
    assert computed.years_left == pytest.approx(math.log(400) / math.log(math.sqrt(20)))
    assert growth.years_left == pytest.approx(math.log10(400))
    assert start.year == pytest.approx(2025.0 + math.log10(20))
    own = simple.machines[0].generations[0]
    assert limit.limit_flop == pytest.approx(math.sqrt(own.efficient_low * own.efficient_high))
    assert ours.year == simple.machines[0].efficient.median


def test_starts() -> None:
    growth = fit_growth()
    assert read_start("largest", growth) == largest_start()
    assert read_start("article", growth).flop == 5e25
    assert read_start("5e26@2025-07", growth).flop == 5e26
    trend = read_start("trend", growth)
    assert trend.flop < largest_start().flop
    assert 1.0 < trend.spread < 1.5


@pytest.mark.parametrize("text", ["", "5e26", "big@2025", "5e26@soon", "1@2025", "nan@2025"])
def test_impossible_starts_are_named(text: str) -> None:
    with pytest.raises(InputError, match=r"^start: "):
        read_start(text, fit_growth())


def test_a_trend_needs_a_fit() -> None:
    with pytest.raises(InputError, match="start: 'trend'"):
        read_start("trend", stated_growth(4.0))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("generations", 9),
        ("generations", -1),
        ("samples", 0),
        ("seed", -1),
        ("worlds", -1),
        ("lag_years", -1.0),
        ("now", 0.0),
    ],
)
def test_impossible_settings_are_named(field: str, value: object) -> None:
    with pytest.raises(InputError, match=f"^{field}: "):
        certain(small(), **{field: value})


def test_single_runs_are_no_grid() -> None:
    with pytest.raises(InputError, match=r"^flop: .*grid"):
        certain(small(flop=(1e28,)))
