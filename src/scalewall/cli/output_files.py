"""Files that a command is to write, looked at before any work is done."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from scalewall.errors import InputError

__all__ = ["check_files"]


def check_files(asked: Iterable[tuple[str, Path | None, Sequence[str]]]) -> None:
    """Say before the work if a file cannot be written, or if two options name the same.

    Parameters
    ----------
    asked : iterable of (option, path or None, endings)
        What the user gave; no endings: any will do.

    Raises
    ------
    InputError
        Naming the option.
    """
    from scalewall.report.files import check_output

    taken: dict[Path, str] = {}
    for field, path, suffixes in asked:
        if path:
            target = check_output(field, path, suffixes).resolve()
            if target in taken:
                raise InputError(field, str(path), f"another file than {taken[target]} writes")
            taken[target] = field
