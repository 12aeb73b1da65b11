"""Sweeps of a cheap grid: what they cost beside a plain loop over the API, two workers against one, memory.

Run: python benchmarks/bench_sweep.py [POINTS]
"""

from __future__ import annotations

import resource
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

from scalewall.hardware import load_machine
from scalewall.ideal.closed_forms import QUARTER_SECONDS, critical_compute, latency_wall, layer_latency
from scalewall.study import Sweep, executor_of, run_sweep, sweep_of

POINTS = 100_000
OVERHEAD = 0.10
SPEED_UP = 1.8
LOOK_SECONDS = 0.1


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


def api_seconds(sweep: Sweep) -> float:
    """Return what the same answers take in a plain loop, kept in a list."""
    answers = []
    before = time.perf_counter()
    for machine in sweep.axes["machine"]:
        for bandwidth in sweep.axes["network.1.bandwidth"]:
            for latency in sweep.axes["network.1.latency"]:
                figures = {"network.1.bandwidth": bandwidth, "network.1.latency": latency}
                cluster = load_machine(str(machine), 16, figures)
                critical = critical_compute(cluster, seconds=QUARTER_SECONDS)
                wall = latency_wall(seconds=QUARTER_SECONDS, layer_seconds=layer_latency(cluster))
                answers.append((critical, wall))
    return time.perf_counter() - before


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
                try:
                    sizes.append(child.memory_info().rss)
                except psutil.Error:
                    continue
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


def sweep_seconds(sweep: Sweep, executor: str, workers: int | None, cost: float) -> tuple[float, Memory]:
    """Return how long a sweep takes at the rate it has from its first tenth on, and its memory.

    The start of processes, a second or two whatever the sweep, is left out by that.
    """
    marks: list[tuple[int, float]] = []
    with tempfile.TemporaryDirectory() as folder, Memory() as memory:
        end = run_sweep(
            sweep,
            Path(folder) / "results",
            executor_of(executor, workers),
            progress=lambda step: marks.append((step.done, time.perf_counter())),
            point_seconds=cost,
        )
    assert end.done == sweep.count
    first, begun = next(mark for mark in marks if mark[0] > 0.1 * sweep.count)
    return (marks[-1][1] - begun) * sweep.count / (sweep.count - first), memory


def main(points: int) -> None:
    """Print the ratios."""
    sweep = study(points)
    api_seconds(study(1000))
    loop = api_seconds(sweep)
    cost = loop / sweep.count
    print(f"{sweep.count:,} points; the plain loop: {loop:.1f} s, {cost * 1e6:.0f} us a point.\n")
    print("| executor | workers | s | beside the loop / workers | client's memory | worker's memory |")
    print("|---|---|---|---|---|---|")
    spent = {}
    for executor, workers in (
        ("in-process", None),
        ("processes", 1),
        ("processes", 2),
        ("dask", 1),
        ("dask", 2),
    ):
        seconds, memory = sweep_seconds(sweep, executor, workers, cost)
        count = workers or 1
        spent[executor, count] = seconds
        worker = "" if workers is None else f"{memory.growth(1):.2f}"
        print(f"| {executor} | {count} | {seconds:.1f} | {seconds * count / loop:.2f} |", end="")
        print(f" {memory.growth(0):.2f} | {worker} |", flush=True)
    print(f"\nIn this process {spent['in-process', 1] / loop - 1:+.1%} over the loop; ", end="")
    print(f"at most {OVERHEAD:.0%} is what it should be.")
    for executor in ("processes", "dask"):
        ratio = spent[executor, 1] / spent[executor, 2]
        print(
            f"Two workers are {ratio:.2f} times as fast as one ({executor}); at least {SPEED_UP} is what it should be."
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"Memory: growth from the second quarter of a run to its end; 1 is flat. Most in this process: {peak:.0f} MiB."
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else POINTS)
