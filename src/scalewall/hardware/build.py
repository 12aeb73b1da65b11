"""Turn what a machine file says into a cluster at one precision."""

from __future__ import annotations

import math
from collections.abc import Mapping

from scalewall.errors import InputError
from scalewall.hardware.checks import check_hierarchy, lacking
from scalewall.hardware.machine import Accelerator, Cluster, Figure, MemoryLevel, Network, NetworkLevel
from scalewall.hardware.machine_file import MachineFile
from scalewall.hardware.overrides import apply_overrides, with_supplied

__all__ = ["UnsupportedMachineError", "build_cluster"]


class UnsupportedMachineError(InputError):
    """The ideal model cannot run on a machine because figures are missing.

    Parameters
    ----------
    name : str
        The machine.
    missing : mapping of str to str
        Path of each missing figure to the reason.
    """

    def __init__(self, name: str, missing: Mapping[str, str]) -> None:
        self.missing = dict(missing)
        reasons = "; ".join(f"{path} ({why})" for path, why in missing.items())
        allowed = f"a machine with every figure that the model needs (ideal: unsupported, missing {reasons})"
        super().__init__("machine", name, allowed, [f"--set {path}=..." for path in missing])


def build_cluster(machine: MachineFile, precision: int, overrides: Mapping[str, float]) -> Cluster:
    """Build the cluster that a machine file describes.

    Parameters
    ----------
    machine : MachineFile
        Checked machine.
    precision : int
        Bits of a word.
    overrides : mapping of str to float
        Figures to set, by path, in SI units.

    Returns
    -------
    Cluster
        With every figure used and warnings about the overrides.

    Raises
    ------
    InputError
        Precision that the machine lacks, override that cannot be used.
    UnsupportedMachineError
        A figure that the ideal model needs is missing.

    Notes
    -----
    Peak: ``units * clock_hz * flop_per_clock``, or as given, then changed in proportion to what the user sets
    of the three. Bandwidth from a clock:
    ``bytes_per_clock * holders * sustained_fraction * clock_hz``. A memory's tile is
    ``usable_fraction * capacity_bytes``, at least that of the memory inside it [1]_.

    References
    ----------
    .. [1] Erdil and Schneider-Joseph, "Data movement limits to frontier model training", arXiv 2411.01137.
    """
    bits = str(precision)
    machine = with_supplied(machine, bits, overrides)
    if bits not in machine.levels("precision"):
        offered = machine.levels("precision")[::-1]
        raise InputError(
            "precision", precision, f"a precision of {machine.name}: {', '.join(offered)} bits", offered
        )
    figures, warnings = apply_overrides(machine, overrides)
    absent = lacking(machine, figures, bits)
    if absent:
        raise UnsupportedMachineError(
            machine.name, {path: machine.missing.get(path, "not given") for path in absent}
        )
    check_hierarchy(machine.name, figures)
    used = _Used(figures)
    accelerator = _accelerator(machine, used, bits, overrides)
    network = Network(tuple(_network_level(machine, used, level) for level in machine.levels("network")))
    unused = (path for path in overrides if path not in used.figures)
    return Cluster(
        name=machine.name,
        title=machine.title,
        accelerator=accelerator,
        network=network,
        figures=used.figures,
        released=machine.released.value if machine.released else "",
        warnings=(
            *warnings,
            *(f"{path} is set but {machine.name} does not use it at {bits} bits" for path in unused),
        ),
    )


class _Used:
    """Hands out figures by path and keeps those that were asked for."""

    def __init__(self, available: Mapping[str, Figure]) -> None:
        self._available = available
        self.figures: dict[str, Figure] = {}

    def __contains__(self, path: str) -> bool:
        return path in self._available

    def __call__(self, path: str, default: float = math.nan) -> float:
        """Return the value at ``path``; ``default`` where there is none."""
        if path not in self._available:
            return default
        self.figures[path] = self._available[path]
        return self._available[path].value


def _accelerator(machine: MachineFile, used: _Used, bits: str, overrides: Mapping[str, float]) -> Accelerator:
    sustained = used(f"precision.{bits}.sustained_fraction")
    memory: list[MemoryLevel] = []
    for level in reversed(machine.levels("memory")):
        inside = memory[0].tile_bytes if memory else 0.0
        memory.insert(0, _memory_level(machine, used, level, sustained, inside))
    return Accelerator(
        name=machine.name,
        precision=int(bits),
        peak_flops=_peak(machine, used, bits, overrides),
        sustained_fraction=sustained,
        kernel_latency=used("accelerator.kernel_latency"),
        memory_bytes=memory[0].tile_bytes,
        memory=tuple(memory),
    )


def _peak(machine: MachineFile, used: _Used, bits: str, overrides: Mapping[str, float]) -> float:
    """Return the peak (FLOP/s); what the user changes of its three factors changes it in proportion."""
    peak = f"precision.{bits}.peak_flops"
    factors = (f"precision.{bits}.flop_per_clock", "accelerator.units", "accelerator.clock_hz")
    if peak not in used:
        return math.prod(map(used, factors))
    changed = [path for path in factors if path in overrides and path in machine.figures]
    if peak in overrides:
        changed = []
    return used(peak) * math.prod(used(path) / machine.figures[path].value for path in changed)


def _memory_level(
    machine: MachineFile, used: _Used, level: str, sustained: float, inside: float
) -> MemoryLevel:
    start = f"memory.{level}"
    if f"{start}.holders_per_unit" in used:
        holders = used(f"{start}.holders_per_unit") * used("accelerator.units")
    else:
        holders = used(f"{start}.holders", 1)
    if f"{start}.bytes_per_clock" in used:
        bandwidth = used(f"{start}.bytes_per_clock") * holders * sustained * used("accelerator.clock_hz")
    else:
        bandwidth = used(f"{start}.bandwidth", math.inf)
    return MemoryLevel(
        name=str(machine.words[f"{start}.name"]),
        tile_bytes=max(used(f"{start}.usable_fraction", 1) * used(f"{start}.capacity_bytes"), inside),
        holders=int(holders),
        distributed=bool(machine.words.get(f"{start}.distributed", False)),
        bandwidth=bandwidth,
    )


def _network_level(machine: MachineFile, used: _Used, level: str) -> NetworkLevel:
    start = f"network.{level}"
    return NetworkLevel(
        name=str(machine.words[f"{start}.name"]),
        size=int(used(f"{start}.size")) if f"{start}.size" in used else None,
        bandwidth=used(f"{start}.bandwidth"),
        latency=used(f"{start}.latency"),
        all_to_all_bandwidth=used(f"{start}.all_to_all_bandwidth", math.inf),
        pair_bandwidth=used(f"{start}.pair_bandwidth", math.inf),
    )
