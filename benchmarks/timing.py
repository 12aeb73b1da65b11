"""What the benchmarks share: least time of several calls, commands with their peak memory, a plain table.

Calls are measured in processor time: they run on one core, and what else the machine does hardly lengthens it.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numba

__all__ = ["Spent", "command", "heading", "least_seconds", "shown", "table"]

_MEASURED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(done.returncode, usage.ru_maxrss, usage.ru_utime + usage.ru_stime)
"""


class Spent(NamedTuple):
    """What a command took: seconds by the clock, peak resident memory in bytes, seconds of processors."""

    seconds: float
    bytes: float
    processors: float


def least_seconds(call: Callable[[], object], repeats: int = 5) -> float:
    """Return the least processor time of ``repeats`` calls, after one that is not counted."""
    call()
    spent = []
    for _ in range(repeats):
        before = time.process_time()
        call()
        spent.append(time.process_time() - before)
    return min(spent)


def command(arguments: Sequence[str], environment: dict[str, str] | None = None) -> Spent:
    """Run ``python ARGUMENTS`` in a process of its own and measure it.

    Raises
    ------
    RuntimeError
        If the command fails.
    """
    before = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, sys.executable, *arguments],
        env=os.environ | (environment or {}),
        capture_output=True,
        text=True,
        check=True,
    )
    seconds = time.perf_counter() - before
    code, peak, processors = done.stdout.split()
    if int(code):
        raise RuntimeError(f"python {' '.join(arguments)} ended with code {code}")
    return Spent(seconds, int(peak) * (1 if sys.platform == "darwin" else 1024), float(processors))


def shown(number: float) -> str:
    """Return a number with three digits."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def heading(title: str) -> None:
    """Print a benchmark's name and the machine that it runs on."""
    versions = f"Python {platform.python_version()}, Numba {numba.__version__}"
    print(f"\n{title} (one core of {os.cpu_count()}, {platform.machine()}, {versions})\n")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under a head, columns aligned."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    for row in (head, ["-" * width for width in widths], *rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
