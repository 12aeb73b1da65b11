"""``scalewall uncertainty``: how sure the limits of a machine are, and what their spread comes from."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scalewall.cli import limits_options as options
from scalewall.cli.flags import command_line, note_compiling, print_warnings
from scalewall.cli.output_files import check_files
from scalewall.cli.sweep_running import INCOMPLETE, SOME_FAILED, announce, run_watched, say
from scalewall.errors import InputError

if TYPE_CHECKING:
    from scalewall.study.uncertainty import Uncertainty

__all__ = ["uncertainty"]

_EXAMPLES = """\b
Examples:
  scalewall uncertainty
  scalewall uncertainty --machine gb200-nvl72 --samples 2000 --out worlds --plot fan.html
  scalewall uncertainty --sensitivity sobol --search reference --samples 256 --plot why.png
  scalewall uncertainty --defaults > beliefs.toml; scalewall uncertainty beliefs.toml
"""


def uncertainty(
    beliefs: Annotated[
        Path | None,
        typer.Argument(
            help="File of distributions (TOML: [fixed], [samples]); without one the defaults, see --defaults."
        ),
    ] = None,
    machine: options.OneMachine = None,
    search: options.Search = None,
    samples: Annotated[
        int | None,
        typer.Option(
            "--samples",
            help="Worlds (default 512); with --sensitivity base samples or walks, each of several worlds.",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Of the draws (default 0).")] = None,
    design: Annotated[
        str | None, typer.Option("--design", help="sobol (default), latin-hypercube or random.")
    ] = None,
    sensitivity: Annotated[
        str | None,
        typer.Option("--sensitivity", help="sobol (indices, thorough) or morris (screening, quick)."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Folder that keeps the worlds: the same command goes on with it."),
    ] = None,
    new: Annotated[bool, typer.Option("--new", help="Start over in a folder of another question.")] = False,
    executor: Annotated[
        str, typer.Option("--executor", help="in-process, processes (default), dask or tcp://HOST:PORT.")
    ] = "processes",
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Processes on this machine (default: one a core).")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Write a page (.html) or pictures (.png, .svg, .pdf).")
    ] = None,
    defaults: Annotated[
        bool, typer.Option("--defaults", help="Print the machine's default distributions, and stop.")
    ] = False,
) -> None:
    """Sample uncertain laws, efficiencies, latencies and durations: quantiles of the limits and of whole curves.

    Every world is a full curve of best plans; with --sensitivity also what the spread comes from. Exit code 1: some
    worlds failed and are left out; 3: some are missing, and with --out the same command goes on.
    """
    from scalewall.report.plots import PLOT_SUFFIXES
    from scalewall.study.executors import executor_of
    from scalewall.study.running import seconds_a_point
    from scalewall.study.store import check_folder
    from scalewall.study.sweep import DEFAULT_MACHINE
    from scalewall.study.uncertain_inputs import default_table, read_worlds, worlds_of
    from scalewall.study.uncertain_question import question_of
    from scalewall.study.uncertainty import uncertainty_of

    if defaults:
        import tomli_w

        typer.echo(tomli_w.dumps(default_table(machine or DEFAULT_MACHINE)), nl=False)
        return
    check_files((("--plot", plot, PLOT_SUFFIXES),))
    fixed = {} if search is None else {"search": search}
    if beliefs is None:
        worlds = worlds_of(default_table(machine or DEFAULT_MACHINE), machine, fixed)
    else:
        worlds = read_worlds(beliefs, machine, fixed)
    question = question_of(worlds, samples, seed, design, sensitivity)
    chosen = executor_of(executor, workers)
    if out is not None:
        check_folder(question.sweep, out, new)
    elif new:
        raise InputError("--new", new, "beside --out, whose folder it clears")
    note_compiling(f"{worlds.fixed.get('search', 'full')}_search")
    cost = seconds_a_point(question.sweep)
    announce(question.sweep.count, cost, chosen.workers, "world")
    with ExitStack() as kept:
        folder = out or Path(kept.enter_context(tempfile.TemporaryDirectory())) / "worlds"
        end = run_watched(question.sweep, folder, chosen, new, cost)
        if end.lost:
            again = " The same command tries them again." if out else ""
            say(f"{end.lost:,} worlds were lost ({'; '.join(end.reasons)}).{again}")
            raise typer.Exit(INCOMPLETE)
        from scalewall.study.results import Results

        found = uncertainty_of(question, Results.open(folder))
    _show(found, json, plot)
    if found.failed:
        raise typer.Exit(SOME_FAILED)


uncertainty.__doc__ = f"{cleandoc(str(uncertainty.__doc__))}\n\n{_EXAMPLES}"


def _show(found: Uncertainty, json: bool, plot: Path | None) -> None:
    from scalewall.report.uncertainty_tables import (
        beliefs_table,
        uncertainty_tables,
        uncertainty_warnings,
        uncertainty_words,
    )

    if plot:
        from scalewall.report.uncertainty_figures import save_uncertainty

        save_uncertainty(found, plot, command_line())
    if json:
        from scalewall.report.records import json_text
        from scalewall.report.uncertainty_records import uncertainty_json

        print_warnings(uncertainty_warnings(found))
        typer.echo(json_text(uncertainty_json(found)), nl=False)
        return
    from rich.console import Console

    console = Console()
    console.print(uncertainty_words(found), highlight=False, markup=False)
    for table in (*uncertainty_tables(found), beliefs_table(found)):
        console.print()
        console.print(table)
    for warning in uncertainty_warnings(found):
        console.print(f"Warning: {warning}", style="dim", highlight=False, markup=False)
