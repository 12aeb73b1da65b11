"""Limits of many machines against their years of release: whether hardware progress moves the wall."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scalewall.hardware import read_machine
from scalewall.report import units
from scalewall.report.chart_data import REST, Axis, Chart, Series
from scalewall.report.words import finding, largest_point, part_label, yardstick

if TYPE_CHECKING:
    from scalewall.ideal.limits import Limits

__all__ = [
    "MANY",
    "Generation",
    "answer_words",
    "are_many",
    "generations",
    "generations_chart",
    "spread_words",
]

MANY = 7
"""More machines than this are drawn by year of release instead of curve by curve."""

_MONTHS = 12
_AROUND = 0.6
"""Years that the axis runs on beyond the first and the last machine."""
_HEIGHT = 1.7


@dataclass(frozen=True)
class Generation:
    """A machine with a release date, and its limits.

    Parameters
    ----------
    limits : Limits
        Its answer.
    vendor, released : str
        Who makes it; ``YYYY-MM``.
    year : float
        The middle of the month of release, in years.
    low, high : float
        The ends of the range in which efficient scaling ends (FLOP).
    """

    limits: Limits
    vendor: str
    released: str
    year: float
    low: float
    high: float


def generations(limits: Sequence[Limits]) -> list[Generation]:
    """Return the machines that have a release date and a limit, by date and name."""
    found = []
    for one in limits:
        machine = read_machine(one.machine)
        band = one.linear_scaling
        ends = [end for end in (band.first_failure_flop, band.last_pass_flop) if end is not None]
        if machine.released and ends:
            year = _year(machine.released.value)
            found.append(
                Generation(one, machine.vendor or "other", machine.released.value, year, min(ends), max(ends))
            )
    return sorted(found, key=lambda generation: (generation.year, generation.limits.machine))


def are_many(limits: Sequence[Limits]) -> bool:
    """Tell whether there are too many machines for a curve and a sentence each; some need a date and a limit."""
    return len(limits) > MANY and bool(generations(limits))


def _year(date: str) -> float:
    """Return ``YYYY``, ``YYYY-MM`` or ``YYYY-MM-DD`` as the middle of that year or month."""
    year, *rest = date.split("-")
    return int(year) + (0.5 if not rest else (int(rest[0]) - 0.5) / _MONTHS)


def generations_chart(limits: Sequence[Limits]) -> Chart:
    """Return each machine's limits against its year of release.

    A bar runs from the first run that falls below the threshold to the last that stays above it (whichever is
    less below); a triangle is the largest run that finishes. Machines without a release date are left out.

    Parameters
    ----------
    limits : sequence of Limits
        At least one machine with a release date and a limit.
    """
    shown = generations(limits)
    largest = [(one, one.limits.largest_feasible_flop) for one in shown]
    runs = [(one, flop) for one, flop in largest if flop is not None]
    lowest = min(one.low for one in shown)
    highest = max([*(one.high for one in shown), *(flop for _, flop in runs)])
    vendors = list(dict.fromkeys(one.vendor for one in shown))
    bars = [
        _bars(vendor, index, [one for one in shown if one.vendor == vendor])
        for index, vendor in enumerate(vendors)
    ]
    top = Series(
        name="largest run that finishes",
        x=tuple(one.year for one, _ in runs),
        y=tuple(flop for _, flop in runs),
        hover=tuple(_hover(one) for one, _ in runs),
        colour=REST,
        kind="points",
    )
    return Chart(
        title=f"Where efficient scaling ends, by year of release ({units.months(shown[0].limits.duration_seconds)})",
        x=Axis("Year of release", limits=(shown[0].year - _AROUND, shown[-1].year + _AROUND)),
        y=Axis("Training compute (FLOP)", log=True, limits=(_down(lowest), _up(highest))),
        series=(*bars, top),
        height=_HEIGHT,
    )


def answer_words(limits: Sequence[Limits]) -> list[str]:
    """Return the answer: a sentence or two a machine and a yardstick, or for many machines where they spread."""
    if are_many(limits):
        return [spread_words(limits)]
    return [*map(finding, limits), *filter(None, [yardstick(limits)])]


def spread_words(limits: Sequence[Limits]) -> str:
    """Return in a sentence or two between which machines the limits lie; they need a limit and a date."""
    shown = generations(limits)
    first, last = min(shown, key=lambda one: one.low), max(shown, key=lambda one: one.high)
    sentence = (
        f"Of {len(shown)} machines, efficient scaling ends first on {first.limits.title} (from "
        f"{units.flop(first.low)} on) and last on {last.limits.title} (at {units.flop(last.high)})."
    )
    runs = [one.limits.largest_feasible_flop for one in shown if one.limits.largest_feasible_flop is not None]
    if not runs:
        return sentence
    spread = units.flop(max(runs))
    if min(runs) < max(runs):
        spread = f"between {units.scientific(min(runs))} and {spread}"
    return f"{sentence} The largest run that finishes has {spread}."


def _bars(vendor: str, colour: int, shown: Sequence[Generation]) -> Series:
    return Series(
        name=vendor,
        x=tuple(one.year for one in shown),
        y=tuple(one.low for one in shown),
        hover=tuple(_hover(one) for one in shown),
        colour=colour,
        kind="points",
        tops=tuple(one.high for one in shown),
        labels=tuple(one.limits.machine for one in shown),
    )


def _hover(one: Generation) -> str:
    words = [
        f"{one.limits.title}, {one.released}",
        f"efficient scaling ends between {units.flop(one.low)} and {units.flop(one.high)}",
    ]
    top = largest_point(one.limits)
    if top is not None:
        words.append(f"largest run {units.flop(top.training_flop)}, binds: {part_label(top.binds)}")
    return "\n".join(words)


def _down(flop: float) -> float:
    """Return the half power of ten below ``flop``."""
    return math.pow(10.0, math.floor(2 * math.log10(flop)) / 2 - 0.25)


def _up(flop: float) -> float:
    return math.pow(10.0, math.ceil(2 * math.log10(flop)) / 2 + 0.25)
