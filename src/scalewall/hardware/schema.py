"""The JSON schema of machine files, for editors; ``python -m scalewall.hardware.schema`` prints it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from scalewall.hardware.fields import (
    EVIDENCE,
    FIGURE_TABLES,
    FIGURES,
    KINDS,
    PRECISIONS,
    WORDS,
    FigureField,
    WordField,
    keys_of,
)
from scalewall.hardware.figure_reader import DATE_PATTERN
from scalewall.hardware.machine_file import SCHEMA_VERSION

__all__ = ["machine_schema"]

_LEVELS = {"precision": f"^({'|'.join(map(str, PRECISIONS))})$", "memory": "^[0-9]+$", "network": "^[0-9]+$"}
_TEXT = {"type": "string"}
_FILLED = {"type": "string", "pattern": r"\S"}
_TEXTS = {"type": "object", "additionalProperties": _FILLED}
_DATE = {"type": "string", "pattern": f"^{DATE_PATTERN}$"}
_NEEDS_NOTE = ("assumed", "derived")


def machine_schema() -> dict[str, object]:
    """Return the JSON schema (draft 2020-12) of one machine file.

    It follows from :mod:`scalewall.hardware.fields`: every table, figure, unit and plausible range. What
    holds *between* figures (levels without a gap, peak against clock) only reading the file tells.
    """
    properties: dict[str, object] = {
        "schema": {"const": SCHEMA_VERSION, "description": "Version of the format."},
        "name": {"type": "string", "pattern": "^[a-z0-9][a-z0-9.-]*$", "description": "The file's own name."},
        "title": {**_FILLED, "description": "Name for people."},
        "vendor": {**_TEXT, "description": "Who makes it."},
        "kind": {"enum": list(KINDS), "description": "What it is."},
        "note": {**_TEXT, "description": "Pitfalls of its figures."},
        "released": _figure_schema(_DATE, "When it was released."),
        "base": {
            **_TEXT,
            "description": "A machine of the catalogue, or a file beside this one, to build on.",
        },
        "replace": {
            "type": "array",
            "items": _TEXT,
            "description": "Tables or figures of the base that are dropped first.",
        },
        "sources": {**_TEXTS, "description": "Id of each source to its full reference."},
        "missing": {**_TEXTS, "description": "Path of each figure that nobody publishes to the reason."},
    }
    for table in FIGURE_TABLES:
        if table in _LEVELS:
            inner = _table_schema(f"{table}.0" if table != "precision" else "precision.16")
            properties[table] = {
                "type": "object",
                "patternProperties": {_LEVELS[table]: inner},
                "additionalProperties": False,
            }
        else:
            properties[table] = _table_schema(table)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "scalewall machine",
        "type": "object",
        "properties": properties,
        "required": ["schema", "name", "title", "kind"],
        "additionalProperties": False,
    }


def _table_schema(table: str) -> dict[str, object]:
    start = f"{'.'.join('*' if part.isdigit() else part for part in table.split('.'))}."
    properties: dict[str, object] = {}
    for key in keys_of(table):
        name = f"{start}{key}"
        properties[key] = _word_schema(WORDS[name]) if name in WORDS else _number_schema(table, FIGURES[name])
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _word_schema(word: WordField) -> dict[str, object]:
    return {**(_FILLED if word.kind is str else {"type": "boolean"}), "description": word.meaning}


def _number_schema(table: str, field: FigureField) -> dict[str, object]:
    kind = {"type": "number", "minimum": field.low, "maximum": field.high}
    if field.endless:
        kind = {"type": "number", "minimum": field.low}
    if field.whole:
        kind["multipleOf"] = 1
    unit = f" Unit: {field.unit}." if field.unit else ""
    return _figure_schema(kind, f"{field.meaning}{unit}", dated=table == "price")


def _figure_schema(value: Mapping[str, object], meaning: str, dated: bool = False) -> dict[str, object]:
    """Return the schema of a figure: evidence needs a source, an assumption its reason."""
    source = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}]}
    return {
        "type": "object",
        "description": meaning,
        "properties": {
            "value": value,
            "evidence": {"enum": list(EVIDENCE)},
            "source": source,
            "note": _TEXT,
            "date": _DATE,
        },
        "required": ["value", "evidence", *(["date"] if dated else [])],
        "additionalProperties": False,
        "if": {"properties": {"evidence": {"enum": list(_NEEDS_NOTE)}}},
        "then": {"required": ["note"], "properties": {"note": _FILLED}},
        "anyOf": [{"properties": {"evidence": {"const": "assumed"}}}, {"required": ["source"]}],
    }


if __name__ == "__main__":
    print(json.dumps(machine_schema(), indent=1))
