"""The page on hardware progress agrees with the catalogue, with the search, and with what it says in words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scalewall.hardware import read_machine, usable_products
from scalewall.ideal.limits import Limits, limits_of
from scalewall.ideal.study import LimitsStudy
from scalewall.report.generations import generations
from scalewall.report.progress_page import (
    ANNOUNCED,
    CHANGED,
    CHANGES,
    Progress,
    change_row,
    machine_figures,
    machine_row,
    progress_page,
)

PAGE = (Path(__file__).parents[2] / "docs" / "hardware-progress.md").read_text(encoding="utf-8")
ROWS = {cells[0]: cells for line in PAGE.splitlines() if len(cells := line.strip("| ").split(" | ")) == 9}
ASKED_AGAIN = ("v100", "b200", "mi300x")
"""Machines whose searched cells are computed anew here: the quick ones."""


def answer(name: str, **settings: object) -> Limits:
    return limits_of(LimitsStudy(machines=(name,), **settings), name)


@pytest.fixture(scope="module")
def answers() -> dict[str, Limits]:
    return {name: answer(name) for name in ASKED_AGAIN}


def ends(name: str) -> list[float]:
    """Return the ends of the range in which efficient scaling ends, as the page prints them."""
    return [float(text) for text in re.findall(r"\d\.\d\de\d+", ROWS[name][6])]


def test_the_page_has_every_machine_with_its_figures_of_today() -> None:
    names = [*usable_products(), ANNOUNCED]
    assert [name for name in ROWS if name != "machine"] == names
    assert [tuple(ROWS[name][:6]) for name in names] == [machine_figures(name) for name in names]


@pytest.mark.parametrize("name", ASKED_AGAIN)
def test_the_search_still_finds_what_the_page_says(name: str, answers: dict[str, Limits]) -> None:
    (one,) = generations([answers[name]])
    assert machine_row(one) in PAGE


def test_changes_still_do_what_the_page_says(answers: dict[str, Limits]) -> None:
    assert change_row("as it is", answers[CHANGED]) in PAGE
    change = "network outside the domain twice as fast"
    assert change_row(change, answer(CHANGED, overrides=CHANGES[change])) in PAGE


def test_every_change_sets_figures_of_the_machine() -> None:
    figures = read_machine(CHANGED).figures
    assert all(path in figures for change in CHANGES.values() for path in change)
    for change in ("network outside the domain twice as fast", "links inside the domain twice as fast"):
        ((path, value),) = CHANGES[change].items()
        assert value == 2 * figures[path].value
    assert (
        CHANGES["half the arithmetic"]["precision.16.peak_flops"]
        == figures["precision.16.peak_flops"].value / 2
    )
    for path, value in CHANGES["kernels and network hops in half the time"].items():
        assert value == pytest.approx(figures[path].value / 2)


def test_what_the_page_takes_from_its_numbers() -> None:
    for node, earlier in (("b200", "a100-80gb"), ("b200", "h100"), ("mi355x", "mi300x")):
        assert max(ends(node)) < min(ends(earlier))
    assert min(ends("gb200-nvl72")) > 9 * min(ends("b200"))
    products = [name for name in ROWS if name not in ("machine", ANNOUNCED)]
    assert max(products, key=lambda name: max(ends(name))) == "h20"
    assert min(ends(ANNOUNCED)) > max(ends("h20"))
    latency = [name for name in (*products, ANNOUNCED) if ROWS[name][8] == "kernel latency"]
    assert len(latency) > 0.7 * len(products)


def test_the_page_is_written_from_what_was_measured(answers: dict[str, Limits]) -> None:
    shown = list(answers.values())
    page = progress_page(
        Progress(
            machines=shown,
            even_largest=dict.fromkeys(answers, 2.71e31),
            changes={"as it is": answers[CHANGED]},
            oldest=answers["v100"],
        )
    )
    for one in generations(shown):
        assert machine_row(one) in page
    assert "Of 3 machines" in page
    assert "the time of a kernel for 2," in page
    headings = [line for line in PAGE.splitlines() if line.startswith("#")]
    assert [line for line in page.splitlines() if line.startswith("#")] == headings
