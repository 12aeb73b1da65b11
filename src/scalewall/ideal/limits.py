"""The curve of best plans against training compute, and the limits that it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from scalewall._version import __version__
from scalewall.errors import unknown_name
from scalewall.ideal.closed_forms import critical_compute, latency_wall, layer_latency
from scalewall.ideal.estimate import BatchEstimate
from scalewall.ideal.results import InfeasiblePoint, LinearScaling, Plan, Point
from scalewall.ideal.search import Searcher
from scalewall.ideal.space import SearchSpace
from scalewall.ideal.study import LimitsStudy
from scalewall.workload import MlpStack

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Limits",
    "LimitsList",
    "PointResult",
    "at_threshold",
    "evaluate_stack",
    "limits",
    "limits_of",
    "linear_scaling",
]

PointResult = Point | InfeasiblePoint
Progress = Callable[[int, int, PointResult], None]


@dataclass(frozen=True)
class Limits:
    """One machine's answer: the curve, where efficient scaling ends, the largest run that finishes.

    Parameters
    ----------
    machine, title : str
        Catalogue name (or file) and name for people.
    points : tuple of Point
        Runs that finish in time, by training compute.
    infeasible : tuple of InfeasiblePoint
        Runs that no plan finishes, by training compute.
    linear_scaling : LinearScaling
        The band in which efficient scaling ends.
    largest_feasible_flop : float or None
        Most training compute of a run that finishes (FLOP).
    closed_forms : mapping of str to float
        Estimates on one page (FLOP), for a batch per layer that does not grow.
    sustained_fraction : float
        Share of the peak that long runs of large matmuls reach.
    duration_seconds : float
        Most seconds a run may take.
    assumptions : mapping
        Search, laws, switches, grid, machine figures that were assumed, version.
    warnings : tuple of str
        Inputs without effect or out of range, one sentence each.
    """

    machine: str
    title: str
    points: tuple[Point, ...]
    infeasible: tuple[InfeasiblePoint, ...]
    linear_scaling: LinearScaling
    largest_feasible_flop: float | None
    closed_forms: Mapping[str, float]
    sustained_fraction: float
    duration_seconds: float
    assumptions: Mapping[str, object]
    warnings: tuple[str, ...]

    def to_pandas(self) -> pd.DataFrame:
        """Return the curve as a data frame, one run a row, with the columns of the CSV."""
        from scalewall.report.records import to_pandas

        return to_pandas([self])

    def to_json(self) -> dict[str, object]:
        """Return everything as JSON values, in the shape that ``schema_version`` names."""
        from scalewall.report.records import limits_json

        return limits_json(self)

    def _repr_html_(self) -> str:
        from scalewall.report.limit_tables import limits_html

        return limits_html(self)


class LimitsList(tuple[Limits, ...]):
    """Limits of several machines, in the order asked for."""

    __slots__ = ()

    def to_pandas(self) -> pd.DataFrame:
        """Return all curves as one data frame, one run a row."""
        from scalewall.report.records import to_pandas

        return to_pandas(self)

    def to_json(self) -> list[dict[str, object]]:
        """Return each machine's answer as JSON values."""
        return [one.to_json() for one in self]

    def _repr_html_(self) -> str:
        from scalewall.report.limit_tables import summary_table

        return summary_table(self).html()


