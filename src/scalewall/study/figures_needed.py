"""The figures of a machine that can be asked to be better: one alone, or several that go together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from scalewall.errors import InputError
from scalewall.hardware.fields import FIGURES, pattern
from scalewall.hardware.machine import Cluster

__all__ = ["BANDWIDTHS", "LATENCIES", "Knob", "improved", "knobs_of"]

BANDWIDTHS = "bandwidths"
"""Knob of all bandwidths together."""
LATENCIES = "latencies"
"""Knob of all latencies together."""

_LEAST_LATENCY = FIGURES["network.*.latency"].low


@dataclass(frozen=True)
class Knob:
    """A figure of the machine that may get better, or several by the same factor.

    Parameters
    ----------
    name : str
        The figure's path, or a name for several.
    title : str
        For people.
    paths : tuple of str
        Figures that it turns.
    """

    name: str
    title: str
    paths: tuple[str, ...]

    @property
    def divides(self) -> bool:
        """Whether better means smaller: it turns latencies alone."""
        return all(map(_is_latency, self.paths))

    def at(self, cluster: Cluster, factor: float) -> dict[str, float]:
        """Return the figures, by path, when they are ``factor`` times better; ``inf``: as good as can be."""
        return {path: _better(cluster, path, factor) for path in self.paths}


def _is_latency(path: str) -> bool:
    return path.endswith("latency")


def _better(cluster: Cluster, path: str, factor: float) -> float:
    """Return one figure ``factor`` times better, at most as good as a machine file takes."""
    value = cluster.figures[path].value
    if _is_latency(path):
        return max(value / factor, _LEAST_LATENCY)
    spec = FIGURES[pattern(path)]
    if math.isinf(factor) and spec.endless:
        return math.inf
    most = spec.high
    if path.endswith("capacity_bytes") and path != _OUTERMOST:
        most = cluster.figures[_OUTERMOST].value
    return max(value, min(value * factor, most))


_OUTERMOST = "memory.0.capacity_bytes"


def knobs_of(cluster: Cluster) -> tuple[Knob, ...]:
    """Return every knob of a machine: bandwidths, capacities and latencies one by one, then what goes together."""
    figures = cluster.figures
    memory = cluster.accelerator.memory
    levels = cluster.network.levels
    singles: list[Knob] = []
    for number, level in enumerate(levels):
        name = f"{level.name} bandwidth"
        links = [f"network.{number}.{key}" for key in ("bandwidth", "pair_bandwidth", "all_to_all_bandwidth")]
        paths = tuple(path for path in links if path in figures and math.isfinite(figures[path].value))
        if paths:
            singles.append(Knob(links[0], name, paths))
    for number, held in enumerate(memory):
        for key in ("bandwidth", "bytes_per_clock"):
            path = f"memory.{number}.{key}"
            if path in figures and math.isfinite(figures[path].value):
                singles.append(Knob(path, f"{held.name} bandwidth", (path,)))
    singles += [
        Knob(path, f"{held.name} capacity", (path,))
        for number, held in enumerate(memory)
        if (path := f"memory.{number}.capacity_bytes") in figures
    ]
    kernel = Knob("accelerator.kernel_latency", "kernel latency", ("accelerator.kernel_latency",))
    hops = [
        Knob(path, f"{level.name} latency", (path,))
        for number, level in enumerate(levels)
        if figures[path := f"network.{number}.latency"].value > 0
    ]
    rates = tuple(path for knob in singles for path in knob.paths if "capacity" not in path)
    waits = tuple(path for knob in (kernel, *hops) for path in knob.paths)
    network = tuple(path for path in rates if path.startswith("network"))
    together = [
        Knob("network-bandwidths", "network bandwidths", network),
        Knob(BANDWIDTHS, "all bandwidths", rates),
        Knob("network-latencies", "network latencies", waits[1:]),
        Knob(LATENCIES, "all latencies", waits),
        Knob("movement", "all bandwidths and latencies", (*rates, *waits)),
    ]
    return (*singles, kernel, *hops, *(knob for knob in together if len(knob.paths) > 1))


def improved(cluster: Cluster, turned: Mapping[Knob, float]) -> dict[str, float]:
    """Return the machine's figures, by path, with knobs turned to factors.

    Raises
    ------
    InputError
        Two knobs turn the same figure.
    """
    found: dict[str, float] = {}
    for knob, factor in turned.items():
        shared = found.keys() & set(knob.paths)
        if shared:
            names = ", ".join(one.name for one in turned)
            raise InputError("trade", names, f"figures that do not overlap; both hold {min(shared)}")
        found |= knob.at(cluster, factor)
    return found
