"""Frontier and landmark training runs: the project's own table, a source on every row."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Literal

from scalewall.errors import InputError

__all__ = [
    "Role",
    "TrainingRun",
    "data_text",
    "decimal_year",
    "largest_run",
    "read_date",
    "sources",
    "training_runs",
]

Role = Literal["frontier", "landmark", "outlier"]
"""``frontier``: among the ten largest when published; ``landmark``: known for something else; ``outlier``: far off
the trend of its time, with the reason in its note. A fit of growth takes the frontier."""

_DAYS_A_YEAR = 365.25


@dataclass(frozen=True)
class TrainingRun:
    """One training run as published or as estimated from what was published.

    Parameters
    ----------
    model, organization : str
        What was trained and by whom.
    published : date
        When the model was published.
    training_flop : float
        Training compute (FLOP).
    domain : str
        ``Language``, ``Vision``, ``Games``, ...
    hardware : str
        Accelerator as the source calls it; may be empty.
    accelerators, hours, parameters : float or None
        Size of the cluster, length of the run (hours), weights; None where not known.
    confidence : str
        The source's word for its own estimate: ``confident``, ``likely`` or ``speculative``.
    role : str
        See :data:`Role`.
    source : str
        Full reference.
    note : str
        Why an outlier is one; may be empty.
    """

    model: str
    organization: str
    published: date
    training_flop: float
    domain: str
    hardware: str
    accelerators: float | None
    hours: float | None
    parameters: float | None
    confidence: str
    role: Role
    source: str
    note: str

    @property
    def year(self) -> float:
        """When it was published, in years."""
        return decimal_year(self.published)


def decimal_year(day: date) -> float:
    """Return a day as a number of years: 2024-07-01 is about 2024.5."""
    return day.year + (day - date(day.year, 1, 1)).days / _DAYS_A_YEAR


def read_date(field: str, text: str) -> float:
    """Return ``YYYY``, ``YYYY-MM`` or ``YYYY-MM-DD`` in years; what is not written counts from its middle.

    Raises
    ------
    InputError
        Another form, or no such day.
    """
    parts = text.split("-")
    try:
        numbers = [int(part) for part in parts]
        if not 1 <= len(parts) <= 3 or len(parts[0]) != 4:
            raise ValueError
        if len(numbers) == 1:
            return numbers[0] + 0.5
        day = date(numbers[0], numbers[1], numbers[2] if len(numbers) == 3 else 15)
    except ValueError:
        raise InputError(field, text, "a date: YYYY, YYYY-MM or YYYY-MM-DD", ["2025-07"]) from None
    return decimal_year(day)


def data_text(name: str) -> str:
    """Return a file of this package's data folder as text."""
    return files("scalewall.study").joinpath("data", name).read_text(encoding="utf-8")


@cache
def sources() -> Mapping[str, str]:
    """Return the references of this package's tables by their short names."""
    return tomllib.loads(data_text("sources.toml"))


@cache
def training_runs() -> tuple[TrainingRun, ...]:
    """Return every run of the table, by date of publication."""
    runs = [_run(row) for row in csv.DictReader(data_text("training_runs.csv").splitlines())]
    return tuple(sorted(runs, key=lambda run: run.published))


def largest_run(before: float = float("inf")) -> TrainingRun:
    """Return the run with the most training compute among those published before the year ``before``.

    Outliers, whose compute is a guess or no part of the trend, do not count.
    """
    known = [run for run in training_runs() if run.role != "outlier" and run.year < before]
    return max(known, key=lambda run: run.training_flop)


def _run(row: Mapping[str, str]) -> TrainingRun:
    def number(name: str) -> float | None:
        return float(row[name]) if row[name] else None

    role = row["role"]
    if role not in ("frontier", "landmark", "outlier"):
        raise ValueError(f"{row['model']}: role {role!r}")
    return TrainingRun(
        model=row["model"],
        organization=row["organization"],
        published=date.fromisoformat(row["published"]),
        training_flop=float(row["training_flop"]),
        domain=row["domain"],
        hardware=row["hardware"],
        accelerators=number("accelerators"),
        hours=number("hours"),
        parameters=number("parameters"),
        confidence=row["confidence"],
        role=role,  # type: ignore[arg-type]
        source=sources()[row["source"]],
        note=row["note"],
    )
