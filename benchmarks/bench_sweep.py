"""Sweeps of a cheap grid: what they cost beside a plain loop over the API, two workers against one, memory.

Run: python benchmarks/bench_sweep.py [POINTS]
"""

from __future__ import annotations

import sys

from sweep_costs import Cost, now, sweep_cost

from scalewall.hardware import load_machine
from scalewall.ideal.closed_forms import QUARTER_SECONDS, critical_compute, latency_wall, layer_latency
from scalewall.study import Sweep, sweep_of

POINTS = 100_000
OVERHEAD = 0.10
SPEED_UP = 1.8
RUNS = (("in-process", None), ("processes", 1), ("processes", 2), ("dask", 1), ("dask", 2))


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
    print(f"\nOverhead in processor time; it should be at most {OVERHEAD:.0%}:")
    for (executor, count), cost in spent.items():
        print(f"{executor}, {count}: {cost.processors / loop.processors - 1:+.1%}")
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
