"""``scalewall sweep``: one question at every combination of a study, restartable, here or on a cluster."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import cleandoc
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from scalewall.cli.flags import note_compiling, to_terminal
from scalewall.errors import InputError

if TYPE_CHECKING:
    from scalewall.study.executors import Executor
    from scalewall.study.running import Progress, SweepEnd
    from scalewall.study.sweep import Sweep

__all__ = ["sweep"]

SOME_FAILED = 1
"""Exit code of a sweep that is complete, with points that have an error for a result."""

INCOMPLETE = 3
"""Exit code of a sweep that lacks points: the same command goes on from there."""

LOG_SECONDS = 10.0
"""Seconds between log lines where no terminal shows a bar."""

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
    _announce(asked, cost, chosen.workers, dry_run)
    if dry_run or out is None:
        return
    end = _run(asked, out, chosen, new, cost)
    _conclude(end, out)


sweep.__doc__ = f"{cleandoc(str(sweep.__doc__))}\n\n{_EXAMPLES}"


def _only_reference(asked: Sweep) -> bool:
    """Tell whether every point uses the reference search."""
    given = {path: asked.input_values(path) for path in (*asked.fixed, *asked.varied)}
    if "search" in given:
        return set(given["search"]) == {"reference"}
    return set(given.get("reference", (False,))) == {True}


def _announce(asked: Sweep, cost: float, workers: int, dry_run: bool) -> None:
    from rich.console import Console

    from scalewall.report import units
    from scalewall.report.sweep_tables import inputs_table

    if dry_run and (asked.fixed or asked.varied):
        Console().print(inputs_table(asked))
    shared = f" on {workers} workers" if workers > 1 else ""
    points = "point" if asked.count == 1 else "points"
    _say(
        f"{asked.count:,} {points}, about {units.duration(asked.count * cost / workers)}{shared} "
        f"({units.duration(cost)} a point, measured)."
    )


def _say(line: str) -> None:
    typer.echo(line, err=True)


def _run(asked: Sweep, out: Path, executor: Executor, new: bool, cost: float) -> SweepEnd:
    """Run the sweep while a bar or log lines tell how it goes."""
    from scalewall.study.executors import ExecutorLostError
    from scalewall.study.running import run_sweep

    try:
        with _watched(executor) as report:
            return run_sweep(asked, out, executor, new, report, cost)
    except ExecutorLostError as error:
        _stop(str(error))
    except InputError:
        raise
    except OSError as error:
        _stop(f"{error.filename or out}: {error.strerror or error}")


def _stop(reason: str) -> NoReturn:
    _say(f"error: {reason}. Parts that are written are whole; the same command goes on from there:")
    _say(f"  scalewall {shlex.join(argument for argument in sys.argv[1:] if argument != '--new')}")
    raise typer.Exit(INCOMPLETE)


@contextmanager
def _watched(executor: Executor) -> Iterator[Callable[[Progress], None]]:
    """Yield what shows progress: a bar on a terminal, else a log line now and then; first the executor's notes."""
    show_all = _bar if to_terminal() else _log
    with show_all() as show:
        said = False

        def report(progress: Progress) -> None:
            nonlocal said
            if not said:
                for note in executor.notes:
                    _say(note)
                if progress.kept:
                    _say(f"{progress.kept:,} points are there from an earlier run.")
                said = True
            show(progress)

        yield report


@contextmanager
def _bar() -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    bar = Bar(
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[words]}"),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=None, words="")
        begun = monotonic()

        def show(progress: Progress) -> None:
            bar.update(
                task,
                total=progress.points,
                completed=progress.done,
                words=_pace(progress, monotonic() - begun),
            )

        yield show


@contextmanager
def _log() -> Iterator[Callable[[Progress], None]]:
    begun = told = monotonic()

    def show(progress: Progress) -> None:
        nonlocal told
        now = monotonic()
        if now - told >= LOG_SECONDS:
            told = now
            share = progress.done / progress.points
            _say(
                f"{progress.done:,} of {progress.points:,} points ({share:.0%}), {_pace(progress, now - begun)}"
            )

    yield show


def _pace(progress: Progress, seconds: float) -> str:
    """Return rate and time left in words, and how many points failed."""
    from scalewall.report import units

    fresh = progress.done - progress.kept
    words = []
    if fresh and seconds > 0:
        rate = fresh / seconds
        left = (progress.points - progress.done - progress.lost) / rate
        words = [f"{units.scientific(rate)} points/s", f"{units.duration(left)} left"]
    if progress.failed:
        words.append(f"{progress.failed:,} failed")
    return ", ".join(words)


def _conclude(end: SweepEnd, out: Path) -> None:
    """Say how it went, and leave with the exit code that says so too."""
    from scalewall.report import units

    fresh = end.done - end.kept
    rate = f", {units.scientific(fresh / end.seconds)} points/s" if fresh else ""
    _say(
        f"{fresh:,} points in {units.duration(end.seconds)}{rate}; {out} holds {end.done:,} of {end.points:,}."
    )
    if end.failed:
        _say(f"{end.failed:,} points failed: `scalewall results summarize {shlex.quote(str(out))}` says why.")
    if end.lost:
        _say(f"{end.lost:,} points were lost ({'; '.join(end.reasons)}). The same command tries them again.")
        raise typer.Exit(INCOMPLETE)
    if end.failed:
        raise typer.Exit(SOME_FAILED)
