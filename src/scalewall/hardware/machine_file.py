"""Read machine files: TOML, one a machine, with a source on every figure."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from scalewall.errors import InputError, nearest, unknown_name
from scalewall.hardware.fields import EVIDENCE, FIGURES, KINDS, PRECISIONS, WORDS, check_value, pattern
from scalewall.hardware.machine import Figure

__all__ = ["SCHEMA_VERSION", "MachineFile", "read_machine_file"]

SCHEMA_VERSION = 1
_TOP_LEVEL = ("schema", "name", "title", "vendor", "kind", "note", "released", "base", "replace")
_TABLES = ("sources", "missing", "accelerator", "precision", "memory", "network", "power", "price")
_NUMBERED = ("precision", "memory", "network")
_FIGURE_KEYS = ("value", "evidence", "source", "note", "date")
_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]*")


@dataclass(frozen=True)
class Released:
    """When a machine was released (``YYYY-MM``) and who says so."""

    value: str
    evidence: str
    source: str = ""
    note: str = ""


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
    origin: str

    def levels(self, table: str) -> list[str]:
        """Return the level numbers (or precisions) of a numbered table, in order."""
        prefix = f"{table}."
        paths = (path for path in (*self.words, *self.figures) if path.startswith(prefix))
        return sorted({path.split(".")[1] for path in paths}, key=int)


class _Overflow(float):
    """A number too large for a float, such as 1e400; remembers how it was written."""

    text: str


def _parse_float(text: str) -> float:
    value = _Overflow(text)
    if "inf" not in text and abs(value) == float("inf"):
        value.text = text
        return value
    return float(text)


def read_machine_file(
    path: Path, find_base: Callable[[str, Path], Path], chain: tuple[Path, ...] = ()
) -> MachineFile:
    """Read and check one machine file and those that it builds on.

    Parameters
    ----------
    path : Path
        The file.
    find_base : callable
        ``(name, file)`` to the path of the machine that ``file`` names as its base.
    chain : tuple of Path
        Files whose inheritance led here, outermost first.

    Returns
    -------
    MachineFile
        Figures in SI units; the base's figures where the file gives none.

    Raises
    ------
    InputError
        Naming the file and the path of what is wrong with it.
    """
    if path in chain:
        loop = " -> ".join(step.name for step in (*chain, path))
        raise InputError(f"{path}: base", loop, "an inheritance without a circle")
    document = _load(path)
    where = str(path)
    _refuse_unknown(where, "", document, (*_TOP_LEVEL, *_TABLES))
    if document.get("schema") != SCHEMA_VERSION:
        raise InputError(f"{where}: schema", document.get("schema"), str(SCHEMA_VERSION))
    own = _Reader(where, _sources(where, document))
    own.read(document)
    missing = {
        key: _text(where, f"missing.{key}", value)
        for key, value in _table(where, document, "missing").items()
    }
    base = None
    if "base" in document:
        base_name = _text(where, "base", document["base"])
        base = read_machine_file(find_base(base_name, path), find_base, (*chain, path))
    return _merge(where, document, base, own, missing)


def _merge(
    where: str,
    document: Mapping[str, object],
    base: MachineFile | None,
    own: _Reader,
    missing: Mapping[str, str],
) -> MachineFile:
    """Lay a file over its base and check the whole."""
    replaced = _replaced(where, document, base)

    def kept(path: str) -> bool:
        return not any(path == start or path.startswith(f"{start}.") for start in replaced)

    figures = {path: figure for path, figure in (base.figures if base else {}).items() if kept(path)}
    words = {path: word for path, word in (base.words if base else {}).items() if kept(path)}
    lacking = {
        path: why
        for path, why in (base.missing if base else {}).items()
        if kept(path) and path not in own.figures
    }
    name = _text(where, "name", document.get("name"))
    if not _NAME.fullmatch(name):
        raise InputError(f"{where}: name", name, "lower-case letters, digits, '-' and '.', such as h100-pcie")
    kind = _text(where, "kind", document.get("kind"))
    if kind not in KINDS:
        raise unknown_name(f"{where}: kind", kind, KINDS)
    released = (
        own.released(document["released"]) if "released" in document else (base.released if base else None)
    )
    return MachineFile(
        name=name,
        title=_text(where, "title", document.get("title")),
        vendor=_text(where, "vendor", document.get("vendor", base.vendor if base else "")),
        kind=kind,
        note=_text(where, "note", document.get("note", "")),
        released=released,
        figures={**figures, **own.figures},
        words={**words, **own.words},
        missing={**lacking, **missing},
        origin=where,
    )


def _replaced(where: str, document: Mapping[str, object], base: MachineFile | None) -> list[str]:
    """Return the paths under which nothing of the base is kept."""
    replaced = document.get("replace", [])
    if not isinstance(replaced, list):
        raise InputError(
            f"{where}: replace", replaced, 'a list of tables or figures of the base, such as ["network"]'
        )
    paths = set(base.figures) | set(base.words) if base else set()
    starts = {".".join(path.split(".")[:depth]) for path in paths for depth in (1, 2, 3)}
    for start in replaced:
        if start not in starts:
            raise InputError(
                f"{where}: replace", start, "something that the base has", nearest(str(start), starts)
            )
    return replaced


class _Reader:
    """Collects the figures and words of one document."""

    def __init__(self, where: str, sources: Mapping[str, str]) -> None:
        self.where = where
        self.sources = sources
        self.figures: dict[str, Figure] = {}
        self.words: dict[str, str | bool] = {}

    def read(self, document: Mapping[str, object]) -> None:
        """Read every table of figures in ``document``."""
        for table in _TABLES[2:]:
            content = _table(self.where, document, table)
            if table not in _NUMBERED:
                self._read_table(table, content)
                continue
            for number in content:
                self._check_number(table, number)
                self._read_table(f"{table}.{number}", _table(self.where, content, number, f"{table}."))

    def _check_number(self, table: str, number: str) -> None:
        precisions = [str(bits) for bits in PRECISIONS]
        known = number in precisions if table == "precision" else number.isdigit()
        if not known:
            allowed = precisions if table == "precision" else ["0", "1", "2"]
            raise unknown_name(f"{self.where}: {table}", number, allowed)

    def _read_table(self, prefix: str, content: Mapping[str, object]) -> None:
        start = pattern(prefix) + "."
        known = [name.removeprefix(start) for name in (*FIGURES, *WORDS) if name.startswith(start)]
        _refuse_unknown(self.where, f"{prefix}.", content, known)
        for key, value in content.items():
            path = f"{prefix}.{key}"
            if pattern(path) in WORDS:
                self.words[path] = self._word(path, value)
            else:
                self.figures[path] = self._figure(path, value)

    def _word(self, path: str, value: object) -> str | bool:
        kind = WORDS[pattern(path)].kind
        if kind is bool:
            if not isinstance(value, bool):
                raise InputError(f"{self.where}: {path}", value, "true or false")
            return value
        return _text(self.where, path, value)

    def _figure(self, path: str, content: object) -> Figure:
        entry = self._entry(path, content)
        field = f"{self.where}: {path}"
        value = entry["value"]
        if isinstance(value, _Overflow):
            raise InputError(f"{field}.value", value.text, FIGURES[pattern(path)].allowed)
        number = check_value(f"{field}.value", path, value)
        evidence, source, note = self._evidence(path, entry)
        date = _text(self.where, f"{path}.date", entry.get("date", ""))
        if date and not _DATE.fullmatch(date):
            raise InputError(f"{field}.date", date, "YYYY, YYYY-MM or YYYY-MM-DD")
        if path == "price.usd" and not date:
            raise InputError(f"{field}.date", date, "when the price held (YYYY or YYYY-MM)")
        return Figure(number, evidence, source, note, date)

    def released(self, content: object) -> Released:
        """Read the release date, a figure whose value is a date."""
        entry = self._entry("released", content)
        value = entry["value"]
        if not isinstance(value, str) or not _DATE.fullmatch(value):
            raise InputError(f"{self.where}: released.value", value, "YYYY-MM in quotes")
        return Released(value, *self._evidence("released", entry))

    def _entry(self, path: str, content: object) -> Mapping[str, object]:
        """Return the inline table of a figure, its keys checked."""
        if not isinstance(content, dict) or "value" not in content:
            wanted = '{ value = ..., evidence = "datasheet", source = "id" }'
            raise InputError(f"{self.where}: {path}", content, wanted)
        _refuse_unknown(self.where, f"{path}.", content, _FIGURE_KEYS)
        return content

    def _evidence(self, path: str, entry: Mapping[str, object]) -> tuple[str, str, str]:
        """Return evidence, written-out source and note, refusing those that prove nothing."""
        field = f"{self.where}: {path}"
        evidence = entry.get("evidence", "")
        if evidence not in EVIDENCE:
            raise unknown_name(f"{field}.evidence", str(evidence), EVIDENCE)
        note = _text(self.where, f"{path}.note", entry.get("note", ""))
        if evidence == "assumed" and not note:
            raise InputError(f"{field}.note", note, "the reason for the assumption")
        if evidence == "derived" and not note:
            raise InputError(f"{field}.note", note, "how the figure was derived")
        given = entry.get("source", [])
        ids = [given] if isinstance(given, str) else given
        if not isinstance(ids, list):
            raise InputError(f"{field}.source", given, "the id of a source, or a list of them")
        if not ids and evidence != "assumed":
            raise InputError(
                f"{field}.source",
                "",
                f"the id of a source, since the evidence is {evidence}",
                list(self.sources),
            )
        for source in ids:
            if source not in self.sources:
                raise unknown_name(f"{field}.source", str(source), self.sources)
        return str(evidence), "; ".join(self.sources[source] for source in ids), note


def _load(path: Path) -> dict[str, object]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError("machine file", str(path), f"a readable text file ({problem})") from problem
    try:
        return tomllib.loads(text, parse_float=_parse_float)
    except tomllib.TOMLDecodeError as problem:
        raise InputError("machine file", str(path), f"valid TOML ({problem})") from problem


def _sources(where: str, document: Mapping[str, object]) -> dict[str, str]:
    return {
        key: _text(where, f"sources.{key}", value)
        for key, value in _table(where, document, "sources").items()
    }


def _table(where: str, content: Mapping[str, object], key: str, prefix: str = "") -> dict[str, object]:
    """Return the table under ``key``, empty if it is absent."""
    value = content.get(key, {})
    if not isinstance(value, dict):
        raise InputError(f"{where}: {prefix}{key}", value, f"a table, [{prefix}{key}]")
    return value


def _text(where: str, path: str, value: object) -> str:
    if not isinstance(value, str):
        raise InputError(f"{where}: {path}", value, "a text in quotes")
    return value


def _refuse_unknown(
    where: str,
    prefix: str,
    content: Mapping[str, object],
    known: Mapping[str, object] | tuple[str, ...] | list[str],
) -> None:
    for key in content:
        if key not in known:
            raise unknown_name(f"{where}: {prefix}{key}", key, known)
