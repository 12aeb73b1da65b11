"""A results folder: parts whole or absent, reruns go on, another study or another thing in the way is refused."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

from scalewall._version import __version__
from scalewall.errors import InputError
from scalewall.hardware import load_machine
from scalewall.ideal.closed_forms import QUARTER_SECONDS, critical_compute
from scalewall.study import Results, run_sweep, sweep_of
from scalewall.study.running import Progress
from tests.study.studies import FAST, WITH_FAILURES, rows_of

SECONDS = 0.2
"""What a point is said to cost, so that a part has two."""


@pytest.fixture
def done(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    run_sweep(sweep_of(FAST), folder, point_seconds=SECONDS)
    return folder


def parts_of(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (folder / "rows").iterdir()}


def test_rows_are_every_point_once_with_its_inputs(done: Path) -> None:
    sweep = sweep_of(FAST)
    rows = rows_of(done)
    assert list(rows["point"]) == list(range(30))
    assert list(rows["sample"]) == [0, 1, 2] * 10
    for point in sweep.points(0, 30):
        row = rows.loc[point.number]
        assert all(row[path] == value for path, value in point.values.items())
    assert rows["error"].isna().all()
    cluster = load_machine(
        "a100-80gb", overrides={"network.1.bandwidth": rows.loc[20, "network.1.bandwidth"]}
    )
    seconds = rows.loc[20, "months"] / 3 * QUARTER_SECONDS
    assert rows.loc[20, "critical_compute_flop"] == critical_compute(cluster, seconds=seconds)
    assert len(parts_of(done)) == 15


def test_everyone_reads_the_rows_as_the_docs_say(done: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = (Path(__file__).parents[2] / "docs" / "sweeps.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(pandas\.read.*?)```", docs, re.DOTALL)
    monkeypatch.chdir(done.parent)
    names: dict[str, Any] = {"pandas": pd, "polars": pl, "duckdb": duckdb}
    named = {
        "pandas.": "from_pandas = pandas.",
        "polars.": "from_polars = polars.",
        "duckdb.": "found = duckdb.",
    }
    for before, after in named.items():
        block = block.replace(before, after)
    exec(block, names)
    rows = rows_of(done)
    total = rows["latency_wall_flop"].sum()
    assert names["from_pandas"]["latency_wall_flop"].sum() == total
    assert names["from_polars"].columns == list(rows.columns)
    assert names["from_polars"]["latency_wall_flop"].to_list() == list(rows["latency_wall_flop"])
    assert sorted(names["found"].fetchall()) == [("a100-80gb", 400e9), ("h100", 400e9)]


def test_study_versions_and_seed_are_in_the_metadata(done: Path) -> None:
    manifest = json.loads((done / "manifest.json").read_text())
    assert manifest["identity"]["study"] == FAST
    assert manifest["identity"]["seed"] == 7
    assert manifest["identity"]["versions"]["scalewall"] == __version__
    part = min((done / "rows").iterdir())
    metadata = pq.read_metadata(part).metadata
    assert json.loads(metadata[b"scalewall.study"]) == FAST
    assert metadata[b"scalewall.seed"] == b"7"
    assert json.loads(metadata[b"scalewall.versions"])["numpy"] == np.__version__


def test_a_rerun_does_only_what_is_missing(done: Path) -> None:
    rows, before = rows_of(done), parts_of(done)
    gone, broken = sorted(before)[3], sorted(before)[5]
    (done / "rows" / gone).unlink()
    whole = (done / "rows" / broken).read_bytes()
    (done / "rows" / broken).write_bytes(whole[: len(whole) // 2])
    (done / "rows" / f".{gone}.partial").write_bytes(b"half")
    steps: list[Progress] = []
    end = run_sweep(sweep_of(FAST), done, progress=steps.append)
    assert (end.done, end.kept, end.failed, end.lost) == (30, 26, 0, 0)
    assert [step.done for step in steps] == [26, 28, 30]
    after = parts_of(done)
    assert {name for name in after if after[name] != before.get(name)} == {gone, broken}
    pd.testing.assert_frame_equal(rows_of(done), rows, check_exact=True)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda table: table["samples"].update(seed=8), "study.samples.seed"),
        (lambda table: table["axes"]["machine"].append("v100"), "study.axes.machine"),
        (lambda table: table.update(fixed={"precision": 32}), "study.fixed"),
    ],
)
def test_another_study_is_refused_unless_new(done: Path, change: Any, named: str) -> None:
    before = parts_of(done)
    table = deepcopy(FAST)
    change(table)
    with pytest.raises(InputError, match=f"{named}; --new"):
        run_sweep(sweep_of(table), done, point_seconds=SECONDS)
    assert parts_of(done) == before
    run_sweep(sweep_of(table), done, new=True, point_seconds=SECONDS)
    assert Results.open(done).manifest["identity"]["study"] == table


def test_another_version_is_another_study(done: Path) -> None:
    path = done / "manifest.json"
    path.write_text(path.read_text().replace(f'"{__version__}"', '"0.0.1"'))
    with pytest.raises(InputError, match=r"differs in versions\.scalewall"):
        run_sweep(sweep_of(FAST), done)


@pytest.mark.parametrize("name", ["notes.txt", "rows"])
def test_a_folder_that_holds_something_else_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "mine").touch()
    with pytest.raises(InputError, match=f"holds '{name}'"):
        run_sweep(sweep_of(FAST), tmp_path, new=True)
    assert (tmp_path / name / "mine").exists()


def test_a_file_of_somebody_else_among_the_rows_is_refused_and_left_alone(done: Path) -> None:
    (done / "rows" / "mine.parquet").touch()
    with pytest.raises(InputError, match=r"holds 'rows/mine\.parquet'"):
        run_sweep(sweep_of(FAST), done, new=True)
    assert len(parts_of(done)) == 16


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"--out: .* is not usable\. Allowed: a folder that can be made"):
        run_sweep(sweep_of(FAST), tmp_path / "file" / "results")


def test_starting_over_goes_on_wherever_it_is_killed(done: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = deepcopy(FAST)
    table["samples"]["seed"] = 8

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    for killed in ("write_manifest", "shutil.rmtree"):
        with monkeypatch.context() as patched:
            patched.setattr(f"scalewall.study.store.{killed}", die)
            with pytest.raises(KeyboardInterrupt):
                run_sweep(sweep_of(table), done, new=True, point_seconds=SECONDS)
        assert run_sweep(sweep_of(FAST), done, point_seconds=SECONDS).done == 30
    assert run_sweep(sweep_of(table), done, new=True, point_seconds=SECONDS).kept == 0


def test_a_machine_file_that_changes_under_way_spoils_no_rows(tmp_path: Path) -> None:
    machine = tmp_path / "mine.toml"
    text = (
        'schema = 1\nname = "mine"\ntitle = "Mine"\nkind = "user"\nbase = "h100"\n'
        '[network.1]\nlatency = {{ value = {}, evidence = "assumed", note = "ours" }}\n'
    )
    machine.write_text(text.format(1e-6))
    table = {"fixed": {"machine": str(machine)}, "axes": {"months": [1, 2, 3, 4]}, "outputs": FAST["outputs"]}

    def change(step: Progress) -> None:
        if step.done == 2:
            machine.write_text(text.format(2e-6))

    end = run_sweep(sweep_of(table), tmp_path / "results", progress=change, point_seconds=SECONDS)
    assert (end.done, end.lost) == (2, 2)
    assert f"{machine} is not what it was" in end.reasons[0]
    with pytest.raises(InputError, match="differs in machines"):
        run_sweep(sweep_of(table), tmp_path / "results")


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="this is a file"):
        run_sweep(sweep_of(FAST), tmp_path / "file")


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    sweep = sweep_of(FAST)

    def meddle(step: Progress) -> None:
        if step.done == 2:
            with pytest.raises(InputError, match="no other running sweep"):
                run_sweep(sweep, tmp_path, point_seconds=SECONDS)

    assert run_sweep(sweep, tmp_path, progress=meddle, point_seconds=SECONDS).done == 30


def test_a_point_that_fails_is_a_row_with_its_error(tmp_path: Path) -> None:
    end = run_sweep(sweep_of(WITH_FAILURES), tmp_path)
    assert (end.done, end.failed, end.lost) == (4, 1, 0)
    rows = rows_of(tmp_path)
    (failed,) = rows.index[rows["error"].notna()]
    assert (rows.loc[failed, "machine"], rows.loc[failed, "precision"]) == ("h100", 4)
    assert rows.loc[failed, "error"].startswith("InputError: precision: 4 is not usable")
    assert pd.isna(rows.loc[failed, "critical_compute_flop"])
    again = run_sweep(sweep_of(WITH_FAILURES), tmp_path)
    assert (again.kept, again.failed) == (4, 1)


@pytest.fixture
def file_limit() -> Iterator[int]:
    """Let no file grow beyond a few kilobytes, as on a folder with a quota."""
    size = 6000
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    yield size
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.usefixtures("file_limit")
def test_a_part_that_does_not_fit_leaves_nothing_behind(tmp_path: Path) -> None:
    table = FAST | {"samples": FAST["samples"] | {"count": 100}}
    with pytest.raises(OSError, match="File too large"):
        run_sweep(sweep_of(table), tmp_path)
    assert list((tmp_path / "rows").iterdir()) == []


KILLED = """
import os, signal
from pathlib import Path
from scalewall.study import run_sweep, sweep_of
from tests.study.studies import FAST

def die(step):
    if step.done == {at}:
        os.kill(os.getpid(), signal.SIGKILL)

run_sweep(sweep_of(FAST), Path({folder!r}), progress=die, point_seconds=0.2)
"""


def test_a_killed_run_is_finished_by_the_next(tmp_path: Path, done: Path) -> None:
    folder = tmp_path / "killed"
    code = KILLED.format(at=6, folder=str(folder))
    killed = subprocess.run([sys.executable, "-c", code], check=False, env=os.environ | {"PYTHONPATH": "."})
    assert killed.returncode == -signal.SIGKILL
    assert len(parts_of(folder)) == 3
    assert run_sweep(sweep_of(FAST), folder).kept == 6
    pd.testing.assert_frame_equal(rows_of(folder), rows_of(done), check_exact=True)
