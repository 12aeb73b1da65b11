"""Sweeps of a cheap grid: what they cost beside a plain loop over the API, two workers against one, memory.

Run: python benchmarks/bench_sweep.py [POINTS]
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from scalewall.hardware import load_machine
from scalewall.ideal.closed_forms import QUARTER_SECONDS, critical_compute, latency_wall, layer_latency
from scalewall.study import Sweep, executor_of, run_sweep, sweep_of
from scalewall.study.running import Progress

POINTS = 100_000
OVERHEAD = 0.10
SPEED_UP = 1.8
BEGIN = 0.1
"""Share of the points after which costs are counted."""
RUNS = (("in-process", None), ("processes", 1), ("processes", 2), ("dask", 1), ("dask", 2))
LOOK_SECONDS = 1.0


def study(points: int) -> Sweep:
    """Return closed forms of four machines over the bandwidth and latency of their outer network."""
    side = round((points / 4) ** 0.5)
    return sweep_of(
        {
            "axes": {
                "machine": ["v100", "a100-80gb", "h100", "b200"],
                "network.1.bandwidth": {"from": 10e9, "to": 1e12, "count": side, "spacing": "log"},
                "network.1.latency": {"from": 1e-6, "to": 1e-4, "count": side, "spacing": "log"},
            },
            "outputs": {"kind": "closed-forms"},
        }
    )


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


def api_cost(sweep: Sweep) -> Cost:
    """Return what the same answers take in a plain loop, kept in a list."""
    answers = []
    before = now()
    for machine in sweep.axes["machine"]:
        for bandwidth in sweep.axes["network.1.bandwidth"]:
            for latency in sweep.axes["network.1.latency"]:
                figures = {"network.1.bandwidth": bandwidth, "network.1.latency": latency}
                cluster = load_machine(str(machine), 16, figures)
                critical = critical_compute(cluster, seconds=QUARTER_SECONDS)
                wall = latency_wall(seconds=QUARTER_SECONDS, layer_seconds=layer_latency(cluster))
                answers.append((critical, wall))
    after = now()
    return Cost(after.clock - before.clock, after.processors - before.processors)


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


def main(points: int) -> None:
    """Print the ratios."""
    sweep = study(points)
    api_cost(study(1000))
    loop = api_cost(sweep)
    each = loop.processors / sweep.count
    print(f"{sweep.count:,} points; a plain loop over the API takes {each * 1e6:.0f} us of a processor each.")
    print("Beside the loop, by the clock (on a machine that does nothing else) and in processor time;")
    print("memory: most of a run's second half over most of its second quarter, 1 is flat.\n")
    print("| executor | workers | clock x workers | processor time | client's memory | a worker's memory |")
    print("|---|---|---|---|---|---|")
    spent: dict[tuple[str, int], Cost] = {}
    for executor, workers in RUNS:
        cost, memory = sweep_cost(sweep, executor, workers, each)
        count = workers or 1
        spent[executor, count] = cost
        worker = "" if workers is None else f"{memory.growth(1):.2f}"
        print(f"| {executor} | {count} | {cost.clock * count / loop.clock:.2f} ", end="")
        print(f"| {cost.processors / loop.processors:.2f} | {memory.growth(0):.2f} | {worker} |", flush=True)
    overhead = spent["in-process", 1].processors / loop.processors - 1
    print(
        f"\nOverhead in this process: {overhead:+.1%} of processor time; it should be at most {OVERHEAD:.0%}."
    )
    for executor in ("processes", "dask"):
        one, two = spent[executor, 1], spent[executor, 2]
        print(
            f"Two workers against one ({executor}): {one.clock / two.clock:.2f} times as fast by the clock, ",
            end="",
        )
        print(
            f"for {two.processors / one.processors:.2f} times the processor time; it should be {SPEED_UP} at least."
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else POINTS)
