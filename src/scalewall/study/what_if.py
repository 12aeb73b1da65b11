"""What if: limits under levers and their combinations, and what each gains over the baseline."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from scalewall.errors import InputError
from scalewall.ideal.limits import linear_scaling, point_of
from scalewall.ideal.results import InfeasiblePoint, LinearScaling, Point
from scalewall.ideal.search import Searcher
from scalewall.ideal.study import LimitsStudy
from scalewall.study.exponents import ExponentRow, exponent_rows
from scalewall.study.levers import STANDARD, Lever, lever

__all__ = ["BASELINE", "Levers", "Outcome", "Unavailable", "WhatIf", "levers", "outcome_of", "what_if"]

BASELINE = "as it is"
"""Name of the question without any lever."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class WhatIf:
    """A question with levers pulled.

    Parameters
    ----------
    name : str
        As the user writes it: ``domain=72+latency=10``.
    title : str
        In words.
    levers : tuple of Lever
        Which; none for the baseline.
    study : LimitsStudy
        The changed question.
    """

    name: str
    title: str
    levers: tuple[Lever, ...]
    study: LimitsStudy

    @property
    def group(self) -> str:
        """The group of its lever; ``combined`` for several."""
        groups = {one.group for one in self.levers}
        return groups.pop() if len(groups) == 1 and len(self.levers) == 1 else "combined"

    @property
    def changes_algorithm(self) -> bool:
        """Whether training itself changes."""
        return any(one.changes_algorithm for one in self.levers)


@dataclass(frozen=True)
class Outcome:
    """The limits under one what-if.

    Parameters
    ----------
    what_if : WhatIf
        What was asked.
    points : tuple of Point
        Runs that finish in time, by training compute.
    infeasible_flop : tuple of float
        Training compute of the runs that no plan finishes.
    linear_scaling : LinearScaling
        The band in which efficient scaling ends.
    sustained_fraction : float
        Share of the peak that large matmuls reach.
    """

    what_if: WhatIf
    points: tuple[Point, ...]
    infeasible_flop: tuple[float, ...]
    linear_scaling: LinearScaling
    sustained_fraction: float

    @property
    def largest(self) -> Point | None:
        """The largest run that finishes."""
        return self.points[-1] if self.points else None

    @property
    def efficient_flop(self) -> float:
        """The middle of the band: ``sqrt(first failure * last pass)``; a missing end is the grid's own (FLOP)."""
        tried = [*(point.training_flop for point in self.points), *self.infeasible_flop]
        first, last = self.linear_scaling.first_failure_flop, self.linear_scaling.last_pass_flop
        return math.sqrt((first or max(tried)) * (last or min(tried)))

    def gains(self, baseline: Outcome) -> tuple[float, float | None]:
        """How many times later than the baseline efficient scaling ends, and the largest run's compute over its.

        The second is None if either finishes no run.
        """
        largest = None
        if self.largest and baseline.largest:
            largest = self.largest.training_flop / baseline.largest.training_flop
        return self.efficient_flop / baseline.efficient_flop, largest


