"""How these tests run the command: in this process for speed, or as users do, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import scalewall.validation
from scalewall.cli.app import main

__all__ = ["FEW", "PUBLISHED", "Done", "run", "start"]

FEW = ("--grid", "1,12288,70000")
"""A grid of three runs: widths 16384, 32768 and 65536."""


PUBLISHED = Path(scalewall.validation.__file__).parent / "data"
"""What the authors' program printed, as the package ships it."""


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


def run(*arguments: str | Path) -> Done:
    """Run the command in this process."""
    out, err = StringIO(), StringIO()
    code = 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as end:
            code = int(end.code or 0)
    return Done(code, out.getvalue(), err.getvalue())


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    """Start the command in a process of its own."""
    command = [sys.executable, "-m", "scalewall", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
