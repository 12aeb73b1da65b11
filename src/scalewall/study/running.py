"""Run a sweep: evaluate what is missing, keep it part by part, say how it went."""

from __future__ import annotations

import math
import pickle
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from scalewall.errors import ScalewallError
from scalewall.study.executors import Executor, InProcess
from scalewall.study.manifest import difference, identity, machine_hashes
from scalewall.study.store import Chunk, check_folder, open_folder
from scalewall.study.sweep import Sweep
from scalewall.study.tables import Form, evaluate, form_of

__all__ = ["Progress", "SweepEnd", "part_points", "run_sweep", "seconds_a_point"]

PART_SECONDS = (0.4, 30.0)
"""Least and most seconds of work a part: beside the least, giving it out (10 ms on Dask) and writing it is small; the
most is what a killed worker loses."""

WRITE_SECONDS = 0.02
"""What giving out, fetching and writing a part takes in the one process that writes, flushing to the disk included;
measured on a two-core machine under load."""

PARTS_A_WORKER = 50
"""Parts for each worker, between those bounds: so many that all end at about the same time."""

MOST_PART_POINTS = 100_000
_PROBE_SECONDS = 0.3
_PROBES = 32


@dataclass(frozen=True)
class Progress:
    """Where a sweep stands: points in all, done (``kept`` of them before this run), failed, lost."""

    points: int
    done: int
    kept: int
    failed: int
    lost: int


@dataclass(frozen=True)
class SweepEnd:
    """How a sweep went.

    Parameters
    ----------
    points, done, kept, failed, lost : int
        Points in all; in the folder; of these from an earlier run; of these with an error as their row; without
        a row, because whatever evaluated them died again and again.
    seconds : float
        Of this run.
    reasons : tuple of str
        Why points were lost, each once.
    """

    points: int
    done: int
    kept: int
    failed: int
    lost: int
    seconds: float
    reasons: tuple[str, ...] = ()


def seconds_a_point(sweep: Sweep) -> float:
    """Measure how long a point takes in this process, over a few from all over the sweep (s).

    The first is done twice and counted once, since it may compile or load kernels.
    """
    form = form_of(sweep)
    count = min(_PROBES, sweep.count)
    numbers = [place * sweep.count // count for place in range(count)]
    evaluate(sweep, form, numbers[0], numbers[0] + 1)
    begun, done = time.perf_counter(), 0
    for number in _spread(numbers):
        evaluate(sweep, form, number, number + 1)
        done += 1
        if time.perf_counter() - begun > _PROBE_SECONDS:
            break
    return (time.perf_counter() - begun) / done


def _spread(numbers: list[int]) -> list[int]:
    """Return ``numbers`` with far ones beside each other, so that the first few stand for all."""
    step = next(step for step in (7, 5, 3, 1) if len(numbers) % step or step == 1)
    return [numbers[index * step % len(numbers)] for index in range(len(numbers))]


def part_points(sweep: Sweep, point_seconds: float, workers: int) -> int:
    """Return how many points a part gets, by what a point costs (s) and how many workers share the sweep.

    With many workers a part is long enough that writing keeps up with twice as many. Parts come in whole rounds, so
    that workers of the same speed end together.
    """
    least, most = PART_SECONDS
    shared = sweep.count * point_seconds / (workers * PARTS_A_WORKER)
    seconds = min(max(shared, least, 2 * workers * WRITE_SECONDS), most)
    size = max(1, min(round(seconds / point_seconds), MOST_PART_POINTS))
    rounds = math.ceil(sweep.count / (size * workers))
    return math.ceil(sweep.count / (rounds * workers))


def run_sweep(
    sweep: Sweep,
    out: str | Path,
    executor: Executor | None = None,
    new: bool = False,
    progress: Callable[[Progress], None] | None = None,
    point_seconds: float | None = None,
) -> SweepEnd:
    """Evaluate every point of a sweep that the folder lacks.

    Parameters
    ----------
    sweep : Sweep
        The question.
    out : str or Path
        Folder for the results: missing, empty, or of this very sweep, which is then continued.
    executor : Executor, optional
        Where evaluations run; default: this process.
    new : bool
        Drop what the folder holds of this or another sweep.
    progress : callable, optional
        Called at the start and after each part.
    point_seconds : float, optional
        What a point costs; default: measured. It sizes the parts of a new folder and leaves the rows as they are.

    Raises
    ------
    InputError
        The folder cannot take the results.
    OSError
        The disk is full or cannot be written; parts that are there stay whole, and a rerun goes on from them.
    """
    check_folder(sweep, out, new)
    begun = time.perf_counter()
    cost = point_seconds or seconds_a_point(sweep)
    reasons: dict[str, None] = {}
    with (
        executor or InProcess() as running,
        open_folder(sweep, out, part_points(sweep, cost, running.workers), new) as folder,
    ):
        before = folder.done()
        kept = done = sum(count.points for count in before.values())
        failed = sum(count.failed for count in before.values())
        lost = 0
        missing = (chunk for chunk in folder.chunks() if chunk not in before)

        def report() -> None:
            if progress:
                progress(Progress(sweep.count, done, kept, failed, lost))

        report()
        for outcome in running.run(partial(_part, pickle.dumps((sweep, folder.facts))), missing):
            if outcome.result is None:
                lost += outcome.item.points
                reasons[outcome.lost] = None
            else:
                written = folder.write(outcome.item, outcome.result)
                done += written.points
                failed += written.failed
            report()
    return SweepEnd(sweep.count, done, kept, failed, lost, time.perf_counter() - begun, tuple(reasons))


def _part(question: bytes, chunk: Chunk) -> pa.Table:
    """Evaluate a chunk, on whichever worker; the question travels as bytes, which a worker reads once.

    Raises
    ------
    ScalewallError
        The worker has other formulas or other figures of the machines than the sweep began with.
    """
    sweep, facts, form = _understood(question)
    table = evaluate(sweep, form, chunk.start, chunk.stop)
    _check_same(facts["machines"], machine_hashes(sweep))
    return table


@lru_cache(maxsize=1)
def _understood(question: bytes) -> tuple[Sweep, dict[str, Any], Form]:
    sweep, facts = pickle.loads(question)
    _check_same(facts, identity(sweep))
    return sweep, facts, form_of(sweep)


def _check_same(before: object, now: object) -> None:
    differs = difference(before, now)
    if differs:
        raise ScalewallError(f"{differs} is not what it was where the sweep began")
