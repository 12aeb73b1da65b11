"""Files that visitors hand in: written where a study can read them for a moment, and as text for a shell."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from scalewall.errors import InputError

__all__ = ["here_document", "own_files"]

_END = "END-OF-FILE"


@contextmanager
def own_files(files: Mapping[str, str]) -> Iterator[Path]:
    """Yield a folder that holds some files as long; what is refused meanwhile does not name the folder.

    Parameters
    ----------
    files : mapping of str to str
        Text by name; a name may have one folder in it.

    Raises
    ------
    InputError
        As raised inside, with the files named as the visitor knows them.
    """
    with TemporaryDirectory(prefix="scalewall-") as folder:
        for name, text in files.items():
            path = Path(folder) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        try:
            yield Path(folder)
        except InputError as error:
            value = _without(folder, error.value) if isinstance(error.value, str) else error.value
            suggestions = [_without(folder, one) for one in error.suggestions]
            raise InputError(
                _without(folder, error.field), value, _without(folder, error.allowed), suggestions
            ) from error


def here_document(name: str, text: str) -> str:
    """Return the shell text that writes a file; no line of the file ends it early."""
    lines = text.rstrip().splitlines()
    end, number = _END, 1
    while end in lines:
        number += 1
        end = f"{_END}-{number}"
    return f"cat > {shlex.quote(name)} <<'{end}'\n{text.rstrip()}\n{end}\n"


def _without(folder: str, text: str) -> str:
    return text.replace(f"{folder}/", "").replace(folder, "")
