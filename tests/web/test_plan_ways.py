"""What would help most: always something, each a question that gives what it promises; and the page's own words."""

from __future__ import annotations

import re

import pytest

from scalewall.errors import InputError
from scalewall.planner.answer import best_plan
from scalewall.planner.planning import plan
from scalewall.web.flat import decode_flat
from scalewall.web.found import Found
from scalewall.web.plan_question import PLAN_SETTINGS, arguments_of
from scalewall.web.plan_task import plan_file_task, plan_task
from scalewall.web.plan_ways import options_of
from scalewall.web.plan_words import page_error, page_words, settable

SMALL = "model=gpt2-124m&gpus=8&global_batch=64&seq=1024&tokens=1e10"
SPARSE = "model=mixtral-8x7b&gpus=64&global_batch=128&seq=4096&tokens=1e12"


def found(query: str) -> Found:
    return plan_task(query, lambda name, done, total: None)


def run_time(answer: Found) -> str:
    """The time of the whole run, as the answer says it."""
    said = re.search(r"The whole run takes ([\d.]+ \w+)", answer.sentences[0])
    assert said
    return said[1]


@pytest.mark.parametrize(
    "query",
    [
        "",
        SMALL,
        f"{SMALL}&rank=4",
        f"{SMALL}&objective=cost",
        f"{SMALL}&ideal=yes",
        SPARSE,
        "gpus=1000000&global_batch=1000000",
    ],
)
def test_three_changes_help_and_each_asks_another_question(query: str) -> None:
    ways = found(query).ways
    assert len(ways) >= 3
    assert len({way.query for way in ways}) == len(ways)
    asked, _ = decode_flat(query, PLAN_SETTINGS)
    for way in ways:
        values, problems = decode_flat(way.query, PLAN_SETTINGS)
        assert problems == ()
        assert values != asked
    gains = [float(said[1]) for way in ways[:3] if (said := re.search(r"([\d.]+) % shorter", way.effect))]
    assert len(gains) == 3
    if "cost" not in query:
        assert gains == sorted(gains, reverse=True)


def test_a_change_gives_what_it_promises() -> None:
    for way in found(SMALL).ways:
        assert f"({run_time(found(way.query))})" in way.effect


def test_of_a_sparse_model_a_change_gives_at_least_what_it_promises() -> None:
    values, _ = decode_flat(SPARSE, PLAN_SETTINGS)
    with arguments_of(values) as arguments:
        result = plan(**arguments)[0]
    options = options_of(values, result, lambda name, done, total: None)
    assert not any(option.exact for option in options)
    for option in options:
        whole = best_plan(option.change.question)
        assert whole is not None
        assert whole.step.seconds <= option.plan.step.seconds
    assert "at least" in found(SPARSE).ways[0].effect


def test_other_numbers_are_said() -> None:
    (way,) = [way for way in found(SMALL).ways if "precision=" in way.query]
    assert "computes other numbers" in way.effect


def test_a_plan_that_memory_keeps_out_is_named_with_a_machine_that_has_it() -> None:
    answer = found("")
    (line,) = [line for line in answer.sentences if "Memory binds too" in line]
    change = line.split(": ")[1].split(" makes")[0]
    (way,) = [way for way in answer.ways if f"has the memory for {change}" in way.effect]
    assert "machine=" in way.query


def test_fixed_parts_are_freed_by_a_click() -> None:
    (way,) = [way for way in found(f"{SMALL}&dp=4").ways if way.words == "Search all layouts"]
    values, _ = decode_flat(way.query, PLAN_SETTINGS)
    assert values["dp"] == ""


@pytest.mark.parametrize(
    "query",
    [
        "",
        f"{SMALL}&ideal=yes",
        f"{SMALL}&machine=h100,tpu-v3&objective=cost",
        "model=llama3.1-405b&gpus=8&tp=8&recompute=none",
        SPARSE,
    ],
)
def test_no_option_of_the_command_line_is_named(query: str) -> None:
    answer = found(query)
    said = [answer.title, *answer.sentences, *answer.notes]
    said += [text for way in answer.ways for text in (way.words, way.effect)]
    for view in answer.tables.values():
        said += [str(getattr(cell, "text", cell)) for row in view.rows for cell in row]
        said += [view.title, *view.notes]
    assert [text for text in said if "--" in text] == []


@pytest.mark.parametrize(
    ("query", "words"),
    [
        (f"{SMALL}&tp=64", "Tensor: '64' is not usable. Allowed: Tensor of 1, 2, 4"),
        (f"{SMALL}&tp=2&dp=8", "beside Tensor 2"),
        (f"{SMALL}&tp=4&pp=4&dp=64", "Fixed parts of the layout"),
        (f"{SMALL}&machine=wse-3", "Allowed: a machine with network.0.size."),
        ("gpus=1000000", "Accelerators: 1000000 is not usable. Allowed: a number of accelerators over which"),
    ],
)
def test_errors_name_the_controls(query: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        found(query)
    assert words in str(error.value)
    assert "--" not in str(error.value)


def test_where_nothing_fits_there_are_no_files_about_a_plan() -> None:
    query = "model=llama3.1-405b&gpus=8"
    assert found(query).pictures == ()
    assert found(SMALL).pictures == ("ranking", "best")
    assert found("").pictures == ("ranking", "best", "timeline")
    mixed = "model=llama3-70b&gpus=8&global_batch=64&machine=h100,gb300-nvl72"
    assert found(mixed).pictures == ("ranking",)
    assert len(plan_file_task(mixed, "ranking.csv", lambda name, done, total: None).splitlines()) > 1


def test_what_has_no_effect_is_what_the_page_can_set() -> None:
    assert settable(["graphs", "host's link", "tp", "sequence_parallel"]) == ("CUDA graphs", "Tensor")
    assert page_words("drop --bound tp=8") == "Leave Tensor free"
    error = InputError("--bound tp", "x", "whole numbers: 8, or 2,4, or 1:8", ["8"])
    assert page_error(error).field == "Tensor"


def test_what_gains_nothing_says_so() -> None:
    (way,) = [way for way in found(f"{SMALL}&tp=1").ways if way.words == "Search all layouts"]
    assert way.effect == "the run takes as long and costs as much; no part is fixed"
