"""What a results folder says of itself: the study, the versions and the figures that its rows follow from."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from scalewall._jit import source_hash
from scalewall._version import __version__
from scalewall.errors import InputError
from scalewall.hardware import read_machine
from scalewall.study.sweep import Sweep

__all__ = [
    "MANIFEST",
    "PARTIAL",
    "difference",
    "digest",
    "identity",
    "installed",
    "machine_hashes",
    "read_manifest",
    "write_manifest",
]

MANIFEST = "manifest.json"
FORMAT = 1
"""Version of the folder's layout."""

PARTIAL = ".partial"
"""What the names of files end in that are being written."""

_LIBRARIES = ("numba", "numpy", "scipy")
"""Those that the last digit of a number can depend on."""


@cache
def installed() -> dict[str, str]:
    """Return what computes here, by name: scalewall, the source of its formulas, the libraries below it."""
    libraries = {name: version(name) for name in _LIBRARIES}
    return {"scalewall": __version__, "source": source_hash(), **libraries}


def identity(sweep: Sweep) -> dict[str, Any]:
    """Return what the rows of a sweep follow from, in plain values: study, seed, versions, machines' figures."""
    return {
        "study": _plain(sweep.table),
        "seed": sweep.samples.seed if sweep.samples.inputs else None,
        "points": sweep.count,
        "versions": installed(),
        "machines": machine_hashes(sweep),
    }


def machine_hashes(sweep: Sweep) -> dict[str, str]:
    """Return a short hash of the figures of each machine of a sweep, as its file has them now."""
    return {machine: _figures_hash(machine) for machine in sweep.machines}


def _plain(value: object) -> object:
    """Return a study's table as it comes back from JSON."""
    return json.loads(json.dumps(value, default=dict))


def _figures_hash(machine: str) -> str:
    file = read_machine(machine)
    words = json.dumps([{path: str(figure.value) for path, figure in file.figures.items()}, dict(file.words)])
    return hashlib.sha256(words.encode()).hexdigest()[:16]


def digest(facts: Mapping[str, Any]) -> str:
    """Return a short hash of what :func:`identity` returned."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]


def read_manifest(folder: str | Path) -> dict[str, Any]:
    """Return the manifest of a results folder.

    Raises
    ------
    InputError
        The folder holds no sweep, or one in a layout that this version does not know.
    """
    path = Path(folder) / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        allowed = f"a folder that `scalewall sweep` wrote ({error})"
        raise InputError("results", str(folder), allowed) from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise InputError("results", str(folder), f"a folder in layout {FORMAT}, which this version reads")
    return manifest


def difference(before: object, after: object, path: str = "") -> str:
    """Return the first path at which two plain values differ (``study.axes.months``); empty if none."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in {**before, **after}:
            found = difference(before.get(key), after.get(key), f"{path}.{key}" if path else str(key))
            if found:
                return found
        return ""
    return "" if before == after and type(before) is type(after) else path


def write_manifest(folder: Path, sweep: Sweep, facts: Mapping[str, Any], part_points: int) -> None:
    """Put the manifest of a sweep into its folder, in one step.

    Parameters
    ----------
    folder : Path
        The results folder.
    sweep : Sweep
        The question.
    facts : mapping
        What :func:`identity` returned.
    part_points : int
        Points a part.
    """
    document = {
        "format": FORMAT,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "part_points": part_points,
        "inputs": list(sweep.inputs),
        "results": list(sweep.columns),
        "identity": facts,
    }
    partial = folder / f".{MANIFEST}{PARTIAL}"
    try:
        with partial.open("w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(folder / MANIFEST)
    finally:
        partial.unlink(missing_ok=True)
