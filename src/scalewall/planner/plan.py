"""A question to the planner and its answer: ranked layouts, fronts, what was left out and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

from scalewall.cost.money import Prices, RunMoney, run_money
from scalewall.errors import InputError, unknown_name
from scalewall.planner.bounds import Bound
from scalewall.planner.estimate import Estimate
from scalewall.planner.layout import Layout
from scalewall.planner.profile import Profile
from scalewall.planner.run import Run

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Excluded",
    "FrontPoint",
    "Objective",
    "PlanFix",
    "PlanQuestion",
    "PlanResult",
    "PlanResults",
    "RankedPlan",
    "usd_per_token",
]

Objective = Literal["throughput", "cost", "memory"]
"""What the best plan has: the shortest step, the least cost a token, the most memory left among plans that are at
most 5 % slower than the fastest."""

MOST_PLANS = 1000
MOST_RANKS = 10**6
"""Accelerators that a question may ask about."""


@dataclass(frozen=True)
class PlanQuestion:
    """Which layout is best for a run on a number of accelerators?

    Parameters
    ----------
    run : Run
        Model, machine, sequence, batch, precision.
    ranks : int
        Accelerators; all are used.
    profile : Profile
        The software.
    bounds : tuple of Bound
        What the layout may be; empty: whatever the software offers.
    objective : str
        See :data:`Objective`.
    top : int
        How many plans to rank.
    tokens : float or None
        Tokens to train, for days and cost.
    prices : Prices or None
        What accelerators cost and draw; None: not asked for.
    ideal : bool
        Whether the software costs nothing: all of the profile's constants at what physics alone would have.
    failures : bool
        Whether failures, checkpoints and restarts count into days and cost.
    assumptions : tuple of str
        What was assumed in asking.
    """

    run: Run
    ranks: int
    profile: Profile
    bounds: tuple[Bound, ...] = ()
    objective: Objective = "throughput"
    top: int = 10
    tokens: float | None = None
    prices: Prices | None = None
    ideal: bool = False
    failures: bool = False
    assumptions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse counts that are none and names that mean nothing."""
        for name, most in (("ranks", MOST_RANKS), ("top", MOST_PLANS)):
            number = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= most:
                raise InputError(name, number, f"a whole number from 1 to {most}", ["1"])
        if self.objective not in get_args(Objective):
            raise unknown_name("objective", str(self.objective), get_args(Objective))


@dataclass(frozen=True)
class RankedPlan:
    """One of the best plans.

    Parameters
    ----------
    rank : int
        1 is the best.
    estimate : Estimate
        Layout, step time with its parts and interval, MFU and HFU, memory of every stage; of the readable
        single-plan function.
    timed_seconds : float or None
        The step as the events of its schedule take it; None without a pipeline.
    training : RunMoney or None
        Time, cost and energy of the whole run; None without tokens to train or without prices.
    """

    rank: int
    estimate: Estimate
    timed_seconds: float | None = None
    training: RunMoney | None = None

    @property
    def layout(self) -> Layout:
        """Degrees of parallelism, schedule, sharding, recomputation."""
        return self.estimate.layout

    @property
    def seconds(self) -> float:
        """Seconds of a step in closed form, which is what plans are ranked by."""
        return self.estimate.step.seconds

    @property
    def gap(self) -> float | None:
        """How much longer the events take than the closed form, relative; None without a pipeline."""
        return None if self.timed_seconds is None else self.timed_seconds / self.seconds - 1


@dataclass(frozen=True)
class FrontPoint:
    """A plan that no other beats in both of two figures.

    Parameters
    ----------
    layout : Layout
        The plan.
    seconds : float
        Of a step.
    memory_bytes : float
        Of the fullest stage.
    """

    layout: Layout
    seconds: float
    memory_bytes: float


@dataclass(frozen=True)
class Excluded:
    """A region of layouts that the search left out.

    Parameters
    ----------
    region : str
        Which (``TP 16``).
    reason : str
        Why (``crosses the node of 8``).
    count : int
        How many layouts: evaluated ones that do not fit; 0 where the region was never spelled out.
    """

    region: str
    reason: str
    count: int = 0


