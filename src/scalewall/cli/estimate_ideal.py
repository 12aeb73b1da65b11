"""``scalewall estimate-ideal``: one batch under given plans, from a file or from options."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scalewall.cli.flags import overrides_of, print_warnings
from scalewall.errors import InputError, unknown_name

if TYPE_CHECKING:
    from scalewall.ideal.estimate import BatchEstimate
    from scalewall.ideal.space import ModelSwitches

__all__ = ["estimate_ideal"]

_DEGREES = ("dp", "tp_model", "tp_ff", "pp", "ep")
_WHOLE = ("d_model", "d_ff", "layers", "sparsity", "microbatches", "interleave", "zero_bubble")
INPUTS = (
    "machine",
    "d_model",
    "d_ff",
    "layers",
    "sparsity",
    "batch_tokens",
    "microbatches",
    "interleave",
    "zero_bubble",
    *_DEGREES,
)
RESULTS = (
    "batch_seconds",
    "utilization",
    "tensor_comm_s",
    "data_comm_s",
    "point_to_point_s",
    "latency_s",
)

_EXAMPLES = """\b
Examples:
  scalewall estimate-ideal --plans plans.csv --output results.csv --reference
  scalewall estimate-ideal --machine h100 --d-model 12288 --layers 192 --batch-tokens 7340032 \\
      --dp 1,1 --tp-model 4,1 --tp-ff 2,4 --pp 1,64 --ep 1,1 --microbatches 128 --zero-bubble
"""


def estimate_ideal(
    plans: Annotated[
        Path | None, typer.Option("--plans", help=f"CSV with the columns {', '.join(INPUTS)}.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", help="CSV to write: the same rows with the results.")
    ] = None,
    machine: Annotated[
        str | None, typer.Option("--machine", help="Machine for every row instead of the file's own.")
    ] = None,
    reference: Annotated[
        bool,
        typer.Option("--reference", help="Charge no latency under zero bubble, as the published program."),
    ] = False,
    precision: Annotated[int, typer.Option("--precision", help="Bits a word: 32, 16, 8 or 4.")] = 16,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="PATH=VALUE: a machine figure in SI units.")
    ] = None,
    d_model: Annotated[int | None, typer.Option("--d-model", help="Width of the stack.")] = None,
    d_ff: Annotated[
        int | None, typer.Option("--d-ff", help="Feed-forward width (default 4 d_model).")
    ] = None,
    layers: Annotated[int | None, typer.Option("--layers", help="Blocks.")] = None,
    sparsity: Annotated[int | None, typer.Option("--sparsity", help="Experts a block (default 1).")] = None,
    batch_tokens: Annotated[float | None, typer.Option("--batch-tokens", help="Tokens a batch.")] = None,
    dp: Annotated[str | None, typer.Option("--dp", help="Data parallelism by level: 2,16.")] = None,
    tp_model: Annotated[str | None, typer.Option("--tp-model", help="Tensor, along d_model.")] = None,
    tp_ff: Annotated[str | None, typer.Option("--tp-ff", help="Tensor, along d_ff.")] = None,
    pp: Annotated[str | None, typer.Option("--pp", help="Pipeline stages by level.")] = None,
    ep: Annotated[str | None, typer.Option("--ep", help="Expert parallelism by level.")] = None,
    microbatches: Annotated[
        int | None, typer.Option("--microbatches", help="Microbatches in flight (default 1).")
    ] = None,
    interleave: Annotated[
        int | None, typer.Option("--interleave", help="Chunks of layers a stage (default 1).")
    ] = None,
    zero_bubble: Annotated[bool, typer.Option("--zero-bubble", help="Zero-bubble schedule.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print every term as JSON.")] = False,
) -> None:
    """Evaluate one batch of the ideal model under given plans: time, utilization, communication."""
    from scalewall.ideal.space import ModelSwitches
    from scalewall.report.files import check_output

    model = ModelSwitches(zero_bubble_latency="free" if reference else "max")
    overrides = overrides_of(set_ or [])
    given = {
        "d_model": d_model,
        "d_ff": d_ff,
        "layers": layers,
        "sparsity": sparsity,
        "batch_tokens": batch_tokens,
        "microbatches": microbatches,
        "interleave": interleave,
        "dp": dp,
        "tp_model": tp_model,
        "tp_ff": tp_ff,
        "pp": pp,
        "ep": ep,
    }
    if output:
        check_output("--output", output)
    if plans is None:
        rows = [_row_of(given, zero_bubble, machine)]
        lines = ["the plan given"]
    else:
        for name, value in given.items():
            if value is not None:
                raise InputError(f"--{name.replace('_', '-')}", value, "no plan of its own beside --plans")
        rows = _read(plans)
        lines = [f"{plans} line {number}" for number in range(2, len(rows) + 2)]
    found = [
        _evaluate(row, where, machine, precision, overrides, model)
        for row, where in zip(rows, lines, strict=True)
    ]
    if output:
        _write(output, rows, [estimate for estimate, _ in found])
    print_warnings(warning for _, warnings in found for warning in warnings)
    if json:
        from scalewall.report.records import json_text

        documents = [_document(row, estimate, model) for row, (estimate, _) in zip(rows, found, strict=True)]
        typer.echo(json_text(documents[0] if plans is None else documents), nl=False)
    elif not output:
        _print(rows, [estimate for estimate, _ in found])


estimate_ideal.__doc__ = f"{estimate_ideal.__doc__}\n\n    {_EXAMPLES}"


def _row_of(given: Mapping[str, object], zero_bubble: bool, machine: str | None) -> dict[str, str]:
    """Return the options as a row of the file's columns."""
    row = {name: "" if value is None else str(value).replace(",", " ") for name, value in given.items()}
    for name in ("d_model", "layers", "batch_tokens", *_DEGREES):
        if not row[name]:
            raise InputError(f"--{name.replace('_', '-')}", None, "a value, for one plan from options")
    row["d_ff"] = row["d_ff"] or str(4 * int(row["d_model"]))
    for name in ("sparsity", "microbatches", "interleave"):
        row[name] = row[name] or "1"
    return row | {"zero_bubble": str(int(zero_bubble)), "machine": machine or "h100"}


