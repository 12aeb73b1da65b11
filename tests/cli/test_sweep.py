"""``scalewall sweep`` and ``results``: a study from file to picture, what stops it and how it says so."""

from __future__ import annotations

import csv
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest

from tests.cli.running import run, start

COMMAND = import_module("scalewall.cli.sweep_running")

STUDY = """
[axes]
machine = ["h100", "b200"]
months = [3, 6, 12]
network.1.bandwidth = { from = 25e9, to = 400e9, count = 5, spacing = "log" }
[outputs]
kind = "closed-forms"
"""

LONG = """
[axes]
network.1.bandwidth = { from = 25e9, to = 400e9, count = 1000 }
network.1.latency = { from = 1e-6, to = 1e-5, count = 1000 }
[outputs]
kind = "closed-forms"
"""
"""A million points: minutes of work."""

HERE = ("--executor", "in-process")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    file = tmp_path / "study.toml"
    file.write_text(STUDY)
    return file


@pytest.fixture
def results(study: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    done = run("sweep", study, "--out", folder, *HERE)
    assert done.code == 0, done.err
    assert done.out == ""
    assert "30 points, about" in done.err
    assert "results holds 30 of 30." in done.err
    return folder


def test_a_dry_run_counts_and_estimates_and_writes_nothing(study: Path, tmp_path: Path) -> None:
    done = run("sweep", study, "--out", tmp_path / "results", "--dry-run", "--workers", "2")
    assert done.code == 0
    assert "30 points, each: closed-forms" in done.out
    assert "25 GB/s, 50 GB/s, 100 GB/s, 200 GB/s" in done.out
    assert "on 2 workers" in done.err
    assert list(tmp_path.iterdir()) == [study]


def test_a_second_run_goes_on_from_the_first(study: Path, results: Path) -> None:
    done = run("sweep", study, "--out", results, *HERE)
    assert "30 points are there from an earlier run." in done.err
    study.write_text(STUDY.replace("12]", "24]"))
    refused = run("sweep", study, "--out", results, *HERE)
    assert refused.code == 2
    assert "this one's differs in study.axes.months" in refused.err
    assert run("sweep", study, "--out", results, *HERE, "--new").code == 0


def test_failed_points_give_exit_code_1_and_the_summary_says_why(study: Path, tmp_path: Path) -> None:
    study.write_text(STUDY.replace("months = [3, 6, 12]", "precision = [16, 4]"))
    done = run("sweep", study, "--out", tmp_path / "results", *HERE)
    assert done.code == 1
    assert "5 points failed" in done.err
    shown = run("results", "summarize", tmp_path / "results")
    assert "20 of 20 points, 5 failed, 20 rows." in shown.out
    assert "precision: 4 is not usable" in " ".join(shown.out.split())
    failed = run("results", "query", tmp_path / "results", "--where", "error != none", "--json")
    assert {(row["machine"], row["precision"]) for row in json.loads(failed.out)} == {("h100", 4)}


@pytest.mark.parametrize(
    ("before", "after", "named"),
    [
        ("bandwidth", "bandwith", "axes: 'network.1.bandwith'"),
        ("[3, 6, 12]", "[]", "axes.months: []"),
        ("to = 400e9", "to = inf", "axes.network.1.bandwidth.to: inf"),
        ("[axes]", "[axes", "study: "),
    ],
)
def test_a_bad_study_is_refused_before_anything_starts(
    study: Path, tmp_path: Path, before: str, after: str, named: str
) -> None:
    study.write_text(STUDY.replace(before, after))
    done = run("sweep", study, "--out", tmp_path / "results")
    assert done.code == 2
    assert done.err.startswith(f"error: {named}")
    assert not (tmp_path / "results").exists()


def test_bad_options_are_refused(study: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").touch()
    for options, named in (
        (("--out", tmp_path / "mine"), "holds 'notes.txt'"),
        ((), "--out is missing"),
        (("--out", tmp_path / "new", "--executor", "dsk"), "Nearest: dask"),
    ):
        done = run("sweep", study, *options)
        assert done.code == 2
        assert named in done.err
    done = run("results", "summarize", tmp_path / "mine")
    assert done.code == 2
    assert "a folder that `scalewall sweep` wrote" in done.err


def test_the_summary_shows_every_column(results: Path) -> None:
    done = run("results", "summarize", results)
    for words in (
        "machine",
        "network.1.bandwidth",
        "critical compute (FLOP)",
        "30 of 30 points, 0 failed, 30 rows.",
    ):
        assert words in done.out
    summary = json.loads(run("results", "summarize", results, "--json").out)
    assert (summary["points"], summary["failed"]) == (30, 0)
    medians = json.loads(run("results", "summarize", results, "--by", "machine", "--json").out)
    assert [row["machine"] for row in medians] == ["h100", "b200"]


def test_rows_by_condition_sorted_as_table_json_and_csv(results: Path, tmp_path: Path) -> None:
    chosen = (
        "--where",
        "machine = h100",
        "--where",
        "months <= 6",
        "--columns",
        "months,network.1.bandwidth",
    )
    rows = json.loads(
        run("results", "query", results, *chosen, "--sort", "network.1.bandwidth", "--json").out
    )
    assert len(rows) == 10
    assert list(rows[0]) == ["months", "network.1.bandwidth"]
    assert [row["network.1.bandwidth"] for row in rows] == sorted(row["network.1.bandwidth"] for row in rows)
    run("results", "query", results, *chosen, "--csv", tmp_path / "rows.csv", "--limit", "3")
    assert len(list(csv.reader((tmp_path / "rows.csv").read_text().splitlines()))) == 4
    table = run("results", "query", results, "--columns", "months")
    assert "The first 20 rows" in table.out
    for options, named in (
        (("--where", "mnths = 3"), "Nearest: months"),
        (("--where", "months"), "NAME SIGN VALUE"),
        (("--where", "months = three"), "a number, or none"),
        (("--columns", "mnths"), "Nearest: months"),
        (("--sort", "mnths"), "Nearest: months"),
    ):
        done = run("results", "query", results, *options)
        assert done.code == 2
        assert named in done.err


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".html"])
def test_pictures(results: Path, tmp_path: Path, suffix: str) -> None:
    for name, options in (
        ("map", ("--x", "network.1.bandwidth", "--y", "months", "--by", "machine")),
        ("lines", ("--x", "network.1.bandwidth", "--by", "machine", "--where", "months = 3")),
    ):
        file = tmp_path / f"{name}{suffix}"
        done = run("results", "plot", results, *options, "--output", file)
        assert done.code == 0, done.err
        assert file.stat().st_size > 5_000