def limits(
    machine: str | Sequence[str] = "h100", *, progress: Progress | None = None, **settings: Any
) -> Limits | LimitsList:
    """Return how far training runs scale on a machine, or on several.

    Parameters
    ----------
    machine : str or sequence of str
        Catalogue names or machine files; ``all`` for every product that the model can use.
    progress : callable, optional
        Called with (runs done, runs in all, the run's result) after each run of a machine.
    **settings
        Fields of :class:`scalewall.ideal.study.LimitsStudy`: ``model="sparse"``, ``search="reference"``,
        ``months=6``, ``batch_law="zhang"``, ``overrides={"network.1.bandwidth": 100e9}``, ...

    Returns
    -------
    Limits or LimitsList
        A list for a sequence of machines and for ``all``. Both show themselves in a notebook and have
        ``to_pandas()``.

    Raises
    ------
    InputError
        Naming the setting, its value and what is allowed.
    """
    machines = (machine,) if isinstance(machine, str) else tuple(machine)
    known = {part.name for part in fields(LimitsStudy)} - {"machines"}
    for name in settings:
        if name not in known:
            raise unknown_name("setting", name, known)
    study = LimitsStudy(machines=machines, **settings)
    found = LimitsList(limits_of(study, name, progress) for name in study.machines)
    return found[0] if study.machines == (machine,) else found


def evaluate_stack(searcher: Searcher, stack: MlpStack, duration: float, reasons: bool = True) -> PointResult:
    """Return the best plan of one training run, or why none finishes in ``duration`` seconds.

    Parameters
    ----------
    searcher : Searcher
        Where, and among which plans.
    stack : MlpStack
        What is trained.
    duration : float
        Most seconds that the run may take.
    reasons : bool
        Whether to say why no plan finishes, which takes more searches; else the reason is empty.
    """
    found, _ = searcher.best(stack, duration)
    if found is None:
        reason = _reason(searcher, stack, duration) if reasons else ""
        return InfeasiblePoint(stack.d_model, stack.training_flop, reason)
    return point_of(found)


def point_of(found: BatchEstimate) -> Point:
    """Return a plan's report as a point of a curve."""
    stack, terms = found.stack, found.terms
    return Point(
        d_model=stack.d_model,
        d_ff=stack.d_ff,
        layers=stack.layers,
        sparsity=stack.sparsity,
        batch_tokens=stack.batch_tokens,
        parameters=stack.parameters,
        tokens=stack.tokens,
        training_flop=stack.training_flop,
        n_gpu=int(terms.n_gpu),
        idle_gpu=int(terms.n_gpu - terms.n_active),
        utilization=float(found.utilization),
        batch_seconds=float(terms.total),
        run_seconds=float(found.run_seconds),
        plan=found.plan,
        component_seconds=found.component_seconds,
        attributed_seconds=found.attributed_seconds,
        binds=found.binds,
    )


def _beyond_evidence(study: LimitsStudy, points: Sequence[Point]) -> tuple[str, ...]:
    """Say which laws the largest run that finishes takes beyond the range they rest on."""
    finished = {point.d_model for point in points}
    stacks = [stack for stack in study.stacks if stack.d_model in finished]
    if not stacks:
        return ()
    largest = max(stacks, key=lambda stack: stack.training_flop)
    sentences = study.laws.extrapolation(largest)
    return (f"The largest run goes beyond the laws' evidence. {' '.join(sentences)}",) if sentences else ()


_MONTH = 365.25 / 12 * 86400


def _reason(searcher: Searcher, stack: MlpStack, duration: float) -> str:
    """Say why no plan finishes in time, and the smallest change that would let one."""
    limit = f"no plan finishes in {duration / _MONTH:.3g} months: "
    kernels = searcher.kernel_floor(stack)
    if kernels > duration:
        return (
            f"{limit}the kernel latency of {stack.layers} layers in a row, batch after batch, alone takes "
            f"{kernels / _MONTH:.3g} months"
        )
    fastest = searcher.fastest(stack, duration)
    if fastest is not None:
        return (
            f"{limit}the fastest, however many accelerators it uses, takes "
            f"{fastest.run_seconds / _MONTH:.3g} months, and {fastest.binds.replace('_', ' ')} binds"
        )
    space = searcher.space
    free = Searcher.of(searcher.cluster, SearchSpace(), searcher.model)
    unbounded, _ = free.best(stack, duration)
    if unbounded is None:
        return (
            f"no plan finishes in {duration / _MONTH:.3g} months, and none exists at all in this search space"
        )
    return (
        f"no plan exists in this search space ({space.method} search, {space.domain_filling} filling of "
        f"network domains, bounds {dict(space.bounds) or 'none'}); the full search without bounds finds one "
        f"on {unbounded.terms.n_gpu:.3g} accelerators: {_words(unbounded.plan)}"
    )


