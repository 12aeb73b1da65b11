"""The page on speed has every row of the benchmark that it was made from."""

from __future__ import annotations

from pathlib import Path

from benchmarks import bench_growth, bench_schedules

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "performance.md").read_text(encoding="utf-8")


def test_the_growth_table_has_every_row_of_the_benchmark() -> None:
    names = [*bench_growth.BOUNDS, *(f"{n} network level" for n in range(1, len(bench_growth.LEVELS) + 1))]
    assert not [name for name in names if f"| {name}" not in PAGE]


def test_the_table_of_schedules_has_sizes_of_the_benchmark() -> None:
    rows = [
        f"| {stages} | {microbatches:,} | {chunks} |"
        for stages, microbatches, chunks in bench_schedules.SIZES
    ]
    assert sum(row in PAGE for row in rows) >= 5
