"""``scalewall limits``: how far training runs scale on a machine."""

from __future__ import annotations

import shlex
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scalewall.cli.flags import note_compiling, overrides_of, parse_bounds, print_warnings, to_terminal
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
  scalewall limits --machine ref-h100 --reference --json
  scalewall limits --machine h100 --model sparse --batch-law zhang --csv curve.csv
  scalewall limits --machine h100 --set network.1.bandwidth=100e9 --bound tp=1:8
  scalewall limits --machine h100 --flop 1e28 --save question.toml
  scalewall limits --scenario question.toml
"""

Machine = Annotated[
    list[str] | None,
    typer.Option("--machine", help="Catalogue name or machine file (.toml); several are compared."),
]
Reference = Annotated[
    bool | None,
    typer.Option(
        "--reference/--no-reference",
        help="Set everything not given as the published reference data were made (arXiv 2411.01137).",
    ),
]
Model = Annotated[str | None, typer.Option("--model", help="dense (default) or sparse.")]
Sparsity = Annotated[
    int | None, typer.Option("--sparsity", help="Experts a block of a sparse model (default: the law).")
]
DepthLaw = Annotated[str | None, typer.Option("--depth-law", help="published (default), refit, ...")]
WidthLaw = Annotated[str | None, typer.Option("--width-law", help="4x (default) or ratio.")]
DataLaw = Annotated[str | None, typer.Option("--data-law", help="chinchilla-20 (default), besiroglu, ...")]
BatchLaw = Annotated[
    str | None, typer.Option("--batch-law", help="critical (default), fixed, deepseek, zhang, power, ...")
]
Search = Annotated[str | None, typer.Option("--search", help="full (default) or reference.")]
Months = Annotated[float | None, typer.Option("--months", help="Most months a run may take (default 3).")]
Precision = Annotated[int | None, typer.Option("--precision", help="Bits a word: 32, 16 (default), 8 or 4.")]
Grid = Annotated[
    str | None,
    typer.Option(
        "--grid", help="F,MIN,MAX: widths f * 2^i, f odd <= F, in MIN..MAX (default 15,12288,1572864)."
    ),
]
Flop = Annotated[
    list[float] | None,
    typer.Option("--flop", help="Answer for the nearest run to this training compute instead of the grid."),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        "--threshold", help="Share of sustained utilization that counts as efficient (default 0.8)."
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="PATH=VALUE: a machine figure in SI units, e.g. network.1.bandwidth=100e9."),
]
Bound = Annotated[
    list[str] | None,
    typer.Option(
        "--bound",
        help="NAME=VALUE or NAME=LOW:HIGH for dp, tp, tp_model, tp_ff, pp, ep, microbatches, interleave, n_gpu.",
    ),
]
TensorLevels = Annotated[
    int | None,
    typer.Option(
        "--tensor-levels", help="Inner network levels that tensor parallelism may use; 1: one node."
    ),
]
Schedule = Annotated[str | None, typer.Option("--schedule", help="any (default), 1f1b or zero-bubble.")]
ClassicOrder = Annotated[
    bool | None,
    typer.Option("--classic-order", help="Interleave only where PP divides the microbatches (Megatron)."),
]
DomainFilling = Annotated[
    str | None,
    typer.Option("--domain-filling", help="partial (default, idle accelerators counted) or exact."),
]
OverlapTensor = Annotated[bool | None, typer.Option("--overlap-tensor/--no-overlap-tensor")]
OverlapPoint = Annotated[bool | None, typer.Option("--overlap-point-to-point/--no-overlap-point-to-point")]
OverlapData = Annotated[bool | None, typer.Option("--overlap-data/--no-overlap-data")]
ZeroBubbleLatency = Annotated[
    str | None, typer.Option("--zero-bubble-latency", help="max (default) or free (published program).")
]
LatencyModel = Annotated[
    str | None, typer.Option("--latency-model", help="constant (default) or tree (grows with the group).")
]
Rounding = Annotated[
    bool | None,
    typer.Option("--rounding/--no-rounding", help="Round layers, experts, sequences (default) or not."),
]
Layers = Annotated[int | None, typer.Option("--layers", help="Of the depth law constant.")]
WidthRatio = Annotated[float | None, typer.Option("--width-ratio", help="d_ff / d_model, width law ratio.")]
TokensPerParameter = Annotated[
    float | None, typer.Option("--tokens-per-parameter", help="Of the data law of that name.")
]
DataFactor = Annotated[
    float | None, typer.Option("--data-factor", help="Times the data law's tokens: < 1 undertrains.")
]
BatchTokens = Annotated[float | None, typer.Option("--batch-tokens", help="Of the batch law fixed.")]
BatchAnchorTokens = Annotated[
    float | None, typer.Option("--batch-anchor-tokens", help="Of the batch law power.")
]
BatchAnchorFlop = Annotated[float | None, typer.Option("--batch-anchor-flop", help="Of the batch law power.")]
BatchExponent = Annotated[float | None, typer.Option("--batch-exponent", help="Of the batch law power.")]
Scenario = Annotated[
    Path | None, typer.Option("--scenario", help="Replay a saved scenario; options given here win over it.")
]
Save = Annotated[Path | None, typer.Option("--save", help="Write the whole question to a scenario file.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON: an object, or a list for several machines.")]
Csv = Annotated[Path | None, typer.Option("--csv", help="Write one row a run, as the runs are done.")]
Output = Annotated[Path | None, typer.Option("--output", help="Write the JSON to a file.")]
Plot = Annotated[
    Path | None, typer.Option("--plot", help="Write a report (.html) or figures (.png, .svg, .pdf).")
]


def limits(
    machine: Machine = None,
    model: Model = None,
    sparsity: Sparsity = None,
    months: Months = None,
    search: Search = None,
    batch_law: BatchLaw = None,
    depth_law: DepthLaw = None,
    data_law: DataLaw = None,
    width_law: WidthLaw = None,
    precision: Precision = None,
    grid: Grid = None,
    flop: Flop = None,
    threshold: Threshold = None,
    reference: Reference = None,
    set_: Set = None,
    bound: Bound = None,
    tensor_levels: TensorLevels = None,
    schedule: Schedule = None,
    classic_order: ClassicOrder = None,
    domain_filling: DomainFilling = None,
    overlap_tensor: OverlapTensor = None,
    overlap_point_to_point: OverlapPoint = None,
    overlap_data: OverlapData = None,
    zero_bubble_latency: ZeroBubbleLatency = None,
    latency_model: LatencyModel = None,
    rounding: Rounding = None,
    layers: Layers = None,
    width_ratio: WidthRatio = None,
    tokens_per_parameter: TokensPerParameter = None,
    data_factor: DataFactor = None,
    batch_tokens: BatchTokens = None,
    batch_anchor_tokens: BatchAnchorTokens = None,
    batch_anchor_flop: BatchAnchorFlop = None,
    batch_exponent: BatchExponent = None,
    scenario: Scenario = None,
    save: Save = None,
    json: Json = False,
    csv: Csv = None,
    output: Output = None,
    plot: Plot = None,
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
        "grid": _grid(grid) if grid else None,
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
    study = _study(scenario, {name: value for name, value in given.items() if value is not None})
    _check_files(csv=csv, output=output, plot=plot, save=save)
    if save:
        _save(study, save)
    found = _run(study, csv)
    print_warnings(warning for one in found for warning in one.warnings)
    if output:
        from scalewall.report.files import write_text

        write_text(output, _json(found))
    if plot:
        from scalewall.report.plots import save_plot

        save_plot(found, plot, f"scalewall {shlex.join(sys.argv[1:])}")
    if json:
        typer.echo(_json(found), nl=False)
    else:
        _print(found)


limits.__doc__ = f"{limits.__doc__}\n\n    {_EXAMPLES}"


def _grid(text: str) -> tuple[int, float, float]:
    """Parse ``F,MIN,MAX``."""
    try:
        odd_max, low, high = text.split(",")
        return int(odd_max), float(low), float(high)
    except ValueError:
        raise InputError("--grid", text, "F,MIN,MAX, three numbers", ["15,12288,1572864"]) from None


def _study(scenario: Path | None, given: dict[str, object]) -> LimitsStudy:
    """Build the question from a scenario file and the options given."""
    import tomllib

    from scalewall.ideal.study import LimitsStudy

    values: dict[str, object] = {}
    if scenario:
        try:
            values = tomllib.loads(scenario.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(
                "--scenario", str(scenario), f"a file that can be read ({error.strerror})"
            ) from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError("--scenario", str(scenario), f"a TOML file ({error})") from error
    return LimitsStudy.from_scenario(values | given)


def _check_files(csv: Path | None, output: Path | None, plot: Path | None, save: Path | None) -> None:
    """Say before any work is done if a file cannot be written."""
    from scalewall.report.files import check_output
    from scalewall.report.plots import PLOT_SUFFIXES

    for field, path, suffixes in (
        ("--csv", csv, ()),
        ("--output", output, ()),
        ("--plot", plot, PLOT_SUFFIXES),
        ("--save", save, (".toml",)),
    ):
        if path:
            check_output(field, path, suffixes)


def _save(study: LimitsStudy, path: Path) -> None:
    """Write the scenario file."""
    import tomli_w

    from scalewall.report.files import write_text

    write_text(path, tomli_w.dumps(study.to_scenario()))


def _run(study: LimitsStudy, csv: Path | None) -> list[Limits]:
    """Evaluate every machine, with a progress bar, writing rows as they come."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from scalewall.ideal.limits import limits_of

    note_compiling(f"{study.search}_search")
    found = []
    with ExitStack() as stack:
        rows = stack.enter_context(_rows(study, csv)) if csv else None
        bar = stack.enter_context(
            Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
                disable=not to_terminal(),
            )
        )
        for machine in study.machines:
            task = bar.add_task(machine, total=len(study.stacks))

            def advance(
                done: int, total: int, result: PointResult, name: str = machine, task: int = task
            ) -> None:
                bar.update(task, completed=done, total=total)  # type: ignore[arg-type]
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
    """Print the tables: machines side by side; for one machine its curve and the closed forms too."""
    from rich.console import Console

    from scalewall.report.limit_tables import closed_form_table, curve_table, summary_table

    console = Console()
    if len(found) == 1:
        console.print(curve_table(found[0]))
    console.print(summary_table(found))
    console.print(closed_form_table(found))
