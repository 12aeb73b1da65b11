"""Speed of the catalogue (processor time): loading every machine, the curves of all that the ideal model can use.

Run: python benchmarks/bench_catalogue.py
"""

from __future__ import annotations

import subprocess
import sys
import time

from scalewall.hardware import read_machine, usable_products
from scalewall.ideal.search import Searcher
from scalewall.ideal.study import LimitsStudy

LOAD_SECONDS = 0.050
CURVES_SECONDS = 5.0
REPEATS = 5

LOAD = """
import time
from scalewall.hardware import machine_names, read_machine
before = time.process_time()
names = machine_names()
for name in names:
    read_machine(name)
print(len(names), time.process_time() - before)
"""


def load() -> None:
    """Print how long reading and checking every machine takes in a fresh process."""
    runs = [
        subprocess.run(
            [sys.executable, "-c", LOAD], capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(REPEATS)
    ]
    spent = min(float(seconds) for _, seconds in runs)
    print(
        f"Reading and checking {runs[0][0]} machines: {spent:.3f} s, {spent / LOAD_SECONDS:.2f} of the ",
        end="",
    )
    print(f"{LOAD_SECONDS} s that it may take.\n")


def curves() -> None:
    """Print how long the reference search takes over the published grid, machine by machine."""
    study = LimitsStudy(machines=tuple(usable_products()), search="reference")
    curve_seconds(study, study.machines[0])
    spent = {machine: curve_seconds(study, machine) for machine in study.machines}
    print("| machine | domain | curve, s |")
    print("|---|---|---|")
    for machine, seconds in sorted(spent.items(), key=lambda item: -item[1]):
        domain = read_machine(machine).figures["network.0.size"].value
        print(f"| {machine} | {domain:g} | {seconds:.3f} |")
    total = sum(spent.values())
    print(f"\nCurves of {len(spent)} machines, {len(study.stacks)} runs each: {total:.2f} s, ", end="")
    print(f"{total / CURVES_SECONDS:.2f} of the {CURVES_SECONDS:g} s that they may take.")


def curve_seconds(study: LimitsStudy, machine: str) -> float:
    """Return the seconds of one machine's curve, without the reasons for runs that do not finish."""
    searcher = Searcher.of(study.cluster(machine), study.space, study.model_switches)
    before = time.process_time()
    for stack in study.stacks:
        searcher.best(stack, study.duration_seconds)
    return time.process_time() - before


if __name__ == "__main__":
    load()
    curves()
