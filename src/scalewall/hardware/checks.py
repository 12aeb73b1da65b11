"""What must hold between the figures of a machine: completeness, agreement, possible hierarchies."""

from __future__ import annotations

from collections.abc import Mapping

from scalewall.errors import InputError, nearest
from scalewall.hardware.fields import FIGURES, WORDS, pattern
from scalewall.hardware.machine import Figure
from scalewall.hardware.machine_file import MachineFile

__all__ = ["check_hierarchy", "check_machine_file", "lacking"]

PEAK_TOLERANCE = 0.01
"""Vendors print peaks to three or four digits; one further than this from units x clock x rate conflicts."""

_CLOCKED = ("accelerator.units", "accelerator.clock_hz")
_EXCLUSIVE = (("bandwidth", "bytes_per_clock"), ("holders", "holders_per_unit"))
_SLOWER_THAN_LINKS = ("all_to_all_bandwidth", "pair_bandwidth")


def check_machine_file(machine: MachineFile) -> None:
    """Refuse a machine whose figures are incomplete or contradict each other.

    Parameters
    ----------
    machine : MachineFile
        With what it inherits already merged in.

    Raises
    ------
    InputError
        Naming the file and the path.
    """
    _check_levels(machine)
    _check_words(machine)
    _check_alternatives(machine)
    _check_missing(machine)
    for precision in machine.levels("precision"):
        _check_peak(machine, precision)
    check_hierarchy(machine.origin, machine.figures)


def lacking(machine: MachineFile, figures: Mapping[str, Figure], precision: str) -> list[str]:
    """Return the paths of the figures that the ideal model needs at ``precision`` and ``figures`` lacks."""
    rate = f"precision.{precision}.flop_per_clock"
    peak = f"precision.{precision}.peak_flops"
    needed = ["accelerator.kernel_latency", f"precision.{precision}.sustained_fraction"]
    needed += [rate, *_CLOCKED] if rate in figures and peak not in figures else [peak]
    for level in machine.levels("memory"):
        needed.append(f"memory.{level}.capacity_bytes")
        if level == "0":
            needed.append("memory.0.bandwidth")
        if f"memory.{level}.bytes_per_clock" in figures:
            needed.append("accelerator.clock_hz")
        if f"memory.{level}.holders_per_unit" in figures:
            needed.append("accelerator.units")
    network = machine.levels("network")
    for level in network:
        needed += [f"network.{level}.bandwidth", f"network.{level}.latency"]
        if level != network[-1]:
            needed.append(f"network.{level}.size")
    return [path for path in dict.fromkeys(needed) if path not in figures]


def check_hierarchy(where: str, figures: Mapping[str, Figure]) -> None:
    """Refuse what cannot be: an inner memory larger than the outermost, a pair faster than all links."""
    outermost = figures.get("memory.0.capacity_bytes")
    for path, figure in figures.items():
        parts = path.split(".")
        if (
            parts[0] == "memory"
            and parts[2] == "capacity_bytes"
            and outermost
            and figure.value > outermost.value
        ):
            allowed = f"at most memory.0's {outermost.value:g} bytes, since level 0 is the outermost"
            raise InputError(f"{where}: {path}", figure.value, allowed)
        links = figures.get(f"network.{parts[1]}.bandwidth")
        if parts[0] == "network" and parts[2] in _SLOWER_THAN_LINKS and links and figure.value > links.value:
            allowed = f"at most network.{parts[1]}.bandwidth, {links.value:g} bytes/s"
            raise InputError(f"{where}: {path}", figure.value, allowed)


def _check_levels(machine: MachineFile) -> None:
    if not machine.levels("precision"):
        raise InputError(
            f"{machine.origin}: precision", "no table", "at least one of [precision.32], .16, .8, .4"
        )
    for table in ("memory", "network"):
        levels = machine.levels(table)
        wanted = [str(index) for index in range(len(levels))]
        if not levels or levels != wanted:
            allowed = f"[{table}.0], [{table}.1] and so on without a gap"
            raise InputError(f"{machine.origin}: {table}", ", ".join(levels) or "no table", allowed)
    last = f"network.{machine.levels('network')[-1]}.size"
    if last in machine.figures:
        raise InputError(
            f"{machine.origin}: {last}", machine.figures[last].value, "no size: the last level is unbounded"
        )


def _check_words(machine: MachineFile) -> None:
    for name, word in WORDS.items():
        table, _, key = name.split(".")
        for level in machine.levels(table) if word.required else ():
            path = f"{table}.{level}.{key}"
            if path not in machine.words:
                raise InputError(f"{machine.origin}: {path}", "", word.meaning)


def _check_alternatives(machine: MachineFile) -> None:
    for level in machine.levels("memory"):
        for first, second in _EXCLUSIVE:
            one, other = f"memory.{level}.{first}", f"memory.{level}.{second}"
            if one in machine.figures and other in machine.figures:
                allowed = f'{first} or {second}, not both (is one the base\'s? replace = ["memory.{level}"])'
                raise InputError(f"{machine.origin}: {other}", machine.figures[other].value, allowed)


def _check_missing(machine: MachineFile) -> None:
    absent = {
        path
        for precision in machine.levels("precision")
        for path in lacking(machine, machine.figures, precision)
    }
    for path, why in machine.missing.items():
        if path not in absent:
            state = "is given" if path in machine.figures else "is not a figure that the ideal model needs"
            raise InputError(
                f"{machine.origin}: missing.{path}",
                why,
                f"only missing figures; {path} {state}",
                nearest(path, absent),
            )
    for path in sorted(absent - set(machine.missing)):
        meaning = FIGURES[pattern(path)].meaning
        raise InputError(
            f"{machine.origin}: {path}",
            "",
            f"a figure ({meaning}), or its path under [missing] with the reason",
        )


def _check_peak(machine: MachineFile, precision: str) -> None:
    peak, rate = f"precision.{precision}.peak_flops", f"precision.{precision}.flop_per_clock"
    if any(path not in machine.figures for path in (peak, rate, *_CLOCKED)):
        return
    product = 1.0
    for path in (rate, *_CLOCKED):
        product *= machine.figures[path].value
    given = machine.figures[peak].value
    if abs(given / product - 1) > PEAK_TOLERANCE:
        allowed = f"within {PEAK_TOLERANCE:.0%} of units x clock_hz x flop_per_clock = {product:.5g} FLOP/s"
        raise InputError(f"{machine.origin}: {peak}", given, allowed)
