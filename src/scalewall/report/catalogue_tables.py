"""Tables of what can be chosen: machines, one machine's figures with their sources, laws."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from scalewall.hardware import comparison_rows, sheet_rows
from scalewall.hardware.fields import FIGURES, KIND_TITLES, pattern
from scalewall.hardware.figure_reader import SOURCE_SEPARATOR
from scalewall.report import units
from scalewall.report.table import Cell, Column, TableView, Tone

if TYPE_CHECKING:
    from scalewall.hardware import ComparisonRow, MachineFile, SheetRow

__all__ = ["comparison_table", "figure_text", "laws_table", "machine_table", "machines_tables"]

_SI_UNITS = {
    "bytes": "B",
    "bytes/s": "B/s",
    "FLOP/s": "FLOP/s",
    "FLOP/byte": "FLOP/B",
    "s": "s",
    "Hz": "Hz",
    "W": "W",
}
_DIGITS = 4
_TONES: Mapping[str, Tone] = {"assumed": "warn", "missing": "bad"}
_MACHINES = (
    Column("Name", whole=True),
    Column("Released", whole=True),
    Column("Peak\nTFLOP/s", right=True, whole=True),
    Column("Sustained", right=True, since=100, whole=True),
    Column("Memory", right=True, whole=True),
    Column("Memory\nbandwidth", right=True, since=100, whole=True),
    Column("Network"),
    Column("Title", since=150),
)
_OF_A_LEVEL = {
    "domain": "domain",
    "network bandwidth": "bandwidth",
    "network latency": "latency",
    "arithmetic per network byte": "FLOP per byte",
}
_INDENT = "\N{NO-BREAK SPACE}" * 2
_RELEASED = 1
_NETWORK_LINE = 27
"""Characters up to which all network levels stand on one line."""


def figure_text(path: str, value: float) -> str:
    """Return a machine figure with its unit, by its path (``network.1.bandwidth``)."""
    field = FIGURES[pattern(path)]
    if field.unit in _SI_UNITS:
        return units.quantity(value, _SI_UNITS[field.unit], _DIGITS)
    if path.endswith("_fraction"):
        return units.percent(value)
    return f"{units.count(value)} {field.unit}".rstrip()


def machines_tables(machines: Sequence[MachineFile], precision: int = 16) -> list[TableView]:
    """Return one table a kind of machine (accelerators, systems, ...), by release date and name.

    Parameters
    ----------
    machines : sequence of MachineFile
        Those that do not offer the precision get no row; a note names them. Those that lack a figure which the
        ideal model needs say which.
    precision : int
        Bits of a word.
    """
    tables = []
    for kind, heading in KIND_TITLES.items():
        group = sorted(
            (machine for machine in machines if machine.kind == kind),
            key=lambda machine: (machine.released.value if machine.released else "", machine.name),
        )
        if group:
            tables.append(_kind_table(heading, group, precision))
    return tables


def _kind_table(heading: str, machines: Sequence[MachineFile], precision: int) -> TableView:
    offered = [machine for machine in machines if str(precision) in machine.levels("precision")]
    other = [machine.name for machine in machines if machine not in offered]
    shown = [
        index
        for index in range(len(_MACHINES))
        if index != _RELEASED or any(machine.released for machine in offered)
    ]
    rows = (_machine_row(machine, precision) for machine in offered)
    return TableView(
        title=f"{heading} at {precision} bits",
        columns=tuple(_MACHINES[index] for index in shown),
        rows=tuple(tuple(row[index] for index in shown) for row in rows),
        notes=(f"Not offered at {precision} bits: {', '.join(other)}.",) if other else (),
    )


def _machine_row(machine: MachineFile, precision: int) -> tuple[str | Cell, ...]:
    values = {row.quantity: (row.values[0], row.assumed[0]) for row in comparison_rows([machine], precision)}

    def shown(quantity: str, of: Callable[[float], str]) -> str:
        value, assumed = values.get(quantity, (None, False))
        return "" if not isinstance(value, float) else of(value) + ("*" if assumed else "")

    return (
        Cell(machine.name, "muted" if machine.missing else "strong"),
        machine.released.value if machine.released else "",
        shown("peak", lambda value: f"{value / 1e12:,.0f}" if value >= 1e14 else f"{value / 1e12:.3g}"),
        shown("sustained share", units.percent),
        shown("memory", units.data_size),
        shown("memory bandwidth", units.bandwidth),
        _network_cell(machine, shown),
        Cell(machine.title, "muted"),
    )


def _network_cell(machine: MachineFile, shown: Callable[[str, Callable[[float], str]], str]) -> str | Cell:
    """Return ``8 x 450 GB/s, 50 GB/s``, or what the ideal model lacks."""
    if machine.missing:
        return Cell(f"lacks {', '.join(machine.missing)}", "muted")
    levels = []
    for level in machine.levels("network"):
        size = shown(f"domain {level}", units.count)
        bandwidth = shown(f"network bandwidth {level}", units.bandwidth)
        levels.append(f"{size} x {bandwidth}" if size else bandwidth)
    line = ", ".join(levels)
    return line if len(line) <= _NETWORK_LINE else ",\n".join(levels)


def machine_table(machine: MachineFile) -> TableView:
    """Return every figure of one machine with its evidence; the numbered sources stand below."""
    figures = sheet_rows(machine)
    number: dict[str, str] = {}
    for source in (source for figure in figures for source in _sources(figure)):
        number.setdefault(source, f"{len(number) + 1}")
    rows: list[tuple[str | Cell, ...]] = []
    for table, members in groupby(figures, key=lambda row: row.path.rpartition(".")[0]):
        listed = list(members)
        rows.append((Cell(table, "strong"), "", "", "", Cell(listed[0].part, "strong")))
        rows += [_figure_row(row, number) for row in listed]
    return TableView(
        title=f"{machine.title} ({machine.name})",
        columns=(
            Column("Figure", whole=True),
            Column("Value", right=True, whole=True),
            Column("Evidence", whole=True),
            Column("", right=True, whole=True),
            Column("Note"),
        ),
        rows=tuple(rows),
        notes=(*_about(machine), *(f"{place}  {source}" for source, place in number.items())),
    )


def _sources(row: SheetRow) -> list[str]:
    return row.source.split(SOURCE_SEPARATOR) if row.source else []


def _about(machine: MachineFile) -> list[str]:
    """Return what a machine is known for, when it was released, what it builds on and lacks."""
    about = [machine.note] if machine.note else []
    if machine.released:
        note = f": {machine.released.note}" if machine.released.note else ""
        about.append(f"Released {machine.released.value} ({machine.released.evidence}{note}).")
    if machine.base:
        about.append(f"Takes from {machine.base} what its own file does not give.")
    if machine.missing:
        about.append(f"ideal: unsupported, lacks {', '.join(machine.missing)}; --set PATH=VALUE supplies it.")
    return about


def _figure_row(row: SheetRow, number: Mapping[str, str]) -> tuple[str | Cell, ...]:
    dated = ", ".join(filter(None, [row.date, row.note]))
    return (
        f"  {row.path.rpartition('.')[2]}",
        "" if row.value is None else figure_text(row.path, row.value),
        Cell(row.evidence, _TONES.get(row.evidence, "plain")),
        " ".join(number[source] for source in _sources(row)),
        Cell(dated, "muted"),
    )


def comparison_table(machines: Sequence[MachineFile], precision: int = 16) -> TableView:
    """Return machines side by side, one column a machine, one row a quantity; what is missing is a gap.

    Parameters
    ----------
    machines : sequence of MachineFile
        At least one; those that lack figures are shown with gaps.
    precision : int
        Bits of a word.
    """
    return TableView(
        title=f"Machines side by side at {precision} bits",
        columns=(Column("", whole=True), *(Column(machine.name, right=True) for machine in machines)),
        rows=tuple(_comparison_row(row) for row in comparison_rows(machines, precision)),
        notes=(
            "Peak: dense. Bandwidth between accelerators is each one's own, one way. Ridge: FLOP that each byte "
            "from memory must feed at the sustained rate; FLOP per byte: the same for the links. "
            "* Assumed, or rests on an assumed figure.",
        ),
    )


def _comparison_row(row: ComparisonRow) -> tuple[str | Cell, ...]:
    cells: list[str | Cell] = []
    for value, assumed in zip(row.values, row.assumed, strict=True):
        if value is None:
            cells.append(Cell("unknown", "muted"))
        else:
            text = value if isinstance(value, str) else _quantity_text(row.quantity, row.unit, value)
            cells.append(f"{text}*" if assumed else text)
    return (Cell(_quantity_label(row.quantity), "muted"), *cells)


def _quantity_label(quantity: str) -> str:
    """Return the head of a row; what belongs to a network level stands indented below its name."""
    name, _, level = quantity.rpartition(" ")
    if level.isdigit() and name in _OF_A_LEVEL:
        return f"{_INDENT}{_OF_A_LEVEL[name]}"
    return quantity[:1].upper() + quantity[1:]


def _quantity_text(quantity: str, unit: str, value: float) -> str:
    if quantity == "sustained share":
        return units.percent(value)
    if unit == "USD":
        return f"{value:,.0f} USD"
    return units.quantity(value, _SI_UNITS.get(unit, unit), _DIGITS) if unit else units.count(value)


def laws_table(laws: Iterable[Mapping[str, str]]) -> TableView:
    """Return one row a law, from the rows of :func:`scalewall.workload.laws.list_laws`."""
    return TableView(
        title="Laws",
        columns=(
            Column("Of", whole=True),
            Column("Name"),
            Column("Formula"),
            Column("Source"),
            Column("Note", since=150),
        ),
        rows=tuple(
            (
                law["family"],
                Cell(law["name"], "strong"),
                law["formula"],
                Cell(law["source"], "muted"),
                Cell(law["note"], "muted"),
            )
            for law in laws
        ),
        notes=("Any mix works: one law for each quantity.",),
    )
