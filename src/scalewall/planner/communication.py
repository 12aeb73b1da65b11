"""Time of collectives among ranks that sit in fast domains (NVLink) joined by a slower network.

The formulas take :class:`~scalewall.planner.figures.Links`, as kernels do; functions that take a device call them.
"""

from __future__ import annotations

import math

from scalewall._jit import formula
from scalewall.planner.constants import value
from scalewall.planner.device import Device
from scalewall.planner.figures import Links, links_of

__all__ = [
    "bus_bandwidth",
    "call_seconds",
    "exchange_seconds",
    "gather",
    "gather_seconds",
    "pace",
    "pair",
    "pair_seconds",
    "ranks_inside",
    "reduce_everywhere",
    "reduce_everywhere_seconds",
]

_EXCHANGE = value("collective.exchange_fraction")
_EXCHANGE_SLOW = value("collective.exchange_slow_fraction")
_DISPATCH_FAST = value("collective.dispatch_fast_fraction")
_DISPATCH_SLOW = value("collective.dispatch_slow_fraction")


@formula
def _inside(fast_ranks: int, ranks: int, stride: int) -> int:
    return max(1, min(ranks, fast_ranks // stride))


@formula
def _bus(links: Links, ranks: int, stride: int, ports: float) -> float:
    inside = _inside(links.fast_ranks, ranks, stride)
    fast = links.fast_fraction * links.fast_bandwidth
    if inside >= ranks:
        return fast
    slow = links.slow_fraction * links.slow_bandwidth * max(1.0, inside * ports)
    return min(fast, slow) if inside > 1 else slow


@formula
def pace(links: Links, ranks: int, stride: int, ports: float) -> float:
    """Rate of a collective as a share of what it reaches inside a fast domain."""
    return _bus(links, ranks, stride, ports) / (links.fast_fraction * links.fast_bandwidth)


@formula
def _call(links: Links, ranks: int, stride: int) -> float:
    if ranks == 1:
        return 0.0
    domains = math.ceil(ranks / _inside(links.fast_ranks, ranks, stride))
    return links.call_latency + (ranks - domains) * links.fast_step + (domains - 1) * links.slow_step


@formula
def gather(links: Links, ranks: int, stride: int, size: float, calls: float, ports: float) -> float:
    """Seconds of an all-gather or reduce-scatter; see :func:`gather_seconds`."""
    if ranks == 1:
        return 0.0
    moved = size * (ranks - 1) / ranks
    return moved / _bus(links, ranks, stride, ports) + calls * _call(links, ranks, stride)


@formula
def reduce_everywhere(
    links: Links, ranks: int, stride: int, size: float, calls: float, ports: float
) -> float:
    """Seconds of an all-reduce; see :func:`reduce_everywhere_seconds`."""
    ring = gather(links, ranks, stride, 2 * size, 2 * calls, ports)
    inside = _inside(links.fast_ranks, ranks, stride)
    if inside >= ranks:
        return ring
    steps = (
        math.floor(math.log2(math.ceil(ranks / inside))) * links.slow_step + (inside - 1) * links.tree_step
    )
    moved = 2 * size * (ranks - 1) / ranks
    tree = moved / (links.tree_fraction * _bus(links, ranks, stride, ports))
    return min(ring, tree + calls * (links.call_latency + 2 * steps))


@formula
def pair(links: Links, distance: int, size: float) -> float:
    """Seconds that ``size`` bytes take to a rank ``distance`` accelerators away."""
    bandwidth = links.fast_bandwidth if distance < links.fast_ranks else links.slow_bandwidth
    return links.pair_latency + size / (bandwidth * links.pair_fraction)


def ranks_inside(device: Device, ranks: int, stride: int) -> int:
    """Return how many of a group's ``ranks``, ``stride`` accelerators apart, share a fast domain."""
    return _inside(device.fast_ranks, ranks, stride)


def bus_bandwidth(device: Device, ranks: int, stride: int, ports: float = 1.0) -> float:
    """Bytes/s that an all-gather or reduce-scatter moves through each rank.

    ``min(0.75 x fast link, ranks of the group in a domain x 0.9 x port)``: a ring leaves a domain through every
    member's port.
    """
    return _bus(links_of(device), ranks, stride, ports)


def call_seconds(device: Device, ranks: int, stride: int) -> float:
    """Seconds that an all-gather or reduce-scatter costs whatever its size: ``base + (n-k) fast + (k-1) slow``."""
    return _call(links_of(device), ranks, stride)


def gather_seconds(
    device: Device, ranks: int, stride: int, size: float, calls: float = 1.0, ports: float = 1.0
) -> float:
    """Seconds of an all-gather or reduce-scatter of ``size`` bytes (all ranks' together) in ``calls`` calls.

    Parameters
    ----------
    device : Device
        Whose links.
    ranks, stride : int
        Members of the group and the distance between neighbours (accelerators).
    size : float
        Bytes of the gathered whole.
    calls : float
        Over how many calls.
    ports : float
        Share of the ports in use.
    """
    return gather(links_of(device), ranks, stride, float(size), float(calls), float(ports))


def reduce_everywhere_seconds(
    device: Device, ranks: int, stride: int, size: float, calls: float = 1.0, ports: float = 1.0
) -> float:
    """Seconds of an all-reduce of ``size`` bytes in ``calls`` calls, by ring or by tree, whichever is faster.

    A ring is a reduce-scatter and an all-gather: its latency grows with the number of domains. A tree costs
    ``base + 2 ((n/k - 1) tree + log2(k) slow)`` a call for ``n`` ranks in ``k`` domains, at a little less bandwidth
    (NCCL, ``src/graph/tuning.cc``). Parameters as for :func:`gather_seconds`, with ``size`` what each rank holds.
    """
    return reduce_everywhere(links_of(device), ranks, stride, float(size), float(calls), float(ports))


def pair_seconds(device: Device, distance: int, size: float) -> float:
    """Seconds that ``size`` bytes take to a rank ``distance`` accelerators away."""
    return pair(links_of(device), distance, float(size))


def exchange_seconds(
    device: Device, ranks: int, stride: int, fast: float, slow: float, dispatcher: str
) -> float:
    """Seconds of an all-to-all in which each rank sends ``fast`` bytes in its domain and ``slow`` beyond.

    The two networks work side by side, so the slower counts.
    """
    if ranks == 1:
        return 0.0
    inside = ranks_inside(device, ranks, stride)
    latency = device.call_latency + device.fast_step * (inside > 1) + device.slow_step * (inside < ranks)
    plain = dispatcher == "all-to-all"
    inner, outer = (_EXCHANGE, _EXCHANGE_SLOW) if plain else (_DISPATCH_FAST, _DISPATCH_SLOW)
    return latency + max(fast / (device.fast_bandwidth * inner), slow / (device.slow_bandwidth * outer))
