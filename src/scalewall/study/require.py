"""The inverse question: how much better must one figure of a machine be for a run to be efficient?"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from scalewall.errors import InputError, unknown_name
from scalewall.ideal.estimate import BatchEstimate, estimate_batch
from scalewall.ideal.search import Searcher
from scalewall.ideal.study import LimitsStudy
from scalewall.study.figures_needed import LATENCIES, Knob, improved, knobs_of
from scalewall.workload.rounding import REFERENCE_FACTORS
from scalewall.workload.stack import MlpStack

__all__ = ["DOMAIN", "EXACT", "Domain", "Needed", "Required", "Trade", "least_factor", "require"]

EXACT = 1.01
"""Ratio of the ends between which a least factor is known."""

DOMAIN = "network.0.size"

_LARGEST_DOMAIN = 1 << 20
_TRADE_POINTS = 25
_TRADE_SPAN = 100.0
"""How far beyond its least factor a trade-off is followed where the other figure never becomes free."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Needed:
    """What one figure alone must become.

    Parameters
    ----------
    knob : Knob
        The figure, or several together.
    factor : float or None
        Least factor by which it must be better, to 1 %; 1: good enough; None: no factor suffices.
    figures : mapping of str to (float, float)
        By path: as it is, and as it must be (SI units); with ``factor`` None as good as can be.
    utilization : float or None
        Of the best plan then; None if no plan finishes in time.
    binds : str
        What binds then; where no plan finishes, in the one that is fastest on the machine as it is; empty if there is
        none at all.
    """

    knob: Knob
    factor: float | None
    figures: Mapping[str, tuple[float, float]]
    utilization: float | None
    binds: str


@dataclass(frozen=True)
class Domain:
    """The least size of the innermost network domain that makes the run efficient.

    Parameters
    ----------
    now : int
        As it is.
    size : int or None
        The least of those tried; None: none suffices.
    tried : tuple of int
        Every size that was tried, ascending.
    """

    now: int
    size: int | None
    tried: tuple[int, ...]


@dataclass(frozen=True)
class Trade:
    """Pairs of factors that just suffice: more of one needs less of the other.

    Parameters
    ----------
    across, upwards : Knob
        The two figures.
    factors : tuple of (float, float)
        Ascending in the first; empty if even both as good as can be do not suffice.
    """

    across: Knob
    upwards: Knob
    factors: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Required:
    """The answer.

    Parameters
    ----------
    study : LimitsStudy
        The question, about one machine.
    title : str
        The machine, for people.
    asked_flop : float
        Training compute asked for.
    stack : MlpStack
        The nearest run of the fine grid, which was answered for.
    threshold_utilization : float
        What counts as efficient, of the peak.
    now : BatchEstimate or None
        Best plan on the machine as it is; None if none finishes in time.
    needed : tuple of Needed
        Every single figure, then what goes together.
    domain : Domain or None
        None where the innermost network level has no bound.
    trade : Trade
        The two figures against each other.
    warnings : tuple of str
        About the question.
    assumptions : mapping
        What it rests on.
    """

    study: LimitsStudy
    title: str
    asked_flop: float
    stack: MlpStack
    threshold_utilization: float
    now: BatchEstimate | None
    needed: tuple[Needed, ...]
    domain: Domain | None
    trade: Trade
    warnings: tuple[str, ...] = ()
    assumptions: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def efficient_now(self) -> bool:
        """Whether the machine as it is suffices."""
        return self.now is not None and self.now.utilization > self.threshold_utilization

    def to_json(self) -> dict[str, object]:
        """Return everything as JSON values, in the shape that ``schema_version`` names."""
        from scalewall.report.require_tables import required_json

        return required_json(self)

    def _repr_html_(self) -> str:
        from scalewall.report.require_tables import required_table

        return required_table(self).html()


class _Asking:
    """Answers whether the run is efficient on the machine with some figures changed."""

    def __init__(self, study: LimitsStudy) -> None:
        self.study = study
        self.cluster = study.cluster(study.machines[0])
        (self.stack,) = study.stacks
        self.threshold = study.threshold * self.cluster.accelerator.sustained_fraction

    def searcher(self, figures: Mapping[str, float]) -> Searcher:
        changed = replace(self.study, overrides=MappingProxyType({**self.study.overrides, **figures}))
        cluster = changed.cluster(changed.machines[0])
        return Searcher.of(cluster, changed.space, changed.model_switches)

    def best(self, figures: Mapping[str, float]) -> BatchEstimate | None:
        return self.searcher(figures).best(self.stack, self.study.duration_seconds)[0]

    def efficient(self, figures: Mapping[str, float]) -> bool:
        return self.searcher(figures).reaches(self.stack, self.study.duration_seconds, self.threshold)

    @cached_property
    def fastest(self) -> BatchEstimate | None:
        """The fastest plan on the machine as it is."""
        return self.searcher({}).fastest(self.stack, self.study.duration_seconds)

    def fastest_plan_on(self, searcher: Searcher) -> BatchEstimate | None:
        """Return the plan that is fastest on the machine as it is, run on another."""
        if self.fastest is None:
            return None
        plan = self.fastest.plan
        return estimate_batch(self.stack, plan, searcher.cluster, searcher.model, searcher.arrays)

    def suffices(self, turned: Mapping[Knob, float]) -> bool:
        return self.efficient(improved(self.cluster, turned))