def _read(path: Path) -> list[dict[str, str]]:
    """Read a file of plans.

    Raises
    ------
    InputError
        The file cannot be read, holds no row, or lacks a column.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            rows = list(reader)
            columns = reader.fieldnames or []
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError("--plans", str(path), f"a CSV file that can be read ({error})") from error
    for name in INPUTS:
        if name not in columns:
            raise unknown_name(f"--plans: column {name} is missing; columns", ",".join(columns), INPUTS)
    if not rows:
        raise InputError("--plans", str(path), "a file with at least one plan under its head line")
    return rows


def _machine_name(name: str) -> str:
    """Map the reference file's machine names (``h100_low_latency``) to the catalogue's."""
    from scalewall.hardware import machine_names

    hyphened = f"ref-{name.replace('_', '-')}"
    return hyphened if hyphened in machine_names() else name


def _evaluate(
    row: Mapping[str, str],
    where: str,
    machine: str | None,
    precision: int,
    overrides: Mapping[str, float],
    model: ModelSwitches,
) -> tuple[BatchEstimate, tuple[str, ...]]:
    """Evaluate one row; errors say in which line."""
    from scalewall.hardware import load_machine
    from scalewall.ideal.estimate import check_plan, estimate_batch
    from scalewall.ideal.results import Plan
    from scalewall.workload import MlpStack

    try:
        numbers = {name: _whole(name, row[name]) for name in _WHOLE}
        degrees = {name: tuple(_whole(name, part) for part in row[name].split()) for name in _DEGREES}
        parameters = 2.0 * numbers["d_model"] * numbers["d_ff"] * numbers["layers"] * numbers["sparsity"]
        stack = MlpStack(
            numbers["d_model"],
            numbers["d_ff"],
            numbers["layers"],
            numbers["sparsity"],
            _number("batch_tokens", row["batch_tokens"]),
            20 * parameters,
        )
        plan = Plan(
            dp=degrees["dp"],
            tp_model=degrees["tp_model"],
            tp_ff=degrees["tp_ff"],
            pp=degrees["pp"],
            ep=degrees["ep"],
            microbatches=numbers["microbatches"],
            interleave=numbers["interleave"],
            zero_bubble=bool(numbers["zero_bubble"]),
        )
        cluster = load_machine(machine or _machine_name(row["machine"]), precision, overrides)
        check_plan(stack, plan, cluster)
    except InputError as error:
        raise InputError(f"{where}: {error.field}", error.value, error.allowed, error.suggestions) from error
    return estimate_batch(stack, plan, cluster, model), cluster.warnings


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except (TypeError, ValueError):
        raise InputError(name, text, "a number") from None


def _whole(name: str, text: str) -> int:
    try:
        return int(text)
    except (TypeError, ValueError):
        raise InputError(name, text, "a whole number") from None


def _results(estimate: BatchEstimate) -> dict[str, float]:
    """Return the result columns of one plan."""
    terms = estimate.terms
    values = (
        terms.total,
        estimate.utilization,
        terms.tensor,
        terms.data,
        terms.point_to_point,
        terms.latency + terms.data_latency,
    )
    return dict(zip(RESULTS, values, strict=True))


def _write(path: Path, rows: list[dict[str, str]], found: list[BatchEstimate]) -> None:
    from scalewall.report.files import RowWriter

    with RowWriter(path, (*INPUTS, *RESULTS)) as writer:
        for row, estimate in zip(rows, found, strict=True):
            writer.write({**{name: row[name] for name in INPUTS}, **_results(estimate)})


def _document(row: Mapping[str, str], estimate: BatchEstimate, model: ModelSwitches) -> dict[str, object]:
    return {
        "schema_version": 1,
        **{name: row[name] for name in INPUTS if name not in _DEGREES},
        "plan": estimate.plan,
        "n_gpu": estimate.terms.n_gpu,
        "fits_memory": estimate.fits,
        **_results(estimate),
        "component_seconds": estimate.component_seconds,
        "attributed_seconds": estimate.attributed_seconds,
        "binds": estimate.binds,
        "assumptions": {"model": model, "memory": "weights and optimizer state; activations not counted"},
    }


def _print(rows: list[dict[str, str]], found: list[BatchEstimate]) -> None:
    from rich.console import Console

    from scalewall.report.plan_tables import batch_table

    console = Console()
    for row, estimate in zip(rows, found, strict=True):
        console.print(batch_table(row["machine"], estimate))
