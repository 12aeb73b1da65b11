"""How the cost of a curve grows: with network levels, the grid, and bounds on the search.

Run: python -m benchmarks.bench_growth
"""

from __future__ import annotations

import dataclasses
import time

from benchmarks.timing import heading, least_seconds, shown, table
from scalewall.hardware import Cluster, Network, NetworkLevel, load_machine
from scalewall.ideal.search import Searcher
from scalewall.ideal.study import LimitsStudy

AT_ONCE = 1.0
"""Seconds beyond which a curve is not searched again for a better time."""
HOP = 1.125e-6
LEVELS = (
    NetworkLevel("NVLink", 8, 450e9, HOP),
    NetworkLevel("pod", 32, 225e9, HOP),
    NetworkLevel("data centre", 1024, 50e9, HOP),
    NetworkLevel("between data centres", None, 5e9, HOP),
)
"""Sizes and bandwidths of the paper's superpod (arXiv 2411.01137), and an invented level around it: only the time
of the search is looked at."""
BOUNDS: dict[str, dict[str, object]] = {
    "no bounds": {},
    "domains filled exactly": {"domain_filling": "exact"},
    "tensor parallelism inside a node": {"tensor_levels": 1},
    "1F1B only": {"schedule": "1f1b"},
    "zero bubble only": {"schedule": "zero-bubble"},
    "chunks where PP divides microbatches": {"classic_order": True},
    "tp 1 to 64": {"bounds": {"tp": (1, 64)}},
    "pp 1 to 16": {"bounds": {"pp": (1, 16)}},
    "at most a million accelerators": {"bounds": {"n_gpu": (1, 10**6)}},
    "nothing overlaps": {"overlap_tensor": False, "overlap_point_to_point": False},
    "latency of trees": {"latency_model": "tree"},
}


def seconds_and_plans(study: LimitsStudy, cluster: Cluster) -> tuple[float, int]:
    """Processor time of a curve, and how many plans it evaluated."""
    searcher = Searcher.of(cluster, study.space, study.model_switches)

    def search() -> int:
        return sum(searcher.best(stack, study.duration_seconds)[1] for stack in study.stacks)

    before = time.process_time()
    plans = search()
    spent = time.process_time() - before
    return (spent if spent > AT_ONCE else least_seconds(search, 2)), plans


def row(name: str, cluster: Cluster, **settings: object) -> tuple[str, ...]:
    """Both searches of one curve."""
    found = [name]
    for method in ("full", "reference"):
        study = LimitsStudy(**{"machines": ("ref-h100",), "search": method} | settings)  # type: ignore[arg-type]
        seconds, plans = seconds_and_plans(study, cluster)
        found += [f"{shown(seconds)} s", f"{plans:,}"]
    return (*found[:1], str(len(study.stacks)), *found[1:])


def with_levels(number: int) -> Cluster:
    """The reference H100 on the innermost levels, the outermost of them unbounded."""
    outermost = dataclasses.replace(LEVELS[number - 1], size=None)
    return dataclasses.replace(load_machine("ref-h100"), network=Network((*LEVELS[: number - 1], outermost)))


def main() -> None:
    heading("How the cost of a curve grows")
    h100 = load_machine("ref-h100")
    row("compile", h100)
    rows = [row(f"{number} network level(s)", with_levels(number)) for number in range(1, len(LEVELS) + 1)]
    rows += [row(f"grid with F = {odd}", h100, grid=(odd, 12288, 128 * 12288)) for odd in (15, 31, 63, 127)]
    rows += [row(name, h100, **settings) for name, settings in BOUNDS.items()]
    table(("curve of ref-h100", "runs", "full search", "plans", "reference search", "plans"), rows)


if __name__ == "__main__":
    main()
