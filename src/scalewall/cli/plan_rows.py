"""Plans as rows of text: from a CSV file or from options, to the ideal model and back."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scalewall.errors import InputError, nearest

if TYPE_CHECKING:
    from scalewall.ideal.estimate import BatchEstimate
    from scalewall.ideal.results import Plan
    from scalewall.ideal.space import ModelSwitches
    from scalewall.workload import MlpStack

__all__ = ["DEGREES", "INPUTS", "RESULTS", "PlanRow", "evaluate", "read_plans", "results", "row_of_options"]

DEGREES = ("dp", "tp_model", "tp_ff", "pp", "ep")
"""Columns that hold a factor a network level, innermost first, apart by spaces."""

_SHAPE = ("d_model", "d_ff", "layers", "sparsity")
INPUTS = ("machine", *_SHAPE, "batch_tokens", "microbatches", "interleave", "zero_bubble", *DEGREES)
"""Columns that a file of plans must have."""

RESULTS = ("batch_seconds", "utilization", "tensor_comm_s", "data_comm_s", "point_to_point_s", "latency_s")
"""Columns that the results add."""

_TOKENS_PER_PARAMETER = 20.0
"""Length of the run that a batch belongs to; no result here depends on it (Hoffmann et al. 2022)."""

_LARGEST = 1e12
"""No degree or size of a model comes near it."""

_DEFAULTS = {"sparsity": "1", "microbatches": "1", "interleave": "1"}
_DEFAULT_MACHINE = "h100"


@dataclass(frozen=True)
class PlanRow:
    """One plan as text.

    Parameters
    ----------
    where : str
        Where it stands, for errors (``plans.csv line 3``); empty: in options.
    machine : str
        Catalogue name or machine file.
    values : mapping of str to str
        The columns of ``INPUTS``.
    """

    where: str
    machine: str
    values: Mapping[str, str]


def read_plans(path: Path, machine: str | None) -> list[PlanRow]:
    """Read a file of plans.

    Parameters
    ----------
    path : Path
        CSV with the columns of ``INPUTS``, in any order; others are left alone.
    machine : str or None
        Machine for every row instead of the file's own; the published file's names (``h100_low_latency``)
        mean the reference machines (``ref-h100-low-latency``).

    Raises
    ------
    InputError
        The file cannot be read, holds no plan, lacks a column, or has a row of another length.
    """
    rows = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            _check_columns(reader.fieldnames or ())
            for values in reader:
                where = f"{path} line {reader.line_num}"
                if None in values or None in values.values():
                    allowed = f"{len(reader.fieldnames or ())} values, one a column"
                    raise InputError(where, "a row of another length", allowed)
                if machine:
                    values["machine"] = machine
                rows.append(PlanRow(where, machine or _machine_of(values["machine"]), values))
    except OSError as error:
        raise InputError("--plans", str(path), f"a file that can be read ({error.strerror})") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError("--plans", str(path), f"a CSV file ({error})") from error
    if not rows:
        raise InputError("--plans", str(path), "a file with at least one plan under its head line")
    return rows


def _check_columns(columns: Sequence[str]) -> None:
    for name in INPUTS:
        if name not in columns:
            raise InputError(
                f"--plans: column {name}", None, f"the columns {', '.join(INPUTS)}", nearest(name, columns)
            )


def _machine_of(name: str) -> str:
    """Map the published file's machine names to the catalogue's; leave others as they are."""
    from scalewall.hardware import machine_names

    reference = f"ref-{name.replace('_', '-')}"
    return reference if reference in machine_names() else name


def row_of_options(given: Mapping[str, object], zero_bubble: bool, machine: str | None) -> PlanRow:
    """Return one plan from options by column name; degrees have their factors apart by commas."""
    values = {name: "" if value is None else str(value).replace(",", " ") for name, value in given.items()}
    values |= {name: default for name, default in _DEFAULTS.items() if not values[name]}
    values["d_ff"] = values["d_ff"] or str(4 * int(values["d_model"] or 0))
    for name, value in values.items():
        if not value.strip():
            allowed = "one plan has --d-model, --layers, --batch-tokens, and a factor a network level in each degree"
            raise InputError(name, None, allowed)
    chosen = machine or _DEFAULT_MACHINE
    return PlanRow("", chosen, values | {"zero_bubble": str(int(zero_bubble)), "machine": chosen})


def evaluate(
    row: PlanRow, precision: int, overrides: Mapping[str, float], model: ModelSwitches
) -> tuple[BatchEstimate, tuple[str, ...]]:
    """Evaluate a plan; return its report and the machine's warnings.

    Raises
    ------
    InputError
        Naming the row and the column, or the option.
    """
    from scalewall.hardware import load_machine
    from scalewall.ideal.estimate import check_plan, estimate_batch

    try:
        stack, plan = _stack(row.values), _plan(row.values)
        cluster = load_machine(row.machine, precision, overrides)
        check_plan(stack, plan, cluster)
    except InputError as error:
        if not row.where:
            raise
        raise InputError(
            f"{row.where}: {error.field}", error.value, error.allowed, error.suggestions
        ) from error
    return estimate_batch(stack, plan, cluster, model), cluster.warnings


def _stack(values: Mapping[str, str]) -> MlpStack:
    from scalewall.workload import MlpStack

    d_model, d_ff, layers, sparsity = (_whole(name, values[name]) for name in _SHAPE)
    parameters = 2.0 * d_model * d_ff * layers * sparsity
    batch_tokens = _number("batch_tokens", values["batch_tokens"])
    return MlpStack(d_model, d_ff, layers, sparsity, batch_tokens, _TOKENS_PER_PARAMETER * parameters)


def _plan(values: Mapping[str, str]) -> Plan:
    from scalewall.ideal.results import Plan

    if values["zero_bubble"].strip() not in ("0", "1"):
        raise InputError("zero_bubble", values["zero_bubble"], "0 or 1")
    degrees = {name: tuple(_whole(name, part) for part in values[name].split()) for name in DEGREES}
    return Plan(
        dp=degrees["dp"],
        tp_model=degrees["tp_model"],
        tp_ff=degrees["tp_ff"],
        pp=degrees["pp"],
        ep=degrees["ep"],
        microbatches=_whole("microbatches", values["microbatches"]),
        interleave=_whole("interleave", values["interleave"]),
        zero_bubble=values["zero_bubble"].strip() == "1",
    )


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(name, text, "a number") from None


def _whole(name: str, text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        raise InputError(name, text, "a whole number") from None
    if not 1 <= value <= _LARGEST:
        raise InputError(name, value, f"a whole number from 1 to {_LARGEST:g}")
    return value


def results(estimate: BatchEstimate) -> dict[str, float]:
    """Return the columns of ``RESULTS``: seconds a batch, and utilization as a share of the peak."""
    terms = estimate.terms
    values = (
        terms.total,
        estimate.utilization,
        terms.tensor,
        terms.data,
        terms.point_to_point,
        terms.latency + terms.data_latency,
    )
    return dict(zip(RESULTS, map(float, values), strict=True))
