"""Speed of the pipeline simulation: seconds and nanoseconds an operation over sizes, and against plain Python.

Run: python benchmarks/bench_schedules.py
"""

from __future__ import annotations

import importlib
import inspect
import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

from scalewall.cost.pipeline import (
    build_schedule,
    critical_path,
    peak_bytes,
    placement_of,
    simulate,
    split_backward,
    stage_costs,
)
from scalewall.cost.pipeline.events import run_events

SIZES = ((8, 32, 2), (16, 64, 4), (32, 128, 8), (64, 256, 8), (64, 512, 8), (64, 1024, 16))
BOUND_SHAPE = (64, 512, 8)
BOUND_SECONDS = 0.5
SEARCHED = ((8, 32), (16, 64), (32, 256))
PLAIN_SHAPE = (16, 64, 4)
REPEATS = 3


def best_seconds(call: Callable[..., Any], *arguments: Any) -> float:
    """Return the least time that ``call(*arguments)`` took."""
    spent = []
    for _ in range(REPEATS):
        before = time.process_time()
        call(*arguments)
        spent.append(time.process_time() - before)
    return min(spent)


def split_interleaved(shape: tuple[int, int, int]) -> Any:
    """Return interleaved 1F1B with split backwards: three operations a microbatch and chunk."""
    return split_backward(build_schedule("interleaved", *shape))


def sizes() -> None:
    print(
        "| stages | microbatches | chunks | operations | build s | simulate s | ns/operation | path, memory s |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for shape in SIZES:
        schedule = split_interleaved(shape)
        costs = stage_costs(schedule.placement)
        build = best_seconds(split_interleaved, shape)
        run = best_seconds(simulate, schedule, costs)
        done = simulate(schedule, costs)
        after = best_seconds(critical_path, done) + best_seconds(peak_bytes, done)
        stages, microbatches, chunks = shape
        print(
            f"| {stages} | {microbatches} | {chunks} | {schedule.operations:,} | {build:.3f} | {run:.4f} "
            f"| {1e9 * run / schedule.operations:.0f} | {after:.3f} |"
        )
        if shape == BOUND_SHAPE:
            bound = (build + run) / BOUND_SECONDS
    print(
        f"\nBuilding and simulating {BOUND_SHAPE}: {bound:.2f} of the {BOUND_SECONDS} s that it may take.\n"
    )


def searched() -> None:
    print("| stages | microbatches | search for zb-2p, s |")
    print("|---|---|---|")
    for stages, microbatches in SEARCHED:
        costs = stage_costs(placement_of("zb-2p", stages))
        spent = best_seconds(build_schedule, "zb-2p", stages, microbatches, 1, costs)
        print(f"| {stages} | {microbatches} | {spent:.3f} |")


def against_plain_python() -> None:
    schedule = split_interleaved(PLAIN_SHAPE)
    costs = stage_costs(schedule.placement)
    compiled = best_seconds(simulate, schedule, costs)
    module = importlib.import_module("scalewall.cost.pipeline.simulate")
    with patch.object(module, "run_events", inspect.unwrap(run_events)):
        plain = best_seconds(simulate, schedule, costs)
    print(
        f"\nCompiled against the same function in plain Python, {schedule.operations:,} operations: ", end=""
    )
    print(f"{plain / compiled:.0f} times as fast.")


if __name__ == "__main__":
    sizes()
    searched()
    against_plain_python()
