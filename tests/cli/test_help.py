"""Help, version and completion: what a newcomer meets first."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from scalewall._version import __version__
from scalewall.workload.laws import FAMILIES
from tests.cli.running import run

HEAVY = {"matplotlib", "numba", "numpy", "pandas", "plotly", "pydantic", "rich"}
COMMANDS = ("limits", "estimate-ideal", "reproduce", "schedule", "hardware", "laws")


def test_help_names_every_command() -> None:
    done = run("--help")
    assert done.code == 0
    for command in COMMANDS:
        assert f"\n  {command} " in done.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    assert run(command, "--help").out.startswith(f"Usage: scalewall {command} ")


@pytest.mark.parametrize("command", ["limits", "estimate-ideal"])
def test_help_has_examples_that_can_be_copied(command: str) -> None:
    lines = run(command, "--help").out.splitlines()
    at = lines.index("  Examples:")
    assert lines[at + 1].startswith(f"    scalewall {command} --")
    description = lines[2]
    assert description.startswith("  ")
    assert description[2] != " "


def test_help_names_every_law() -> None:
    text = " ".join(run("limits", "--help").out.split())
    for family in ("depth", "width", "data", "batch"):
        for law in FAMILIES[family]:
            assert law in text


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom scalewall.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n"
        "    print(*sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert HEAVY.isdisjoint(done.stderr.split())


def test_version() -> None:
    assert run("--version").out == f"scalewall {__version__}\n"


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("scalewall lim", {"limits"}),
        ("scalewall limits --machine ref-v", {"ref-v100"}),
        ("scalewall limits --batch-law z", {"zhang"}),
        ("scalewall estimate-ideal --machine gb2", {"gb200-nvl72"}),
    ],
)
def test_the_shell_completes_commands_machines_and_laws(typed: str, expected: set[str]) -> None:
    words = {
        "_SCALEWALL_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "scalewall"],
        env=os.environ | words,
        capture_output=True,
        text=True,
        check=False,
    )
    assert set(done.stdout.split()) == expected