@dataclass(frozen=True)
class Unavailable:
    """A what-if that this machine or question does not have, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Levers:
    """The baseline and what each lever makes of it.

    Parameters
    ----------
    baseline : Outcome
        The question as it is.
    outcomes : tuple of Outcome
        By what they gain for efficient scaling, most first.
    unavailable : tuple of Unavailable
        What could not be asked.
    exponents : tuple of ExponentRow
        Both closed forms of the baseline against the exponent that they hang on.
    title : str
        The machine, for people.
    assumptions : mapping
        What the baseline rests on.
    warnings : tuple of str
        About the baseline.
    """

    baseline: Outcome
    outcomes: tuple[Outcome, ...]
    unavailable: tuple[Unavailable, ...]
    exponents: tuple[ExponentRow, ...]
    title: str
    assumptions: Mapping[str, object]
    warnings: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """Return everything as JSON values, in the shape that ``schema_version`` names."""
        from scalewall.report.lever_tables import levers_json

        return levers_json(self)

    def _repr_html_(self) -> str:
        from scalewall.report.lever_tables import levers_table

        return levers_table(self).html()


def what_if(study: LimitsStudy, written: str) -> WhatIf:
    """Return a question with levers pulled, one after the other.

    Parameters
    ----------
    study : LimitsStudy
        The question, about one machine.
    written : str
        ``lever=value``, several joined by ``+``.

    Raises
    ------
    InputError
        Unknown lever, a value that it does not take, a lever given twice, or a machine that does not have it.
    """
    pulled: dict[str, Lever] = {}
    titles = []
    for part in written.split("+"):
        name, equals, value = (text.strip() for text in part.partition("="))
        one = lever(name)
        if not equals or not value:
            raise InputError(name, part.strip(), f"{name}=VALUE, {one.value}")
        if name in pulled:
            raise InputError(name, written, "each lever once")
        study = replace(study, **one.change(study, value))  # type: ignore[arg-type]
        pulled[name] = one
        titles.append(one.title.format(value))
    return WhatIf(written, ", ".join(titles), tuple(pulled.values()), study)


def outcome_of(asked: WhatIf) -> Outcome:
    """Evaluate one what-if over its grid, without asking why runs fail."""
    study = asked.study
    cluster = study.cluster(study.machines[0])
    searcher = Searcher.of(cluster, study.space, study.model_switches)
    results: list[Point | InfeasiblePoint] = []
    for stack in study.stacks:
        found, _ = searcher.best(stack, study.duration_seconds)
        results.append(
            InfeasiblePoint(stack.d_model, stack.training_flop, "") if found is None else point_of(found)
        )
    results.sort(key=lambda result: result.training_flop)
    sustained = cluster.accelerator.sustained_fraction
    return Outcome(
        what_if=asked,
        points=tuple(result for result in results if isinstance(result, Point)),
        infeasible_flop=tuple(
            result.training_flop for result in results if isinstance(result, InfeasiblePoint)
        ),
        linear_scaling=linear_scaling(results, study.threshold, sustained),
        sustained_fraction=sustained,
    )


def levers(
    study: LimitsStudy,
    only: Sequence[str] = (),
    combine: Sequence[str] = (),
    progress: Progress | None = None,
) -> Levers:
    """Pull levers one by one and in combination, and rank what each gains.

    Parameters
    ----------
    study : LimitsStudy
        The question, about one machine.
    only : sequence of str
        What-ifs to try; empty: :data:`~scalewall.study.levers.STANDARD`, those that the machine does not have
        left out with the reason.
    combine : sequence of str
        Further what-ifs.
    progress : callable, optional
        Called with (what-if done, done, in all).

    Raises
    ------
    InputError
        Several machines, or a what-if of the user's own that cannot be asked.
    """
    if len(study.machines) != 1:
        raise InputError("machine", ", ".join(study.machines), "one machine; levers compare it with itself")
    unavailable: list[Unavailable] = []
    asked = [*_own(study, "only", only), *_own(study, "combine", combine)]
    if not only:
        asked = [*_usual(study, unavailable), *asked]
    asked = list({one.name: one for one in (WhatIf(BASELINE, BASELINE, (), study), *asked)}.values())
    outcomes = []
    for number, one in enumerate(asked, 1):
        outcomes.append(outcome_of(one))
        if progress:
            progress(one.name, number, len(asked))
    baseline, *rest = outcomes
    cluster = study.cluster(study.machines[0])
    return Levers(
        baseline=baseline,
        outcomes=tuple(sorted(rest, key=lambda one: one.gains(baseline)[0], reverse=True)),
        unavailable=tuple(unavailable),
        exponents=exponent_rows(cluster, study.duration_seconds),
        title=cluster.title,
        assumptions=study.assumptions(cluster),
        warnings=study.warnings(cluster),
    )


def _own(study: LimitsStudy, argument: str, written: Sequence[str]) -> Iterable[WhatIf]:
    """Return the user's what-ifs; errors name the argument that holds them, and the lever."""
    for name in written:
        try:
            yield what_if(study, name)
        except InputError as error:
            field = argument if error.field == "lever" else f"{argument} {error.field}"
            raise InputError(field, error.value, error.allowed, error.suggestions) from error


def _usual(study: LimitsStudy, unavailable: list[Unavailable]) -> Iterable[WhatIf]:
    """Return the usual what-ifs that this question has; note why the others cannot be asked."""
    found = []
    for name in STANDARD:
        try:
            found.append(what_if(study, name))
        except InputError as error:
            unavailable.append(Unavailable(name, f"{error.field} allows {error.allowed}"))
    return found
