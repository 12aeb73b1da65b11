"""Tables of what can be chosen: machines, one machine's figures with their sources, laws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from scalewall.hardware.fields import FIGURES, pattern
from scalewall.report import units
from scalewall.report.table import Cell, Column, TableView

if TYPE_CHECKING:
    from scalewall.hardware import Cluster, Figure, MachineFile

__all__ = ["comparison_table", "figure_text", "laws_table", "machine_table", "machines_table"]

_SI_UNITS = {"bytes": "B", "bytes/s": "B/s", "FLOP/s": "FLOP/s", "s": "s", "Hz": "Hz", "W": "W"}
_DIGITS = 4


def figure_text(path: str, value: float) -> str:
    """Return a machine figure with its unit, by its path (``network.1.bandwidth``)."""
    field = FIGURES[pattern(path)]
    if field.unit in _SI_UNITS:
        return units.quantity(value, _SI_UNITS[field.unit], _DIGITS)
    if path.endswith("_fraction"):
        return units.percent(value)
    return f"{units.count(value)} {field.unit}".rstrip()


def machines_table(clusters: Sequence[Cluster], unsupported: Sequence[MachineFile] = ()) -> TableView:
    """Return one row a machine: peak, memory, and each network level's size and bandwidth one way.

    Parameters
    ----------
    clusters : sequence of Cluster
        Machines that the models can use.
    unsupported : sequence of MachineFile
        Machines that lack figures; the last column says which.
    """
    return TableView(
        title="Machines",
        columns=(
            Column("Name", fold=24),
            Column("Peak\nTFLOP/s", right=True, whole=True),
            Column("Sustained", right=True, since=100, whole=True),
            Column("Memory", right=True, whole=True),
            Column("Memory\nbandwidth", right=True, since=100, whole=True),
            Column("Domain", right=True, whole=True),
            Column("Beyond", right=True),
            Column("Title", since=130),
        ),
        rows=(*map(_machine_row, clusters), *map(_unsupported_row, unsupported)),
        notes=(
            "Peak: dense, at the chosen precision. Domain and beyond: accelerators that share a network "
            "level, and the bandwidth of each one way. "
            "`scalewall hardware show NAME` has every figure and its source.",
        ),
    )


def _machine_row(cluster: Cluster) -> tuple[str | Cell, ...]:
    accelerator = cluster.accelerator
    peak = accelerator.peak_flops / 1e12
    levels = [
        units.bandwidth(level.bandwidth)
        if level.size is None
        else f"{level.size} at {units.bandwidth(level.bandwidth)}"
        for level in cluster.network.levels
    ]
    return (
        Cell(cluster.name, "strong"),
        f"{peak:,.0f}" if peak >= 100 else f"{peak:.3g}",
        units.percent(accelerator.sustained_fraction),
        units.data_size(accelerator.memory_bytes),
        units.bandwidth(accelerator.memory[0].bandwidth),
        levels[0],
        "\n".join(levels[1:]),
        Cell(cluster.title, "muted"),
    )


def _unsupported_row(machine: MachineFile) -> tuple[str | Cell, ...]:
    lacks = "lacks " + ", ".join(machine.missing)
    return (
        Cell(machine.name, "muted"),
        "",
        "",
        "",
        "",
        "",
        Cell(lacks, "muted"),
        Cell(machine.title, "muted"),
    )


def machine_table(machine: MachineFile) -> TableView:
    """Return every figure of one machine with its evidence; the numbered sources stand below."""
    figures = _ordered(machine)
    sources = dict.fromkeys(figure.source for _, figure in figures if figure.source)
    number = {source: f"{place}" for place, source in enumerate(sources, start=1)}
    rows: list[tuple[str | Cell, ...]] = []
    for table, paths in groupby(figures, key=lambda item: item[0].rpartition(".")[0]):
        name = machine.words.get(f"{table}.name") or machine.words.get(f"{table}.format")
        rows.append((Cell(f"{table} ({name})" if name else table, "strong"), "", "", "", ""))
        rows += [_figure_row(path, figure, number) for path, figure in paths]
    rows += [
        (path, Cell("missing", "bad"), "", "", Cell(reason, "muted"))
        for path, reason in machine.missing.items()
    ]
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
        notes=(*filter(None, [machine.note]), *(f"{place}  {source}" for source, place in number.items())),
    )


def _figure_row(path: str, figure: Figure, number: Mapping[str, str]) -> tuple[str | Cell, ...]:
    return (
        f"  {path.rpartition('.')[2]}",
        figure_text(path, figure.value),
        Cell(figure.evidence, "warn" if figure.evidence == "assumed" else "plain"),
        number.get(figure.source, ""),
        Cell(figure.note, "muted"),
    )


def _ordered(machine: MachineFile) -> list[tuple[str, Figure]]:
    """Return the figures in the order in which the fields are declared, then by level."""
    order = {name: place for place, name in enumerate(FIGURES)}
    tables = {name.split(".")[0]: place for place, name in reversed(list(enumerate(FIGURES)))}

    def place(path: str) -> tuple[int, list[int], int]:
        numbers = [int(part) for part in path.split(".") if part.isdigit()]
        return tables[path.split(".")[0]], numbers, order[pattern(path)]

    return sorted(machine.figures.items(), key=lambda item: place(item[0]))


def comparison_table(clusters: Sequence[Cluster]) -> TableView:
    """Return machines side by side, one column a machine, one row a figure that the model uses."""
    values = [_compared(cluster) for cluster in clusters]
    names = dict.fromkeys(name for one in values for name in one)
    return TableView(
        title="Machines side by side",
        columns=(Column("Figure"), *(Column(cluster.name, right=True) for cluster in clusters)),
        rows=tuple(
            (Cell(name, "muted"), *(one.get(name, Cell("none", "muted")) for one in values)) for name in names
        ),
        notes=("Bandwidth between accelerators is each one's own, one way. * Assumed: nobody publishes it.",),
    )


def _compared(cluster: Cluster) -> dict[str, str]:
    """Return the figures of one machine as text by what they are; a star marks an assumed one."""
    accelerator = cluster.accelerator
    precision = f"precision.{accelerator.precision}"

    def marked(path: str, value: float) -> str:
        return figure_text(path, value) + ("*" if path in cluster.assumed else "")

    rows = {
        "Precision": f"{accelerator.precision} bit",
        "Peak": marked(f"{precision}.peak_flops", accelerator.peak_flops),
        "Sustained": marked(f"{precision}.sustained_fraction", accelerator.sustained_fraction),
        "Kernel latency": marked("accelerator.kernel_latency", accelerator.kernel_latency),
        "Memory": marked("memory.0.capacity_bytes", accelerator.memory_bytes),
    }
    for index, memory in enumerate(accelerator.memory):
        rows[f"{memory.name} bandwidth"] = marked(f"memory.{index}.bandwidth", memory.bandwidth)
    for index, level in enumerate(cluster.network.levels):
        path = f"network.{index}"
        rows[f"Network {index}"] = level.name
        rows[f"Network {index} size"] = (
            "unbounded" if level.size is None else marked(f"{path}.size", level.size)
        )
        rows[f"Network {index} bandwidth"] = marked(f"{path}.bandwidth", level.bandwidth)
        rows[f"Network {index} latency"] = marked(f"{path}.latency", level.latency)
    return rows


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
