"""Read machine files: TOML, one a machine, with a source on every figure."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from scalewall.errors import InputError, nearest, unknown_name
from scalewall.hardware.fields import FIGURE_TABLES, KINDS
from scalewall.hardware.figure_reader import (
    FigureReader,
    Released,
    filled_text_of,
    parse_float,
    refuse_unknown,
    table_of,
    text_of,
)
from scalewall.hardware.machine import Figure

__all__ = ["SCHEMA_VERSION", "BaseReader", "Chain", "MachineFile", "MistakesError", "read_machine_file"]

SCHEMA_VERSION = 1
MOST_BYTES = 1_000_000
"""Of one file; the catalogue's longest has 6,000."""
LONGEST_CHAIN = 32
"""Files that may build on each other; the catalogue has four in a row."""
_TOP_LEVEL = ("schema", "name", "title", "vendor", "kind", "note", "released", "base", "replace")
_TABLES = ("sources", "missing", *FIGURE_TABLES)
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]*")


@dataclass(frozen=True)
class MachineFile:
    """What a machine file says, with what it inherits.

    Parameters
    ----------
    name, title, vendor, kind, note : str
        The file's own words; ``kind`` is one of ``fields.KINDS``.
    released : Released or None
        Release date, None for what is no product.
    figures : mapping of str to Figure
        By path (``network.1.bandwidth``); sources are written out.
    words : mapping of str to str or bool
        Names, formats and topologies by path.
    missing : mapping of str to str
        Figures that the ideal model needs and nobody publishes: path to reason.
    base : str
        The machine that it builds on, empty if none.
    origin : str
        The file that it was read from, for messages.
    """

    name: str
    title: str
    vendor: str
    kind: str
    note: str
    released: Released | None
    figures: Mapping[str, Figure]
    words: Mapping[str, str | bool]
    missing: Mapping[str, str]
    base: str
    origin: str

    def levels(self, table: str) -> list[str]:
        """Return the level numbers (or precisions) of a numbered table, in order."""
        return self._levels.get(table, [])

    @cached_property
    def _levels(self) -> dict[str, list[str]]:
        found: dict[str, set[str]] = {}
        for path in (*self.words, *self.figures):
            table, level, *key = path.split(".")
            if key:
                found.setdefault(table, set()).add(level)
        return {table: sorted(levels, key=int) for table, levels in found.items()}


class MistakesError(InputError):
    """Everything that is wrong with one machine file; as a message, the first of it.

    Parameters
    ----------
    mistakes : sequence of InputError
        At least one.
    """

    def __init__(self, mistakes: Sequence[InputError]) -> None:
        self.mistakes = tuple(mistakes)
        first = self.mistakes[0]
        super().__init__(first.field, first.value, first.allowed, first.suggestions)


Chain = tuple[Path, ...]
"""Files whose inheritance led to one, outermost first."""

BaseReader = Callable[[str, Path, Chain], MachineFile]
"""Reads the base that a file names: name, that file, the chain that led there."""


def read_machine_file(path: Path, read_base: BaseReader, chain: Chain = ()) -> MachineFile:
    """Read and check one machine file and those that it builds on.

    Parameters
    ----------
    path : Path
        The file.
    read_base : callable
        Reads the machine that the file names as its base.
    chain : tuple of Path
        Files whose inheritance led here, outermost first, as absolute paths.

    Returns
    -------
    MachineFile
        Figures in SI units; the base's figures where the file gives none.

    Raises
    ------
    InputError
        The file cannot be read, is of another version, or builds on one that is wrong.
    MistakesError
        Naming the file and the path of everything that is wrong with it.
    """
    here = path.absolute()
    if here in chain:
        loop = " -> ".join(step.name for step in (*chain, here))
        raise InputError(f"{path}: base", loop, "an inheritance without a circle")
    if len(chain) == LONGEST_CHAIN:
        raise InputError(
            f"{path}: base", chain[0].name, f"at most {LONGEST_CHAIN} files that build on another"
        )
    document = _load(path)
    where = str(path)
    version = document.get("schema")
    if type(version) is not int or version != SCHEMA_VERSION:
        raise InputError(f"{where}: schema", version, str(SCHEMA_VERSION))
    base = None
    if "base" in document:
        base_name = text_of(where, "base", document["base"])
        base = read_base(base_name, path, (*chain, here))
    own = FigureReader(where, _texts(where, document, "sources", "the full reference"))
    for key in document:
        with own.noting():
            refuse_unknown(where, "", [key], (*_TOP_LEVEL, *_TABLES))
    own.read(document)
    return _merge(where, document, base, own)


