"""What a result says in plain words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scalewall.ideal.results import LinearScaling
from scalewall.report import words
from tests.report.samples import make_limits


def band(first: float | None, last: float | None) -> LinearScaling:
    return LinearScaling(first, last, 0.8, 0.56, False)


def test_the_answer_names_limits_binding_search_and_laws() -> None:
    text = words.answer(make_limits())
    for part in (
        "NVIDIA H100 SXM5 80 GB",
        "up to 2.05e28 FLOP",
        "in places up to 3.40e28 FLOP",
        "cannot finish in 3 months beyond 2.71e31 FLOP",
        "68.7 billion accelerators",
        "kernel latency binds",
        "at least 80 %",
        "reference search",
        "depth published",
        "2 assumed machine figures",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (None, 2.7e31, "stay efficient over the whole grid, up to 2.71e31 FLOP."),
        (6e24, None, "are efficient nowhere on the grid"),
        (3e28, 2e28, "stay efficient up to 2.00e28 FLOP (the first run that falls below has 3.00e28 FLOP)"),
    ],
)
def test_every_shape_of_the_band_has_words(first: float | None, last: float | None, expected: str) -> None:
    assert expected in words.finding(make_limits(band=band(first, last)))


KNOWN = "The largest publicly known run, Grok 4 (xAI, July 2025), has about 5.00e26 FLOP"


def test_sizes_have_a_yardstick_that_people_know() -> None:
    limits = make_limits()
    told = f"{KNOWN}: runs stay efficient up to 41 times and finish up to 54,000 times that."
    assert words.yardstick([limits]) == told
    assert told in words.answer(limits)
    inefficient = make_limits(band=band(6e24, None))
    assert words.yardstick([inefficient]) == f"{KNOWN}: runs finish up to 54,000 times that."
    assert words.yardstick([make_limits(rows=0)]) == ""


def test_several_machines_share_one_yardstick() -> None:
    several = [
        make_limits("a", shift=0.01),
        make_limits("b", band=band(None, 2.7e31)),
        make_limits("c", band=band(6e24, None)),
        make_limits("d", rows=0),
    ]
    assert words.yardstick(several) == (
        f"{KNOWN}. As multiples of that, runs stay efficient and finish up to: "
        "a 0.41 and 540; b 54,000 and 54,000; c nowhere and 54,000."
    )


def test_a_grid_that_ends_before_the_machine_does_says_so() -> None:
    assert "finish in 3 months even at the largest size that was tried" in words.finding(
        make_limits(infeasible=False)
    )


def test_a_machine_that_finishes_nothing_says_so() -> None:
    assert (
        words.finding(make_limits(rows=0))
        == "NVIDIA H100 SXM5 80 GB finishes no run of the grid in 3 months."
    )


def test_several_answers_state_once_what_they_share() -> None:
    same = words.all_rest_on([make_limits("a"), make_limits("b")])
    assert len(same) == 2
    assert same[1] == "Machine figures that had to be assumed: a 2, b 2."


def test_answers_of_different_searches_are_told_apart_in_a_line_each() -> None:
    other = make_limits("c")
    full = replace(other, assumptions=other.assumptions | {"search": {"method": "full"}})
    lines = words.all_rest_on([make_limits("a"), make_limits("b"), full])
    assert [line.split(": ")[0] for line in lines[:2]] == ["a, b", "c"]
    assert ["reference search" in lines[0], "full search" in lines[1]] == [True, True]
    assert lines[2] == "Machine figures that had to be assumed: a 2, b 2, c 2."


def test_warnings_are_given_once() -> None:
    both = [make_limits("a", warnings=("far out", "only a")), make_limits("b", warnings=("far out",))]
    assert words.all_warnings(both) == ["far out", "a: only a"]


def test_settings_are_flat_and_leave_out_the_assumed_figures() -> None:
    limits = make_limits()
    values = words.settings(limits.assumptions)
    assert values["laws.depth_law"] == "published"
    assert values["model.overlap_data"] == "no"
    assert values["search.tensor_levels"] == "none"
    assert not any(name.startswith(words.ASSUMED_FIGURES) for name in values)
    assert set(words.assumed_figures(limits)) == {"memory.1.bandwidth", "network.1.latency"}


@pytest.mark.parametrize(
    ("part", "label"),
    [("hbm", "HBM bandwidth"), ("vmem", "vmem bandwidth"), ("network_latency", "network latency")],
)
def test_parts_have_labels(part: str, label: str) -> None:
    assert words.part_label(part) == label


def test_a_plan_reads_in_a_line() -> None:
    point = make_limits().points[-1]
    assert words.plan_words(point.plan).startswith(
        "DP 32,768, TP 64x512, PP 64, EP 1, 64 microbatches, zero bubble"
    )