def least_factor(suffices: Callable[[float], bool], high: float = math.inf) -> float | None:
    """Return the least factor from 1 up that suffices, to 1 %, for what never gets worse with the factor.

    Parameters
    ----------
    suffices : callable
        Whether a factor suffices; asked at infinity too.
    high : float
        A factor known to suffice; infinite: not known.

    Returns
    -------
    float or None
        A factor that suffices while one 1 % smaller does not; 1 if that suffices; None if no factor does.
    """
    if suffices(1.0):
        return 1.0
    low = 1.0
    if math.isinf(high):
        if not suffices(math.inf):
            return None
        high = 2.0
        while not suffices(high):
            if high > _MOST_FACTOR:
                return None
            low, high = high, high * high
    while high > low * EXACT:
        middle = math.sqrt(low * high)
        if suffices(middle):
            high = middle
        else:
            low = middle
    return high


_MOST_FACTOR = 1e12
"""Beyond this a factor is as good as none."""


def require(
    study: LimitsStudy, trade: tuple[str, str] | None = None, progress: Progress | None = None
) -> Required:
    """Find how much better each single figure of a machine must be for a run to be efficient.

    Parameters
    ----------
    study : LimitsStudy
        The question: one machine, one training compute in ``flop``, months, threshold.
    trade : (str, str), optional
        Names of the two figures to trade off; default: bandwidth of the outermost network level (of the memory where
        the network has no bound), all latencies.
    progress : callable, optional
        Called with (figure done, done, in all).

    Raises
    ------
    InputError
        Several machines, not one training compute, a figure that the machine lacks.
    """
    if len(study.machines) != 1:
        raise InputError("machine", ", ".join(study.machines), "one machine")
    if len(study.flop) != 1:
        raise InputError(
            "flop", ", ".join(map(str, study.flop)) or None, "one training compute (FLOP), such as 1e29"
        )
    asking = _Asking(study)
    knobs = {knob.name: knob for knob in knobs_of(asking.cluster)}
    outer = f"network.{len(asking.cluster.network.levels) - 1}.bandwidth"
    usual = (
        outer if outer in knobs else "memory.0.bandwidth",
        LATENCIES if LATENCIES in knobs else "accelerator.kernel_latency",
    )
    across, upwards = (_knob(name, knobs) for name in trade or usual)
    improved(asking.cluster, {across: 1.0, upwards: 1.0})
    steps = len(knobs) + 2
    needed = []
    for number, knob in enumerate(knobs.values(), 1):
        needed.append(_needed(asking, knob))
        if progress:
            progress(knob.name, number, steps)
    domain = _domain(asking)
    if progress:
        progress(DOMAIN, steps - 1, steps)
    traded = _trade(asking, across, upwards)
    if progress:
        progress("trade-off", steps, steps)
    return Required(
        study=study,
        title=asking.cluster.title,
        asked_flop=study.flop[0],
        stack=asking.stack,
        threshold_utilization=asking.threshold,
        now=asking.best({}),
        needed=tuple(needed),
        domain=domain,
        trade=traded,
        warnings=study.warnings(asking.cluster),
        assumptions=study.assumptions(asking.cluster),
    )


def _knob(name: str, knobs: Mapping[str, Knob]) -> Knob:
    if name not in knobs:
        raise unknown_name("trade", name, knobs)
    return knobs[name]


def _needed(asking: _Asking, knob: Knob) -> Needed:
    factor = least_factor(lambda factor: asking.suffices({knob: factor}))
    figures = knob.at(asking.cluster, math.inf if factor is None else factor)
    searcher = asking.searcher(figures)
    found, _ = searcher.best(asking.stack, asking.study.duration_seconds)
    binding = found or asking.fastest_plan_on(searcher)
    return Needed(
        knob=knob,
        factor=factor,
        figures={path: (asking.cluster.figures[path].value, value) for path, value in figures.items()},
        utilization=None if found is None else found.utilization,
        binds=binding.binds if binding else "",
    )


def _domain(asking: _Asking) -> Domain | None:
    now = asking.cluster.network.levels[0].size
    if now is None:
        return None
    sizes = sorted({odd << shift for odd in REFERENCE_FACTORS for shift in range(21)} | {now})
    tried = []
    for size in sizes:
        if now <= size <= _LARGEST_DOMAIN:
            tried.append(size)
            if asking.efficient({DOMAIN: float(size)}):
                return Domain(now, size, tuple(tried))
    return Domain(now, None, tuple(tried))


def _trade(asking: _Asking, across: Knob, upwards: Knob) -> Trade:
    """Follow the pairs that just suffice, from the least of the one to the least of the other."""
    least = least_factor(lambda factor: asking.suffices({across: factor, upwards: math.inf}))
    if least is None:
        return Trade(across, upwards, ())
    alone = least_factor(lambda factor: asking.suffices({across: factor, upwards: 1.0}))
    most = least * _TRADE_SPAN if alone is None else alone
    factors: list[tuple[float, float]] = []
    for step in range(_TRADE_POINTS):
        first = least * (most / least) ** (step / (_TRADE_POINTS - 1))
        known = factors[-1][1] if factors else math.inf
        second = _against(asking, {across: first}, upwards, known)
        if second is not None:
            factors.append((first, second))
        if most == least:
            break
    return Trade(across, upwards, tuple(factors))


def _against(asking: _Asking, turned: Mapping[Knob, float], knob: Knob, known: float) -> float | None:
    """Return the least factor of a knob beside others that are turned; ``known`` suffices."""
    return least_factor(lambda factor: asking.suffices({**turned, knob: factor}), known)
