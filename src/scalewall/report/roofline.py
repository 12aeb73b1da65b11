"""The roofline of machines: what their memories and links let them compute, byte by byte."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from scalewall.hardware import MachineFile, comparison_rows
from scalewall.report import units
from scalewall.report.chart_data import Axis, Chart, Series

__all__ = ["MOST_WITH_LINKS", "lacks_roofline", "links_shown", "roofline_chart"]

MOST_WITH_LINKS = 3
"""Up to this many machines get a roof for each network level too; more would hide each other."""

_DASHES: tuple[Literal["dash", "dot"], ...] = ("dash", "dot")
_BEYOND = 4.0
_THICKER = 1.0
"""Widths that a roof gets on top for each that lies on it, up to three."""
_ALIKE = 0.02
"""Bandwidths that differ by less look the same."""


def roofline_chart(machines: Sequence[MachineFile], precision: int = 16) -> Chart:
    """Return attainable FLOP/s against FLOP for each byte moved.

    A roof is ``min(sustained FLOP/s, bandwidth x FLOP for each byte)``: solid for the memory, dashed for the
    network levels, innermost first, up to where they meet it. Machines that lack a figure for it are left
    out. A roof under another one is drawn thicker, so that both can be seen.

    Parameters
    ----------
    machines : sequence of MachineFile
        At least one that :func:`lacks_roofline` does not name.
    precision : int
        Bits of a word.
    """
    links = links_shown(machines, precision)
    roofs = [
        (machine.name, colour, *roof)
        for colour, machine in enumerate(_drawn(machines, precision))
        for roof in _roofs(machine, precision, links)
    ]
    bends = [sustained / bandwidth for _, _, _, _, sustained, bandwidth in roofs]
    low, high = min(bends) / _BEYOND, max(bends) * _BEYOND
    return Chart(
        title=f"Rooflines at {precision} bits, sustained",
        x=Axis("FLOP for each byte moved", log=True, limits=(low, high)),
        y=Axis("FLOP/s of one accelerator", log=True),
        series=tuple(
            Series(
                name=f"{name}: {part}",
                x=(low, sustained / bandwidth, high)[: 3 if dash == "solid" else 2],
                y=(low * bandwidth, sustained, sustained)[: 3 if dash == "solid" else 2],
                hover=(_hover(part, sustained, bandwidth),) * (3 if dash == "solid" else 2),
                colour=colour,
                dash=dash,
                thickness=1.0 + _THICKER * _above(bandwidth, [roof[5] for roof in roofs[place + 1 :]]),
                marked=False,
            )
            for place, (name, colour, part, dash, sustained, bandwidth) in enumerate(roofs)
        ),
    )


def _above(bandwidth: float, later: Sequence[float]) -> int:
    """Return how many of the roofs that are drawn ``later`` lie on one of ``bandwidth``, at most three."""
    return min(3, sum(math.isclose(bandwidth, other, rel_tol=_ALIKE) for other in later))


def links_shown(machines: Sequence[MachineFile], precision: int) -> bool:
    """Tell whether the chart of these machines has roofs for the network levels."""
    return len(_drawn(machines, precision)) <= MOST_WITH_LINKS


def _drawn(machines: Sequence[MachineFile], precision: int) -> list[MachineFile]:
    return [machine for machine in machines if not lacks_roofline(machine, precision)]


def lacks_roofline(machine: MachineFile, precision: int) -> bool:
    """Tell whether a machine's peak, sustained share or memory bandwidth is not known at ``precision``."""
    return _values(machine, precision).get("ridge") is None


def _values(machine: MachineFile, precision: int) -> dict[str, float | str | None]:
    return {row.quantity: row.values[0] for row in comparison_rows([machine], precision)}


def _roofs(
    machine: MachineFile, precision: int, links: bool
) -> list[tuple[str, Literal["solid", "dash", "dot"], float, float]]:
    """Return name, dash, sustained FLOP/s and bandwidth of each roof of a machine, memory first."""
    values = _values(machine, precision)
    sustained = _number(values["sustained"])
    roofs: list[tuple[str, Literal["solid", "dash", "dot"], float, float]] = [
        (str(machine.words["memory.0.name"]), "solid", sustained, _number(values["memory bandwidth"]))
    ]
    for level in machine.levels("network") if links else []:
        bandwidth = values.get(f"network bandwidth {level}")
        if bandwidth is not None and _number(bandwidth) < float("inf"):
            dash = _DASHES[min(int(level), len(_DASHES) - 1)]
            roofs.append((str(machine.words[f"network.{level}.name"]), dash, sustained, _number(bandwidth)))
    return roofs


def _number(value: float | str | None) -> float:
    if not isinstance(value, float):
        raise TypeError(f"{value!r} is not a number")
    return value


def _hover(part: str, sustained: float, bandwidth: float) -> str:
    return (
        f"{part} at {units.bandwidth(bandwidth)}\n{units.flop_rate(sustained)} sustained from "
        f"{units.quantity(sustained / bandwidth, 'FLOP/B')} on"
    )
