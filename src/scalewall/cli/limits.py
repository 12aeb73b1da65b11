"""``scalewall limits``: how far training runs scale on a machine."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scalewall.cli import limits_options as options
from scalewall.cli.cost import Price, price_changes
from scalewall.cli.flags import command_line, note_compiling, parse_bounds, print_warnings
from scalewall.cli.output_files import check_files
from scalewall.cli.progress import progress_bar
from scalewall.cli.scenario import save_scenario, study_of
from scalewall.errors import InputError

if TYPE_CHECKING:
    from scalewall.ideal.limits import Limits, PointResult
    from scalewall.ideal.study import LimitsStudy
    from scalewall.report.files import RowWriter

__all__ = ["limits"]

_EXAMPLES = """\b
Examples:
  scalewall limits --machine h100
  scalewall limits --machine h100 b200 gb200-nvl72 --months 6 --plot limits.html
  scalewall limits --machine all --plot progress.html
  scalewall limits --machine ref-h100 --reference --json
  scalewall limits --machine h100 --model sparse --batch-law zhang --csv curve.csv
  scalewall limits --machine h100 --set network.1.bandwidth=100e9 --bound tp=1:8
  scalewall limits --machine h100 --flop 1e28 --save question.toml
  scalewall limits --scenario question.toml
  scalewall limits --machine h100 b200 --cost --price usd_per_hour=2
"""


def limits(
    machine: options.Machine = None,
    model: options.Model = None,
    sparsity: options.Sparsity = None,
    months: options.Months = None,
    search: options.Search = None,
    batch_law: options.BatchLaw = None,
    depth_law: options.DepthLaw = None,
    data_law: options.DataLaw = None,
    width_law: options.WidthLaw = None,
    precision: options.Precision = None,
    grid: options.Grid = None,
    flop: options.Flop = None,
    threshold: options.Threshold = None,
    reference: options.Reference = None,
    set_: options.Set = None,
    bound: options.Bound = None,
    tensor_levels: options.TensorLevels = None,
    schedule: options.Schedule = None,
    classic_order: options.ClassicOrder = None,
    domain_filling: options.DomainFilling = None,
    overlap_tensor: options.OverlapTensor = None,
    overlap_point_to_point: options.OverlapPoint = None,
    overlap_data: options.OverlapData = None,
    zero_bubble_latency: options.ZeroBubbleLatency = None,
    latency_model: options.LatencyModel = None,
    rounding: options.Rounding = None,
    layers: options.Layers = None,
    width_ratio: options.WidthRatio = None,
    tokens_per_parameter: options.TokensPerParameter = None,
    data_factor: options.DataFactor = None,
    batch_tokens: options.BatchTokens = None,
    batch_anchor_tokens: options.BatchAnchorTokens = None,
    batch_anchor_flop: options.BatchAnchorFlop = None,
    batch_exponent: options.BatchExponent = None,
    cost: Annotated[
        bool, typer.Option("--cost", help="Add what each run costs and draws to every output.")
    ] = False,
    price: Price = None,
    depth_anchor_layers: options.DepthAnchorLayers = None,
    depth_exponent: options.DepthExponent = None,
    depth_factor: options.DepthFactor = None,
    batch_factor: options.BatchFactor = None,
    sync_steps: options.SyncSteps = None,
    sync_bits: options.SyncBits = None,
    optimizer_compute: options.OptimizerCompute = None,
    optimizer_words: options.OptimizerWords = None,
    failures: options.Failures = None,
    checkpoint_seconds: options.CheckpointSeconds = None,
    restart_seconds: options.RestartSeconds = None,
    regroup_seconds: options.RegroupSeconds = None,
    recovery: options.Recovery = None,
    scenario: options.Scenario = None,
    save: options.Save = None,
    json: options.Json = False,
    csv: options.Csv = None,
    output: options.Output = None,
    plot: options.Plot = None,
) -> None:
    """Print how far training runs scale: the efficient regime, the largest run, what binds.

    For each training compute the laws give a model, and the search finds the best plan on the machine.
    """
    given = {
        "machines": tuple(machine) if machine else None,
        "model": model,
        "sparsity": sparsity,
        "months": months,
        "search": search,
        "batch_law": batch_law,
        "depth_law": depth_law,
        "data_law": data_law,
        "width_law": width_law,
        "precision": precision,
        "flop": tuple(flop) if flop else None,
        "threshold": threshold,
        "reference": reference,
        "bounds": parse_bounds(bound) if bound else None,
        "tensor_levels": tensor_levels,
        "schedule": schedule,
        "classic_order": classic_order,
        "domain_filling": domain_filling,
        "overlap_tensor": overlap_tensor,
        "overlap_point_to_point": overlap_point_to_point,
        "overlap_data": overlap_data,
        "zero_bubble_latency": zero_bubble_latency,
        "latency_model": latency_model,
        "rounding": rounding,
        "layers": layers,
        "width_ratio": width_ratio,
        "tokens_per_parameter": tokens_per_parameter,
        "data_factor": data_factor,
        "batch_tokens": batch_tokens,
        "batch_anchor_tokens": batch_anchor_tokens,
        "batch_anchor_flop": batch_anchor_flop,
        "batch_exponent": batch_exponent,
        "depth_anchor_layers": depth_anchor_layers,
        "depth_exponent": depth_exponent,
        "depth_factor": depth_factor,
        "batch_factor": batch_factor,
        "sync_steps": sync_steps,
        "sync_bits": sync_bits,
        "optimizer_compute": optimizer_compute,
        "optimizer_words": optimizer_words,
        "failures": failures,
        "checkpoint_seconds": checkpoint_seconds,
        "restart_seconds": restart_seconds,
        "regroup_seconds": regroup_seconds,
        "recovery": recovery,
    }
    from scalewall.report.plots import PLOT_SUFFIXES

    study = study_of(scenario, given, grid, set_)
    changes = _prices(study, cost, price)
    check_files(
        (
            ("--csv", csv, ()),
            ("--output", output, ()),
            ("--plot", plot, PLOT_SUFFIXES),
            ("--save", save, (".toml",)),
        )
    )
    if save:
        save_scenario(study, save)
    found = _run(study, csv, changes)
    if output:
        from scalewall.report.files import write_text

        write_text(output, _json(found, changes))
    if plot:
        from scalewall.report.plots import save_plot

        save_plot(found, plot, command_line(), changes)
    if json:
        from scalewall.report.words import all_warnings

        print_warnings(all_warnings(found))
        typer.echo(_json(found, changes), nl=False)
    else:
        _print(found, changes)


limits.__doc__ = f"{cleandoc(str(limits.__doc__))}\n\n{_EXAMPLES}"


def _prices(study: LimitsStudy, cost: bool, price: list[str] | None) -> dict[str, float] | None:
    """Return the prices that are set, checked before any work; None where no cost is asked for."""
    changes = price_changes(price or ())
    if not cost:
        if changes:
            raise InputError("--price", " ".join(price or ()), "prices only with --cost", ["--cost"])
        return None
    from scalewall.cost.money import prices_of

    for machine in study.machines:
        prices_of(machine, changes)
    return changes


def _run(study: LimitsStudy, csv: Path | None, changes: Mapping[str, float] | None) -> list[Limits]:
    """Evaluate every machine, with a progress bar, writing rows as they come."""
    from scalewall.ideal.limits import limits_of

    note_compiling(f"{study.search}_search")
    found = []
    with ExitStack() as stack:
        rows = stack.enter_context(_rows(study, csv, changes is not None)) if csv else None
        show = stack.enter_context(progress_bar())
        for machine in study.machines:

            def advance(done: int, total: int, result: PointResult, name: str = machine) -> None:
                show(name, done, total)
                if rows:
                    _write_row(rows, name, result, changes)

            found.append(limits_of(study, machine, advance))
    return found


def _rows(study: LimitsStudy, csv: Path, cost: bool) -> RowWriter:
    """Open the CSV with the columns that these machines' runs will have."""
    from scalewall.ideal.breakdown import part_names
    from scalewall.report.files import RowWriter
    from scalewall.report.money_tables import MONEY_COLUMNS
    from scalewall.report.records import columns_of

    parts: dict[str, None] = {}
    for machine in study.machines:
        parts.update(dict.fromkeys(part_names(study.cluster(machine).accelerator.memory)))
    return RowWriter(csv, (*columns_of(parts), *(MONEY_COLUMNS if cost else ())))


