"""``scalewall explain``: the contract, the tables at 80 columns, and bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import run

USUAL = (
    "--model", "llama3-70b", "--machine", "h100", "--gpus", "64", "--global-batch", "128", "--seq", "8192",
    "--tp", "4", "--cp", "2", "--pp", "4", "--chunks", "5",
)  # fmt: skip


def test_json() -> None:
    done = run("explain", *USUAL, "--json")
    assert done.code == 0
    answer = json.loads(done.out)
    estimated = json.loads(run("estimate", *USUAL, "--json").out)
    assert answer["step_seconds"] == estimated["step_seconds"]
    assert sum(answer["waterfall"].values()) == pytest.approx(answer["step_seconds"])
    assert answer["waterfall"]["arithmetic"] == pytest.approx(estimated["mfu"] * answer["step_seconds"])
    assert answer["binds"] == "peak"
    assert {one["figure"] for one in answer["hardware"]} >= {"peak", "memory capacity"}
    assert all(move["reason"] or move["step_seconds"] for move in answer["moves"])
    assert 0 < len(answer["helps"]) <= 3
    assert "graphs" in answer["without_effect"]


def test_tables_fit_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = run("explain", *USUAL)
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80
    for words in (
        "From the arithmetic to the step",
        "Bound by the peak",
        "The step on a better machine",
        "One change away",
        "What would help the most",
        "Without effect here",
    ):
        assert words in done.out


def test_a_misfit_is_explained_too() -> None:
    done = run("explain", *USUAL[:-6], "--tp", "4")
    assert done.code == 0
    assert "It does not fit" in done.out
    assert "What would make it fit" in done.out


def test_bad_input() -> None:
    done = run("explain", *USUAL, "--tp", "3")
    assert done.code == 2
    assert "--gpus" in done.err


@pytest.mark.parametrize("command", ["estimate", "explain"])
def test_pictures(command: str, tmp_path: Path) -> None:
    page, line = tmp_path / "plan.html", tmp_path / "line.svg"
    done = run(command, *USUAL, "--plot", page, "--timeline", line)
    assert done.code == 0, done.err
    assert "data-chart='waterfall'" in page.read_text()
    assert "Interleaved 1F1B" in line.read_text()
    assert f"Wrote {page}" in done.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--plot", "plan.xlsx"), ("--plot", ".html")),
        (("--timeline", "nowhere/line.svg"), ("--timeline", "folder")),
        (("--pp", "1", "--chunks", "1", "--timeline", "line.svg"), ("without a pipeline",)),
    ],
)
def test_pictures_that_cannot_be(
    options: tuple[str, ...], words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("estimate", *USUAL, *options)
    assert done.code == 2
    assert not list(tmp_path.iterdir())
    for word in words:
        assert word in done.err
