"""``scalewall estimate-ideal``: one batch under given plans, from a file or from options."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scalewall.cli.flags import as_flag, complete_machine, overrides_of, print_warnings
from scalewall.cli.output_files import check_files
from scalewall.cli.plan_rows import (
    INPUTS,
    RESULTS,
    PlanRow,
    evaluate,
    read_plans,
    results,
    row_of_options,
)
from scalewall.errors import InputError

if TYPE_CHECKING:
    from scalewall.ideal.estimate import BatchEstimate
    from scalewall.ideal.space import ModelSwitches

__all__ = ["estimate_ideal"]

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
        str | None,
        typer.Option(
            "--machine",
            help="Machine for every plan instead of the file's own (one plan from options: h100).",
            autocompletion=complete_machine,
        ),
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
    dp: Annotated[
        str | None,
        typer.Option("--dp", help="Data parallelism, a factor a network level, innermost first: 2,16."),
    ] = None,
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
    """Evaluate one batch of the ideal model under given plans: time, utilization, communication.

    Plans come from a file, or one plan from options.
    """
    from scalewall.ideal.space import ModelSwitches

    model = ModelSwitches(zero_bubble_latency="free" if reference else "max")
    overrides = overrides_of(set_ or [])
    given: dict[str, object] = {
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
    check_files((("--output", output, ()),))
    if plans is None:
        rows = [row_of_options(given, zero_bubble, machine)]
    else:
        own = given | {"zero_bubble": zero_bubble or None}
        for name, value in own.items():
            if value is not None:
                raise InputError(as_flag(name), value, "no plan of its own beside --plans")
        rows = read_plans(plans, machine)
    found = [evaluate(row, precision, overrides, model) for row in rows]
    estimates = [estimate for estimate, _ in found]
    if output:
        _write(output, rows, estimates)
    print_warnings(warning for _, warnings in found for warning in warnings)
    if json:
        from scalewall.report.records import json_text

        documents = [_document(*pair, model) for pair in zip(rows, estimates, strict=True)]
        typer.echo(json_text(documents[0] if plans is None else documents), nl=False)
    elif not output:
        _print(rows, estimates)


estimate_ideal.__doc__ = f"{cleandoc(str(estimate_ideal.__doc__))}\n\n{_EXAMPLES}"


def _write(path: Path, rows: Sequence[PlanRow], estimates: Sequence[BatchEstimate]) -> None:
    from scalewall.report.files import RowWriter

    with RowWriter(path, (*INPUTS, *RESULTS)) as writer:
        for row, estimate in zip(rows, estimates, strict=True):
            writer.write({**{name: row.values[name] for name in INPUTS}, **results(estimate)})


def _document(row: PlanRow, estimate: BatchEstimate, model: ModelSwitches) -> dict[str, object]:
    stack = estimate.stack
    return {
        "schema_version": 1,
        "machine": row.machine,
        "d_model": stack.d_model,
        "d_ff": stack.d_ff,
        "layers": stack.layers,
        "sparsity": stack.sparsity,
        "batch_tokens": stack.batch_tokens,
        "plan": estimate.plan,
        "n_gpu": int(estimate.terms.n_gpu),
        "fits_memory": estimate.fits,
        **results(estimate),
        "component_seconds": estimate.component_seconds,
        "attributed_seconds": estimate.attributed_seconds,
        "binds": estimate.binds,
        "assumptions": {"model": model, "memory": "weights and optimizer state; activations not counted"},
    }


def _print(rows: Sequence[PlanRow], estimates: Sequence[BatchEstimate]) -> None:
    from rich.console import Console

    from scalewall.report.plan_tables import batch_table, batches_table

    console = Console()
    if len(rows) == 1:
        console.print(batch_table(rows[0].machine, estimates[0]))
    else:
        console.print(batches_table([row.machine for row in rows], estimates))
