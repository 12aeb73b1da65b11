"""Files for the user: looked at before the work starts, and never left half written."""

from __future__ import annotations

import csv
import io
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from scalewall.errors import InputError, nearest

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["RowWriter", "check_output", "save_figure", "write_bytes", "write_text"]


def check_output(field: str, path: str | Path, suffixes: Sequence[str] = ()) -> Path:
    """Return ``path`` if a file can be written there; say so before any work is done if not.

    Parameters
    ----------
    field : str
        The input's name as the user wrote it (``--csv``).
    path : str or Path
        Where the file is to go; an existing file will be replaced.
    suffixes : sequence of str
        Endings that are understood (``.html``); empty: any.

    Raises
    ------
    InputError
        The folder is missing or cannot be written, ``path`` is a folder, or the ending is not understood.
    """
    target = Path(path)
    if suffixes and target.suffix.lower() not in suffixes:
        raise InputError(
            field, str(path), f"a file name that ends in {', '.join(suffixes)}", _renamed(target, suffixes)
        )
    if target.is_dir():
        raise InputError(field, str(path), "a file, and this is a folder")
    folder = target.parent
    if not folder.is_dir():
        raise InputError(
            field, str(path), f"a file in an existing folder, and {str(folder)!r} is none", _near(folder)
        )
    try:
        if target.exists():
            target.open("ab").close()
        else:
            tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise InputError(field, str(path), f"a file that can be written ({error.strerror})") from error
    return target


def _renamed(target: Path, suffixes: Sequence[str]) -> list[str]:
    return [str(target.with_suffix(suffix)) for suffix in suffixes] if target.name else []


def _near(folder: Path) -> list[str]:
    """Return the folders beside a missing one whose names look like it."""
    if not folder.parent.is_dir():
        return []
    beside = [path.name for path in folder.parent.iterdir() if path.is_dir()]
    return [str(folder.parent / name) for name in nearest(folder.name, beside)]


def write_text(path: Path, text: str) -> None:
    """Write ``text`` to ``path`` (UTF-8) in one step, as :func:`write_bytes`."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path`` in one step: a reader sees the old file or the whole new one.

    A link stays a link. What cannot be exchanged for a new file (a device such as ``/dev/null``, a pipe, a file in
    a folder that takes no others) is written in place.
    """
    target = path.resolve()
    if target.exists() and not (target.is_file() and os.access(target.parent, os.W_OK)):
        target.write_bytes(content)
        return
    partial = target.with_name(f".{target.name}.partial")
    try:
        partial.write_bytes(content)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def save_figure(figure: Figure, path: Path) -> None:
    """Write a Matplotlib figure to ``path`` in one step, in the format that its ending names."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format=path.suffix.lower().removeprefix("."))
    write_bytes(path, drawn.getvalue())


class RowWriter:
    """A CSV file that grows by whole rows, so that an interrupted run leaves only whole rows.

    Each row is one write to the operating system. Use as a context manager.

    Parameters
    ----------
    path : Path
        The file, replaced if it exists.
    columns : sequence of str
        Names of the columns, written as the first row.
    """

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self._columns = tuple(columns)
        self._file = path.open("wb", buffering=0)
        self._put(self._columns)

    def write(self, row: Mapping[str, object]) -> None:
        """Append one row; columns that it lacks stay empty.

        Raises
        ------
        ValueError
            The row has a column that the file lacks.
        """
        unknown = sorted(set(row) - set(self._columns))
        if unknown:
            raise ValueError(f"the file has no column {', '.join(unknown)}")
        self._put([row.get(column) for column in self._columns])

    def _put(self, values: Sequence[object]) -> None:
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(values)
        self._file.write(line.getvalue().encode())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