def _words(plan: Plan) -> str:
    """Return a plan's degrees in a line, factors by network level."""
    kinds = ("dp", "tp_model", "tp_ff", "pp", "ep")
    return ", ".join(f"{kind} {'x'.join(map(str, getattr(plan, kind)))}" for kind in kinds)


def linear_scaling(
    results: Iterable[PointResult], threshold: float, sustained_fraction: float
) -> LinearScaling:
    """Return the band in which efficient scaling ends.

    A run fails at a utilization of ``threshold * sustained_fraction`` or less, or if no plan finishes.
    Utilization is not monotone in compute, so both ends count: the first failure and the last pass.

    Parameters
    ----------
    results : iterable of Point or InfeasiblePoint
        A curve.
    threshold : float
        Share of the sustained utilization.
    sustained_fraction : float
        Share of the peak that is sustained.
    """
    least = threshold * sustained_fraction
    ordered = sorted(results, key=lambda result: result.training_flop)
    passes = [isinstance(result, Point) and result.utilization > least for result in ordered]
    failed = [result.training_flop for result, passed in zip(ordered, passes, strict=True) if not passed]
    passed = [result.training_flop for result, passed in zip(ordered, passes, strict=True) if passed]
    return LinearScaling(
        first_failure_flop=failed[0] if failed else None,
        last_pass_flop=passed[-1] if passed else None,
        threshold=threshold,
        threshold_utilization=least,
        grid_limited=not passes or passes[-1] or not passes[0],
    )


def at_threshold(limits: Limits, threshold: float) -> Limits:
    """Return a machine's answer with the band of another threshold: no plan depends on it.

    Parameters
    ----------
    limits : Limits
        An answer at any threshold.
    threshold : float
        Share of the sustained utilization.
    """
    band = linear_scaling((*limits.points, *limits.infeasible), threshold, limits.sustained_fraction)
    return replace(limits, linear_scaling=band)


def limits_of(
    study: LimitsStudy, machine: str, progress: Progress | None = None, reasons: bool = True
) -> Limits:
    """Evaluate one machine of a study over its grid.

    Parameters
    ----------
    study : LimitsStudy
        The question.
    machine : str
        One of ``study.machines``.
    progress : callable, optional
        Called with (runs done, runs in all, the run's result) after each run.
    reasons : bool
        Whether runs that no plan finishes say why, see :func:`evaluate_stack`.
    """
    cluster = study.cluster(machine)
    searcher = Searcher.of(cluster, study.space, study.model_switches)
    stacks = study.stacks
    results: list[PointResult] = []
    for stack in stacks:
        results.append(evaluate_stack(searcher, stack, study.duration_seconds, reasons))
        if progress:
            progress(len(results), len(stacks), results[-1])
    results.sort(key=lambda result: result.training_flop)
    points = tuple(result for result in results if isinstance(result, Point))
    accelerator = cluster.accelerator
    return Limits(
        machine=machine,
        title=cluster.title,
        points=points,
        infeasible=tuple(result for result in results if isinstance(result, InfeasiblePoint)),
        linear_scaling=linear_scaling(results, study.threshold, accelerator.sustained_fraction),
        largest_feasible_flop=points[-1].training_flop if points else None,
        closed_forms={
            "critical_compute_flop": critical_compute(cluster, seconds=study.duration_seconds),
            "latency_wall_flop": latency_wall(
                seconds=study.duration_seconds, layer_seconds=layer_latency(cluster)
            ),
        },
        sustained_fraction=accelerator.sustained_fraction,
        duration_seconds=study.duration_seconds,
        assumptions=study.assumptions(cluster) | {"version": __version__},
        warnings=(*study.warnings(cluster), *_beyond_evidence(study, points)),
    )
