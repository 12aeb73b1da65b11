"""Repeating: one question asked many times, where the evaluations run and how their rows are kept.

>>> from scalewall.study import run_sweep, sweep_of
>>> sweep = sweep_of({"axes": {"machine": ["h100", "b200"], "months": [3, 6]}})
>>> run_sweep(sweep, "results")  # doctest: +SKIP

Names load on first use, so that a worker process loads only what its tasks need.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scalewall.study.executors import Executor as Executor
    from scalewall.study.executors import InProcess as InProcess
    from scalewall.study.executors import LocalProcesses as LocalProcesses
    from scalewall.study.executors import executor_of as executor_of
    from scalewall.study.results import Results as Results
    from scalewall.study.running import SweepEnd as SweepEnd
    from scalewall.study.running import run_sweep as run_sweep
    from scalewall.study.study_file import read_study as read_study
    from scalewall.study.study_file import sweep_of as sweep_of
    from scalewall.study.sweep import Sweep as Sweep

_HOMES = {
    "scalewall.study.executors": ("Executor", "InProcess", "LocalProcesses", "executor_of"),
    "scalewall.study.results": ("Results",),
    "scalewall.study.running": ("SweepEnd", "run_sweep"),
    "scalewall.study.study_file": ("read_study", "sweep_of"),
    "scalewall.study.sweep": ("Sweep",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME)  # noqa: PLE0605


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'scalewall.study' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
