"""``recommend``: the fewest accelerators, or the least money, that finish a run in time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from scalewall.errors import InputError, check_finite, unknown_name
from scalewall.planner.answer import answer
from scalewall.planner.dead_ends import divides
from scalewall.planner.pareto import front_of
from scalewall.planner.plan import PlanQuestion, RankedPlan
from scalewall.planner.run import BITS
from scalewall.workload.flops import token_flop

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Aim", "Offer", "Recommendation", "recommend"]

Aim = Literal["gpus", "cost"]
"""What there should be least of."""

DAY = 86400.0
_ODD = (1, 3, 5, 7, 9, 15)
"""Counts tried are a power of two times one of these, in fast domains: clusters are built and split that way."""
_MOST = 10**6
_BEYOND_GPUS, _BEYOND_COST = 1.5, 4.0
"""How far beyond the first count in time to look on: for context, and since fewer accelerators need not be cheaper."""

Report = Callable[[int], None]
"""Called with each count before it is searched."""


@dataclass(frozen=True)
class Offer:
    """One number of accelerators and its best plan.

    Parameters
    ----------
    ranks : int
        Accelerators.
    plan : RankedPlan or None
        The best plan; None if none fits.
    in_time : bool
        Whether it finishes in time.
    """

    ranks: int
    plan: RankedPlan | None
    in_time: bool

    @property
    def seconds(self) -> float:
        """Of the whole run; infinite without a plan."""
        training = self.plan.training if self.plan else None
        return training.seconds if training else math.inf

    @property
    def usd(self) -> float | None:
        """Cost of the run, where it is known."""
        training = self.plan.training if self.plan else None
        return training.usd if training else None


@dataclass(frozen=True)
class Recommendation:
    """What to take.

    Parameters
    ----------
    question : PlanQuestion
        What was asked, with the number of accelerators of the choice (or the most tried).
    days : float
        In which the run must finish.
    aim : str
        See :data:`Aim`.
    offers : tuple of Offer
        What was tried, fewest accelerators first.
    chosen : Offer or None
        The best of them in time; None if none is.
    front : tuple of Offer
        Those that no other beats in accelerators and days.
    assumptions, warnings : tuple of str
        What the answer rests on.
    """

    question: PlanQuestion
    days: float
    aim: Aim
    offers: tuple[Offer, ...]
    chosen: Offer | None
    front: tuple[Offer, ...]
    assumptions: tuple[str, ...]
    warnings: tuple[str, ...]

    def to_pandas(self) -> pd.DataFrame:
        """Return what was tried as a data frame, one number of accelerators a row."""
        from scalewall.report.plan_records import offers_to_pandas

        return offers_to_pandas([self])

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values, in the shape that ``schema_version`` names."""
        from scalewall.report.plan_records import recommendation_json

        return recommendation_json(self)

    def _repr_html_(self) -> str:
        from scalewall.report.ranking_tables import offers_table

        return offers_table(self).html()


def recommend(
    question: PlanQuestion,
    days: float,
    aim: Aim = "gpus",
    most: int = _MOST,
    report: Report | None = None,
) -> Recommendation:
    """Return the fewest accelerators, or the least money, that finish a run in time.

    Counts are fast domains times a power of two times 1, 3, 5, 7, 9 or 15, from the count that would do at the peak
    to 1.5 times the first in time (4 times for money).

    Parameters
    ----------
    question : PlanQuestion
        The run, with tokens and prices; its number of accelerators does not matter.
    days : float
        In which the run must finish.
    aim : str
        ``gpus`` or ``cost``.
    most : int
        Most accelerators.
    report : callable or None
        Called with each count.

    Raises
    ------
    InputError
        No tokens, no time, no count at all over which the batch divides, or no price where cost is the aim.
    """
    check_finite("days", days, 1e-3, 1e5, "days")
    if aim not in get_args(Aim):
        raise unknown_name("aim", str(aim), get_args(Aim))
    if question.tokens is None:
        raise InputError("tokens", None, "tokens to train")
    least = _least(question, days)
    offers: list[Offer] = []
    last = float(most)
    warnings: dict[str, None] = {}
    assumptions: tuple[str, ...] = ()
    for ranks in _counts(question.run.device.fast_ranks, least, most):
        if ranks > last:
            break
        asked = replace(question, ranks=ranks, top=1)
        if not divides(asked, ranks):
            continue
        if report:
            report(ranks)
        result = answer(asked)
        warnings.update(dict.fromkeys(result.warnings))
        assumptions = result.assumptions
        offer = Offer(ranks, result.best, False)
        offer = replace(offer, in_time=offer.seconds <= days * DAY)
        offers.append(offer)
        if offer.in_time and last == most:
            last = ranks * (_BEYOND_GPUS if aim == "gpus" else _BEYOND_COST)
        if _slower(offers):
            break
    if not offers:
        allowed = f"more than the {least} that the arithmetic alone needs, over which the batch divides"
        raise InputError("max_gpus", most, allowed)
    chosen = _chosen(offers, aim)
    ranked = front_of(
        np.array([float(one.ranks) for one in offers]), np.array([one.seconds for one in offers])
    )
    return Recommendation(
        question=replace(question, ranks=chosen.ranks if chosen else offers[-1].ranks),
        days=days,
        aim=aim,
        offers=tuple(offers),
        chosen=chosen,
        front=tuple(offers[index] for index in ranked.tolist() if offers[index].plan),
        assumptions=assumptions,
        warnings=tuple(warnings),
    )


def _least(question: PlanQuestion, days: float) -> int:
    """Accelerators that would do at the peak."""
    run = question.run
    flop = token_flop(run.model, run.sequence).training * float(question.tokens or 0.0)
    return max(1, math.ceil(flop / (run.device.peak[BITS[run.precision]] * days * DAY)))


def _counts(domain: int, least: int, most: int) -> Iterator[int]:
    """Counts to try, fewest first: whole fast domains, or powers of two below one."""
    below = [2**power for power in range(domain.bit_length()) if 2**power < domain]
    whole = {domain * odd * 2**power for odd in _ODD for power in range(40)}
    yield from (count for count in sorted({*below, *whole}) if least <= count <= most)


def _slower(offers: list[Offer]) -> bool:
    """Whether more accelerators have stopped helping: each of the last four tried slower than the best before."""
    if len(offers) < 8 or all(offer.plan is None for offer in offers):
        return False
    best = min(offer.seconds for offer in offers[:-4])
    return all(offer.seconds > best for offer in offers[-4:])


def _chosen(offers: list[Offer], aim: Aim) -> Offer | None:
    """Return the best offer in time."""
    timely = [offer for offer in offers if offer.in_time]
    if not timely:
        return None
    if aim == "gpus":
        return timely[0]
    if any(offer.usd is None for offer in timely):
        machine = timely[0].plan.estimate.run.device.name if timely[0].plan else ""
        raise InputError(
            "aim", "cost", f"gpus: no price of {machine} is known; give --price usd_per_hour=...", ["gpus"]
        )
    return min(timely, key=lambda offer: offer.usd or 0.0)
