"""What would help most: changes of the Plan page's question, each searched, ranked by what they gain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scalewall.cost.money import RunMoney, run_money
from scalewall.planner.answer import best_plan
from scalewall.planner.estimate import Estimate, estimate
from scalewall.planner.explain import Explanation, explain_estimate
from scalewall.planner.plan import PlanQuestion, PlanResult, RankedPlan
from scalewall.report import units
from scalewall.web.flat import encode_flat
from scalewall.web.found import Way
from scalewall.web.plan_changes import Change, changes_of, small_space
from scalewall.web.plan_question import PLAN_SETTINGS, layout_settings
from scalewall.web.workers import Progress

__all__ = ["Option", "options_of", "ways_of"]

_SHOWN = 3
_LEAST = 5e-4
"""Relative gain from which a change is worth a line."""


@dataclass(frozen=True)
class Option:
    """A change and the best plan of its question.

    Parameters
    ----------
    change : Change
        What is asked instead.
    plan : Estimate
        What it comes to.
    exact : bool
        Whether that is the best of all its layouts, not only of some of them.
    """

    change: Change
    plan: Estimate
    exact: bool


def options_of(values: Mapping[str, object], result: PlanResult, progress: Progress) -> tuple[Option, ...]:
    """Return the changes of a question after which something fits, with the best plan of each.

    Parameters
    ----------
    values : mapping
        Settings of the page.
    result : PlanResult
        Their answer for the first machine; some plan fits.
    progress : callable
        Called before each search.
    """
    explained = explain_estimate(result.plans[0].estimate)
    changes = changes_of(values, result.question, explained)
    found = []
    for done, change in enumerate(changes):
        progress("what would help", done, len(changes))
        asked = small_space(change.question, explained)
        plan = best_plan(asked)
        if plan is not None:
            found.append(Option(change, plan, asked == change.question))
    return tuple(found)


def ways_of(
    values: Mapping[str, object],
    result: PlanResult,
    chosen: RankedPlan,
    explained: Explanation,
    options: tuple[Option, ...],
) -> tuple[Way, ...]:
    """Return the three changes that help a plan most, by the time of the whole run (by its cost where that is the
    aim), then those that are always offered.

    Parameters
    ----------
    values, result
        As for :func:`options_of`.
    chosen : RankedPlan
        The plan that is looked at.
    explained : Explanation
        The same, explained.
    options : tuple of Option
        What :func:`options_of` found.
    """
    every = [*options, *_near(values, result, explained), *_better_ranked(values, result, chosen)]
    by_cost = result.question.objective == "cost"
    gains = {id(one): _gain(result.question, chosen.estimate, one, by_cost) for one in every}
    ranked = sorted(every, key=lambda one: -gains[id(one)])
    best = [one for one in ranked if gains[id(one)] > _LEAST and not one.change.always][:_SHOWN]
    always = [one for one in ranked if one.change.always]
    return tuple(_way(result.question, chosen.estimate, one) for one in [*best, *always])


def _near(values: Mapping[str, object], result: PlanResult, explained: Explanation) -> list[Option]:
    """Return the layouts that are one change away and faster."""
    run, question = explained.answer.run, result.question
    return [
        Option(
            Change(move.change, "a layout by hand", layout_settings(values, move.layout), question),
            estimate(run, move.layout, question.profile),
            True,
        )
        for move in explained.helps()
        if move.run == run and move.layout is not None
    ]


def _better_ranked(values: Mapping[str, object], result: PlanResult, chosen: RankedPlan) -> list[Option]:
    """Return the best layout where another one is looked at."""
    if chosen.rank == 1:
        return []
    change = Change("The best layout", "first of the ranking", {**values, "rank": 1}, result.question)
    return [Option(change, result.plans[0].estimate, True)]


def _money(question: PlanQuestion, plan: Estimate) -> RunMoney:
    assert question.prices is not None
    assert question.tokens is not None
    return run_money(question.prices, question.ranks, plan.seconds_for(question.tokens))


def _gain(question: PlanQuestion, before: Estimate, option: Option, by_cost: bool) -> float:
    """Return by how much of itself the run gets shorter, or cheaper."""
    then, now = _money(option.change.question, option.plan), _money(question, before)
    if by_cost:
        return 0.0 if then.usd is None or not now.usd else 1 - then.usd / now.usd
    return 1 - then.seconds / now.seconds


def _way(question: PlanQuestion, before: Estimate, option: Option) -> Way:
    """Return the link to a change, with what it gains and its price."""
    change = option.change
    then, now = _money(change.question, option.plan), _money(question, before)
    least = "" if option.exact else "at least " if then.seconds < now.seconds else "at most "
    gain = f"the run is {_changed(now.seconds, then.seconds, 'shorter', 'longer', least)}"
    gain += f" ({units.duration(then.seconds)}) and {_bill(now, then)}"
    if then == now:
        gain = "the run takes as long and costs as much"
    return Way(change.words, "; ".join(filter(None, (gain, change.price))), _link(change))


def _changed(now: float, then: float, less: str, more: str, least: str = "") -> str:
    """Return in words how something changes."""
    percent = 100 * abs(1 - then / now)
    if percent < 100 * _LEAST:
        return f"hardly {less}"
    return f"{least}{percent:.{0 if percent >= 10 else 1}f} % {less if then < now else more}"


def _bill(now: RunMoney, then: RunMoney) -> str:
    """Return how the cost of the run changes; where it is not known, the accelerators' hours."""
    if now.usd and then.usd:
        return f"{_changed(now.usd, then.usd, 'cheaper', 'dearer')} ({_usd(then.usd)})"
    hours = _changed(now.accelerator_hours, then.accelerator_hours, "fewer", "more")
    return f"takes {hours} accelerator-hours, whose price is not known"


def _usd(amount: float) -> str:
    return f"{units.count(round(amount))} USD"


def _link(change: Change) -> str:
    return encode_flat(change.values, PLAN_SETTINGS)
