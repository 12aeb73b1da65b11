"""What a sweep costs by the clock, of processors in all its processes, and in memory."""

from __future__ import annotations

import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from scalewall.study import Sweep, executor_of, run_sweep
from scalewall.study.running import Progress

BEGIN = 0.1
"""Share of the points after which costs are counted."""
LOOK_SECONDS = 1.0


@dataclass(frozen=True)
class Cost:
    """What some work took: by the clock, and of processors in all processes (s)."""

    clock: float
    processors: float


def now() -> Cost:
    """Return the clock, and the processor time so far of this process and of those that it started."""
    here = psutil.Process()
    spent = 0.0
    for process in (here, *here.children(recursive=True)):
        with suppress(psutil.Error):
            times = process.cpu_times()
            spent += times.user + times.system
    return Cost(time.perf_counter(), spent)


class Memory:
    """Watches the resident memory of this process and of its largest child while it is open (bytes)."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, int]] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def _watch(self) -> None:
        here = psutil.Process()
        while not self._over.wait(LOOK_SECONDS):
            sizes = [0]
            for child in here.children(recursive=True):
                with suppress(psutil.Error):
                    sizes.append(child.memory_info().rss)
            self.seen.append((here.memory_info().rss, max(sizes)))

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()

    def growth(self, which: int) -> float:
        """Return the most of the last half over the most of the second quarter: 1 is flat."""
        sizes = [seen[which] for seen in self.seen]
        quarter = max(1, len(sizes) // 4)
        return max(sizes[2 * quarter :]) / max(sizes[quarter : 2 * quarter])


def sweep_cost(sweep: Sweep, executor: str, workers: int | None, point_seconds: float) -> tuple[Cost, Memory]:
    """Return what a sweep costs at the rate that it has from its first tenth on, and its memory.

    The start of processes, a second or two whatever the sweep, is left out by that.
    """
    marks: list[tuple[int, Cost]] = []

    def mark(step: Progress) -> None:
        if step.done == step.points or (not marks and step.done > BEGIN * step.points):
            marks.append((step.done, now()))

    with tempfile.TemporaryDirectory() as folder, Memory() as memory:
        end = run_sweep(
            sweep,
            Path(folder) / "results",
            executor_of(executor, workers),
            progress=mark,
            point_seconds=point_seconds,
        )
    assert end.done == sweep.count
    (first, begun), (_, over) = marks[0], marks[-1]
    whole = sweep.count / (sweep.count - first)
    return Cost((over.clock - begun.clock) * whole, (over.processors - begun.processors) * whole), memory
