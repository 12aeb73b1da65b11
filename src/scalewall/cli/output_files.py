"""Files that a command is to write, looked at before any work is done."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from scalewall.errors import InputError

__all__ = ["check_files"]


_ENDINGS = {"--csv": ".csv", "--output": ".json"}
"""What the files of options that take any ending usually end in."""


def check_files(asked: Iterable[tuple[str, Path | None, Sequence[str]]]) -> None:
    """Say before the work if a file cannot be written, or if two options name the same.

    Parameters
    ----------
    asked : iterable of (option, path or None, endings)
        What the user gave; no endings: any will do.

    Raises
    ------
    InputError
        Naming the option; also where a file's ending is that of another kind, which another option writes.
    """
    from scalewall.report.files import check_output

    given = tuple(asked)
    taken: dict[Path, str] = {}
    for field, path, suffixes in given:
        if path:
            target = check_output(field, path, suffixes).resolve()
            if target in taken:
                raise InputError(field, str(path), f"another file than {taken[target]} writes")
            taken[target] = field
    writers = {suffix: field for field, _, suffixes in given for suffix in suffixes}
    writers |= {_ENDINGS[field]: field for field, _, suffixes in given if field in _ENDINGS and not suffixes}
    for field, path, suffixes in given:
        if path and not suffixes and (writer := writers.get(path.suffix.lower(), field)) != field:
            allowed = f"another ending: {path.suffix} is what {writer} writes"
            raise InputError(field, str(path), allowed, [f"{writer} {path}"])
