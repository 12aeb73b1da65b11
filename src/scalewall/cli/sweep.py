"""``scalewall sweep``: one question at every combination of a study, restartable, here or on a cluster."""

from __future__ import annotations

import shlex
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scalewall.cli.flags import note_compiling
from scalewall.cli.sweep_running import INCOMPLETE, SOME_FAILED, announce, run_watched, say
from scalewall.errors import InputError

if TYPE_CHECKING:
    from scalewall.study.running import SweepEnd
    from scalewall.study.sweep import Sweep

__all__ = ["sweep"]

_EXAMPLES = """\b
Examples:
  scalewall sweep study.toml --dry-run
  scalewall sweep study.toml --out results
  scalewall sweep study.toml --out results --executor dask --workers 8
  scalewall sweep study.toml --out results --executor tcp://scheduler:8786
"""


def sweep(
    study: Annotated[Path, typer.Argument(help="Study file (TOML): [fixed], [axes], [samples], [outputs].")],
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Folder for the results: new, empty, or of this study, to go on with it."),
    ] = None,
    executor: Annotated[
        str,
        typer.Option(
            "--executor",
            help="in-process, processes (default), dask (a cluster on this machine) or tcp://HOST:PORT.",
        ),
    ] = "processes",
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Processes on this machine (default: one a core).")
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Check the study, count its points, estimate the time, and stop."),
    ] = False,
    new: Annotated[
        bool,
        typer.Option("--new", help="Start over in a folder that holds results of this or another study."),
    ] = False,
) -> None:
    """Ask a question at every combination of a study's axes and samples; keep the rows as Parquet.

    The same command goes on with a sweep that was stopped. Exit code 0: all points answered; 1: all done, some
    with an error for a result; 2: bad input; 3: some points are still missing.
    """
    from scalewall.study.executors import executor_of
    from scalewall.study.running import seconds_a_point
    from scalewall.study.store import check_folder
    from scalewall.study.study_file import read_study

    asked = read_study(study)
    chosen = executor_of(executor, workers)
    if out is not None:
        check_folder(asked, out, new)
    elif not dry_run:
        raise InputError("--out", None, "a folder for the results")
    if asked.kind != "closed-forms":
        note_compiling("reference_search" if _only_reference(asked) else "full_search")
    cost = seconds_a_point(asked)
    if dry_run and (asked.fixed or asked.varied):
        from rich.console import Console

        from scalewall.report.sweep_tables import inputs_table

        Console().print(inputs_table(asked))
    announce(asked.count, cost, chosen.workers)
    if dry_run or out is None:
        return
    end = run_watched(asked, out, chosen, new, cost)
    _conclude(end, out)


sweep.__doc__ = f"{cleandoc(str(sweep.__doc__))}\n\n{_EXAMPLES}"


def _only_reference(asked: Sweep) -> bool:
    """Tell whether every point uses the reference search."""
    given = {path: asked.input_values(path) for path in (*asked.fixed, *asked.varied)}
    if "search" in given:
        return set(given["search"]) == {"reference"}
    return set(given.get("reference", (False,))) == {True}


def _conclude(end: SweepEnd, out: Path) -> None:
    """Say how it went, and leave with the exit code that says so too."""
    from scalewall.report import units

    fresh = end.done - end.kept
    rate = f", {units.scientific(fresh / end.seconds)} points/s" if fresh else ""
    say(
        f"{fresh:,} points in {units.duration(end.seconds)}{rate}; {out} holds {end.done:,} of {end.points:,}."
    )
    if end.failed:
        say(f"{end.failed:,} points failed: `scalewall results summarize {shlex.quote(str(out))}` says why.")
    if end.lost:
        say(f"{end.lost:,} points were lost ({'; '.join(end.reasons)}). The same command tries them again.")
        raise typer.Exit(INCOMPLETE)
    if end.failed:
        raise typer.Exit(SOME_FAILED)
