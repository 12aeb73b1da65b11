"""A results folder: what study it belongs to, and its rows in parts that are there whole or not at all.

::

    results/
      manifest.json                               the study, versions, seed, points a part
      rows/part-000000000000-000000001000.parquet the rows of points 0 to 999

A part is written beside its place under a name that readers pass over, flushed to the disk and renamed: whoever
sees it sees all of it. What is there needs no list of its own, so none can disagree with it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from scalewall._jit import source_hash
from scalewall._version import __version__
from scalewall.errors import InputError
from scalewall.hardware import read_machine
from scalewall.study.sweep import Sweep
from scalewall.study.tables import ERROR, input_columns

__all__ = [
    "MANIFEST",
    "ROWS",
    "Chunk",
    "Folder",
    "PartCount",
    "check_folder",
    "identity",
    "open_folder",
    "read_manifest",
]

MANIFEST = "manifest.json"
ROWS = "rows"
FORMAT = 1
"""Version of the folder's layout."""

_LOCK = ".lock"
_PARTIAL = ".partial"
_OURS = {MANIFEST, ROWS, _LOCK, f".{MANIFEST}{_PARTIAL}"}


@dataclass(frozen=True)
class Chunk:
    """The points numbered ``start`` to ``stop - 1``: what one task evaluates and one file holds."""

    start: int
    stop: int

    @property
    def name(self) -> str:
        """Name of its file."""
        return f"part-{self.start:012d}-{self.stop:012d}.parquet"

    @property
    def points(self) -> int:
        """How many points it has."""
        return self.stop - self.start


@dataclass(frozen=True)
class PartCount:
    """What a part holds: points, and how many of them failed."""

    points: int
    failed: int


def identity(sweep: Sweep) -> dict[str, Any]:
    """Return what the rows of a sweep follow from, in plain values: study, seed, versions, machines' figures."""
    return {
        "study": _plain(sweep.table),
        "seed": sweep.samples.seed if sweep.samples.inputs else None,
        "points": sweep.count,
        "scalewall_version": __version__,
        "source": source_hash(),
        "machines": {machine: _figures_hash(machine) for machine in sweep.machines},
    }


def _plain(value: object) -> object:
    """Return a study's table as it comes back from JSON."""
    return json.loads(json.dumps(value, default=dict))


def _figures_hash(machine: str) -> str:
    file = read_machine(machine)
    words = json.dumps([{path: str(figure.value) for path, figure in file.figures.items()}, dict(file.words)])
    return hashlib.sha256(words.encode()).hexdigest()[:16]


def _digest(facts: Mapping[str, Any]) -> str:
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
        raise InputError(
            "results", str(folder), f"a folder that `scalewall sweep` wrote ({error})"
        ) from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise InputError("results", str(folder), f"a folder in layout {FORMAT}, which this version reads")
    return manifest


@dataclass(frozen=True)
class Folder:
    """A results folder that belongs to this sweep.

    Parameters
    ----------
    path : Path
        The folder.
    points : int
        Points of the sweep.
    part_points : int
        Points a part; the last may have fewer.
    facts : mapping
        What the rows follow from, see :func:`identity`.
    """

    path: Path
    points: int
    part_points: int
    facts: Mapping[str, Any]

    @property
    def rows(self) -> Path:
        """The folder of the parts."""
        return self.path / ROWS

    def chunks(self) -> Iterator[Chunk]:
        """Yield every chunk of the sweep, in order."""
        for start in range(0, self.points, self.part_points):
            yield Chunk(start, min(start + self.part_points, self.points))

    def done(self) -> dict[Chunk, PartCount]:
        """Return the parts that are there, whole and of this sweep."""
        present = set(os.listdir(self.rows))
        found = {chunk: self._count(chunk) for chunk in self.chunks() if chunk.name in present}
        return {chunk: count for chunk, count in found.items() if count is not None}

    def _count(self, chunk: Chunk) -> PartCount | None:
        """Return what a part holds; None if it cannot be read or is of another sweep: it is written again."""
        try:
            footer = pq.read_metadata(self.rows / chunk.name)
        except (OSError, pa.ArrowInvalid):
            return None
        if (footer.metadata or {}).get(b"scalewall.digest") != _digest(self.facts).encode():
            return None
        column = footer.schema.names.index(ERROR)
        groups = [footer.row_group(index) for index in range(footer.num_row_groups)]
        failed = sum(group.num_rows - group.column(column).statistics.null_count for group in groups)
        return PartCount(chunk.points, failed)

    def write(self, chunk: Chunk, table: pa.Table) -> PartCount:
        """Put the rows of ``chunk`` in their place, in one step.

        Raises
        ------
        OSError
            The disk is full or cannot be written; nothing of the part stays behind.
        """
        metadata = {
            "scalewall.digest": _digest(self.facts),
            "scalewall.study": json.dumps(self.facts["study"]),
            "scalewall.seed": json.dumps(self.facts["seed"]),
            "scalewall.version": str(self.facts["scalewall_version"]),
            "scalewall.points": f"{chunk.start} {chunk.stop}",
        }
        target = self.rows / chunk.name
        partial = self.rows / f".{chunk.name}{_PARTIAL}"
        try:
            with partial.open("wb") as file:
                pq.write_table(table.replace_schema_metadata(metadata), file, compression="zstd")
                file.flush()
                os.fsync(file.fileno())
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
        _flush_folder(self.rows)
        return PartCount(chunk.points, table.num_rows - table.column(ERROR).null_count)

    def clean(self) -> None:
        """Remove what a killed run left half written, and parts that belong to no chunk."""
        names = {chunk.name for chunk in self.chunks()}
        for path in self.rows.iterdir():
            if path.name not in names:
                path.unlink()


