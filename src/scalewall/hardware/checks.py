"""What must hold between the figures of a machine: completeness, agreement, possible hierarchies."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping

from scalewall.errors import InputError, nearest
from scalewall.hardware.fields import FIGURES, WORDS, pattern
from scalewall.hardware.machine import Figure
from scalewall.hardware.machine_file import MachineFile, MistakesError

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
    MistakesError
        Naming the file and the path of everything that is wrong.
    """
    mistakes = list(_wrong_levels(machine)) or [
        *_wrong_words(machine),
        *_wrong_alternatives(machine),
        *_wrong_missing(machine),
        *_wrong_peaks(machine),
        *_wrong_hierarchy(machine.origin, machine.figures),
    ]
    if mistakes:
        raise MistakesError(mistakes)


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
    """Refuse figures that cannot stand together, by what ``where`` calls their machine.

    Raises
    ------
    InputError
        An inner memory that is larger than the outermost or has fewer holders than the one around it, a pair
        of accelerators faster than all of one's links.
    """
    for mistake in _wrong_hierarchy(where, figures):
        raise mistake


def _wrong_hierarchy(where: str, figures: Mapping[str, Figure]) -> Iterator[InputError]:
    outermost = figures.get("memory.0.capacity_bytes")
    for path, figure in figures.items():
        table, level, key = f"{path}.".split(".")[:3]
        if table == "memory" and key == "capacity_bytes" and outermost and figure.value > outermost.value:
            allowed = f"at most memory.0's {outermost.value:g} bytes, since level 0 is the outermost"
            yield InputError(f"{where}: {path}", figure.value, allowed)
        links = figures.get(f"network.{level}.bandwidth")
        if table == "network" and key in _SLOWER_THAN_LINKS and links and figure.value > links.value:
            allowed = f"at most network.{level}.bandwidth, {links.value:g} bytes/s"
            yield InputError(f"{where}: {path}", figure.value, allowed)
    yield from _wrong_holders(where, figures)


def _wrong_holders(where: str, figures: Mapping[str, Figure]) -> Iterator[InputError]:
    """Every memory has at least one memory of the next level inside it."""
    around = 1.0
    for level in itertools.count():
        if f"memory.{level}.capacity_bytes" not in figures:
            return
        start = f"memory.{level}"
        path = next((p for p in (f"{start}.holders", f"{start}.holders_per_unit") if p in figures), "")
        holders = figures[path].value if path else 1.0
        if path.endswith("_per_unit"):
            if "accelerator.units" not in figures:
                return
            holders *= figures["accelerator.units"].value
        if holders < around:
            allowed = f"at least {around:g} in all, one inside each of memory.{level - 1}"
            yield InputError(f"{where}: {path or f'{start}.holders'}", holders, allowed)
        around = holders


def _wrong_levels(machine: MachineFile) -> Iterator[InputError]:
    if not machine.levels("precision"):
        yield InputError(
            f"{machine.origin}: precision", "no table", "at least one of [precision.32], .16, .8, .4"
        )
    for table in ("memory", "network"):
        levels = machine.levels(table)
        wanted = [str(index) for index in range(len(levels))]
        if not levels or levels != wanted:
            allowed = f"[{table}.0], [{table}.1] and so on without a gap"
            yield InputError(f"{machine.origin}: {table}", ", ".join(levels) or "no table", allowed)
    last = f"network.{(machine.levels('network') or ['0'])[-1]}.size"
    if last in machine.figures:
        yield InputError(
            f"{machine.origin}: {last}", machine.figures[last].value, "no size: the last level is unbounded"
        )


def _wrong_words(machine: MachineFile) -> Iterator[InputError]:
    for name, word in WORDS.items():
        table, _, key = name.split(".")
        for level in machine.levels(table) if word.required else ():
            path = f"{table}.{level}.{key}"
            if path not in machine.words:
                yield InputError(f"{machine.origin}: {path}", None, word.meaning.rstrip("."))


def _wrong_alternatives(machine: MachineFile) -> Iterator[InputError]:
    for level in machine.levels("memory"):
        for first, second in _EXCLUSIVE:
            one, other = f"memory.{level}.{first}", f"memory.{level}.{second}"
            if one in machine.figures and other in machine.figures:
                allowed = f'{first} or {second}, not both (is one the base\'s? replace = ["memory.{level}"])'
                yield InputError(f"{machine.origin}: {other}", machine.figures[other].value, allowed)


def _wrong_missing(machine: MachineFile) -> Iterator[InputError]:
    absent = {
        path
        for precision in machine.levels("precision")
        for path in lacking(machine, machine.figures, precision)
    }
    for path, why in machine.missing.items():
        if path not in absent:
            state = "is given" if path in machine.figures else "is not a figure that the ideal model needs"
            allowed = f"only missing figures; {path} {state}"
            yield InputError(f"{machine.origin}: missing.{path}", why, allowed, nearest(path, absent))
    for path in sorted(absent - set(machine.missing)):
        meaning = FIGURES[pattern(path)].meaning.rstrip(".")
        allowed = f"a figure ({meaning}), or its path under [missing] with the reason"
        yield InputError(f"{machine.origin}: {path}", None, allowed)


def _wrong_peaks(machine: MachineFile) -> Iterator[InputError]:
    for precision in machine.levels("precision"):
        peak, rate = f"precision.{precision}.peak_flops", f"precision.{precision}.flop_per_clock"
        if any(path not in machine.figures for path in (peak, rate, *_CLOCKED)):
            continue
        product = math.prod(machine.figures[path].value for path in (rate, *_CLOCKED))
        given = machine.figures[peak].value
        if abs(given / product - 1) > PEAK_TOLERANCE:
            allowed = (
                f"within {PEAK_TOLERANCE:.0%} of units x clock_hz x flop_per_clock = {product:.5g} FLOP/s"
            )
            yield InputError(f"{machine.origin}: {peak}", given, allowed)