def _write_row(
    rows: RowWriter, machine: str, result: PointResult, changes: Mapping[str, float] | None
) -> None:
    from scalewall.ideal.results import Point
    from scalewall.report.records import failed_row, point_row

    if not isinstance(result, Point):
        rows.write(failed_row(machine, result))
        return
    row: dict[str, object] = dict(point_row(machine, result))
    if changes is not None:
        from scalewall.cost.money import prices_of, run_money
        from scalewall.report.money_tables import money_row

        prices = prices_of(machine, changes)
        row |= money_row(prices, run_money(prices, result.n_gpu, result.run_seconds))
    rows.write(row)


def _json(found: list[Limits], changes: Mapping[str, float] | None) -> str:
    from scalewall.report.records import json_text, limits_json

    documents = [limits_json(one) | _costs_json(one, changes) for one in found]
    return json_text(documents[0] if len(documents) == 1 else documents)


def _costs_json(one: Limits, changes: Mapping[str, float] | None) -> dict[str, object]:
    if changes is None:
        return {}
    from scalewall.cost.money import prices_of
    from scalewall.report.money_tables import cost_rows, prices_json
    from scalewall.study.money import costed_runs

    return {
        "costs": cost_rows(costed_runs(one, changes)),
        "prices": prices_json(prices_of(one.machine, changes)),
    }


def _print(found: list[Limits], changes: Mapping[str, float] | None) -> None:
    """Print the answer in words and the tables; for one machine its curve too."""
    from rich.console import Console

    from scalewall.report.generations import answer_words
    from scalewall.report.limit_tables import closed_form_table, curve_table, summary_table

    console = Console()
    for sentence in answer_words(found):
        console.print(sentence, highlight=False, markup=False)
    console.print()
    if len(found) == 1:
        console.print(curve_table(found[0]))
        console.print()
    console.print(summary_table(found))
    console.print()
    console.print(closed_form_table(found))
    if changes is not None:
        from scalewall.report.money_tables import cost_table, power_table
        from scalewall.study.money import shown_runs

        shown = shown_runs(found, changes)
        console.print()
        console.print(cost_table(shown))
        console.print()
        console.print(power_table(shown))
