"""Running a sweep before a person's eyes: progress, what stops it, how it went, the exit code that says so."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NoReturn

import typer

from scalewall.cli.flags import to_terminal
from scalewall.errors import InputError

if TYPE_CHECKING:
    from scalewall.study.executors import Executor
    from scalewall.study.running import Progress, SweepEnd
    from scalewall.study.sweep import Sweep

__all__ = ["INCOMPLETE", "SOME_FAILED", "announce", "run_watched", "say"]

SOME_FAILED = 1
"""Exit code of a sweep that is complete, with points that have an error for a result."""

INCOMPLETE = 3
"""Exit code of a sweep that lacks points: the same command goes on from there."""

LOG_SECONDS = 10.0
"""Seconds between log lines where no terminal shows a bar."""


def announce(count: int, cost: float, workers: int, what: str = "point") -> None:
    """Say how many points there are and about how long they take; ``cost`` is that of one, measured (s)."""
    from scalewall.report import units

    shared = f" on {workers} workers" if workers > 1 else ""
    say(
        f"{count:,} {what}{'' if count == 1 else 's'}, about {units.duration(count * cost / workers)}{shared} "
        f"({units.duration(cost)} each, measured)."
    )


def say(line: str) -> None:
    """Print a line on standard error."""
    typer.echo(line, err=True)


def run_watched(asked: Sweep, out: Path, executor: Executor, new: bool, cost: float) -> SweepEnd:
    """Run a sweep while a bar or log lines tell how it goes; what stops it ends the command.

    Parameters
    ----------
    asked : Sweep
        The question.
    out : Path
        Folder for the results.
    executor : Executor
        Where evaluations run.
    new : bool
        Drop what the folder holds.
    cost : float
        What a point takes (s).
    """
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
    say(f"error: {reason}. Parts that are written are whole; the same command goes on from there:")
    say(f"  scalewall {shlex.join(argument for argument in sys.argv[1:] if argument != '--new')}")
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
                    say(note)
                if progress.kept:
                    say(f"{progress.kept:,} points are there from an earlier run.")
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
            say(
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