def _merge(
    where: str,
    document: Mapping[str, object],
    base: MachineFile | None,
    own: FigureReader,
) -> MachineFile:
    """Lay a file over its base; raise what is wrong with it."""
    replaced: Sequence[str] = ()
    with own.noting():
        replaced = _replaced(where, document, base)
    missing: Mapping[str, str] = {}
    with own.noting():
        missing = _texts(where, document, "missing", "the reason why it is missing")

    def kept(path: str) -> bool:
        return not any(path == start or path.startswith(f"{start}.") for start in replaced)

    figures = {path: figure for path, figure in base.figures.items() if kept(path)} if base else {}
    words = {path: word for path, word in base.words.items() if kept(path)} if base else {}
    lacking = {path: why for path, why in base.missing.items() if kept(path)} if base else {}
    lacking = {path: why for path, why in lacking.items() if path not in own.figures}
    about = _about(document, base, own)
    released = base.released if base else None
    with own.noting():
        if "released" in document:
            released = own.released(document["released"])
    if own.mistakes:
        raise MistakesError(own.mistakes)
    return MachineFile(
        **about,
        released=released,
        figures={**figures, **own.figures},
        words={**words, **own.words},
        missing={**lacking, **missing},
        base=base.name if base else "",
        origin=where,
    )


def _about(document: Mapping[str, object], base: MachineFile | None, own: FigureReader) -> dict[str, str]:
    """Read a file's words about the machine; what is wrong with them goes to the mistakes."""
    where = own.where
    about = {"name": "", "title": "", "kind": "", "vendor": base.vendor if base else "", "note": ""}
    with own.noting():
        about["name"] = text_of(where, "name", document.get("name"))
        if not _NAME.fullmatch(about["name"]):
            allowed = "lower-case letters, digits, '-' and '.', such as h100-pcie"
            raise InputError(f"{where}: name", about["name"], allowed)
    with own.noting():
        about["title"] = filled_text_of(where, "title", document.get("title"), "a name for people")
    with own.noting():
        about["kind"] = text_of(where, "kind", document.get("kind"))
        if about["kind"] not in KINDS:
            raise unknown_name(f"{where}: kind", about["kind"], KINDS)
    for key in ("vendor", "note"):
        with own.noting():
            about[key] = text_of(where, key, document.get(key, about[key]))
    return about


def _replaced(where: str, document: Mapping[str, object], base: MachineFile | None) -> list[str]:
    """Return the paths under which nothing of the base is kept."""
    replaced = document.get("replace", [])
    if not isinstance(replaced, list):
        allowed = 'a list of tables or figures of the base, such as ["network"]'
        raise InputError(f"{where}: replace", replaced, allowed)
    if not replaced:
        return []
    paths = {*base.figures, *base.words} if base else set()
    starts = {".".join(path.split(".")[:depth]) for path in paths for depth in (1, 2, 3)}
    for start in replaced:
        if not isinstance(start, str) or start not in starts:
            close = nearest(str(start), starts)
            raise InputError(f"{where}: replace", start, "something that the base has", close)
    return replaced


def _load(path: Path) -> dict[str, object]:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as problem:
        raise InputError("machine file", str(path), f"a readable text file ({problem})") from problem
    if len(content) > MOST_BYTES:
        raise InputError("machine file", str(path), f"one machine, in at most {MOST_BYTES:,} bytes")
    try:
        return tomllib.loads(content.decode("utf-8-sig"), parse_float=parse_float)
    except UnicodeDecodeError as problem:
        raise InputError("machine file", str(path), f"a readable text file ({problem})") from problem
    except (ValueError, RecursionError) as problem:
        raise InputError("machine file", str(path), f"valid TOML ({problem})") from problem


def _texts(where: str, document: Mapping[str, object], table: str, wanted: str) -> dict[str, str]:
    """Return a table that holds only texts; ``wanted`` says what they are."""
    content = table_of(where, document, table)
    return {key: filled_text_of(where, f"{table}.{key}", value, wanted) for key, value in content.items()}
