"""What the planner is judged by, on the published runs that come with the package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from scalewall.cli.validation_page import validation_page
from scalewall.validation.planner_scores import Score, score
from scalewall.validation.planner_validation import MEMORY_JUDGED, RunRow, Validation, validate_planner
from scalewall.validation.runs import load_published

PAGE = Path(__file__).parents[2] / "docs" / "planner-validation.md"


@pytest.fixture(scope="module")
def validation() -> Validation:
    return validate_planner(load_published(), lambda name, done, total: None)


def _score(rows: Sequence[RunRow], which: str) -> Score:
    found = score(error for row in rows if (error := row.error(getattr(row, which))) is not None)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("kind", "which", "median", "p90"),
    [
        ("all", "predicted", 0.035, 0.12),
        ("all", "left_out", 0.06, 0.18),
        ("dense", "predicted", 0.03, 0.10),
        ("dense", "left_out", 0.055, 0.14),
        ("experts", "predicted", 0.07, 0.30),
        ("experts", "left_out", 0.18, 0.50),
    ],
)
def test_step_times(validation: Validation, kind: str, which: str, median: float, p90: float) -> None:
    rows = [row for row in validation.core if kind == "all" or row.step.experts == (kind == "experts")]
    found = _score(rows, which)
    assert found.median <= median
    assert found.p90 <= p90


def test_order_of_layouts(validation: Validation) -> None:
    assert validation.orderings["fitted"].share >= 0.85
    assert validation.orderings["left out"].share >= 0.80


def test_coverage_and_constants(validation: Validation) -> None:
    assert validation.coverage >= 0.97
    assert validation.constants <= 45


def test_korthikanti(validation: Validation) -> None:
    errors = [row.error(row.predicted) for row in validation.core if row.step.source == "korthikanti2022"]
    assert np.mean(np.abs([error for error in errors if error is not None])) <= 0.04


@pytest.mark.parametrize("source", MEMORY_JUDGED)
def test_memory(validation: Validation, source: str) -> None:
    errors = [row.memory_error for row in validation.rows if row.step.source == source]
    assert np.median(np.abs([error for error in errors if error is not None])) <= 0.07


def test_hardly_a_run_that_ran_is_called_too_large(validation: Validation) -> None:
    over = [row for row in validation.core if row.too_large]
    assert len(over) <= 2
    assert all(row.share_of_memory < 1.02 for row in over)


def test_better_than_a_constant_rate(validation: Validation) -> None:
    steps = {row.step.id: row.step.step_seconds for row in validation.core}
    for name, which in (("fitted", "predicted"), ("left out", "left_out")):
        constant = score(time / steps[key] - 1 for key, time in validation.baseline[name].items())
        assert constant is not None
        assert _score(validation.core, which).median < 0.6 * constant.median


def test_the_page_is_what_the_command_prints(validation: Validation) -> None:
    assert PAGE.read_text(encoding="utf-8") == validation_page(validation)
