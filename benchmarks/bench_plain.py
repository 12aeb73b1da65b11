"""The compiled searches against plain Python that goes through the same plans, on a slice.

Reference search: whole runs of the curve, plan by plan, so the ratio is measured directly. Full search: too many
plans for plain Python, so a random sample of all choices of degrees, each with all its plans; extrapolated.

Run: python -m benchmarks.bench_plain
"""

from __future__ import annotations

import math
import random
import time
from itertools import product

from benchmarks.plain_model import batch
from benchmarks.plain_search import divisors, full_plans, reference_plans
from benchmarks.timing import heading, least_seconds, shown, table
from scalewall.hardware import Cluster
from scalewall.ideal.search import Searcher
from scalewall.ideal.space import SearchSpace
from scalewall.ideal.study import LimitsStudy
from scalewall.workload import MlpStack

MACHINE = "ref-h100"
REFERENCE_RUNS = (0, 8, 16)
FULL_RUN = 8
SAMPLE = 60
SEED = 20241101
ASPIRED = 1000


def plain_reference(study: LimitsStudy, stack: MlpStack, cluster: Cluster) -> tuple[int, float]:
    """Search the clusters upward in plain Python; return plans evaluated and the best batch's seconds."""
    deadline = study.duration_seconds * stack.batch_tokens / stack.tokens
    ranks, number, best = 1, 0, math.inf
    while best > deadline:
        for plan in reference_plans(stack, cluster, study.space, ranks):
            best = min(best, batch(stack, plan, cluster, study.model_switches).total)
            number += 1
        ranks *= 2
    return number, best


def reference_rows() -> list[tuple[str, ...]]:
    """Whole runs, both ways; the results must be the same."""
    study = LimitsStudy(machines=(MACHINE,), reference=True)
    cluster = study.cluster(MACHINE)
    searcher = Searcher.of(cluster, study.space, study.model_switches)
    rows, plain_total, compiled_total = [], 0.0, 0.0
    for index in REFERENCE_RUNS:
        stack = study.stacks[index]
        compiled = least_seconds(lambda stack=stack: searcher.best(stack, study.duration_seconds))
        before = time.process_time()
        plans, best = plain_reference(study, stack, cluster)
        plain = time.process_time() - before
        found, _ = searcher.best(stack, study.duration_seconds)
        if found is None or abs(found.terms.total / best - 1) > 1e-9:
            raise RuntimeError(f"plain Python and the compiled search differ at d_model {stack.d_model}")
        rows.append(_row(f"reference, d_model {stack.d_model}", plans, plain, compiled))
        plain_total, compiled_total = plain_total + plain, compiled_total + compiled
    rows.append(("reference, the slice", "", "", "", _ratio(plain_total, compiled_total)))
    return rows


def full_row() -> tuple[str, ...]:
    """A sample of all choices of degrees, with bounds that leave one choice each."""
    study = LimitsStudy(machines=(MACHINE,))
    cluster, stack = study.cluster(MACHINE), study.stacks[FULL_RUN]
    wholes = (stack.batch_per_expert, stack.d_model, stack.d_ff, stack.layers, stack.sparsity)
    choices = list(product(*map(divisors, wholes)))
    kinds = ("dp", "tp_model", "tp_ff", "pp", "ep")
    number, spent = 0, 0.0
    for degrees in random.Random(SEED).sample(choices, SAMPLE):
        bounds = {kind: (degree, degree) for kind, degree in zip(kinds, degrees, strict=True)}
        space = SearchSpace(bounds=bounds)
        before = time.process_time()
        for plan in full_plans(stack, cluster, space):
            batch(stack, plan, cluster, study.model_switches)
            number += 1
        spent += time.process_time() - before
    scale = len(choices) / SAMPLE
    searcher = Searcher.of(cluster, study.space, study.model_switches)
    compiled = least_seconds(lambda: searcher.best(stack, study.duration_seconds))
    name = f"full, d_model {stack.d_model}, extrapolated from {SAMPLE} of {len(choices):,} choices of degrees"
    return _row(name, round(number * scale), spent * scale, compiled)


def _ratio(plain: float, compiled: float) -> str:
    return f"{shown(plain / compiled)}x {'ok' if plain >= ASPIRED * compiled else 'BELOW 1000x'}"


def _row(name: str, plans: int, plain: float, compiled: float) -> tuple[str, ...]:
    return name, f"{plans:,}", f"{shown(plain)} s", f"{shown(compiled)} s", _ratio(plain, compiled)


def main() -> None:
    heading("Compiled searches against plain Python")
    table(("search", "plans", "plain Python", "compiled", "ratio"), [*reference_rows(), full_row()])


if __name__ == "__main__":
    main()
