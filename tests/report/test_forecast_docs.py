"""docs/forecast.md says what the command prints: the way to our date, and the sentences around it."""

from __future__ import annotations

import re
from pathlib import Path

from scalewall.ideal.study import LimitsStudy
from scalewall.report import units
from scalewall.report.forecast_words import date_words
from scalewall.study.forecast import forecast_of
from scalewall.study.forecast_machines import catalogue_progress
from scalewall.study.forecast_published import steps_to_ours
from scalewall.study.forecast_question import ForecastStudy
from scalewall.study.growth import fit_growth

PAGE = (Path(__file__).parents[2] / "docs" / "forecast.md").read_text(encoding="utf-8")


def test_the_way_from_the_published_date_is_the_commands() -> None:
    """All steps but the last, which takes 32 sampled worlds."""
    found = forecast_of(ForecastStudy(LimitsStudy(), worlds=0, now=2026.9))
    for step in steps_to_ours(found, found.machines[0])[:-1]:
        limit, date = units.scientific(step.limit_flop), date_words(step.year)
        row = f"| {step.words} | {limit} | {step.years_left:.1f} | {date} |"
        assert row in PAGE, row


def test_growth_and_rates_are_those_of_the_code() -> None:
    growth, progress = fit_growth(), catalogue_progress()
    assert f"{growth.factor:.2f} times a year (90 %: {growth.low:.2f} to {growth.high:.2f})" in " ".join(
        PAGE.split()
    )
    rates = dict(re.findall(r"^\| `(\w+)` \| ([0-9.]+) \|", PAGE, flags=re.MULTILINE))
    assert {name: f"{rate:.2f}".removesuffix(".00") for name, rate in progress.rates().items()} == rates
    assert f"every {progress.generation_years:.1f} years" in PAGE
