"""``scalewall require``: how much better a machine must be for a run to be efficient."""

from __future__ import annotations

from inspect import cleandoc
from pathlib import Path
from typing import Annotated

import typer

from scalewall.cli import limits_options as options
from scalewall.cli.flags import command_line, note_compiling, print_warnings
from scalewall.cli.output_files import check_files
from scalewall.cli.progress import progress_bar
from scalewall.cli.scenario import study_of
from scalewall.errors import InputError, check_finite

__all__ = ["require"]

_EXAMPLES = """\b
Examples:
  scalewall require --flop 1e29 --months 3 --utilization 0.8
  scalewall require --flop 1e30 --machine gb200-nvl72 --plot trade.html
  scalewall require --flop 1e30 --trade network.1.bandwidth,memory.0.bandwidth
  scalewall require --flop 2e31 --model sparse --json
"""


def require(
    flop: Annotated[float, typer.Option("--flop", help="Training compute of the run (FLOP).")],
    machine: options.OneMachine = None,
    months: options.Months = None,
    utilization: Annotated[
        float | None,
        typer.Option(
            "--utilization", help="Share of sustained utilization that must be exceeded (default 0.8)."
        ),
    ] = None,
    trade: Annotated[
        str | None,
        typer.Option(
            "--trade",
            help="A,B: two figures to trade off (default: outermost network bandwidth, latencies).",
        ),
    ] = None,
    model: options.Model = None,
    sparsity: options.Sparsity = None,
    search: options.Search = None,
    batch_law: options.BatchLaw = None,
    depth_law: options.DepthLaw = None,
    data_law: options.DataLaw = None,
    precision: options.Precision = None,
    reference: options.Reference = None,
    set_: options.Set = None,
    scenario: options.Scenario = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    output: options.Output = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help="Write a page (.html), or the trade-off (.png, .svg, .pdf)."),
    ] = None,
) -> None:
    """Find the least factor by which each single figure of a machine must be better.

    The run is the one of the fine grid nearest to the training compute asked for; efficient means above the given
    share of the utilization that the machine sustains.
    """
    if utilization is not None:
        check_finite("--utilization", utilization, 1e-3, 1, "of the sustained utilization")
    given = {
        "machines": (machine,) if machine else None,
        "flop": (flop,),
        "months": months,
        "threshold": utilization,
        "model": model,
        "sparsity": sparsity,
        "search": search,
        "batch_law": batch_law,
        "depth_law": depth_law,
        "data_law": data_law,
        "precision": precision,
        "reference": reference,
    }
    study = study_of(scenario, given, set_=set_)
    from scalewall.report.files import write_text
    from scalewall.report.plots import PLOT_SUFFIXES
    from scalewall.report.records import json_text
    from scalewall.report.require_tables import required_table, required_words
    from scalewall.study.require import require as ask

    check_files((("--output", output, ()), ("--plot", plot, PLOT_SUFFIXES)))
    note_compiling(f"{study.search}_search")
    with progress_bar() as show:
        found = ask(study, _pair(trade), lambda _, done, total: show("figures", done, total))
    if output:
        write_text(output, json_text(found.to_json()))
    if plot:
        from scalewall.report.require_figures import save_required

        save_required(found, plot, command_line())
    if json:
        print_warnings(found.warnings)
        typer.echo(json_text(found.to_json()), nl=False)
        return
    from rich.console import Console

    console = Console()
    console.print(required_words(found), highlight=False, markup=False)
    console.print()
    console.print(required_table(found))


require.__doc__ = f"{cleandoc(str(require.__doc__))}\n\n{_EXAMPLES}"


def _pair(trade: str | None) -> tuple[str, str] | None:
    if trade is None:
        return None
    names = tuple(name.strip() for name in trade.split(","))
    if len(names) != 2:
        raise InputError("--trade", trade, "two names, such as network.1.bandwidth,latencies")
    return names[0], names[1]
