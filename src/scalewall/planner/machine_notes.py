"""What a machine's figures rest on that a user may not expect, in words."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from scalewall.planner.device_data import generation_of

__all__ = ["machine_notes"]


def machine_notes(machine: str, measured: Path | None, changed: Iterable[str]) -> list[str]:
    """Return what to say beside an answer.

    Parameters
    ----------
    machine : str
        The device's name.
    measured : Path or None
        The user's file of measurements.
    changed : iterable of str
        Paths of figures that the user set.
    """
    notes = []
    if generation_of(machine) == "other":
        notes.append(f"tiles of matmuls and attention of {machine}, which nobody published: plain roofline")
    if measured:
        notes.append(f"figures of {measured} instead of the public ones")
    if any(path.startswith("power.watts") for path in changed):
        notes.append("the clock of matmuls and attention goes with the root of the power limit")
    return notes
