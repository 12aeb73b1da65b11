"""What the page on explaining and exporting shows can be run as it stands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.running import run

PAGE = (Path(__file__).parents[2] / "docs" / "explain-and-export.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = [text.strip() for kind, text in BLOCKS if not kind]
SCRIPTS = [text for kind, text in BLOCKS if kind == "python"]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program, *arguments = shlex.split(command)
    assert program == "scalewall"
    done = run(*arguments)
    assert done.code == 0, done.err
    assert done.out


def test_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    for script in SCRIPTS:
        exec(compile(script, "docs", "exec"), names)
    shown = capsys.readouterr().out
    assert "--tensor-model-parallel-size 1" in shown
    assert "'tp': 1" in shown
    assert shown.endswith("peak\n")


def test_there_is_something_to_run() -> None:
    assert len(COMMANDS) == 4
    assert len(SCRIPTS) == 2
