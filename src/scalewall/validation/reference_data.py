"""What the authors' public program for arXiv 2411.01137 printed: matmuls, plans, curves and limits.

Rows as the program printed them, with the digits that it printed; its machine names (``h100_10x``) become those
of the catalogue (``ref-h100-10x``).

References
----------
[1] Erdil and Schneider-Joseph, "Data movement limits to frontier model training", arXiv 2411.01137 (2024),
    public program, version of October 2024, run for a duration of three months.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from scalewall.ideal.results import Plan
from scalewall.workload import MlpStack

__all__ = [
    "CurvePoint",
    "CurveQuestion",
    "MatmulRow",
    "PlanRow",
    "SweepLimits",
    "reference_curves",
    "reference_limits",
    "reference_matmuls",
    "reference_plans",
]

_DEGREES = ("dp", "tp_model", "tp_ff", "pp", "ep")
_TOKENS_PER_PARAMETER = 20
"""The data law of [1]; a batch under a given plan does not depend on it."""


@dataclass(frozen=True)
class MatmulRow:
    """One matmul: weights ``m x n``, ``b`` tokens, its time (s)."""

    machine: str
    m: float
    n: float
    b: float
    weight_gradient: bool
    seconds: float


@dataclass(frozen=True)
class PlanRow:
    """One batch under a given plan: seconds, utilization, communication alone (s), all latencies (s)."""

    machine: str
    stack: MlpStack
    plan: Plan
    batch_seconds: float
    utilization: float
    tensor_seconds: float
    data_seconds: float
    point_to_point_seconds: float
    latency_seconds: float


@dataclass(frozen=True)
class CurveQuestion:
    """What a curve was made for: machine, ``dense`` or ``sparse``, batch law."""

    machine: str
    model: str
    batch_law: str


@dataclass(frozen=True)
class CurvePoint:
    """The best plan that the program found for one run: cluster, utilization, seconds of the run."""

    d_model: int
    layers: int
    sparsity: int
    batch_tokens: float
    training_flop: float
    n_gpu: int
    utilization: float
    run_seconds: float


@dataclass(frozen=True)
class SweepLimits:
    """Limits of a curve: FLOP at which efficient scaling ends, FLOP of the largest run, runs that finish."""

    curve: str
    linear_scaling_ends_flop: float
    largest_feasible_flop: float
    points: int


def _rows(name: str) -> Iterator[dict[str, str]]:
    """Yield the rows of one of the files."""
    text = (files("scalewall.validation") / "data" / f"ideal_{name}.csv").read_text(encoding="utf-8")
    return csv.DictReader(text.splitlines())


def _machine(name: str) -> str:
    return f"ref-{name.replace('_', '-')}"


def reference_matmuls() -> tuple[MatmulRow, ...]:
    """Return the program's matmul times."""
    return tuple(
        MatmulRow(
            machine=_machine(row["machine"]),
            m=float(row["m"]),
            n=float(row["n"]),
            b=float(row["b"]),
            weight_gradient=row["kind"] == "weight_gradient",
            seconds=float(row["seconds"]),
        )
        for row in _rows("matmuls")
    )


def reference_plans() -> tuple[PlanRow, ...]:
    """Return the program's batches under given plans; zero bubble hides its latency for free."""
    return tuple(
        PlanRow(
            machine=_machine(row["machine"]),
            stack=_stack(row),
            plan=_plan(row),
            batch_seconds=float(row["batch_seconds"]),
            utilization=float(row["utilization"]),
            tensor_seconds=float(row["tensor_comm_s"]),
            data_seconds=float(row["data_comm_s"]),
            point_to_point_seconds=float(row["point_to_point_s"]),
            latency_seconds=float(row["latency_s"]),
        )
        for row in _rows("plans")
    )


def _stack(row: dict[str, str]) -> MlpStack:
    d_model, d_ff, layers, sparsity = (int(row[name]) for name in ("d_model", "d_ff", "layers", "sparsity"))
    tokens = _TOKENS_PER_PARAMETER * 2.0 * d_model * d_ff * layers * sparsity
    return MlpStack(d_model, d_ff, layers, sparsity, float(row["batch_tokens"]), tokens)


def _plan(row: dict[str, str]) -> Plan:
    dp, tp_model, tp_ff, pp, ep = (tuple(map(int, row[kind].split())) for kind in _DEGREES)
    return Plan(
        dp=dp,
        tp_model=tp_model,
        tp_ff=tp_ff,
        pp=pp,
        ep=ep,
        microbatches=int(row["microbatches"]),
        interleave=int(row["interleave"]),
        zero_bubble=row["zero_bubble"] == "1",
    )


def reference_curves() -> dict[str, tuple[CurveQuestion, tuple[CurvePoint, ...]]]:
    """Return the program's curves by name: what each was made for, and its runs that finish."""
    curves: dict[str, tuple[CurveQuestion, tuple[CurvePoint, ...]]] = {}
    for row in _rows("curves"):
        question = CurveQuestion(_machine(row["machine"]), row["model"], row["batch_law"])
        _, points = curves.get(row["curve"], (question, ()))
        point = CurvePoint(
            d_model=int(row["d_model"]),
            layers=int(row["layers"]),
            sparsity=int(row["sparsity"]),
            batch_tokens=float(row["batch_tokens"]),
            training_flop=float(row["training_flop"]),
            n_gpu=int(row["n_gpu"]),
            utilization=float(row["utilization"]),
            run_seconds=float(row["run_seconds"]),
        )
        curves[row["curve"]] = (question, (*points, point))
    return curves


def reference_limits() -> tuple[SweepLimits, ...]:
    """Return the limits that the program read off its curves."""
    return tuple(
        SweepLimits(
            curve=row["curve"],
            linear_scaling_ends_flop=float(row["linear_scaling_ends_flop"]),
            largest_feasible_flop=float(row["largest_feasible_flop"]),
            points=int(row["points"]),
        )
        for row in _rows("limits")
    )
