"""``scalewall validate``: the contract for files of runs, bad files, and what goes together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.validation.test_planner_runs import ROW


def _file(folder: Path, text: str) -> Path:
    path = folder / "runs.jsonl"
    path.write_text(text)
    return path


def test_runs_of_a_file_as_json(tmp_path: Path) -> None:
    rows = [ROW, ROW | {"id": "b", "arch": "hybrid"}, ROW | {"id": "c", "framework": "Abacus"}]
    done = run("validate", "--runs", _file(tmp_path, "\n".join(map(json.dumps, rows))), "--json")
    assert done.code == 0
    document = json.loads(done.out)
    first, second, third = document["rows"]
    assert first["id"] == "somewhere-001"
    assert first["published_step_s"] == 9.3
    assert first["predicted_step_s"] == pytest.approx(9.3, rel=0.15)
    assert first["profile"] == "bridge-2026"
    assert first["reason"] is None
    assert second["predicted_step_s"] is None
    assert "hybrid" in second["reason"]
    assert "no profile knows" in third["profile_found_by"]
    assert document["summary"]["predicted"] == 2
    assert document["summary"]["step_time"]["rows"] == 2


def test_runs_of_a_file_as_a_table_and_a_plot(tmp_path: Path) -> None:
    plot = tmp_path / "predicted.svg"
    done = run("validate", "--runs", _file(tmp_path, json.dumps(ROW)), "--rows", "--plot", plot)
    assert done.code == 0
    assert "somewhere-001" in done.out
    assert plot.read_text().lstrip().startswith("<?xml")


@pytest.mark.parametrize(
    ("text", "word"), [("{", "line 1"), ("[]", "line 1"), ('{"a": 1}', "line 1"), ("\n\n5", "line 3")]
)
def test_bad_files(tmp_path: Path, text: str, word: str) -> None:
    done = run("validate", "--runs", _file(tmp_path, text))
    assert done.code == 2
    assert word in done.err


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"\xff\xfe\x00\x01")
    assert run("validate", "--runs", path).code == 2


@pytest.mark.parametrize(
    "options",
    [
        ("--runs", "nowhere.jsonl"),
        ("--runs", "."),
        ("--write-profiles", "profiles.toml"),
        ("--plot", "plot.gif"),
    ],
)
def test_options_that_cannot_be(options: tuple[str, ...]) -> None:
    done = run("validate", *options)
    assert done.code == 2
    assert options[0] in done.err
