"""docs/levers.md: a row for each lever, numbers that come out, Python that runs."""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from scalewall.ideal.study import LimitsStudy
from scalewall.report import units
from scalewall.study.levers import GROUPS, LEVERS
from scalewall.study.what_if import Outcome, outcome_of, what_if

PAGE = (Path(__file__).parents[2] / "docs" / "levers.md").read_text(encoding="utf-8")
FAILURES = {
    "3.4e-5, replicas recover, pauses of 10 s": "failures-by-replica=3.4e-5+pause=10",
    "3.4e-5, replicas recover, pauses of 3 minutes": "failures-by-replica=3.4e-5",
    "2e-5, whole job restarts": "failures=2e-5",
    "3.4e-5, whole job restarts": "failures=3.4e-5",
}


@pytest.mark.parametrize("name", LEVERS)
def test_every_lever_has_its_row(name: str) -> None:
    lever = LEVERS[name]
    mark = " [A]" if lever.changes_algorithm else ""
    assert f"| `{name}`{mark} | {GROUPS[lever.group]} | {lever.value} |" in PAGE


def row_of(outcome: Outcome) -> str:
    band = outcome.linear_scaling
    ends = sorted([band.first_failure_flop or 0.0, band.last_pass_flop or 0.0])
    largest = units.scientific(outcome.largest.training_flop if outcome.largest else None)
    return f"{' - '.join(units.scientific(end) for end in ends)} | {largest} |"


@pytest.mark.parametrize("words", FAILURES)
def test_failures_cost_what_the_page_says(words: str) -> None:
    assert f"| {words} | {row_of(outcome_of(what_if(LimitsStudy(), FAILURES[words])))}" in PAGE


def test_the_python_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    printed = StringIO()
    with redirect_stdout(printed):
        exec(compile(code, "levers.md", "exec"), {})
    assert "6 months" in printed.getvalue() or "fast domain of 72" in printed.getvalue()
    assert "'network.1.bandwidth': 2.27" in printed.getvalue()
