"""``scalewall levers``: what moves the limits of a machine, and how far."""

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

__all__ = ["levers"]

_EXAMPLES = """\b
Examples:
  scalewall levers
  scalewall levers --machine gb200-nvl72 --plot levers.html
  scalewall levers --machine ref-h100 --reference --plot levers.png
  scalewall levers --only domain=72 --only domain=576 --only months=6
  scalewall levers --combine domain=72+latency=4+batch-law=zhang --json
"""


def levers(
    machine: options.OneMachine = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", help="LEVER=VALUE, joined by + for several at once: try these instead of the usual."
        ),
    ] = None,
    combine: Annotated[
        list[str] | None,
        typer.Option("--combine", help="LEVER=VALUE+LEVER=VALUE: try this combination too."),
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="List the levers with their values and stop.")
    ] = False,
    model: options.Model = None,
    sparsity: options.Sparsity = None,
    months: options.Months = None,
    search: options.Search = None,
    batch_law: options.BatchLaw = None,
    depth_law: options.DepthLaw = None,
    data_law: options.DataLaw = None,
    precision: options.Precision = None,
    grid: options.Grid = None,
    threshold: options.Threshold = None,
    reference: options.Reference = None,
    set_: options.Set = None,
    scenario: options.Scenario = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    output: options.Output = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help="Write a page (.html), or the bars (.png, .svg, .pdf)."),
    ] = None,
) -> None:
    """Pull each way past the limits, alone and combined, and rank what it gains.

    For each: where efficient scaling ends, the largest run that finishes, and how many times later than without it.
    """
    if list_:
        _list(json)
        return
    given = {
        "machines": (machine,) if machine else None,
        "model": model,
        "sparsity": sparsity,
        "months": months,
        "search": search,
        "batch_law": batch_law,
        "depth_law": depth_law,
        "data_law": data_law,
        "precision": precision,
        "threshold": threshold,
        "reference": reference,
    }
    study = study_of(scenario, given, grid, set_)
    from scalewall.report.files import write_text
    from scalewall.report.lever_tables import exponents_table, levers_table, levers_words
    from scalewall.report.plots import PLOT_SUFFIXES
    from scalewall.report.records import json_text
    from scalewall.study.what_if import levers as pull

    check_files((("--output", output, ()), ("--plot", plot, PLOT_SUFFIXES)))
    note_compiling(f"{study.search}_search")
    with progress_bar() as show:
        found = pull(study, only or (), combine or (), lambda _, done, total: show("levers", done, total))
    if output:
        write_text(output, json_text(found.to_json()))
    if plot:
        from scalewall.report.lever_figures import save_levers

        save_levers(found, plot, command_line())
    if json:
        print_warnings(found.warnings)
        typer.echo(json_text(found.to_json()), nl=False)
        return
    from rich.console import Console

    console = Console()
    console.print(levers_words(found), highlight=False, markup=False)
    console.print()
    console.print(levers_table(found))
    console.print()
    console.print(exponents_table(found))


levers.__doc__ = f"{cleandoc(str(levers.__doc__))}\n\n{_EXAMPLES}"


def _list(json: bool) -> None:
    from scalewall.report.lever_tables import list_json, list_table

    if json:
        from scalewall.report.records import json_text

        typer.echo(json_text(list_json()), nl=False)
        return
    from rich.console import Console

    Console().print(list_table())
