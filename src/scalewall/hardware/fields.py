"""Every field of a machine file: its unit, its plausible range, what it means."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from scalewall.errors import InputError

__all__ = [
    "EVIDENCE",
    "FIGURES",
    "FIGURE_TABLES",
    "KINDS",
    "KIND_TITLES",
    "PRECISIONS",
    "WORDS",
    "FigureField",
    "WordField",
    "check_value",
    "keys_of",
    "pattern",
]

EVIDENCE = ("datasheet", "measured", "literature", "derived", "assumed")
KIND_TITLES: Mapping[str, str] = {
    "product": "Accelerators",
    "announced": "Announced accelerators",
    "system": "Systems",
    "reference": "Machines of the published model",
    "hypothetical": "Hypothetical machines of the published model",
    "user": "Machines of your own",
}
"""What a machine is, and the heading that lists it."""
KINDS = tuple(KIND_TITLES)
PRECISIONS = (32, 16, 8, 4)
FIGURE_TABLES = ("accelerator", "precision", "memory", "network", "power", "price")


@dataclass(frozen=True)
class FigureField:
    """A number with its evidence.

    Parameters
    ----------
    unit : str
        SI unit, empty for a count or a share.
    low, high : float
        Plausible range (inclusive); anything outside is taken for a mistake.
    meaning : str
        For people and for the published schema.
    whole : bool
        Whether only whole numbers make sense.
    endless : bool
        Whether ``inf`` is allowed.
    """

    unit: str
    low: float
    high: float
    meaning: str
    whole: bool = False
    endless: bool = False

    @property
    def allowed(self) -> str:
        """The range in words."""
        number = "a whole number" if self.whole else "a number"
        unit = f" {self.unit}" if self.unit else ""
        return f"{number} from {self.low:g} to {self.high:g}{unit}{', or inf' if self.endless else ''}"


@dataclass(frozen=True)
class WordField:
    """A text or a yes/no that says what a level is; ``required`` where its table is present."""

    kind: type[str] | type[bool]
    meaning: str
    required: bool = False


_BANDWIDTH = ("bytes/s", 1e3, 1e18)

FIGURES: Mapping[str, FigureField] = {
    "accelerator.units": FigureField(
        "",
        1,
        1e7,
        "Units that each hold their own on-chip memory: multiprocessors, compute units, cores.",
        True,
    ),
    "accelerator.clock_hz": FigureField("Hz", 1e6, 1e11, "Clock at which the peak holds."),
    "accelerator.kernel_latency": FigureField("s", 1e-12, 1, "Fixed time that each matmul costs."),
    "precision.*.peak_flops": FigureField("FLOP/s", 1e6, 1e21, "Dense peak; a multiply-add is 2 FLOP."),
    "precision.*.flop_per_clock": FigureField("FLOP", 1, 1e12, "Dense FLOP of one unit in one clock.", True),
    "precision.*.sustained_fraction": FigureField("", 0.01, 1, "Share of the peak that large matmuls reach."),
    "memory.*.capacity_bytes": FigureField("bytes", 1, 1e18, "Capacity of one holder."),
    "memory.*.usable_fraction": FigureField(
        "", 0.01, 1, "Share of the capacity that a matrix tile can use; 1 if absent."
    ),
    "memory.*.holders": FigureField(
        "", 1, 1e9, "How many memories of this kind there are; 1 if absent.", True
    ),
    "memory.*.holders_per_unit": FigureField("", 1, 1e6, "The same for each unit, instead of holders.", True),
    "memory.*.bandwidth": FigureField(
        *_BANDWIDTH, "Over all holders; inf or absent: not public, costs nothing.", endless=True
    ),
    "memory.*.bytes_per_clock": FigureField(
        "bytes", 0.1, 1e9, "Of one holder, at the sustained clock (sustained fraction times clock_hz)."
    ),
    "network.*.size": FigureField(
        "",
        1,
        1e15,
        "Groups of the level below (accelerators at level 0) in a domain; the last has none.",
        True,
    ),
    "network.*.bandwidth": FigureField(
        *_BANDWIDTH,
        "Of one accelerator in one direction when all its links work, as in an all-reduce.",
        endless=True,
    ),
    "network.*.all_to_all_bandwidth": FigureField(
        *_BANDWIDTH, "The same in an all-to-all over the whole domain, where that is less.", endless=True
    ),
    "network.*.pair_bandwidth": FigureField(
        *_BANDWIDTH, "The same between one pair of accelerators, where that is less.", endless=True
    ),
    "network.*.latency": FigureField("s", 1e-12, 1, "A hop."),
    "power.watts": FigureField("W", 0.1, 1e9, "Design power of one accelerator."),
    "price.usd": FigureField("USD", 1, 1e9, "Price of one accelerator; its date is required."),
    "price.usd_per_hour": FigureField("USD/h", 1e-3, 1e6, "Rent of one accelerator; its date is required."),
}

WORDS: Mapping[str, WordField] = {
    "precision.*.format": WordField(str, "Number format: bf16, fp16, fp8, int8, nvfp4.", True),
    "memory.*.name": WordField(str, "As people call it: HBM, L2, shared memory, registers.", True),
    "memory.*.distributed": WordField(
        bool, "Whether the holders read each other's tiles directly; no if absent."
    ),
    "network.*.name": WordField(str, "As people call it: NVLink, InfiniBand.", True),
    "network.*.topology": WordField(str, "How the domain is wired: switch, torus, mesh."),
}


@cache
def pattern(path: str) -> str:
    """Return ``path`` with the number of its level or precision replaced by ``*``."""
    return ".".join("*" if part.isdigit() else part for part in path.split("."))


@cache
def keys_of(table: str) -> tuple[str, ...]:
    """Return the keys that a table may have, by its path (``memory.1``)."""
    start = f"{pattern(table)}."
    return tuple(name.removeprefix(start) for name in (*FIGURES, *WORDS) if name.startswith(start))


def check_value(field: str, path: str, value: object) -> float:
    """Return ``value`` as a float if it is plausible for ``path``.

    Parameters
    ----------
    field : str
        What the error calls it (file and path, or the option).
    path : str
        A path whose pattern is in :data:`FIGURES`.
    value : object
        What was given.

    Returns
    -------
    float
        In the field's SI unit.

    Raises
    ------
    InputError
        Not a number, not finite where it must be, outside the plausible range, not whole.
    """
    spec = FIGURES[pattern(path)]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(field, value, spec.allowed)
    if spec.endless and value == math.inf:
        return math.inf
    if not spec.low <= value <= spec.high:
        raise InputError(field, value, spec.allowed, _nearest_bound(spec, value))
    if spec.whole and value != int(value):
        raise InputError(field, value, spec.allowed, [f"{round(value)}"])
    return float(value)


def _nearest_bound(spec: FigureField, value: float) -> list[str]:
    """Return the end of the range that a number outside it is nearest to."""
    if value < spec.low:
        return [f"{spec.low:g}"]
    return [f"{spec.high:g}"] if value > spec.high else []
