"""What a point answers: kinds of output, each with its columns and the function that fills them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from scalewall.errors import InputError, check_finite
from scalewall.hardware import Cluster, load_machine
from scalewall.ideal.breakdown import part_names
from scalewall.ideal.closed_forms import QUARTER_SECONDS, critical_compute, latency_wall, layer_latency
from scalewall.ideal.limits import PointResult, evaluate_stack, linear_scaling, point_of
from scalewall.ideal.results import InfeasiblePoint, Point
from scalewall.ideal.search import Searcher
from scalewall.ideal.study import LimitsStudy
from scalewall.study.paths import FLOP, MACHINE, Value, limits_study, split_overrides
from scalewall.study.sweep import DEFAULT_MACHINE

__all__ = ["CURVE_FLOP", "KINDS", "Kind", "Row", "columns_of", "kind_paths", "utilizations_at"]

Row = dict[str, Any]
"""Results of a row by name."""

_QUARTER_MONTHS = 3.0
_DEFAULT_PRECISION = 16


@dataclass(frozen=True)
class Kind:
    """A kind of output.

    Parameters
    ----------
    meaning : str
        For people.
    columns : mapping of str to type
        Results of a row, in order; any may be missing (None).
    answer : callable
        From a point's inputs by path to its rows.
    only : tuple of str
        Inputs that have an effect beside figures of the machine; empty: all.
    needs : tuple of str
        Inputs that must be given.
    parts : bool
        Whether rows also have ``attributed_*`` columns (s), one a part of the time that the machines have.
    """

    meaning: str
    columns: Mapping[str, type]
    answer: Callable[[Mapping[str, Value]], list[Row]]
    only: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    parts: bool = False


_CLOSED: Mapping[str, type] = MappingProxyType({"critical_compute_flop": float, "latency_wall_flop": float})
_LIMITS: Mapping[str, type] = MappingProxyType(
    {
        "first_failure_flop": float,
        "last_pass_flop": float,
        "threshold_utilization": float,
        "grid_limited": bool,
        "largest_feasible_flop": float,
        "largest_feasible_n_gpu": int,
        "best_utilization": float,
        **_CLOSED,
        "runs": int,
        "infeasible_runs": int,
    }
)
_PLAIN: Mapping[str, type] = MappingProxyType(
    {
        "d_model": int,
        "d_ff": int,
        "layers": int,
        "sparsity": int,
        "batch_tokens": float,
        "parameters": float,
        "tokens": float,
        "training_flop": float,
        "n_gpu": int,
        "idle_gpu": int,
        "utilization": float,
        "batch_seconds": float,
        "run_seconds": float,
        "binds": str,
    }
)
_DEGREES = ("dp", "tp_model", "tp_ff", "pp", "ep")
_PLAN: Mapping[str, type] = MappingProxyType(
    {**dict.fromkeys(_DEGREES, str), "microbatches": int, "interleave": int, "zero_bubble": bool}
)
CURVE_FLOP: Mapping[str, float] = MappingProxyType(
    {f"at_{quarter / 4:.2f}_utilization": quarter / 4 for quarter in range(4 * 24, 4 * 34 + 1)}
)
"""Columns of ``limits-curve``: ``at_27.50_utilization`` is the utilization at ``10**27.5`` FLOP."""

NEAR_RATIO = 2.0
"""How far from a training compute a run may lie and stand for it, as a ratio; most runs of the grid lie nearer."""

NOT_ASKED = "not asked"
"""The reason of a run that no plan finishes, where only that counts."""

_RUN: Mapping[str, type] = MappingProxyType({**_PLAIN, **_PLAN, "reason": str})


def _limits(values: Mapping[str, Value]) -> list[Row]:
    study = limits_study(values)
    return [_limits_row(study, _evaluated(study))]


def _limits_curve(values: Mapping[str, Value]) -> list[Row]:
    study = limits_study(values)
    runs = _evaluated(study)
    return [_limits_row(study, runs) | utilizations_at(runs)]


def _evaluated(study: LimitsStudy) -> list[PointResult]:
    """Return every run of a study's grid by training compute; why none finishes in time isn't asked, for it costs."""
    searcher = Searcher.of(study.cluster(study.machines[0]), study.space, study.model_switches)
    runs: list[PointResult] = []
    for stack in study.stacks:
        found, _ = searcher.best(stack, study.duration_seconds)
        runs.append(
            point_of(found) if found else InfeasiblePoint(stack.d_model, stack.training_flop, NOT_ASKED)
        )
    return sorted(runs, key=lambda run: run.training_flop)


def _limits_row(study: LimitsStudy, runs: list[PointResult]) -> Row:
    cluster = study.cluster(study.machines[0])
    band = linear_scaling(runs, study.threshold, cluster.accelerator.sustained_fraction)
    points = [run for run in runs if isinstance(run, Point)]
    return {
        "first_failure_flop": band.first_failure_flop,
        "last_pass_flop": band.last_pass_flop,
        "threshold_utilization": band.threshold_utilization,
        "grid_limited": band.grid_limited,
        "largest_feasible_flop": points[-1].training_flop if points else None,
        "largest_feasible_n_gpu": points[-1].n_gpu if points else None,
        "best_utilization": max((point.utilization for point in points), default=None),
        **_closed_row(cluster, study.duration_seconds),
        "runs": len(runs),
        "infeasible_runs": len(runs) - len(points),
    }


def utilizations_at(runs: Sequence[PointResult]) -> Row:
    """Return the utilization at each compute of :data:`CURVE_FLOP`: that of the run nearest in logarithms.

    0 where that run does not finish; missing where it lies further off than :data:`NEAR_RATIO`.
    """
    decades = [math.log10(run.training_flop) for run in runs]
    row: Row = {}
    for name, decade in CURVE_FLOP.items():
        place = min(range(len(runs)), key=lambda index: abs(decades[index] - decade))
        run = runs[place]
        utilization = run.utilization if isinstance(run, Point) else 0.0
        row[name] = utilization if abs(decades[place] - decade) <= math.log10(NEAR_RATIO) else None
    return row


def _curve(values: Mapping[str, Value]) -> list[Row]:
    study = limits_study(values)
    searcher = Searcher.of(study.cluster(study.machines[0]), study.space, study.model_switches)
    runs = (evaluate_stack(searcher, stack, study.duration_seconds) for stack in study.stacks)
    return [_run_row(run) for run in sorted(runs, key=lambda run: run.training_flop)]


def _run_row(run: PointResult) -> Row:
    if isinstance(run, InfeasiblePoint):
        return {"d_model": run.d_model, "training_flop": run.training_flop, "reason": run.reason}
    plan = {name: " ".join(map(str, getattr(run.plan, name))) for name in _DEGREES}
    plan |= {name: getattr(run.plan, name) for name in _PLAN if name not in _DEGREES}
    attributed = {f"attributed_{name}": seconds for name, seconds in run.attributed_seconds.items()}
    return {name: getattr(run, name) for name in _PLAIN} | plan | attributed


def _closed_forms(values: Mapping[str, Value]) -> list[Row]:
    plain, overrides = split_overrides(values)
    cluster = load_machine(
        str(plain.get(MACHINE, DEFAULT_MACHINE)),
        plain.get("precision", _DEFAULT_PRECISION),  # type: ignore[arg-type]
        overrides,
    )
    months = check_finite("months", plain.get("months", _QUARTER_MONTHS), 1e-3, 1200, "months")  # type: ignore[arg-type]
    return [_closed_row(cluster, months / _QUARTER_MONTHS * QUARTER_SECONDS)]


def _closed_row(cluster: Cluster, seconds: float) -> Row:
    return {
        "critical_compute_flop": critical_compute(cluster, seconds=seconds),
        "latency_wall_flop": latency_wall(seconds=seconds, layer_seconds=layer_latency(cluster)),
    }


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "limits": Kind(
            "where efficient scaling ends, the largest run, the closed forms: one row a point",
            _LIMITS,
            _limits,
        ),
        "limits-curve": Kind(
            "the limits, and the utilization at every quarter of a decade of compute: one row a point",
            {**_LIMITS, **dict.fromkeys(CURVE_FLOP, float)},
            _limits_curve,
        ),
        "curve": Kind("the best plan of every run of the grid: one row a run", _RUN, _curve, parts=True),
        "run": Kind(
            "the best plan of the run nearest to the training compute flop: one row a point",
            _RUN,
            _curve,
            needs=(FLOP,),
            parts=True,
        ),
        "closed-forms": Kind(
            "the closed forms alone, without a search (fast): one row a point",
            _CLOSED,
            _closed_forms,
            only=(MACHINE, "precision", "months"),
        ),
    }
)


def kind_paths(kind: Kind, paths: list[str], figure: Callable[[str], bool]) -> list[str]:
    """Return which of ``paths`` have an effect on a kind of output."""
    return [path for path in paths if not kind.only or path in kind.only or figure(path)]


def columns_of(
    kind: Kind, clusters: Mapping[str, Cluster | None], inputs: Iterable[str] = ()
) -> dict[str, tuple[str, type]]:
    """Return the results that rows of ``kind`` have on these machines, in order.

    Parameters
    ----------
    kind : Kind
        What a point answers.
    clusters : mapping of str to Cluster or None
        The machines; None for one that cannot be used.
    inputs : iterable of str
        Columns of inputs: a result of the same name stands as ``run_NAME``.

    Returns
    -------
    dict of str to (str, type)
        Name of the column to what :attr:`Kind.answer` calls it, and its type.

    Raises
    ------
    InputError
        None of the machines can be used.
    """
    columns = dict(kind.columns)
    if kind.parts:
        known = [cluster for cluster in clusters.values() if cluster is not None]
        if not known:
            raise InputError("machine", ", ".join(clusters), "at least one machine that the model can use")
        parts = dict.fromkeys(name for cluster in known for name in part_names(cluster.accelerator.memory))
        columns |= {f"attributed_{name}": float for name in parts}
    taken = set(inputs)
    return {f"run_{name}" if name in taken else name: (name, type_) for name, type_ in columns.items()}
