"""The page of the search: the optima that it discusses are those that come out."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import scalewall as sw
from scalewall.planner.plan import PlanResult, RankedPlan

PAGE = Path(__file__).parents[2] / "docs" / "plan.md"
ROW = re.compile(
    r"\| (?P<model>[^|]+), (?P<ranks>[\d,]+) (?P<machine>\w+), batch (?P<batch>\d+) \| (?P<plan>[^|]+) "
    r"\| (?P<step>[\d.]+) s \| (?P<mfu>[\d.]+) % \|"
)
NAMES = {"GPT-3 175B": "gpt3-175b", "Falcon-180B": "falcon-180b", "Llama 3.1 405B": "llama3.1-405b"}
MACHINES = {"A100": ("a100-80gb", 2048), "H100": ("h100", 8192)}
ROWS = [match.groupdict() for match in ROW.finditer(PAGE.read_text(encoding="utf-8"))]
EXPERTS = re.compile(
    r"finds (?P<best>[\d.]+) s, (?P<mfu>\d+) % MFU.* takes \d+ % longer, (?P<published>[\d.]+) s", re.S
)
SWITCHED = re.compile(
    r"the best is (?P<best>[\d.]+) s, (?P<mfu>\d+) % MFU.*layout takes (?P<published>[\d.]+) s", re.S
)
NEAR = 0.05
"""Fits move a little; the discussion holds while optima move by less."""


def test_the_page_has_the_runs_that_it_must_discuss() -> None:
    assert [(row["model"], row["ranks"]) for row in ROWS] == [
        ("GPT-3 175B", "512"),
        ("GPT-3 175B", "4,096"),
        ("Falcon-180B", "4,096"),
        ("Llama 3.1 405B", "16,384"),
        ("Llama 3.1 405B", "8,192"),
    ]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['model']} on {row['ranks']}")
def test_optima_of_the_page(row: dict[str, str]) -> None:
    machine, sequence = MACHINES[row["machine"]]
    ranks = int(row["ranks"].replace(",", ""))
    result = sw.plan(NAMES[row["model"]], machine, ranks, int(row["batch"]), sequence, top=1)
    assert isinstance(result, PlanResult)
    assert result.best is not None
    assert result.best.seconds == pytest.approx(float(row["step"]), rel=NEAR)
    assert 100 * result.best.estimate.mfu == pytest.approx(float(row["mfu"]), rel=NEAR)


@pytest.mark.parametrize(
    ("said", "switches"),
    [(EXPERTS, {}), (SWITCHED, {"expert_overlap": True, "graphs": "partial"})],
    ids=["usual", "switched"],
)
def test_experts_where_nobody_has_published(said: re.Pattern[str], switches: dict[str, Any]) -> None:
    numbers = said.search(PAGE.read_text(encoding="utf-8"))
    assert numbers
    ask = partial(
        sw.plan, "deepseek-v3", "h800", 2048, 15360, 4096, precision="fp8-current", dispatcher="deepep", top=1
    )
    answers = (ask(**switches), ask(**switches, bounds=["tp=1", "cp=1", "pp=16", "ep=64", "dp=128"]))
    best, published = (answer.best for answer in answers)
    assert isinstance(best, RankedPlan)
    assert isinstance(published, RankedPlan)
    assert best.seconds == pytest.approx(float(numbers["best"]), rel=NEAR)
    assert 100 * best.estimate.mfu == pytest.approx(float(numbers["mfu"]), rel=NEAR)
    assert published.seconds == pytest.approx(float(numbers["published"]), rel=NEAR)
