"""Single figures that a user sets for one run: ``network.1.bandwidth=100e9``; a level or precision that it lacks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from scalewall.errors import InputError, nearest
from scalewall.hardware.fields import FIGURES, check_value, pattern
from scalewall.hardware.machine import Figure
from scalewall.hardware.machine_file import MachineFile

__all__ = ["FAR_OFF", "apply_overrides", "parse_override", "settable_paths", "with_supplied"]

FAR_OFF = 1000.0
"""A value this many times the file's own, or its inverse, looks like a unit mistaken."""

_INSTEAD = {
    "bandwidth": "bytes_per_clock",
    "bytes_per_clock": "bandwidth",
    "holders": "holders_per_unit",
    "holders_per_unit": "holders",
}


def parse_override(text: str) -> tuple[str, float]:
    """Read one ``path=value``.

    Parameters
    ----------
    text : str
        Such as ``network.1.bandwidth=100e9``; SI units; ``inf`` for an endless bandwidth.

    Returns
    -------
    tuple of str and float
        Path and value.

    Raises
    ------
    InputError
        No ``=``, no number, or a number too large to be one.
    """
    path, equals, written = (part.strip() for part in text.partition("="))
    if not equals or not path:
        raise InputError("set", text, "PATH=VALUE, such as network.1.bandwidth=100e9")
    try:
        value = float(written)
    except ValueError as problem:
        raise InputError(path, written, "a number in SI units, such as 100e9") from problem
    if math.isinf(value) and "inf" not in written.lower():
        allowed = (
            FIGURES[pattern(path)].allowed if pattern(path) in FIGURES else "a number that a float can hold"
        )
        raise InputError(path, written, allowed)
    return path, value


def settable_paths(machine: MachineFile) -> list[str]:
    """Return every path that can be set on ``machine``, sorted, given in its file or not."""
    paths = set(machine.figures) | set(machine.missing)
    for name in FIGURES:
        table, *rest = name.split(".")
        if rest[0] == "*":
            paths.update(f"{table}.{level}.{rest[1]}" for level in machine.levels(table))
        else:
            paths.add(name)
    paths.discard(f"network.{machine.levels('network')[-1]}.size")
    return sorted(paths)


def with_supplied(machine: MachineFile, precision: str, overrides: Mapping[str, float]) -> MachineFile:
    """Return ``machine`` with what the overrides supply whole: a precision, one more network level.

    A precision that the machine lacks needs its ``peak_flops`` and ``sustained_fraction``; one more outermost network
    level its ``bandwidth`` and ``latency`` and the ``size`` of the level that was outermost.

    Parameters
    ----------
    machine : MachineFile
        The machine.
    precision : str
        Bits of a word.
    overrides : mapping of str to float
        Path to value in SI units.
    """
    words: dict[str, str | bool] = {}
    rate = f"precision.{precision}"
    if precision not in machine.levels("precision") and _given(
        overrides, rate, "peak_flops", "sustained_fraction"
    ):
        words[f"{rate}.format"] = f"{precision} bits, set"
    levels = len(machine.levels("network"))
    further = f"network.{levels}"
    if _given(overrides, further, "bandwidth", "latency") and f"network.{levels - 1}.size" in overrides:
        words[f"{further}.name"] = "network beyond, set"
    return replace(machine, words={**machine.words, **words}) if words else machine


def _given(overrides: Mapping[str, float], start: str, *keys: str) -> bool:
    return all(f"{start}.{key}" in overrides for key in keys)


def apply_overrides(
    machine: MachineFile, overrides: Mapping[str, float]
) -> tuple[dict[str, Figure], tuple[str, ...]]:
    """Lay the user's values over a machine's figures.

    Parameters
    ----------
    machine : MachineFile
        The machine.
    overrides : mapping of str to float
        Path to value in SI units.

    Returns
    -------
    tuple
        All figures by path (the user's with evidence ``user``), and warnings about values that are
        :data:`FAR_OFF` times the file's own or more.

    Raises
    ------
    InputError
        Unknown path, implausible value.
    """
    figures = dict(machine.figures)
    warnings = []
    settable = settable_paths(machine) if overrides else []
    for path, value in overrides.items():
        if path not in settable:
            raise InputError(
                f"override {path}", value, f"the path of a figure of {machine.name}", nearest(path, settable)
            )
        number = check_value(path, path, value)
        before = machine.figures.get(path)
        if before is not None and _is_far(number, before.value):
            unit = FIGURES[pattern(path)].unit
            warnings.append(
                f"{path} = {number:g} {unit} is {number / before.value:.3g} times the {before.value:g} of"
                f" {machine.name}: is the unit right?"
            )
        start, _, key = path.rpartition(".")
        figures.pop(f"{start}.{_INSTEAD.get(key, '')}", None)
        figures[path] = Figure(number, "user", note=f"set instead of {before.value:g}" if before else "set")
    return figures, tuple(warnings)


def _is_far(value: float, usual: float) -> bool:
    if math.isinf(value) or math.isinf(usual):
        return False
    return value >= FAR_OFF * usual or value <= usual / FAR_OFF
