"""From a question to its answer: search, ranking, fronts, what was left out, and what would help where nothing fits."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scalewall.cost.money import RunMoney, run_money
from scalewall.planner.dead_ends import explain_emptiness
from scalewall.planner.estimate import Estimate, estimate, goodput
from scalewall.planner.event_time import event_seconds
from scalewall.planner.pareto import front_of
from scalewall.planner.plan import Excluded, FrontPoint, PlanQuestion, PlanResult, RankedPlan
from scalewall.planner.relief import helpful_changes
from scalewall.planner.search import REACH, Candidates, Progress, search, smallest
from scalewall.planner.space import Space
from scalewall.planner.space_rules import space_of
from scalewall.planner.usual import bare_profile

__all__ = ["NEARLY", "answer", "best_plan"]

NEARLY = 1.05
"""With the objective memory: how much slower than the fastest a plan may be."""
_FRONT = 40
"""Points of the front that are kept, evenly over it."""


def answer(question: PlanQuestion, progress: Progress | None = None) -> PlanResult:
    """Return the best layouts for a question.

    Parameters
    ----------
    question : PlanQuestion
        What is asked.
    progress : callable or None
        Called with how much of the search is done, of how much.

    Raises
    ------
    InputError
        No layout at all can run the run: names the bound to loosen, or the counts that would do.
    """
    question = _asked(question)
    space = space_of(question)
    found = search(question, space, question.run.device.memory_bytes, progress)
    if not found.tally["evaluated"] and not found.skipped:
        raise explain_emptiness(question)
    common = {
        "question": question,
        "evaluated": found.tally["evaluated"],
        "fitting": found.tally["fits"],
        "excluded": (*space.excluded, *_ruled_out(question, found)),
        "space": space.words,
        "assumptions": _assumptions(question),
        "warnings": _warnings(question, space),
    }
    if not found.seconds.size:
        closest = smallest(question, space)
        point = _point(closest, 0)
        return PlanResult(plans=(), front=(), closest=point, fixes=helpful_changes(question), **common)  # type: ignore[arg-type]
    plans = tuple(
        _ranked(question, rank, estimate(question.run, found.layout(number), question.profile))
        for rank, number in enumerate(_order(question, found), start=1)
    )
    front = front_of(found.seconds, found.memory)
    if front.size > _FRONT:
        front = front[np.unique(np.linspace(0, front.size - 1, _FRONT).round().astype(int))]
    points = tuple(_point(found, number) for number in front.tolist())
    return PlanResult(plans=plans, front=points, **common)  # type: ignore[arg-type]


def best_plan(question: PlanQuestion) -> Estimate | None:
    """Return the plan that :func:`answer` ranks first, without all else that an answer holds; None if nothing fits."""
    question = replace(_asked(question), top=1)
    found = search(question, space_of(question), question.run.device.memory_bytes)
    if not found.seconds.size:
        return None
    return estimate(question.run, found.layout(_order(question, found)[0]), question.profile)


def _asked(question: PlanQuestion) -> PlanQuestion:
    """Return a question with the software that it asks about."""
    return replace(question, profile=bare_profile(question.profile)) if question.ideal else question


def _order(question: PlanQuestion, found: Candidates) -> list[int]:
    """Numbers of the best candidates, best first."""
    if question.objective == "memory":
        near = found.seconds <= NEARLY * found.seconds.min()
        first: NDArray[np.float64] = np.where(near, found.memory, math.inf)
        order = np.lexsort((found.memory, found.seconds, first))
    else:
        order = np.lexsort((found.memory, found.seconds))
    return order[: question.top].tolist()  # type: ignore[no-any-return]


def _ranked(question: PlanQuestion, rank: int, plan: Estimate) -> RankedPlan:
    timed = event_seconds(question.run, plan.layout, question.profile, plan.step)
    return RankedPlan(rank, plan, timed, _training(question, plan))


def _training(question: PlanQuestion, plan: Estimate) -> RunMoney | None:
    """Time and money of the whole run."""
    if question.tokens is None or question.prices is None:
        return None
    share = goodput(question.ranks).share if question.failures else 1.0
    return run_money(question.prices, question.ranks, plan.seconds_for(question.tokens) / share)


def _point(found: Candidates, number: int) -> FrontPoint:
    return FrontPoint(found.layout(number), float(found.seconds[number]), float(found.memory[number]))


def _ruled_out(question: PlanQuestion, found: Candidates) -> list[Excluded]:
    """Return what was ruled out while evaluating, with counts."""
    tally, capacity = found.tally, question.run.device.memory_bytes
    reasons = (
        (
            "does not fit",
            f"more than {capacity / 1e9:.0f} GB an accelerator",
            tally["evaluated"] - tally["fits"],
        ),
        ("experts", "EP x expert TP does not divide TP x CP x DP", tally["experts"]),
        ("interleaving", "wants a multiple of PP in microbatches", tally["interleaving"]),
        ("zero bubble", "wants at least 2 PP microbatches, DualPipe even numbers", tally["zero bubble"]),
        (
            "slow",
            f"cannot come within {100 * (REACH - 1):.0f} % of the best with any pipeline",
            found.skipped,
        ),
    )
    return [Excluded(region, reason, count) for region, reason, count in reasons if count]


def _assumptions(question: PlanQuestion) -> tuple[str, ...]:
    run, notes = question.run, list(question.assumptions)
    notes.append(
        "tokens spread evenly over experts" if run.model.experts and run.balanced else "all sequences full"
    )
    if question.ideal:
        notes.append("software costs nothing: no residual, no host, no contention (--ideal)")
    if question.tokens is not None:
        counted = "failures, checkpoints and restarts" if question.failures else "no failures"
        notes.append(f"{counted} in days and cost")
    return tuple(dict.fromkeys(notes))


def _warnings(question: PlanQuestion, space: Space) -> tuple[str, ...]:
    """Return bounds that change nothing or go beyond what the software offers, and inputs outside the fit."""
    profile, device, found = question.profile, question.run.device, []
    offered = {"schedule": space.offers.schedules, "recompute": space.offers.recompute}
    offered["sharding"] = tuple({*space.offers.shardings, *space.offers.with_stages})
    for bound in question.bounds:
        beyond = [
            str(one) for one in bound.choices if bound.name in offered and one not in offered[bound.name]
        ]
        if beyond:
            found.append(f"{profile.name} does not offer {bound.name} {', '.join(beyond)}")
    if device.name not in profile.fit.machines and not question.ideal:
        found.append(f"{profile.name} was not fitted on {device.name}: the interval is wider")
    return tuple(found)
