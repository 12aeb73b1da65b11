"""A results folder: what study it belongs to, and its rows in parts that are there whole or not at all.

::

    results/
      manifest.json                               the study, versions, seed, points a part
      rows/part-000000000000-000000001000.parquet the rows of points 0 to 999

A part is written beside its place under a name that readers pass over, flushed to the disk and renamed: whoever
sees it sees all of it. What is there needs no list of its own, so none can disagree with it.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from scalewall.errors import InputError
from scalewall.study.manifest import (
    MANIFEST,
    PARTIAL,
    difference,
    digest,
    identity,
    read_manifest,
    write_manifest,
)
from scalewall.study.sweep import Sweep
from scalewall.study.tables import ERROR

__all__ = ["ROWS", "Chunk", "Folder", "PartCount", "check_folder", "open_folder"]

ROWS = "rows"
_LOCK = ".lock"
_OURS = {MANIFEST, ROWS, _LOCK, f".{MANIFEST}{PARTIAL}"}
_PART = re.compile(rf"part-\d{{12}}-\d{{12}}\.parquet|\.part-\d{{12}}-\d{{12}}\.parquet{re.escape(PARTIAL)}")
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


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
        What the rows follow from, see :func:`~scalewall.study.manifest.identity`.
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
        if (footer.metadata or {}).get(b"scalewall.digest") != digest(self.facts).encode():
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
            "scalewall.digest": digest(self.facts),
            "scalewall.study": json.dumps(self.facts["study"]),
            "scalewall.seed": json.dumps(self.facts["seed"]),
            "scalewall.versions": json.dumps(self.facts["versions"]),
            "scalewall.points": f"{chunk.start} {chunk.stop}",
        }
        target = self.rows / chunk.name
        partial = self.rows / f".{chunk.name}{PARTIAL}"
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
        The folder holds something else, is being written to, or holds (unless ``new``) another study's rows.
    """
    path = Path(out)
    same = _belongs(sweep, path, new)
    if (path / _LOCK).exists():
        with _locked(path):
            pass
    return same


def _belongs(sweep: Sweep, path: Path, new: bool) -> bool:
    if path.exists() and not path.is_dir():
        raise InputError("--out", str(path), "a folder, and this is a file")
    present = {entry.name for entry in path.iterdir()} if path.is_dir() else set()
    other = sorted(present - _OURS) or ([ROWS] if ROWS in present and MANIFEST not in present else [])
    if not other and ROWS in present:
        other = sorted(f"{ROWS}/{name}" for name in os.listdir(path / ROWS) if not _PART.fullmatch(name))
    if other:
        raise InputError("--out", str(path), f"a new or empty folder, and this one holds {other[0]!r}")
    if MANIFEST not in present:
        return False
    changed = difference(read_manifest(path)["identity"], identity(sweep))
    if changed and not new:
        allowed = f"a folder of the same study, and this one's differs in {changed}; --new starts over in it"
        raise InputError("--out", str(path), allowed)
    return not changed


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
        As :func:`check_folder`, or the folder cannot be made.
    OSError
        The disk is full.
    """
    path = Path(out)
    _belongs(sweep, path, new)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise
        raise InputError("--out", str(path), f"a folder that can be made ({error.strerror})") from error
    with _locked(path):
        facts = identity(sweep)
        if _belongs(sweep, path, new) and not new:
            part_points = int(read_manifest(path)["part_points"])
        else:
            if (path / ROWS).exists():
                shutil.rmtree(path / ROWS)
            write_manifest(path, sweep, facts, part_points)
        folder = Folder(path, sweep.count, part_points, facts)
        folder.rows.mkdir(exist_ok=True)
        folder.clean()
        yield folder
