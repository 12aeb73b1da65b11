"""What a run happens on: an accelerator, the network between accelerators, and the two as a cluster."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Accelerator", "Cluster", "Figure", "MemoryLevel", "Network", "NetworkLevel"]


@dataclass(frozen=True)
class Figure:
    """One figure of a machine and what it rests on.

    Parameters
    ----------
    value : float
        In SI units: bytes, bytes/s, seconds, hertz, FLOP/s; dense, one direction.
    evidence : str
        ``datasheet``, ``measured``, ``literature``, ``derived``, ``assumed`` or ``user``.
    source : str
        Reference, required unless the evidence is ``assumed`` or ``user``.
    note : str
        Remarks; for ``assumed`` the reason.
    date : str
        When the source was published or read, ``YYYY`` or ``YYYY-MM``; may be empty.
    """

    value: float
    evidence: str
    source: str = ""
    note: str = ""
    date: str = ""


@dataclass(frozen=True)
class MemoryLevel:
    """One level of an accelerator's memory, outermost first.

    Parameters
    ----------
    name : str
        As people call it: ``HBM``, ``L2``, ``shared memory``, ``registers``.
    tile_bytes : float
        Usable capacity of one holder (bytes): the largest tile of a matrix that it can keep.
    holders : int
        How many there are on the accelerator (1 L2, ``n`` multiprocessors, ``4 n`` register files).
    distributed : bool
        Whether the holders can read each other's tiles directly, and so act as one large memory.
    bandwidth : float
        Bytes/s over all holders at the sustained clock. It carries what crosses to the level above, to the
        level below and between the holders. ``inf``: not public, costs nothing.
    """

    name: str
    tile_bytes: float
    holders: int
    distributed: bool
    bandwidth: float


@dataclass(frozen=True)
class Accelerator:
    """An accelerator at one precision.

    Parameters
    ----------
    name : str
        As the catalogue calls it.
    precision : int
        Bits of a word of weights and activations: 32, 16, 8 or 4.
    peak_flops : float
        Dense FLOP/s at that precision (a multiply-add is 2 FLOP).
    sustained_fraction : float
        Share of the peak that long runs of large matmuls reach.
    kernel_latency : float
        Fixed seconds that each matmul costs.
    memory_bytes : float
        Capacity of the outermost memory (bytes).
    memory : tuple of MemoryLevel
        Outermost (HBM) first; never empty.
    """

    name: str
    precision: int
    peak_flops: float
    sustained_fraction: float
    kernel_latency: float
    memory_bytes: float
    memory: tuple[MemoryLevel, ...]

    @property
    def word_bytes(self) -> float:
        """Bytes of one word: ``precision / 8``."""
        return self.precision / 8

    @property
    def sustained_flops(self) -> float:
        """FLOP/s that long runs of large matmuls reach."""
        return self.sustained_fraction * self.peak_flops


@dataclass(frozen=True)
class NetworkLevel:
    """One level of the network, innermost first.

    Parameters
    ----------
    name : str
        ``NVLink``, ``InfiniBand``, ``between data centres``.
    size : int or None
        How many groups of the level below (accelerators, for level 0) share a domain; None: unbounded.
    bandwidth : float
        Bytes/s an accelerator *in one direction* with all its links at work, as in an all-reduce; ``inf`` is
        allowed.
    latency : float
        Seconds a hop.
    all_to_all_bandwidth : float
        The same in an all-to-all over the whole domain, which a torus cannot do at full rate; ``inf``:
        no limit beyond ``bandwidth``.
    pair_bandwidth : float
        The same between one pair of accelerators, which a mesh or torus gives only some of the links;
        ``inf``: no limit beyond ``bandwidth``.
    """

    name: str
    size: int | None
    bandwidth: float
    latency: float
    all_to_all_bandwidth: float = math.inf
    pair_bandwidth: float = math.inf


@dataclass(frozen=True)
class Network:
    """Network levels, innermost first; only the last is unbounded."""

    levels: tuple[NetworkLevel, ...]


@dataclass(frozen=True)
class Cluster:
    """An accelerator, the network it sits in, and where every figure comes from.

    Parameters
    ----------
    name : str
        Catalogue name (``h100``) or the file's own.
    title : str
        For people: ``NVIDIA H100 SXM5 80 GB``.
    accelerator : Accelerator
        At the chosen precision.
    network : Network
        Innermost level first.
    figures : mapping of str to Figure
        Every figure used, by its path in the file (``network.1.bandwidth``).
    released : str
        ``YYYY-MM``, empty if not a product.
    warnings : tuple of str
        What the user should look at again: overrides that look like a mistaken unit or change nothing.
    """

    name: str
    title: str
    accelerator: Accelerator
    network: Network
    figures: Mapping[str, Figure] = field(default_factory=dict, compare=False, repr=False)
    released: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def assumed(self) -> dict[str, Figure]:
        """The figures that nobody publishes and that the catalogue assumes, by path."""
        return {path: figure for path, figure in self.figures.items() if figure.evidence == "assumed"}
