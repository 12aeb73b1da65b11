"""Machines to come: today's with figures that improve at stated rates, one generation every few years."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

from scalewall.errors import check_finite, unknown_name
from scalewall.hardware import read_machine
from scalewall.hardware.fields import FIGURES, pattern
from scalewall.hardware.machine import Figure
from scalewall.hardware.machine_file import MachineFile
from scalewall.hardware.overrides import apply_overrides
from scalewall.study.training_runs import read_date

__all__ = ["NEW", "OLD", "Progress", "catalogue_progress", "improved", "released_year"]

OLD, NEW = "v100", "b200"
"""Machines of the catalogue between which the default rates are measured: the first with matrix units that the
published model knows, and the latest of the same line without a rack-wide network."""

_GENERATIONS_BETWEEN = 3
"""From V100 to A100, to H100, to B200."""

_LEAST, _MOST = 0.1, 10.0


@dataclass(frozen=True)
class Progress:
    """Yearly factors by which the figures of machines change, and how often a generation comes.

    Parameters
    ----------
    compute : float
        Peak FLOP/s; on-chip memories and their bandwidths keep pace with it (assumed: else every coming machine
        would wait for its own registers, which vendors have always avoided).
    memory_bandwidth, memory_capacity : float
        Of the outermost memory.
    fast_network, slow_network : float
        Bandwidth of the innermost network level and of those around it.
    latency : float
        Of a network hop and of a kernel's start; below 1 is progress. Default 1: no source for a trend was found.
    domain : float
        Size of the innermost network domain. Default 1.
    generation_years : float
        Years from one generation to the next.
    basis : str
        Where the rates come from, in words.
    """

    compute: float
    memory_bandwidth: float
    memory_capacity: float
    fast_network: float
    slow_network: float
    latency: float = 1.0
    domain: float = 1.0
    generation_years: float = 2.3
    basis: str = "as stated"

    def __post_init__(self) -> None:
        for name in self.rates():
            check_finite(f"rate {name}", getattr(self, name), _LEAST, _MOST, "times a year")
        check_finite("generation_years", self.generation_years, 0.25, 20, "years")

    def rates(self) -> dict[str, float]:
        """Return the yearly factors by name."""
        words = ("generation_years", "basis")
        return {part.name: getattr(self, part.name) for part in fields(self) if part.name not in words}

    def with_rates(self, changes: Mapping[str, float]) -> Progress:
        """Return the same with some factors set by name.

        Raises
        ------
        InputError
            Unknown name, or a factor outside 0.1 to 10 a year.
        """
        if not changes:
            return self
        known = self.rates()
        for name in changes:
            if name not in known:
                raise unknown_name("rate", name, known)
        told = ", ".join(f"{name} {value:g}" for name, value in changes.items())
        return Progress(
            **{**known, **changes},
            generation_years=self.generation_years,
            basis=f"{self.basis}; {told} as stated",
        )


def released_year(machine: MachineFile) -> float | None:
    """Return when a machine was released, in years; None if it is no product."""
    return read_date("released", machine.released.value) if machine.released else None


def catalogue_progress(precision: int = 16) -> Progress:
    """Return the rates between two machines of the catalogue, :data:`OLD` and :data:`NEW`.

    The rate of a figure is ``(new / old)**(1 / years)`` between their dates of release; latencies and the size of
    the fast domain stay as they are.
    """
    old, new = read_machine(OLD), read_machine(NEW)
    years = float(released_year(new) or 0) - float(released_year(old) or 0)

    def rate(path: str) -> float:
        return float((new.figures[path].value / old.figures[path].value) ** (1 / years))

    return Progress(
        compute=rate("precision.16.peak_flops"),
        memory_bandwidth=rate("memory.0.bandwidth"),
        memory_capacity=rate("memory.0.capacity_bytes"),
        fast_network=rate("network.0.bandwidth"),
        slow_network=rate("network.1.bandwidth"),
        generation_years=years / _GENERATIONS_BETWEEN,
        basis=f"the catalogue's {OLD} to {NEW}, {years:.1f} years",
    )


def improved(
    machine: MachineFile, progress: Progress, years: float, precision: int, overrides: Mapping[str, float]
) -> dict[str, float]:
    """Return the figures of a machine's successor ``years`` later, as overrides by path (SI units).

    Figures that the machine does not give stay absent, endless bandwidths stay endless, and no on-chip memory
    outgrows the outermost. ``overrides`` are what the user set on the machine itself; they improve too.
    """
    rates = progress.rates()
    changed = dict(overrides)
    figures, _ = apply_overrides(machine, overrides)
    for path, figure in figures.items():
        name = _rate_of(path, figures, precision)
        if name is None or rates[name] == 1.0 or math.isinf(figure.value):
            continue
        field = FIGURES[pattern(path)]
        value = min(max(figure.value * rates[name] ** years, field.low), field.high)
        changed[path] = float(round(value)) if field.whole else value
    outermost = "memory.0.capacity_bytes"
    most = changed.get(outermost, figures[outermost].value)
    return {
        path: min(value, most) if path.endswith("capacity_bytes") else value
        for path, value in changed.items()
    }


def _rate_of(path: str, figures: Mapping[str, Figure], precision: int) -> str | None:
    """Return the name of the rate at which a figure changes; None: it stays."""
    table, _, rest = path.partition(".")
    level, _, key = rest.partition(".")
    if path in (f"precision.{precision}.peak_flops", "accelerator.units"):
        return "compute"
    if path == "accelerator.kernel_latency" or (table == "network" and key == "latency"):
        return "latency"
    if table == "network" and key == "size":
        return "domain" if level == "0" else None
    if table == "network":
        return "fast_network" if level == "0" else "slow_network"
    if table == "memory" and level == "0":
        return {"bandwidth": "memory_bandwidth", "capacity_bytes": "memory_capacity"}.get(key)
    grows_by_itself = table == "memory" and f"memory.{level}.holders_per_unit" not in figures
    return (
        "compute" if grows_by_itself and key in ("bandwidth", "bytes_per_clock", "capacity_bytes") else None
    )
