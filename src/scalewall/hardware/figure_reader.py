"""Read the tables of figures in a machine file: numbers with their evidence, and the words between them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from scalewall.errors import InputError, unknown_name
from scalewall.hardware.fields import (
    EVIDENCE,
    FIGURE_TABLES,
    FIGURES,
    PRECISIONS,
    WORDS,
    check_value,
    keys_of,
    pattern,
)
from scalewall.hardware.machine import Figure

__all__ = [
    "DATE_PATTERN",
    "SOURCE_SEPARATOR",
    "FigureReader",
    "Released",
    "filled_text_of",
    "parse_float",
    "refuse_unknown",
    "table_of",
    "text_of",
]

SOURCE_SEPARATOR = "; "
"""Between the references of a figure that rests on several."""

_NUMBERED = ("precision", "memory", "network")
_FIGURE_KEYS = ("value", "evidence", "source", "note", "date")
DATE_PATTERN = r"[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?"
_LEVEL = re.compile(r"[0-9]{1,3}")


@dataclass(frozen=True)
class Released:
    """When a machine was released (``YYYY-MM``) and who says so."""

    value: str
    evidence: str
    source: str = ""
    note: str = ""


class _Overflow(float):
    """A number too large for a float, such as 1e400; ``text`` is how it was written."""

    text: str


def parse_float(text: str) -> float:
    """Read a TOML float, remembering how one that overflows was written."""
    value = _Overflow(text)
    value.text = text
    return value if value in (float("inf"), float("-inf")) and "inf" not in text else float(value)


class FigureReader:
    """Collects the figures and words of one document, and everything that is wrong with them."""

    def __init__(self, where: str, sources: Mapping[str, str]) -> None:
        self.where = where
        self.sources = sources
        self.figures: dict[str, Figure] = {}
        self.words: dict[str, str | bool] = {}
        self.mistakes: list[InputError] = []

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Keep an error about the file among the mistakes, so that the next entry can be read."""
        try:
            yield
        except InputError as mistake:
            self.mistakes.append(mistake)

    def read(self, document: Mapping[str, object]) -> None:
        """Read every table of figures in ``document``."""
        for table in FIGURE_TABLES:
            with self.noting():
                content = table_of(self.where, document, table)
                if table not in _NUMBERED:
                    self._read_table(table, content)
                    continue
                for number in content:
                    with self.noting():
                        self._check_number(table, number)
                        inner = table_of(self.where, content, number, f"{table}.")
                        self._read_table(f"{table}.{number}", inner)

    def _check_number(self, table: str, number: str) -> None:
        precisions = [str(bits) for bits in PRECISIONS]
        known = number in precisions if table == "precision" else _LEVEL.fullmatch(number)
        if not known:
            allowed = precisions if table == "precision" else ["0", "1", "2"]
            raise unknown_name(f"{self.where}: {table}", number, allowed)

    def _read_table(self, prefix: str, content: Mapping[str, object]) -> None:
        known = keys_of(prefix)
        for key, value in content.items():
            path = f"{prefix}.{key}"
            with self.noting():
                refuse_unknown(self.where, f"{prefix}.", [key], known)
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
        return filled_text_of(self.where, path, value, WORDS[pattern(path)].meaning.rstrip("."))

    def _figure(self, path: str, content: object) -> Figure:
        entry = self._entry(path, content)
        field = f"{self.where}: {path}"
        value = entry["value"]
        if isinstance(value, _Overflow):
            raise InputError(f"{field}.value", value.text, FIGURES[pattern(path)].allowed)
        number = check_value(f"{field}.value", path, value)
        evidence, source, note = self._evidence(path, entry)
        date = text_of(self.where, f"{path}.date", entry.get("date", ""))
        if date and not re.fullmatch(DATE_PATTERN, date):
            raise InputError(f"{field}.date", date, "YYYY, YYYY-MM or YYYY-MM-DD")
        if path.startswith("price.") and not date:
            raise InputError(f"{field}.date", date, "when the price held (YYYY or YYYY-MM)")
        return Figure(number, evidence, source, note, date)

    def released(self, content: object) -> Released:
        """Read the release date, a figure whose value is a date."""
        entry = self._entry("released", content)
        value = entry["value"]
        if not isinstance(value, str) or not re.fullmatch(DATE_PATTERN, value):
            raise InputError(f"{self.where}: released.value", value, "YYYY-MM in quotes")
        return Released(value, *self._evidence("released", entry))

    def _entry(self, path: str, content: object) -> Mapping[str, object]:
        """Return the inline table of a figure, its keys checked."""
        if not isinstance(content, dict) or "value" not in content:
            wanted = '{ value = ..., evidence = "datasheet", source = "id" }'
            raise InputError(f"{self.where}: {path}", content, wanted)
        refuse_unknown(self.where, f"{path}.", content, _FIGURE_KEYS)
        return content

    def _evidence(self, path: str, entry: Mapping[str, object]) -> tuple[str, str, str]:
        """Return evidence, written-out source and note, refusing those that prove nothing."""
        field = f"{self.where}: {path}"
        evidence = entry.get("evidence", "")
        if evidence not in EVIDENCE:
            raise unknown_name(f"{field}.evidence", str(evidence), EVIDENCE)
        note = text_of(self.where, f"{path}.note", entry.get("note", "")).strip()
        if evidence == "assumed" and not note:
            raise InputError(f"{field}.note", note, "the reason for the assumption")
        if evidence == "derived" and not note:
            raise InputError(f"{field}.note", note, "how the figure was derived")
        given = entry.get("source", [])
        ids = [given] if isinstance(given, str) else given
        if not isinstance(ids, list):
            raise InputError(f"{field}.source", given, "the id of a source, or a list of them")
        if not ids and evidence != "assumed":
            allowed = f"the id of a source, since the evidence is {evidence}"
            raise InputError(f"{field}.source", "", allowed, list(self.sources))
        for source in ids:
            if not isinstance(source, str) or source not in self.sources:
                raise unknown_name(f"{field}.source", str(source), self.sources)
        return str(evidence), SOURCE_SEPARATOR.join(self.sources[source] for source in ids), note


def table_of(where: str, content: Mapping[str, object], key: str, prefix: str = "") -> dict[str, object]:
    """Return the table under ``key``, empty if it is absent."""
    value = content.get(key, {})
    if not isinstance(value, dict):
        raise InputError(f"{where}: {prefix}{key}", value, f"a table, [{prefix}{key}]")
    return value


def text_of(where: str, path: str, value: object) -> str:
    """Return ``value`` if it is a text."""
    if not isinstance(value, str):
        raise InputError(f"{where}: {path}", value, "a text in quotes")
    return value


def filled_text_of(where: str, path: str, value: object, wanted: str) -> str:
    """Return ``value`` if it is a text with something in it; ``wanted`` says what should be there."""
    text = text_of(where, path, value)
    if not text.strip():
        raise InputError(f"{where}: {path}", text, wanted)
    return text


def refuse_unknown(where: str, prefix: str, content: Iterable[str], known: Sequence[str]) -> None:
    """Refuse keys that are not ``known``; ``prefix`` is the path of their table, with its dot."""
    for key in content:
        if key not in known:
            raise unknown_name(f"{where}: {prefix}{key}", key, known)