@dataclass(frozen=True)
class PlanFix:
    """A change of the question after which a plan fits, verified by evaluating it.

    Parameters
    ----------
    change : str
        In words.
    layout : Layout
        A plan that then fits.
    seconds : float
        Of its step.
    memory_bytes : float
        Of its fullest stage.
    """

    change: str
    layout: Layout
    seconds: float
    memory_bytes: float


@dataclass(frozen=True)
class PlanResult:
    """The answer for one machine and one number of accelerators.

    Parameters
    ----------
    question : PlanQuestion
        What was asked.
    plans : tuple of RankedPlan
        The best plans that fit, best first; empty where none does.
    front : tuple of FrontPoint
        Plans that no other beats in step time and memory, fastest first.
    evaluated, fitting : int
        Layouts whose step time was computed, and those of them that fit.
    excluded : tuple of Excluded
        What was left out, with the reason.
    closest : FrontPoint or None
        The layout that needs the least memory, if none fits.
    fixes : tuple of PlanFix
        The smallest changes of the question after which a plan fits; empty where one does.
    space : tuple of str
        The space in words, a knob each: within it the search is exact.
    assumptions, warnings : tuple of str
        What the answer rests on; inputs without effect or out of range.
    """

    question: PlanQuestion
    plans: tuple[RankedPlan, ...]
    front: tuple[FrontPoint, ...]
    evaluated: int
    fitting: int
    excluded: tuple[Excluded, ...]
    closest: FrontPoint | None = None
    fixes: tuple[PlanFix, ...] = ()
    space: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def best(self) -> RankedPlan | None:
        """The best plan, or None if none fits."""
        return self.plans[0] if self.plans else None

    def to_pandas(self) -> pd.DataFrame:
        """Return the ranked plans as a data frame, one a row, with the columns of the CSV."""
        from scalewall.report.plan_records import to_pandas

        return to_pandas([self])

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values, in the shape that ``schema_version`` names."""
        from scalewall.report.plan_records import plan_json

        return plan_json(self)

    def _repr_html_(self) -> str:
        from scalewall.report.ranking_tables import ranking_table

        return ranking_table(self).html()


@dataclass(frozen=True)
class PlanResults(Sequence[PlanResult]):
    """Answers for several machines or numbers of accelerators, in the order asked.

    Parameters
    ----------
    results : tuple of PlanResult
        One a machine and number of accelerators.
    """

    results: tuple[PlanResult, ...] = field(default_factory=tuple)

    def __getitem__(self, index: Any) -> Any:
        """Return an answer, or several."""
        return self.results[index]

    def __len__(self) -> int:
        """Return how many answers there are."""
        return len(self.results)

    def __iter__(self) -> Iterator[PlanResult]:
        """Go through the answers."""
        return iter(self.results)

    @property
    def best(self) -> PlanResult | None:
        """The answer whose best plan meets the objective best: fastest, cheapest a token, or with most memory left.

        None if nothing fits anywhere, or if no price is known where cost is the objective.
        """
        able = [result for result in self.results if result.best]
        objective = self.results[0].question.objective if able else "throughput"
        if objective == "cost":
            able = [result for result in able if usd_per_token(result) is not None]
            return min(able, key=lambda result: usd_per_token(result) or 0.0, default=None)
        if objective == "memory":
            return min(able, key=_share_used, default=None)
        return min(
            able, key=lambda result: result.plans[0].seconds / result.question.run.tokens, default=None
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return all ranked plans as one data frame."""
        from scalewall.report.plan_records import to_pandas

        return to_pandas(self.results)

    def to_json(self) -> list[dict[str, Any]]:
        """Return every answer as JSON values."""
        return [result.to_json() for result in self.results]

    def _repr_html_(self) -> str:
        from scalewall.report.ranking_tables import comparison_table

        return comparison_table(self).html()


def usd_per_token(result: PlanResult) -> float | None:
    """Return what a token costs with the best plan (USD); None where nothing fits or no price is known."""
    prices = result.question.prices
    if result.best is None or prices is None:
        return None
    usd = run_money(prices, result.question.ranks, result.best.seconds).usd
    return None if usd is None else usd / result.question.run.tokens


def _share_used(result: PlanResult) -> float:
    """Share of its memory that the fullest stage of the best plan takes."""
    fit = result.plans[0].estimate.fit
    return fit.needed / fit.capacity
