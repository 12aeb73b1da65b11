"""The same rows bit for bit, wherever and in whatever order they are made; whoever dies, none is lost or twice."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from scalewall.errors import InputError
from scalewall.study import InProcess, Sweep, executor_of, run_sweep, sweep_of
from scalewall.study.executors import LocalProcesses
from scalewall.study.running import part_points
from tests.study.studies import FAST, SEARCHED, rows_of
from tests.study.tasks import die_always, die_once


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pd.DataFrame]:
    found = {}
    for name, table in (("fast", FAST), ("searched", SEARCHED)):
        folder = tmp_path_factory.mktemp(name)
        run_sweep(sweep_of(table), folder)
        found[name] = rows_of(folder)
    return found


def same(folder: Path, rows: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(rows_of(folder), rows, check_exact=True)


class Backwards(InProcess):
    """Takes all tasks first and does the last one first."""

    def run(self, task, items: Iterable) -> Iterator:  # type: ignore[no-untyped-def,override,type-arg]
        return super().run(task, reversed(list(items)))


def test_order_makes_no_difference(tmp_path: Path, expected: dict[str, pd.DataFrame]) -> None:
    run_sweep(sweep_of(FAST), tmp_path, Backwards(), point_seconds=0.3)
    same(tmp_path, expected["fast"])


@pytest.mark.parametrize("workers", [1, 2])
def test_processes_make_the_same_rows(
    tmp_path: Path, workers: int, expected: dict[str, pd.DataFrame]
) -> None:
    for name, table in (("fast", FAST), ("searched", SEARCHED)):
        run_sweep(sweep_of(table), tmp_path / name, executor_of("processes", workers), point_seconds=0.3)
        same(tmp_path / name, expected[name])


def test_a_process_that_dies_is_replaced_and_its_task_done_again(tmp_path: Path) -> None:
    with LocalProcesses(2) as executor:
        outcomes = list(executor.run(partial(die_once, tmp_path / "died"), range(8)))
    assert sorted((outcome.item, outcome.result) for outcome in outcomes) == [(n, n * n) for n in range(8)]


def test_a_task_that_kills_every_process_is_given_up_and_the_others_done() -> None:
    with LocalProcesses(1) as executor:
        outcomes = {outcome.item: outcome for outcome in executor.run(die_always, range(5))}
    assert sorted(outcomes) == [0, 1, 2, 3, 4]
    assert [item for item, outcome in outcomes.items() if outcome.lost] == [3]
    assert outcomes[3].lost == "its process died, 3 times in a row"


UNGUARDED = """
from scalewall.study.executors import LocalProcesses
from tests.study.tasks import sleep_long
with LocalProcesses(1) as executor:
    list(executor.run(sleep_long, range(100)))
"""


def test_processes_that_cannot_start_end_the_run(tmp_path: Path) -> None:
    script = tmp_path / "unguarded.py"
    script.write_text(UNGUARDED)
    done = subprocess.run(
        [sys.executable, script],
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": "."},
        check=False,
        timeout=300,
    )
    assert "ExecutorLostError: no process of this machine starts" in done.stderr.rstrip().splitlines()[-1]


ORPHANS = """
from scalewall.study.executors import LocalProcesses
from scalewall.study.running import part_points
from tests.study.tasks import sleep_long
if __name__ == "__main__":
    with LocalProcesses(2) as executor:
        list(executor.run(sleep_long, range(4)))
"""


def test_processes_end_with_a_killed_parent(tmp_path: Path) -> None:
    script = tmp_path / "orphans.py"
    script.write_text(ORPHANS)
    parent = subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": "."}
    )
    assert parent.stdout is not None
    children = [int(parent.stdout.readline()) for _ in range(2)]
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 60
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    parent.stdout.close()


@pytest.mark.parametrize(
    ("point_seconds", "workers", "expected"),
    [(1e-4, 2, 3948), (1e-4, 64, 4688), (0.01, 2, 3000), (10.0, 2, 3), (1e-9, 1, 100_000), (0.5, 1, 60)],
)
def test_parts_are_long_beside_what_they_cost_and_come_in_whole_rounds(
    point_seconds: float, workers: int, expected: int
) -> None:
    sweep = Sweep("closed-forms", {}, {"months": tuple(range(1000)), "precision": tuple(range(300))})
    size = part_points(sweep, point_seconds, workers)
    assert sweep.count == 300_000
    assert size == expected
    assert math.ceil(sweep.count / size) % workers == 0


def test_executors_are_named() -> None:
    with pytest.raises(InputError, match="Nearest: processes"):
        executor_of("proceses")
    with pytest.raises(InputError, match="--workers: 2"):
        executor_of("in-process", 2)
    with pytest.raises(InputError, match="--workers: 2"):
        executor_of("tcp://127.0.0.1:8786", 2)