def test_bad_pictures_are_refused(results: Path, tmp_path: Path) -> None:
    for options, named in (
        (("--x", "mnths"), "Nearest: months"),
        (("--value", "critical"), "Nearest: critical_compute_flop"),
        (("--x", "machine"), "give --y too for a heat map"),
        (("--x", "months", "--y", "months"), "different inputs"),
        (("--output", tmp_path / "map.gif"), "map.html"),
    ):
        done = run("results", "plot", results, "--output", tmp_path / "map.png", *options)
        assert done.code == 2
        assert named in done.err


def test_log_lines_tell_rate_and_time_left_where_no_terminal_is(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(COMMAND, "LOG_SECONDS", 0.0)
    study.write_text(STUDY.replace("count = 5", "count = 2000"))
    done = run("sweep", study, "--out", tmp_path / "results", *HERE)
    assert re.search(
        r"^[\d,]+ of 12,000 points \(\d+%\), [\d.]+(e\d+)? points/s, .+ left$", done.err, re.MULTILINE
    )


def test_a_terminal_shows_a_bar(study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(COMMAND, "to_terminal", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    done = run("sweep", study, "--out", tmp_path / "results", *HERE)
    assert "30/30" in done.err
    assert "points/s" in done.err


def started(study: Path, folder: Path, *options: str) -> subprocess.Popen[str]:
    """Start a long sweep and wait for its first part."""
    study.write_text(LONG)
    process = start("sweep", study, "--out", folder, *options)
    deadline = time.monotonic() + 120
    while not list(folder.glob("rows/part-*")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return process


def test_ctrl_c_ends_workers_too_and_keeps_whole_parts(study: Path, tmp_path: Path) -> None:
    process = started(study, tmp_path / "results", "--workers", "2")
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(process.pid, signal.SIGINT)
    _, error = process.communicate(timeout=120)
    assert process.returncode == 130
    assert error.endswith("Interrupted.\n")
    assert "Traceback" not in error
    deadline = time.monotonic() + 60
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert all(path.name.startswith("part-") for path in (tmp_path / "results" / "rows").iterdir())


FULL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from scalewall.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (6000, resource.RLIM_INFINITY))
main(sys.argv[1:])
"""


def test_a_full_disk_gives_exit_code_3_and_the_same_command_goes_on(study: Path, tmp_path: Path) -> None:
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    study.write_text(STUDY.replace("count = 5", "count = 500"))
    options = ("sweep", str(study), "--out", str(tmp_path / "results"), *HERE)
    done = subprocess.run([sys.executable, "-c", FULL, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert (
        "File too large. Parts that are written are whole; the same command goes on from there:"
        in done.stderr
    )
    assert done.stderr.endswith(
        f"\n  scalewall sweep {study} --out {tmp_path / 'results'} --executor in-process\n"
    )
    assert run(*options).code == 0
