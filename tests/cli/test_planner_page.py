"""What docs/planner.md shows can be typed: its commands, its run of one's own, its measurements of a cluster."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from scalewall.planner.profile import FITTED
from tests.cli.running import run

PAGE = (Path(__file__).parents[2] / "docs" / "planner.md").read_text(encoding="utf-8")
FENCED = re.findall(r"```(\w*)\n(.*?)```", PAGE, re.DOTALL)
BLOCKS = {kind: [text for of, text in FENCED if of == kind] for kind in ("", "json", "toml")}
COMMANDS = [line for text in BLOCKS[""] for line in text.replace("\\\n", " ").splitlines() if line]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command.split()[1:3]))
def test_commands(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_runs.jsonl").write_text(BLOCKS["json"][0])
    monkeypatch.chdir(tmp_path)
    done = run(*shlex.split(command)[1:])
    assert done.code == 0, done.err
    assert "not predicted" not in done.out.lower()


def test_measurements_of_a_cluster(tmp_path: Path) -> None:
    path = tmp_path / "my_cluster.toml"
    path.write_text(BLOCKS["toml"][0])
    first = shlex.split(COMMANDS[0])[1:]
    assert run(*first, "--measured", path).out != run(*first).out


def test_every_constant_of_a_profile_is_explained() -> None:
    rows = re.findall(r"^\| ([a-z_, ]+) \|", PAGE, re.MULTILINE)
    named = {name for row in rows for name in row.split(", ")}
    assert named >= set(FITTED)
