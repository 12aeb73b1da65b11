"""Machines as rows of plain values: one machine's figures, several machines side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scalewall.hardware.fields import FIGURES, pattern
from scalewall.hardware.machine import Figure
from scalewall.hardware.machine_file import MachineFile

__all__ = ["ComparisonRow", "SheetRow", "comparison_rows", "sheet_rows"]


@dataclass(frozen=True)
class SheetRow:
    """One figure of a machine.

    Parameters
    ----------
    path : str
        Where it stands in the file (``network.1.bandwidth``).
    part : str
        What it belongs to, as people call it: ``NVLink 4, switch`` (with its topology), ``HBM``, ``bf16``.
    value : float or None
        In ``unit``; None: missing.
    unit : str
        SI unit; empty for counts and shares.
    evidence : str
        Kind of evidence, or ``missing``.
    source, note, date : str
        Reference, remark or reason, date.
    """

    path: str
    part: str
    value: float | None
    unit: str
    evidence: str
    source: str = ""
    note: str = ""
    date: str = ""


def sheet_rows(machine: MachineFile) -> list[SheetRow]:
    """Return every figure of a machine and every missing one, in the order of the file format."""
    rows = [
        SheetRow(
            path=path,
            part=part_of(machine, path),
            value=figure.value,
            unit=FIGURES[pattern(path)].unit,
            evidence=figure.evidence,
            source=figure.source,
            note=figure.note,
            date=figure.date,
        )
        for path, figure in machine.figures.items()
    ]
    rows += [
        SheetRow(path, part_of(machine, path), None, FIGURES[pattern(path)].unit, "missing", note=why)
        for path, why in machine.missing.items()
    ]
    return sorted(rows, key=lambda row: _place(row.path))


def part_of(machine: MachineFile, path: str) -> str:
    """Return the name of the level (and how it is wired) or number format of a figure, empty for the rest."""
    table = path.rpartition(".")[0]
    words = (machine.words.get(f"{table}.{key}") for key in ("name", "topology", "format"))
    return ", ".join(str(word) for word in words if word)


def _place(path: str) -> tuple[int, float, int]:
    """Return the sorting key: table, level (precisions from 32 down), key."""
    tables = list(dict.fromkeys(name.split(".")[0] for name in FIGURES))
    table, *rest = path.split(".")
    level = float(rest[0]) if len(rest) > 1 else 0.0
    return tables.index(table), -level if table == "precision" else level, list(FIGURES).index(pattern(path))


@dataclass(frozen=True)
class ComparisonRow:
    """One quantity of several machines.

    Parameters
    ----------
    quantity : str
        What it is.
    unit : str
        SI unit; empty for counts, shares and words.
    values : tuple
        One a machine, None where it is not known.
    assumed : tuple of bool
        Whether the value rests on a figure that nobody publishes.
    """

    quantity: str
    unit: str
    values: tuple[float | str | None, ...]
    assumed: tuple[bool, ...]


@dataclass(frozen=True)
class _Reading:
    """A value computed from figures; None as soon as one of them is missing."""

    value: float | str | None
    assumed: bool = False


def comparison_rows(machines: Sequence[MachineFile], precision: int = 16) -> list[ComparisonRow]:
    """Return machines side by side; those that lack figures are kept, with gaps.

    Parameters
    ----------
    machines : sequence of MachineFile
        At least one.
    precision : int
        Bits of a word.

    Returns
    -------
    list of ComparisonRow
        Figures as they stand in the files, then what follows from them: the ridge of the roofline (sustained
        FLOP/s over memory bandwidth), arithmetic per network byte, FLOP/s per watt and per dollar.
    """
    columns = [_readings(machine, str(precision)) for machine in machines]
    quantities = dict.fromkeys(key for column in columns for key in column)
    rows = []
    for quantity, unit in sorted(quantities, key=lambda key: _row_place(key[0])):
        found = [column.get((quantity, unit), _Reading(None)) for column in columns]
        values = tuple(reading.value for reading in found)
        if any(value is not None for value in values):
            rows.append(ComparisonRow(quantity, unit, values, tuple(reading.assumed for reading in found)))
    return rows


_FIRST = (
    "released",
    "number format",
    "peak",
    "sustained share",
    "sustained",
    "kernel latency",
    "memory",
    "memory bandwidth",
    "ridge",
)
_A_LEVEL = ("network", "domain", "network bandwidth", "network latency", "arithmetic per network byte")
_LAST = ("power", "FLOP/s per watt", "price", "FLOP/s per dollar")


def _row_place(quantity: str) -> tuple[int, int, int]:
    """Return the sorting key of a row: the accelerator, its network level by level, power and price."""
    name, _, level = quantity.rpartition(" ")
    if level.isdigit():
        return 1, int(level), _A_LEVEL.index(name)
    return (0, 0, _FIRST.index(quantity)) if quantity in _FIRST else (2, 0, _LAST.index(quantity))


def _readings(machine: MachineFile, bits: str) -> dict[tuple[str, str], _Reading]:
    """Return the quantities of one machine by name and unit."""

    def read(path: str) -> _Reading:
        figure = machine.figures.get(path)
        return _Reading(figure.value, figure.evidence == "assumed") if figure else _Reading(None)

    peak = _peak(machine, bits)
    sustained = _product(peak, read(f"precision.{bits}.sustained_fraction"))
    power, price, bandwidth = read("power.watts"), read("price.usd"), read("memory.0.bandwidth")
    rows = {
        ("released", ""): _Reading(machine.released.value if machine.released else None),
        ("number format", ""): _Reading(str(machine.words.get(f"precision.{bits}.format", "")) or None),
        ("peak", "FLOP/s"): peak,
        ("sustained share", ""): read(f"precision.{bits}.sustained_fraction"),
        ("sustained", "FLOP/s"): sustained,
        ("kernel latency", "s"): read("accelerator.kernel_latency"),
        ("memory", "bytes"): read("memory.0.capacity_bytes"),
        ("memory bandwidth", "bytes/s"): bandwidth,
        ("ridge", "FLOP/byte"): _ratio(sustained, bandwidth),
        ("power", "W"): power,
        ("FLOP/s per watt", "FLOP/J"): _ratio(peak, power),
        ("price", "USD"): price,
        ("FLOP/s per dollar", "FLOP/s/USD"): _ratio(peak, price),
    }
    for level in machine.levels("network"):
        network = read(f"network.{level}.bandwidth")
        rows[f"network {level}", ""] = _Reading(str(machine.words[f"network.{level}.name"]))
        rows[f"domain {level}", ""] = read(f"network.{level}.size")
        rows[f"network bandwidth {level}", "bytes/s"] = network
        rows[f"network latency {level}", "s"] = read(f"network.{level}.latency")
        rows[f"arithmetic per network byte {level}", "FLOP/byte"] = _ratio(sustained, network)
    return rows


def _peak(machine: MachineFile, bits: str) -> _Reading:
    given = machine.figures.get(f"precision.{bits}.peak_flops")
    if given:
        return _Reading(given.value, given.evidence == "assumed")
    paths = (f"precision.{bits}.flop_per_clock", "accelerator.units", "accelerator.clock_hz")
    parts: list[Figure] = [machine.figures[path] for path in paths if path in machine.figures]
    if len(parts) < len(paths):
        return _Reading(None)
    return _Reading(
        math.prod(part.value for part in parts), any(part.evidence == "assumed" for part in parts)
    )


def _product(one: _Reading, other: _Reading) -> _Reading:
    if not isinstance(one.value, float) or not isinstance(other.value, float):
        return _Reading(None)
    return _Reading(one.value * other.value, one.assumed or other.assumed)


def _ratio(above: _Reading, below: _Reading) -> _Reading:
    if not isinstance(above.value, float) or not isinstance(below.value, float):
        return _Reading(None)
    return _Reading(above.value / below.value, above.assumed or below.assumed)