def _flush_folder(folder: Path) -> None:
    """Make a rename in ``folder`` survive a power cut, where folders can be opened."""
    if sys.platform != "win32":
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a folder for one writer; the system lets go of it when the process ends, however it ends."""
    with (path / _LOCK).open("ab") as file:
        if sys.platform != "win32":
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                allowed = "a folder that no other running sweep writes to"
                raise InputError("--out", str(path), allowed) from error
        yield


def check_folder(sweep: Sweep, out: str | Path, new: bool = False) -> bool:
    """Tell whether ``out`` holds results of this very sweep; refuse a folder that cannot take them.

    Parameters
    ----------
    sweep : Sweep
        The question.
    out : str or Path
        A folder that is missing, empty, or of this sweep.
    new : bool
        Take the folder of another sweep too.

    Raises
    ------
    InputError
        The folder holds something else, or (unless ``new``) another study's rows.
    """
    path = Path(out)
    if path.exists() and not path.is_dir():
        raise InputError("--out", str(out), "a folder, and this is a file")
    present = {entry.name for entry in path.iterdir()} if path.is_dir() else set()
    if not present <= _OURS or (ROWS in present and MANIFEST not in present):
        other = sorted(present - _OURS) or [ROWS]
        raise InputError("--out", str(out), f"a new or empty folder, and this one holds {other[0]!r}")
    if MANIFEST not in present:
        return False
    before = read_manifest(path)["identity"]
    changed = _changed(before, identity(sweep))
    if changed and not new:
        allowed = f"a folder of the same study, and this one's differs in {changed}; --new starts over in it"
        raise InputError("--out", str(out), allowed)
    return not changed


def _changed(before: object, after: object, path: str = "") -> str:
    """Return the first path at which two plain values differ; empty if none."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in {**before, **after}:
            found = _changed(before.get(key), after.get(key), f"{path}.{key}" if path else str(key))
            if found:
                return found
        return ""
    return "" if before == after and type(before) is type(after) else path


@contextmanager
def open_folder(sweep: Sweep, out: str | Path, part_points: int, new: bool = False) -> Iterator[Folder]:
    """Hold a results folder for this sweep: a new one, or one that it began.

    Parameters
    ----------
    sweep : Sweep
        The question.
    out : str or Path
        See :func:`check_folder`.
    part_points : int
        Points a part, if the folder is new; else its own number holds.
    new : bool
        Drop what the folder holds of this or another sweep.

    Raises
    ------
    InputError
        As :func:`check_folder`, or another process writes there.
    """
    path = Path(out)
    same = check_folder(sweep, path, new)
    path.mkdir(parents=True, exist_ok=True)
    with _locked(path):
        facts = identity(sweep)
        if same and not new:
            folder = Folder(path, sweep.count, int(read_manifest(path)["part_points"]), facts)
            folder.rows.mkdir(exist_ok=True)
        else:
            (path / MANIFEST).unlink(missing_ok=True)
            shutil.rmtree(path / ROWS, ignore_errors=True)
            folder = Folder(path, sweep.count, part_points, facts)
            _write_manifest(folder, sweep)
            folder.rows.mkdir()
        folder.clean()
        yield folder


def _write_manifest(folder: Folder, sweep: Sweep) -> None:
    document = {
        "format": FORMAT,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "part_points": folder.part_points,
        "inputs": list(input_columns(sweep)),
        "results": list(sweep.columns),
        "identity": folder.facts,
    }
    partial = folder.path / f".{MANIFEST}{_PARTIAL}"
    try:
        with partial.open("w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(folder.path / MANIFEST)
    finally:
        partial.unlink(missing_ok=True)
