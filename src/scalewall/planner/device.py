"""What the planner knows of a machine: rates, links and capacities, with what microbenchmarks reach on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from scalewall.errors import InputError
from scalewall.hardware import read_machine
from scalewall.hardware.machine_file import MachineFile
from scalewall.hardware.overrides import apply_overrides
from scalewall.planner.constants import value
from scalewall.planner.device_data import device_tables, generation_of
from scalewall.planner.precision import Precision, has_floats, precisions_of

__all__ = ["Device", "load_device"]

_NONE: Mapping[str, float] = MappingProxyType({})
_WORDS = (16, 8, 4)


@dataclass(frozen=True, eq=False)
class Device:
    """One accelerator and its links.

    Parameters
    ----------
    name, title : str
        As in the catalogue.
    peak : mapping of int to float
        Dense FLOP/s by bits of a word, in floating point.
    precisions : tuple of str
        What the matrix units can compute in.
    sustained : mapping of int to float
        Share of the peak that large matmuls reach, by bits, at the power limit.
    units : int
        Multiprocessors, over which output tiles are dealt out.
    tiles : tuple of (rows, columns, rate)
        Output tiles of the matmul library and their rate against the fastest; empty: no quantization.
    depth : mapping of int to float
        Inner dimension at which matmuls reach half their rate, by bits of a word; 0 where it is not known.
    kernel_latency : float
        Seconds that each kernel costs.
    memory_bandwidth : float
        Bytes/s that streaming kernels reach.
    memory_bytes : float
        What programs can allocate (bytes); the catalogue's capacity where nobody has published it.
    attention : mapping of str to (forward, backward, sequence)
        Share of the 16-bit peak that causal attention reaches by kind of kernel, and the sequence length at
        which it reaches half of it.
    head_half : float
        Head size at which core attention reaches half its rate (elements).
    fast_ranks : int
        Accelerators in one fast domain (NVLink).
    fast_bandwidth, slow_bandwidth : float
        Bytes/s an accelerator in one direction, within the domain and beyond.
    host_bandwidth : float
        Bytes/s between an accelerator and its host's memory in one direction.
    price : float
        Of one accelerator (USD); 0: not known.
    fast_step, slow_step : float
        Seconds that a collective takes for each further rank within a domain, and for each further domain.
    call_latency, pair_latency : float
        Seconds that a collective, and a message between two ranks, cost whatever their size.
    """

    name: str
    title: str
    peak: Mapping[int, float]
    precisions: tuple[Precision, ...]
    sustained: Mapping[int, float]
    units: int
    tiles: tuple[tuple[int, int, float], ...]
    depth: Mapping[int, float]
    kernel_latency: float
    memory_bandwidth: float
    memory_bytes: float
    attention: Mapping[str, tuple[float, float, float]]
    head_half: float
    fast_ranks: int
    fast_bandwidth: float
    slow_bandwidth: float
    host_bandwidth: float
    price: float = field(default=0.0)
    fast_step: float = value("collective.fast_step")
    slow_step: float = value("collective.slow_step")
    call_latency: float = value("collective.base")
    pair_latency: float = value("collective.pair_latency")

    def rate(self, bits: int) -> float:
        """FLOP/s that large matmuls reach at ``bits`` a word."""
        return self.peak[bits] * self.sustained[bits]


def _sustained(
    machine: str, bits: int, figures: Mapping[str, float], overrides: Mapping[str, float]
) -> float:
    """Return the share of the peak that long runs of large matmuls reach: the user's, measured, or the catalogue's."""
    path = f"precision.{bits}.sustained_fraction"
    measured = device_tables()["sustained"]
    names = [name for name in measured if machine.startswith(name)]
    if path not in overrides and names and str(bits) in measured[names[0]]:
        return float(measured[names[0]][str(bits)])
    return figures[path]


def _usable_bytes(machine: str, figures: Mapping[str, float], overrides: Mapping[str, float]) -> float:
    """Return the memory that programs see: the user's capacity, what drivers report, or the catalogue's."""
    seen = device_tables()["visible"].get(machine)
    if "memory.0.capacity_bytes" in overrides or seen is None:
        return figures["memory.0.capacity_bytes"]
    return float(seen["value"])


def _host_bandwidth(machine: str) -> float:
    links = device_tables()["host"]
    return float(links["superchip" if machine.startswith(("gb", "gh")) else generation_of(machine)]["value"])


def _clock(machine: MachineFile, overrides: Mapping[str, float]) -> float:
    """Return the clock of long matmuls under the user's power limit over that under the machine's own.

    ``(watts / design watts) ^ exponent``: power goes with the clock times the square of a voltage that rises with it.
    """
    watts = overrides.get("power.watts")
    if watts is None or "power.watts" not in machine.figures:
        return 1.0
    return float((watts / machine.figures["power.watts"].value) ** value("power.clock_exponent"))


def load_device(name_or_path: str, overrides: Mapping[str, float] = _NONE) -> Device:
    """Return a machine of the catalogue, or of a machine file, as the planner uses it.

    Parameters
    ----------
    name_or_path : str
        Name in the catalogue or path of a machine file.
    overrides : mapping of str to float
        Figures to set, by path, in SI units.

    Raises
    ------
    InputError
        Unknown machine or path, or a machine without 16-bit peak, memory or links.
    """
    machine = read_machine(name_or_path)
    figures, _ = apply_overrides(machine, overrides)
    got = {path: figure.value for path, figure in figures.items()}
    needed = (
        "precision.16.peak_flops",
        "memory.0.bandwidth",
        "memory.0.capacity_bytes",
        "network.0.size",
        "network.0.bandwidth",
    )
    for path in needed:
        if path not in got:
            raise InputError("machine", machine.name, f"a machine with {path}", [f"--set {path}=..."])
    generation = generation_of(machine.name)
    measured, depth = device_tables()[generation], device_tables()["depth"].get(generation, {})
    formats = {word: str(machine.words.get(f"precision.{word}.format", "")) for word in _WORDS}
    bits = [word for word in _WORDS if f"precision.{word}.peak_flops" in got and has_floats(formats[word])]
    clock = _clock(machine, overrides)
    sustained = {word: clock * _sustained(machine.name, word, got, overrides) for word in bits}
    attention = {kind: measured[f"attention-{kind}"]["value"] for kind in ("triton", "flash", "fused")}
    return Device(
        name=machine.name,
        title=machine.title,
        peak=MappingProxyType({word: got[f"precision.{word}.peak_flops"] for word in bits}),
        precisions=precisions_of({word: formats[word] for word in bits}),
        sustained=MappingProxyType({word: min(1.0, share) for word, share in sustained.items()}),
        units=int(got.get("accelerator.units", 1)),
        tiles=tuple((int(m), int(n), float(rate)) for m, n, rate in measured["tiles"]["value"]),
        depth=MappingProxyType({word: float(depth.get(str(word), 0.0)) for word in bits}),
        kernel_latency=got["accelerator.kernel_latency"],
        memory_bandwidth=got["memory.0.bandwidth"] * measured["memory_fraction"]["value"],
        memory_bytes=_usable_bytes(machine.name, got, overrides),
        attention=MappingProxyType(
            {kind: (clock * forward, clock * back, half) for kind, (forward, back, half) in attention.items()}
        ),
        head_half=float(device_tables()["head"][generation]["value"]),
        fast_ranks=int(got["network.0.size"]),
        fast_bandwidth=got["network.0.bandwidth"],
        slow_bandwidth=got.get("network.1.bandwidth", got["network.0.bandwidth"]),
        host_bandwidth=_host_bandwidth(machine.name),
        price=got.get("price.usd", 0.0),
    )
