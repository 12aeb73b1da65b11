"""Speed of the planner: one evaluation, one row of the validation, one fit; as ratios to the bounds asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter

from scalewall.planner.profile import load_profile
from scalewall.planner.step import step_time
from scalewall.validation.planner_cases import cases_of, predicted_seconds
from scalewall.validation.planner_fit import fit_profile
from scalewall.validation.runs import load_published

EVALUATION_BOUND = 5e-3
FIT_BOUND = 10.0
REPEATS = 200


def best(work: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        begun = perf_counter()
        work()
        times.append(perf_counter() - begun)
    return min(times)


def main() -> None:
    cases, _ = cases_of(step for step in load_published() if step.core)
    profile = load_profile("nemo-2024")
    own = [case for case in cases if case.profile.name == profile.name]
    runs = {batch: replace(own[0].run, global_batch=batch * own[0].run.global_batch) for batch in (1, 1024)}
    few, many = (
        best(lambda batch=batch: step_time(runs[batch], own[0].layout, profile), REPEATS)
        for batch in (1, 1024)
    )
    rows = best(lambda: [predicted_seconds(case, case.profile) for case in cases], 3) / len(cases)
    fit = best(lambda: fit_profile(profile, own), 1)
    print(f"one evaluation        {1e6 * few:8.0f} us  {few / EVALUATION_BOUND:6.3f} of the bound")
    print(f"1024 times the batch  {1e6 * many:8.0f} us  {many / few:6.2f} times as long")
    print(f"a published run       {1e6 * rows:8.0f} us  {rows / EVALUATION_BOUND:6.3f} of the bound")
    print(f"fit of {len(own)} runs       {fit:8.2f} s   {fit / FIT_BOUND:6.3f} of the bound")


if __name__ == "__main__":
    main()
