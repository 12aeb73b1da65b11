"""Growth of frontier compute: exact on exact data, near the published values on the table."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from scalewall.errors import InputError
from scalewall.study.growth import fit_growth, frontier, read_growth, stated_growth, student_quantile
from scalewall.study.training_runs import TrainingRun, training_runs


def runs_growing(factor: float, wiggle: float = 0.0) -> list[TrainingRun]:
    """Seven runs, one a year from 2018 on, that grow exactly, with every other one off by ``wiggle`` powers of ten."""
    like = training_runs()[0]
    days = [date(2018 + index, 1, 1) for index in range(7)]
    return [
        replace(
            like,
            published=day,
            training_flop=1e20 * factor ** (day.year - 2018) * 10 ** (wiggle * (-1) ** place),
        )
        for place, day in enumerate(days)
    ]


def test_exact_growth_comes_out_exactly_and_is_certain() -> None:
    growth = fit_growth(runs=runs_growing(4.0))
    assert growth.factor == pytest.approx(4.0)
    assert growth.low == pytest.approx(4.0)
    assert growth.high == pytest.approx(4.0)
    assert growth.trend(2030.0) == pytest.approx(1e20 * 4.0**12)


def test_the_interval_is_that_of_least_squares_by_hand() -> None:
    # x = -3..3, y = 0.1 * (1, -1, 1, -1, 1, -1, 1): slope 0, residuals' squares 0.07 - 7 * (0.1 / 7)**2
    growth = fit_growth(runs=runs_growing(1.0, wiggle=0.1))
    scatter = math.sqrt((0.07 - 7 * (0.1 / 7) ** 2) / 5)
    assert growth.factor == pytest.approx(1.0)
    assert growth.deviation == pytest.approx(scatter / math.sqrt(28))
    assert math.log10(growth.high) == pytest.approx(2.015 * growth.deviation, rel=1e-3)


def test_the_table_grows_as_published() -> None:
    """Epoch AI: 4 to 5 times a year; since 2018, about 4; frontier language models, about 5."""
    growth = fit_growth()
    assert 4.0 < growth.factor < 5.0
    assert growth.low < 4.5 < growth.high
    assert growth.runs == len(frontier())
    assert fit_growth(2020.0).runs < growth.runs


@pytest.mark.parametrize(
    ("share", "freedom", "tabled"), [(0.95, 5, 2.015), (0.95, 48, 1.677), (0.975, 30, 2.042)]
)
def test_students_quantiles_as_tabled(share: float, freedom: int, tabled: float) -> None:
    assert student_quantile(share, freedom) == pytest.approx(tabled, abs=2e-3)


def test_draws_follow_their_kind() -> None:
    generator = np.random.default_rng(1)
    fitted = fit_growth()
    draws = fitted.draw(generator, 20_000)
    inside = np.mean((draws > math.log10(fitted.low)) & (draws < math.log10(fitted.high)))
    assert inside == pytest.approx(0.9, abs=0.01)
    article = read_growth("article").draw(generator, 1000)
    assert article.min() >= math.log10(4.0)
    assert article.max() <= math.log10(5.0)
    assert set(stated_growth(4.5).draw(generator, 3)) == {math.log10(4.5)}


def test_growth_as_stated() -> None:
    assert read_growth("4.5").factor == 4.5
    assert read_growth("4:5").factor == pytest.approx(math.sqrt(20))
    assert read_growth("fit") == fit_growth()


@pytest.mark.parametrize("text", ["fast", "", "4:", "5:4", "1", "0.5", "1e9", "nan", "4:5:6"])
def test_impossible_growth_is_named(text: str) -> None:
    with pytest.raises(InputError, match=r"^growth: "):
        read_growth(text)


def test_too_few_runs_are_named() -> None:
    with pytest.raises(InputError, match=r"since: 2025.6 .* at least 5"):
        fit_growth(2025.6)
