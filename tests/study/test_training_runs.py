"""The table of training runs: complete, sourced, and what "largest" means."""

from __future__ import annotations

from datetime import date

import pytest

from scalewall.errors import InputError
from scalewall.study.training_runs import decimal_year, largest_run, read_date, training_runs


def test_about_sixty_runs_each_with_a_source_a_role_and_a_date() -> None:
    runs = training_runs()
    assert 55 <= len(runs) <= 75
    assert len({run.model for run in runs}) == len(runs)
    assert all(run.source and run.organization and run.training_flop > 1e18 for run in runs)
    assert all(run.confidence in ("confident", "likely", "speculative") for run in runs)
    assert all(run.note for run in runs if run.role == "outlier")
    assert [run.published for run in runs] == sorted(run.published for run in runs)


def test_every_frontier_run_was_among_the_ten_largest_when_it_came_out() -> None:
    before: list[float] = []
    for run in training_runs():
        if run.role == "frontier":
            assert sum(flop > run.training_flop for flop in before) < 10, run.model
        if run.role != "outlier":
            before.append(run.training_flop)


def test_the_largest_run_leaves_out_what_is_no_part_of_the_trend() -> None:
    assert largest_run().model == "Grok 4"
    assert largest_run(2022.0).model == "ERNIE 3.0 Titan"  # Wu Dao 2.0, an outlier, claims ten times as much
    assert largest_run(2025.0).training_flop == 5e25


@pytest.mark.parametrize(
    ("text", "year"),
    [("2024", 2024.5), ("2024-07-01", 2024 + 182 / 365.25), ("2025-07", decimal_year(date(2025, 7, 15)))],
)
def test_dates_in_years(text: str, year: float) -> None:
    assert read_date("now", text) == pytest.approx(year)


@pytest.mark.parametrize("text", ["", "soon", "2024-13", "2024-02-30", "24-01", "2024-1-1-1"])
def test_what_is_no_date_is_named(text: str) -> None:
    with pytest.raises(InputError, match=r"start: .*YYYY"):
        read_date("start", text)
