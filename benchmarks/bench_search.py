"""Speed of the searches and of the command against the bounds that we promise, and peak memory.

Run: python -m benchmarks.bench_search
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable

from benchmarks.timing import command, heading, least_seconds, shown, table
from scalewall.ideal.search import Searcher
from scalewall.ideal.study import LimitsStudy

MACHINE = "ref-h100"
FINE_GRID = (135, 12288.0, 128 * 12288.0)
MEMORY_BOUND = 300e6
CLI = ["-m", "scalewall", "limits", "--machine", MACHINE]
FINE = [*CLI, "--grid", ",".join(f"{number:g}" for number in FINE_GRID)]


def sweep(study: LimitsStudy, runs: int | None = None) -> Callable[[], None]:
    """Return a call that searches the best plan of each run of a study, or of its first ``runs``."""
    searcher = Searcher.of(study.cluster(MACHINE), study.space, study.model_switches)
    stacks, duration = study.stacks[:runs], study.duration_seconds

    def search() -> None:
        for stack in stacks:
            searcher.best(stack, duration)

    return search


def feasible(study: LimitsStudy) -> int:
    """How many runs of a study finish in time; they come first."""
    searcher = Searcher.of(study.cluster(MACHINE), study.space, study.model_switches)
    return sum(searcher.best(stack, study.duration_seconds)[0] is not None for stack in study.stacks)


def main() -> None:
    heading("Searches and command against their bounds")
    rows: list[tuple[str, float, float, str]] = []
    with tempfile.TemporaryDirectory() as folder:
        fresh = {"SCALEWALL_CACHE_DIR": folder}
        first = command(CLI, fresh)
        rows.append(("first `scalewall limits` ever, compilation included", first.seconds, 30, "s"))
        second = command([*CLI, "--reference"], fresh)
        rows.append(("first `limits --reference` after it", second.seconds, 30, "s"))
        for name, arguments in (("limits", CLI), ("limits --reference", [*CLI, "--reference"])):
            later = min((command(arguments, fresh) for _ in range(3)), key=lambda spent: spent.seconds)
            rows.append((f"later `{name}`, reference grid", later.seconds, 2, "s"))
        peak = command(FINE, fresh).bytes
    helped = min(command(["-m", "scalewall", "--help"]).seconds for _ in range(3))
    rows.append(("`scalewall --help`", helped, 0.5, "s"))
    published, full = LimitsStudy(machines=(MACHINE,), reference=True), LimitsStudy(machines=(MACHINE,))
    fine = LimitsStudy(machines=(MACHINE,), grid=FINE_GRID)
    number = feasible(published)
    rows.append(
        (f"reference search, {number} runs that finish", least_seconds(sweep(published, number)), 0.03, "s")
    )
    rows.append((f"full search, the same {number} runs", least_seconds(sweep(full, number)), 1, "s"))
    rows.append((f"full search, {len(full.stacks)} runs", least_seconds(sweep(full)), 1, "s"))
    rows.append(
        (f"full search, {len(fine.stacks)} runs of a fine grid", least_seconds(sweep(fine), 1), 10, "s")
    )
    rows.append(("peak memory of `limits` on the fine grid", peak / 1e6, MEMORY_BOUND / 1e6, "MB"))
    table(
        ("what", "measured", "bound", ""),
        [
            (what, f"{shown(value)} {unit}", f"{bound:g} {unit}", "ok" if value <= bound else "ABOVE")
            for what, value, bound, unit in rows
        ],
    )


if __name__ == "__main__":
    main()
