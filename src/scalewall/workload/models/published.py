"""What is known of a public model: its fields, its published counts, and where each comes from."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Literal, cast

from scalewall.workload.hugging_face import import_config
from scalewall.workload.models.native import transformer_from_fields
from scalewall.workload.transformer import Transformer

__all__ = ["Counted", "ModelEntry", "PublishedCount", "entry_of", "printed_figure", "published_rows"]

Counted = Literal[
    "main", "head twice", "with prediction", "all", "without input embedding", "without embeddings"
]
"""What a published count holds. Of totals: the main model; it with the tied head a second time; it with its modules
of multi-token prediction and their copies of embedding and head. Of active parameters: all; all but the table that
is only looked up; neither embedding nor head."""

_UNITS = {"M": 1e6, "B": 1e9, "T": 1e12}
_FIGURE = re.compile(r"(\d+)(?:\.(\d+))?([MBT])")


@dataclass(frozen=True)
class PublishedCount:
    """A published number of parameters.

    Parameters
    ----------
    value : float
        The number.
    half_unit : float
        Half a unit of its last printed digit; 0 for an exact number.
    counts : str
        What it holds, see :data:`Counted`.
    source : str
        Who says so.
    differs : str
        Why a count from the fields is further off than rounding, empty if it is not.
    """

    value: float
    half_unit: float
    counts: Counted
    source: str
    differs: str = ""


@dataclass(frozen=True)
class ModelEntry:
    """A model and where it comes from.

    Parameters
    ----------
    name : str
        Short name, or the file.
    title : str
        For people.
    model : Transformer
        The model.
    model_type : str
        Architecture of the configuration, empty for models that were never in that form.
    repository : str
        Where its checkpoint is, empty if nowhere.
    fields_source : str
        Where the fields come from.
    recalled : tuple of str
        Fields that were recalled, not read; the count bears them out.
    defaults : mapping of str to object
        Fields that are the architecture's defaults.
    parameters, active : PublishedCount, optional
        Published total and, of models with experts, published active parameters.
    notes : tuple of str
        What else there is to know.
    """

    name: str
    title: str
    model: Transformer
    model_type: str = ""
    repository: str = ""
    fields_source: str = ""
    recalled: tuple[str, ...] = ()
    defaults: Mapping[str, object] = field(default_factory=dict)
    parameters: PublishedCount | None = None
    active: PublishedCount | None = None
    notes: tuple[str, ...] = ()


@cache
def published_rows() -> Mapping[str, Mapping[str, object]]:
    """Return the registry's rows by name, as the file has them."""
    text = files("scalewall.workload.models").joinpath("models.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    return MappingProxyType({row["name"]: row for row in rows})


@cache
def entry_of(name: str) -> ModelEntry:
    """Return the registry's model of that name.

    Raises
    ------
    KeyError
        If there is none.
    """
    row = published_rows()[name]
    where = f"registry: {name}"
    model_type, defaults = "", cast(Mapping[str, object], {})
    notes = (str(row["note"]),) if row.get("note") else ()
    if "config" in row:
        read = import_config(where, cast(Mapping[str, object], row["config"]), name)
        model, model_type, defaults = read.model, read.model_type, read.defaults
    else:
        model = transformer_from_fields(where, cast(Mapping[str, object], row["architecture"]), name)
    return ModelEntry(
        name=name,
        title=str(row["title"]),
        model=model,
        model_type=model_type,
        repository=str(row["repository"]),
        fields_source=str(row["fields_source"]),
        recalled=tuple(cast(list[str], row.get("recalled", []))),
        defaults=MappingProxyType(dict(defaults)),
        parameters=_count(row, "parameters", "main"),
        active=_count(row, "active", "all"),
        notes=notes,
    )


def printed_figure(text: str) -> tuple[float, float]:
    """Return the value of a figure such as ``37B`` or ``3.61B`` and half a unit of its last digit.

    Raises
    ------
    ValueError
        For text that is no such figure.
    """
    found = _FIGURE.fullmatch(text)
    if not found:
        raise ValueError(f"{text!r} is no figure such as 37B")
    whole, decimals, unit = found.groups()
    decimals = decimals or ""
    return float(f"{whole}.{decimals or 0}") * _UNITS[unit], 0.5 * _UNITS[unit] / 10 ** len(decimals)


def _count(row: Mapping[str, object], key: str, counts: Counted) -> PublishedCount | None:
    value = row.get(key)
    if value is None:
        return None
    number, half_unit = printed_figure(value) if isinstance(value, str) else (float(cast(int, value)), 0.0)
    return PublishedCount(
        value=number,
        half_unit=half_unit,
        counts=cast(Counted, row.get(f"{key}_count", counts)),
        source=str(row[f"{key}_source"]),
        differs=str(row.get(f"{key}_differ", "")),
    )
