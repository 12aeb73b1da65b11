"""Sampled limits of an H100: worlds a second, beside one curve's cost times their number; two workers against one.

Run: python benchmarks/bench_uncertainty.py [WORLDS]
"""

from __future__ import annotations

import resource
import sys
import time

from sweep_costs import sweep_cost

from scalewall.ideal.limits import limits_of
from scalewall.ideal.study import LimitsStudy
from scalewall.study.running import seconds_a_point
from scalewall.study.uncertain_inputs import default_table, worlds_of
from scalewall.study.uncertain_question import Question, question_of

WORLDS = 400
ASKED = 10_000
CORES = 2
MOST_MINUTES = {"reference": 5, "full": 45}
FULL_SHARE = 8
"""One world in so many is enough with the full search, which takes about so many times as long."""
MOST_BYTES = 1e9
CURVES = 5


def question(worlds: int, search: str) -> Question:
    """Return the default beliefs about an H100 on the reference grid."""
    return question_of(worlds_of(default_table("h100"), fixed={"search": search}), samples=worlds)


def curve_seconds(search: str) -> float:
    """Return the processor time of one curve as `scalewall limits` computes it, least of a few (s)."""
    study = LimitsStudy(search=search)
    limits_of(study, "h100")
    costs = []
    for _ in range(CURVES):
        begun = time.process_time()
        limits_of(study, "h100")
        costs.append(time.process_time() - begun)
    return min(costs)


def main(worlds: int) -> None:
    """Print the rates."""
    print(
        "Sampled limits of an H100, default beliefs. Worlds a second are by the clock, on a machine that does"
    )
    print(f"nothing else; minutes are {ASKED:,} times the processor time over {CORES} cores.\n")
    print(
        "| search | workers | worlds | worlds/s | processor time | beside curves | minutes for 10,000 | at most |"
    )
    print("|---|---|---|---|---|---|---|---|")
    fastest = {}
    for search, most in MOST_MINUTES.items():
        count = worlds if search == "reference" else max(16, worlds // FULL_SHARE)
        curve = curve_seconds(search)
        sweep = question(count, search).sweep
        each = seconds_a_point(sweep)
        for workers in (1, 2):
            cost, memory = sweep_cost(sweep, "processes", workers, each)
            rate, spent = count / cost.clock, cost.processors / count
            fastest[search, workers] = rate
            print(f"| {search} | {workers} | {count:,} | {rate:.1f} | {spent * 1e3:.0f} ms each ", end="")
            print(
                f"| {spent / curve:.2f} x {curve * 1e3:.0f} ms | {ASKED * spent / CORES / 60:.1f} | {most} |",
                flush=True,
            )
    for search in MOST_MINUTES:
        ratio = fastest[search, 2] / fastest[search, 1]
        print(
            f"\nTwo workers against one ({search}): {ratio:.2f} times as fast, on a machine that does nothing else."
        )
    here = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    worker = max(size for _, size in memory.seen)
    print(
        f"Memory: {here / 1e6:.0f} MB here and {worker / 1e6:.0f} MB a worker; at most {MOST_BYTES / 1e6:.0f} MB."
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else WORLDS)
