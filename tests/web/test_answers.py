"""Answers that are kept: what is asked once, and what a preview leaves out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scalewall.web.answers import Answer, Answers
from scalewall.web.charts import page_charts
from scalewall.web.state import Card

SMALL = {"machine": "ref-h100", "grid": (1, 12288.0, 524288.0)}


class Here:
    """Search processes that are this one, and what they were asked."""

    waiting = 0

    def __init__(self) -> None:
        self.asked: list[tuple[str, str | None]] = []

    def ask(self, task: Callable[..., Any], arguments: tuple[Any, ...], *_: object) -> Any:
        self.asked.append(arguments)
        return task(*arguments, lambda name, done, total: None)


@pytest.fixture
def workers() -> Here:
    return Here()


@pytest.fixture
def answers(workers: Here) -> Answers:
    return Answers(workers)  # type: ignore[arg-type]


def one(answers: Answers, mode: Any, **settings: object) -> Answer:
    (answer,) = answers.of([(0, Card().having(**SMALL, **settings))], mode)
    assert answer.limits
    return answer


def test_another_threshold_is_no_other_search(answers: Answers, workers: Here) -> None:
    usual, low = one(answers, "full"), one(answers, "full", threshold=0.3)
    assert len(workers.asked) == 1
    assert usual.limits
    assert low.limits
    assert usual.limits.points == low.limits.points
    assert usual.limits.linear_scaling.threshold == 0.8
    assert low.limits.linear_scaling.threshold == 0.3
    assert low.limits.linear_scaling.last_pass_flop > usual.limits.linear_scaling.last_pass_flop
    assert Answers(workers).of([(0, low.card)])[0] == low, "nor does it matter which came first"  # type: ignore[arg-type]


def test_reasons_are_absent_in_previews_alone(answers: Answers) -> None:
    preview, full = one(answers, "preview"), one(answers, "full")
    assert preview.preview
    assert not full.preview
    assert preview.limits
    assert full.limits
    assert preview.limits.infeasible
    assert not any(run.reason for run in preview.limits.infeasible)
    assert all(run.reason for run in full.limits.infeasible)


def test_the_quick_search_as_the_users_own_gives_reasons_at_once(answers: Answers) -> None:
    answer = one(answers, "preview", search="reference")
    assert not answer.preview
    assert answer.limits
    assert all(run.reason for run in answer.limits.infeasible)


def test_parameters_of_a_law_that_was_not_chosen_are_named_as_without_effect(answers: Answers) -> None:
    usual = one(answers, "full")
    idle = one(answers, "full", depth_exponent=1.0, depth_anchor_layers=1e6)
    assert usual.limits
    assert idle.limits
    assert idle.limits.points == usual.limits.points
    told = [line for line in idle.limits.warnings if line not in usual.limits.warnings]
    assert [line.partition(":")[0] for line in told] == [
        "depth_anchor_layers has no effect",
        "depth_exponent has no effect",
    ]


def test_configurations_of_one_name_have_cost_lines_of_their_own(answers: Answers) -> None:
    settings = {**SMALL, "machine": "h100"}
    cards = [Card().having(**settings, months=2.0 * number, colour=number) for number in (1, 2)]
    chart = page_charts(answers.of(list(enumerate(cards)), "preview"), 0, runs=False)["cost"]
    assert [(series.name, series.colour, series.dash) for series in chart.series] == [
        (f"{cards[0].name}: rent", 1, "solid"),
        (f"{cards[1].name}: rent", 2, "solid"),
    ]
