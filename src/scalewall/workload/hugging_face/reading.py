"""Reads a JSON object from a local file, whatever the file holds: never the network, nothing executed."""

from __future__ import annotations

import json
import re
from pathlib import Path

from scalewall.errors import InputError

__all__ = ["LARGEST_FILE", "config_path", "read_object"]

LARGEST_FILE = 4 * 2**20
"""Bytes. Configurations have a few thousand, those that list quantized modules a few hundred thousand."""
_DEEPEST = 32
"""Objects and lists inside each other. Configurations have at most five."""
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', flags=re.DOTALL)


def config_path(path: Path) -> Path:
    """Return the configuration that a path means: the file itself, or ``config.json`` in a folder.

    Raises
    ------
    InputError
        If there is no such file.
    """
    file = path / "config.json" if path.is_dir() else path
    if path.is_dir() and not file.exists():
        beside = sorted(entry.name for entry in path.glob("*.json"))[:3]
        raise InputError("model", str(path), "a folder that holds a config.json", beside)
    if not file.exists():
        folder = path.parent
        beside = sorted(str(entry) for entry in folder.glob("*config*.json"))[:3] if folder.is_dir() else []
        raise InputError("model", str(path), "a file that exists", beside)
    if not file.is_file():
        raise InputError("model", str(path), "a regular file")
    return file


def read_object(file: Path) -> dict[str, object]:
    """Return the JSON object in a file.

    Parameters
    ----------
    file : Path
        At most 4 MiB of UTF-8 text.

    Raises
    ------
    InputError
        For a file that cannot be read, is too large, is nested too deeply, is no JSON, or holds no object.
    """
    text = _text(file)
    if _depth(text) > _DEEPEST:
        raise InputError("model", str(file), f"JSON nested at most {_DEEPEST} deep")
    try:
        value = json.loads(text)
    except ValueError as problem:
        cut = " (is the file complete?)" if text.lstrip().startswith("{") else ""
        raise InputError("model", str(file), f"valid JSON: {problem}{cut}") from problem
    if not isinstance(value, dict):
        kind = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}.get(
            type(value), "a number"
        )
        raise InputError("model", str(file), f"a JSON object, and this is {kind}")
    return value


def _text(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            content = stream.read(LARGEST_FILE + 1)
    except OSError as problem:
        raise InputError("model", str(file), f"a file that can be read ({problem.strerror})") from problem
    if len(content) > LARGEST_FILE:
        allowed = f"at most {LARGEST_FILE // 2**20} MiB; a model's config.json has a few thousand bytes"
        raise InputError("model", str(file), allowed)
    if not content.strip():
        raise InputError("model", str(file), "a JSON object, and this file is empty")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise InputError("model", str(file), "UTF-8 text; this may be a file of weights") from problem


def _depth(text: str) -> int:
    """Return how deeply objects and lists are nested, without parsing."""
    depth = deepest = 0
    for found in _STRUCTURE.finditer(text):
        mark = found.group()
        if mark in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif mark in "]}":
            depth -= 1
    return deepest
