"""Sweeps on a real Dask scheduler and workers, processes of their own on loopback; any of them may be killed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from scalewall.errors import InputError
from scalewall.study import Sweep, dask_executor, executor_of, run_sweep, sweep_of
from scalewall.study.executors import ExecutorLostError
from scalewall.study.running import Progress
from tests.study.studies import FAST, SEARCHED, rows_of, sized

POINTS = 2000
SECONDS = 0.05
"""What a point is said to cost: parts of 20 points, a hundred of them."""

CLIENT = f"""
import sys
from pathlib import Path
from scalewall.study import executor_of, run_sweep
from tests.study.studies import sized
run_sweep(sized({POINTS}), Path(sys.argv[1]), executor_of(sys.argv[2]), point_seconds={SECONDS})
"""


@dataclass(frozen=True)
class Cluster:
    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]


@contextmanager
def process(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run Python with ``arguments`` from the repository's root until the context ends."""
    started = subprocess.Popen([sys.executable, *arguments], stderr=subprocess.PIPE)
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    """Start a scheduler and workers without a nanny, one thread each."""
    file = folder / "scheduler.json"
    common = ("--scheduler-file", str(file), "--no-dashboard")
    with ExitStack() as opened:
        scheduler = opened.enter_context(
            process("-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", *common)
        )
        wait_for(lambda: file.exists() and file.read_text().endswith("}"))
        begin = ("-m", "distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1")
        local = ("--local-directory", str(folder))
        started = [opened.enter_context(process(*begin, *local, *common)) for _ in range(workers)]
        address = json.loads(file.read_text())["address"]
        yield Cluster(address, scheduler, started)


def wait_for(happened: object, seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    assert callable(happened)
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def parts_in(folder: Path) -> int:
    return len(list((folder / "rows").glob("part-*.parquet")))


def started(folder: Path) -> bool:
    """Tell whether a sweep is under way: some parts are there, and more are to come."""
    return parts_in(folder) >= 10


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("cluster"), 2) as running:
        yield running


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    folder = tmp_path_factory.mktemp("expected")
    run_sweep(sized(POINTS), folder)
    return rows_of(folder)


def same(folder: Path, rows: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(rows_of(folder), rows, check_exact=True)


@pytest.mark.parametrize("table", [FAST, SEARCHED], ids=["fast", "searched"])
def test_a_scheduler_elsewhere_makes_the_same_rows(
    tmp_path: Path, two: Cluster, table: dict[str, object]
) -> None:
    sweep: Sweep = sweep_of(table)
    run_sweep(sweep, tmp_path / "here")  # compiles what the workers load
    end = run_sweep(sweep, tmp_path / "there", executor_of(two.address), point_seconds=0.3)
    assert (end.done, end.lost) == (sweep.count, 0)
    same(tmp_path / "there", rows_of(tmp_path / "here"))


def test_a_cluster_of_this_machine_makes_the_same_rows(tmp_path: Path, expected: pd.DataFrame) -> None:
    executor = executor_of("dask", 1)
    assert run_sweep(sized(POINTS), tmp_path, executor, point_seconds=SECONDS).lost == 0
    assert executor.notes[0].startswith("Dask dashboard: http://127.0.0.1:")
    same(tmp_path, expected)


def test_a_killed_client_is_followed_by_another(tmp_path: Path, two: Cluster, expected: pd.DataFrame) -> None:
    with process("-c", CLIENT, str(tmp_path), two.address) as client:
        wait_for(lambda: started(tmp_path))
        client.kill()
        client.wait()
    kept = parts_in(tmp_path)
    assert kept < POINTS * SECONDS
    end = run_sweep(sized(POINTS), tmp_path, executor_of(two.address), point_seconds=SECONDS)
    assert (end.kept, end.done, end.lost) == (kept * 20, POINTS, 0)
    same(tmp_path, expected)


def test_a_killed_worker_is_made_up_for(tmp_path: Path, expected: pd.DataFrame) -> None:
    folder = tmp_path / "results"
    with cluster(tmp_path, 2) as running, process("-c", CLIENT, str(folder), running.address) as client:
        wait_for(lambda: started(folder))
        running.workers[0].send_signal(signal.SIGKILL)
        assert client.wait(120) == 0
    same(folder, expected)


def test_a_killed_scheduler_ends_the_run_and_a_rerun_goes_on(tmp_path: Path, expected: pd.DataFrame) -> None:
    folder = tmp_path / "results"
    with cluster(tmp_path, 2) as running, process("-c", CLIENT, str(folder), running.address) as client:
        wait_for(lambda: started(folder))
        running.scheduler.send_signal(signal.SIGKILL)
        _, error = client.communicate(timeout=120)
    assert client.returncode == 1
    assert error.decode().rstrip().endswith("ExecutorLostError: the Dask scheduler went away")
    kept = parts_in(folder)
    assert kept < POINTS * SECONDS
    end = run_sweep(sized(POINTS), folder)
    assert (end.kept, end.done) == (kept * 20, POINTS)
    same(folder, expected)


def test_a_cluster_without_workers_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_executor, "_LOOK_SECONDS", 0.1)
    monkeypatch.setattr(dask_executor, "_ALONE_SECONDS", 0.2)
    with cluster(tmp_path, 1) as running:

        def kill(step: Progress) -> None:
            if step.done:
                running.workers[0].kill()

        with pytest.raises(ExecutorLostError, match="no workers left"):
            run_sweep(
                sized(200),
                tmp_path / "results",
                executor_of(running.address),
                progress=kill,
                point_seconds=SECONDS,
            )


@pytest.mark.parametrize("address", ["tcp://", "tcp://host", "http://host:8786", "foo://host:1"])
def test_an_address_that_is_none_is_named(address: str) -> None:
    with pytest.raises(InputError, match="the address of a Dask scheduler"):
        executor_of(address)


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_executor, "_ANSWER_SECONDS", 0.3)
    with pytest.raises(InputError, match=r"--executor: .tcp://127\.0\.0\.1:1. "):
        executor_of("tcp://127.0.0.1:1").__enter__()
