"""Speed of the searches (processor time) and of the command (by the clock) against the bounds that we promise; memory.

Run: python -m benchmarks.bench_search
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import NamedTuple

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


class Row(NamedTuple):
    """One figure beside its bound; ``processors``: seconds of processors that a command took."""

    what: str
    measured: float
    bound: float
    unit: str = "s"
    processors: float | None = None

    def cells(self) -> tuple[str, ...]:
        """Return the row as text."""
        processors = "" if self.processors is None else f"{shown(self.processors)} s"
        measured, bound = f"{shown(self.measured)} {self.unit}", f"{self.bound:g} {self.unit}"
        return self.what, measured, processors, bound, "ok" if self.measured <= self.bound else "ABOVE"


def commands() -> list[Row]:
    """Measure commands by the clock, the first ones with nothing compiled."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = {"SCALEWALL_CACHE_DIR": folder}

        def row(what: str, arguments: list[str], bound: float, repeats: int) -> Row:
            spent = min((command(arguments, fresh) for _ in range(repeats)), key=lambda spent: spent.seconds)
            return Row(what, spent.seconds, bound, processors=spent.processors)

        reference = [*CLI, "--reference"]
        return [
            row("first `scalewall limits` ever, compilation included", CLI, 30, 1),
            row("first `limits --reference` after it", reference, 30, 1),
            row("later `limits`, reference grid", CLI, 2, 3),
            row("later `limits --reference`, reference grid", reference, 2, 3),
            row("`scalewall --help`", ["-m", "scalewall", "--help"], 0.5, 3),
            row("`import scalewall`", ["-c", "import scalewall"], 0.5, 3),
            Row(
                "peak memory of `limits` on the fine grid",
                command(FINE, fresh).bytes / 1e6,
                MEMORY_BOUND / 1e6,
                "MB",
            ),
        ]


def searches() -> list[Row]:
    """Measure searches in processor time, compiled before."""
    published, full = LimitsStudy(machines=(MACHINE,), reference=True), LimitsStudy(machines=(MACHINE,))
    fine = LimitsStudy(machines=(MACHINE,), grid=FINE_GRID)
    number = feasible(published)
    return [
        Row(f"reference search, {number} runs that finish", least_seconds(sweep(published, number)), 0.03),
        Row(f"full search, the same {number} runs", least_seconds(sweep(full, number)), 1),
        Row(f"full search, {len(full.stacks)} runs", least_seconds(sweep(full)), 1),
        Row(f"full search, {len(fine.stacks)} runs of a fine grid", least_seconds(sweep(fine), 1), 10),
    ]


def main() -> None:
    heading("Searches and command against their bounds")
    rows = [*commands(), *searches()]
    table(("what", "measured", "processors", "bound", ""), [row.cells() for row in rows])


if __name__ == "__main__":
    main()
