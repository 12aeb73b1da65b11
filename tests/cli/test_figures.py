"""``scalewall figures``: the list, files, bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import FEW, run


def test_the_list_names_every_figure_and_fits_80_columns() -> None:
    done = run("figures", "--list")
    assert done.code == 0, done.err
    assert max(map(len, done.out.splitlines())) <= 80
    for name in ("utilization", "training-runs", "levers", "money"):
        assert name in done.out
    document = json.loads(run("figures", "--list", "--json").out)
    assert all(figure["command"].startswith("scalewall ") for figure in document["figures"])


def test_files(tmp_path: Path) -> None:
    out = tmp_path / "figures"
    done = run("figures", "--out", out, "--only", "parallelism", "--format", "svg", *FEW)
    assert done.code == 0, done.err
    assert done.out == f"1 figures in {out}, 3 files; figures.json lists them.\n"
    assert sorted(path.name for path in out.iterdir()) == [
        "figures.json",
        "parallelism.csv",
        "parallelism.svg",
    ]
    again = run("figures", "--out", out, "--only", "parallelism", "--format", "svg", *FEW, "--json")
    assert json.loads(again.out) == json.loads((out / "figures.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--out is missing"),
        (("--only", "utilisation", "--out", "x"), "--only: 'utilisation'"),
        (("--format", "gif", "--out", "x"), "--format: 'gif'"),
        (("--now", "today", "--out", "x"), "--now: 'today'"),
        (("--grid", "1", "--out", "x"), "--grid: '1'"),
    ],
)
def test_bad_input_is_named(tmp_path: Path, arguments: tuple[str, ...], message: str, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    done = run("figures", *arguments)
    assert done.code == 2
    assert message in done.err
    assert not list(tmp_path.iterdir())
