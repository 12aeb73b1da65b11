"""Ctrl-C and a reader that goes away: a clean end, whole rows only."""

from __future__ import annotations

import csv
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.cli.running import start

FINE = ("limits", "--machine", "h100", "--grid", "2047,12288,1572864")
"""Thousands of runs: minutes of work."""


def rows_of(path: Path) -> list[list[str]]:
    return list(csv.reader(path.read_text(encoding="utf-8").splitlines()))


def test_ctrl_c_leaves_whole_rows_and_exit_code_130(tmp_path: Path) -> None:
    target = tmp_path / "curve.csv"
    process = start(*FINE, "--csv", target)
    deadline = time.monotonic() + 600
    while not (target.exists() and len(rows_of(target)) > 3):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in err
    assert err.endswith("Interrupted. The CSV holds whole rows only.\n")
    head, *rows = rows_of(target)
    assert {len(row) for row in rows} == {len(head)}
    assert target.read_text(encoding="utf-8").endswith("\n")


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m scalewall laws list --json | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stdout == "[\n"
    assert done.stderr == ""
