"""``scalewall limits``: how far training runs scale on a machine."""

from __future__ import annotations

import shlex
import sys
from contextlib import ExitStack
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from scalewall.cli import limits_options as options
from scalewall.cli.flags import note_compiling, overrides_of, parse_bounds, print_warnings
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
        "grid": None if grid is None else options.parse_grid(grid),
        "flop": tuple(flop) if flop else None,
        "threshold": threshold,
        "reference": reference,
        "overrides": overrides_of(set_) if set_ else None,
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
    }
    study = study_of(scenario, {name: value for name, value in given.items() if value is not None})
    _check_files(csv=csv, output=output, plot=plot, save=save)
    if save:
        save_scenario(study, save)
    found = _run(study, csv)
    if output:
        from scalewall.report.files import write_text

        write_text(output, _json(found))
    if plot:
        from scalewall.report.plots import save_plot

        save_plot(found, plot, f"scalewall {shlex.join(sys.argv[1:])}")
    if json:
        from scalewall.report.words import all_warnings

        print_warnings(all_warnings(found))
        typer.echo(_json(found), nl=False)
    else:
        _print(found)


limits.__doc__ = f"{cleandoc(str(limits.__doc__))}\n\n{_EXAMPLES}"


def _check_files(csv: Path | None, output: Path | None, plot: Path | None, save: Path | None) -> None:
    """Say before any work is done if a file cannot be written."""
    from scalewall.report.files import check_output
    from scalewall.report.plots import PLOT_SUFFIXES

    taken: dict[Path, str] = {}
    for field, path, suffixes in (
        ("--csv", csv, ()),
        ("--output", output, ()),
        ("--plot", plot, PLOT_SUFFIXES),
        ("--save", save, (".toml",)),
    ):
        if path:
            target = check_output(field, path, suffixes).resolve()
            if target in taken:
                raise InputError(field, str(path), f"another file than {taken[target]} writes")
            taken[target] = field


def _run(study: LimitsStudy, csv: Path | None) -> list[Limits]:
    """Evaluate every machine, with a progress bar, writing rows as they come."""
    from scalewall.ideal.limits import limits_of

    note_compiling(f"{study.search}_search")
    found = []
    with ExitStack() as stack:
        rows = stack.enter_context(_rows(study, csv)) if csv else None
        show = stack.enter_context(progress_bar())
        for machine in study.machines:

            def advance(done: int, total: int, result: PointResult, name: str = machine) -> None:
                show(name, done, total)
                if rows:
                    _write_row(rows, name, result)

            found.append(limits_of(study, machine, advance))
    return found


def _rows(study: LimitsStudy, csv: Path) -> RowWriter:
    """Open the CSV with the columns that these machines' runs will have."""
    from scalewall.ideal.breakdown import part_names
    from scalewall.report.files import RowWriter
    from scalewall.report.records import columns_of

    parts: dict[str, None] = {}
    for machine in study.machines:
        parts.update(dict.fromkeys(part_names(study.cluster(machine).accelerator.memory)))
    return RowWriter(csv, columns_of(parts))


def _write_row(rows: RowWriter, machine: str, result: PointResult) -> None:
    from scalewall.ideal.results import Point
    from scalewall.report.records import failed_row, point_row

    rows.write(point_row(machine, result) if isinstance(result, Point) else failed_row(machine, result))


def _json(found: list[Limits]) -> str:
    from scalewall.report.records import json_text, limits_json

    documents = [limits_json(one) for one in found]
    return json_text(documents[0] if len(documents) == 1 else documents)


def _print(found: list[Limits]) -> None:
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
