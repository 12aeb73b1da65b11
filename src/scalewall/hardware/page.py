"""The page on machines, written from their files by ``python -m scalewall.hardware.page``."""

from __future__ import annotations

import math

from scalewall.hardware.catalogue import machine_names, read_machine
from scalewall.hardware.fields import KIND_TITLES
from scalewall.hardware.machine_file import MachineFile
from scalewall.hardware.sheet import SheetRow, comparison_rows, sheet_rows

__all__ = ["machines_page"]

_INTRODUCTION = """# Machines

<!-- Written by `python -m scalewall.hardware.page > docs/machines.md` from src/scalewall/hardware/data. -->

Every machine that scalewall knows, with every figure and what it rests on. Peaks are dense, bandwidths are of
one accelerator in one direction. Figures marked `*` are assumed: nobody publishes them, and the reason stands
beside them below. A machine that lacks a figure which the ideal model needs says `ideal: unsupported`; give
the figure with `--set PATH=VALUE` to use it all the same. How to add a machine:
[add-a-machine.md](add-a-machine.md).

Kinds of evidence: *datasheet* (the vendor's own figure, possibly as collected by others), *measured*,
*literature* (a publication or data set), *derived* (computed from such figures; the note says how),
*assumed*.
"""
_PREFIXES = {15: "P", 12: "T", 9: "G", 6: "M", 3: "k", 0: "", -3: "m", -6: "µ", -9: "n"}
_SCALED = ("FLOP/s", "bytes", "bytes/s", "s", "Hz")


def machines_page() -> str:
    """Return the page as Markdown."""
    machines = [read_machine(name) for name in machine_names()]
    parts = [_INTRODUCTION]
    for kind, heading in KIND_TITLES.items():
        group = sorted((m for m in machines if m.kind == kind), key=lambda m: (_released(m), m.name))
        if group:
            parts += [f"## {heading}", _overview(group), *map(_section, group)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _released(machine: MachineFile) -> str:
    return machine.released.value if machine.released else ""


def _overview(group: list[MachineFile]) -> str:
    """Return one row a machine at 16 bits, or at 32 where it has nothing narrower."""
    headings = ("machine", "released", "peak", "sustained", "memory", "memory bandwidth", "network", "power")
    lines = [f"| {' | '.join(headings)} |", "|---" * len(headings) + "|"]
    for machine in group:
        bits = 16 if "16" in machine.levels("precision") else 32
        cells = {
            row.quantity: _cell(row.values[0], row.unit, row.assumed[0])
            for row in comparison_rows([machine], bits)
        }
        levels = []
        for level in machine.levels("network"):
            size = cells.get(f"domain {level}", "")
            bandwidth = cells.get(f"network bandwidth {level}", "unknown")
            levels.append(f"{size} at {bandwidth}" if size else bandwidth)
        names = ("released", "peak", "sustained share", "memory", "memory bandwidth")
        shown = [cells.get(name, "") for name in names]
        if bits == 32:
            shown[1] += " (32 bit)"
        columns = [
            f"[{machine.name}](#{_anchor(machine)})",
            *shown,
            "; ".join(levels),
            cells.get("power", ""),
        ]
        lines.append(f"| {' | '.join(columns)} |")
    return "\n".join(lines)


def _anchor(machine: MachineFile) -> str:
    return machine.name.replace(".", "")


def _section(machine: MachineFile) -> str:
    """Return one machine's figures; of those that it takes over unchanged, only where from."""
    lines = [f"### {machine.name}", "", f"{machine.title}. {machine.note}".strip()]
    if machine.released:
        reason = f": {machine.released.note}" if machine.released.note else ""
        lines += ["", f"Released {machine.released.value} ({machine.released.evidence}{reason})."]
    if machine.missing:
        lines += ["", f"`ideal: unsupported`: lacks {', '.join(f'`{path}`' for path in machine.missing)}."]
    rows = sheet_rows(machine)
    if machine.base:
        inherited = {
            (row.path, row.value, row.source, row.note) for row in sheet_rows(read_machine(machine.base))
        }
        rows = [row for row in rows if (row.path, row.value, row.source, row.note) not in inherited]
        lines += ["", f"As [{machine.base}](#{_anchor(read_machine(machine.base))}) except for:"]
    sources = list(dict.fromkeys(row.source for row in rows if row.source))
    lines += ["", "| figure | value | evidence | note |", "|---|---|---|---|"]
    lines += [_figure_line(row, sources) for row in rows]
    lines += ["", *(f"{number}. {source}" for number, source in enumerate(sources, start=1))]
    return "\n".join(lines)


def _figure_line(row: SheetRow, sources: list[str]) -> str:
    name = f"`{row.path}`{f' ({row.part})' if row.part else ''}"
    evidence = f"{row.evidence} [{sources.index(row.source) + 1}]" if row.source else row.evidence
    dated = ", ".join(filter(None, [row.date, row.note]))
    return f"| {name} | {_cell(row.value, row.unit, row.evidence == 'assumed')} | {evidence} | {dated} |"


def _cell(value: float | str | None, unit: str, assumed: bool) -> str:
    """Return a value as people write it, ``*`` if it is assumed."""
    if value is None:
        return "unknown"
    if isinstance(value, str):
        return value
    return _number(value, unit) + ("*" if assumed else "")


def _number(value: float, unit: str) -> str:
    if math.isinf(value):
        return "endless"
    if unit not in _SCALED:
        return f"{value:,.10g} {unit}".rstrip()
    exponent = min(max(3 * math.floor(math.log10(value) / 3), -9), 15)
    return f"{value / 10**exponent:.4g} {_PREFIXES[exponent]}{unit.replace('bytes', 'B')}"


if __name__ == "__main__":
    print(machines_page(), end="")
