"""Where a batch's time goes: each resource as if alone, and each second given to what caused it.

The model takes maxima, so resources alone do not add up to the total. The attribution gives every maximum to
its winner; its parts sum to the total.
"""

from __future__ import annotations

import math

import numpy as np

from scalewall.cost.machine_arrays import MachineArrays
from scalewall.cost.matmul import layer_parts
from scalewall.hardware.machine import MemoryLevel
from scalewall.ideal.step import Switches, busy_seconds
from scalewall.ideal.terms import BatchTerms

__all__ = [
    "ARITHMETIC",
    "attributed_seconds",
    "binding_part",
    "component_seconds",
    "matmul_breakdown",
    "part_names",
]

ARITHMETIC = "arithmetic"
KERNEL = "kernel_latency"
TENSOR = "tensor_communication"
POINT = "point_to_point_communication"
DATA = "data_communication"
LATENCY = "network_latency"
BUBBLE = "pipeline_bubble"
FAILURES = "failures"


def _ports(memory: tuple[MemoryLevel, ...]) -> dict[int, str]:
    """Keys of the memory levels' ports that cost anything: ``hbm``, ``l2``, ``shared_memory``."""
    return {
        index: "_".join(level.name.lower().split())
        for index, level in enumerate(memory)
        if math.isfinite(level.bandwidth)
    }


def part_names(memory: tuple[MemoryLevel, ...]) -> tuple[str, ...]:
    """Keys of :func:`component_seconds` and :func:`attributed_seconds` on an accelerator."""
    return (ARITHMETIC, *_ports(memory).values(), KERNEL, TENSOR, POINT, DATA, LATENCY, BUBBLE, FAILURES)


def matmul_breakdown(
    m: float,
    n: float,
    b: float,
    share: float,
    memory: tuple[MemoryLevel, ...],
    machine: MachineArrays,
) -> tuple[dict[str, float], dict[str, float]]:
    """Seconds of all matmuls of a batch: each resource alone, and by which resource each matmul waits for.

    Parameters
    ----------
    m, n, b : float
        Shard of the first weight matrix (rows, columns) and tokens a matmul.
    share : float
        Layer-and-expert passes of six matmuls that an accelerator does in a batch.
    memory : tuple of MemoryLevel
        Names of the ports.
    machine : MachineArrays
        The cluster's figures.
    """
    ports = _ports(memory)
    names = [ARITHMETIC, *ports.values()]
    alone = dict.fromkeys([*names, KERNEL], 0.0)
    waited = dict.fromkeys([*names, KERNEL], 0.0)
    parts = np.empty((4, 1 + len(memory)))
    layer_parts(m, n, b, machine, parts)
    for row, count in zip(parts.tolist(), (2, 2, 1, 1), strict=True):
        seconds = [row[0], *(row[1 + index] for index in ports)]
        for name, value in zip(names, seconds, strict=True):
            alone[name] += share * count * value
        longest = max(seconds)
        waited[names[seconds.index(longest)]] += share * count * longest
        for record in (alone, waited):
            record[KERNEL] += share * count * machine.kernel_latency
    return alone, waited


def component_seconds(alone: dict[str, float], terms: BatchTerms, switches: Switches) -> dict[str, float]:
    """Seconds a batch that each resource would take if it were alone; the bubble stretches the busy time."""
    busy = busy_seconds(terms.compute, terms.tensor, terms.point_to_point, switches)
    return alone | {
        ARITHMETIC: alone[ARITHMETIC] + terms.extra_compute,
        TENSOR: terms.tensor,
        POINT: terms.point_to_point,
        DATA: terms.data,
        LATENCY: terms.latency + terms.data_latency,
        BUBBLE: busy * terms.bubble / (1 - terms.bubble),
        FAILURES: terms.total - terms.undisturbed,
    }


def attributed_seconds(
    waited: dict[str, float], terms: BatchTerms, zero_bubble: bool, switches: Switches
) -> dict[str, float]:
    """Seconds a batch given to what caused them; the parts sum to the batch's time.

    The winner takes each maximum: compute or overlapped communication; busy time or latency (zero bubble);
    the batch or an overlapped gradient all-reduce. Failures lose time of all alike, which is a part of its own.
    """
    nothing = dict.fromkeys([*waited, TENSOR, POINT, DATA, LATENCY, BUBBLE], 0.0)
    nothing[FAILURES] = terms.total - terms.undisturbed
    if switches.overlap_data and terms.data + terms.data_latency >= terms.undisturbed:
        return nothing | {DATA: terms.data, LATENCY: terms.data_latency}
    busy = busy_seconds(terms.compute, terms.tensor, terms.point_to_point, switches)
    stretched = busy / (1 - terms.bubble)
    parts = dict(nothing)
    if zero_bubble and not switches.free_zero_bubble_latency and terms.latency > stretched:
        parts[LATENCY] = terms.latency
    else:
        hidden = (terms.tensor if switches.overlap_tensor else 0.0) + (
            terms.point_to_point if switches.overlap_point_to_point else 0.0
        )
        if terms.compute >= hidden:
            parts |= waited
            parts[ARITHMETIC] += terms.extra_compute
        if terms.compute < hidden or not switches.overlap_tensor:
            parts[TENSOR] = terms.tensor
        if terms.compute < hidden or not switches.overlap_point_to_point:
            parts[POINT] = terms.point_to_point
        parts[BUBBLE] = stretched - busy
        parts[LATENCY] = 0.0 if zero_bubble else terms.latency
    if not switches.overlap_data:
        parts[DATA] = terms.data
        parts[LATENCY] += terms.data_latency
    return parts


def binding_part(attributed: dict[str, float]) -> str:
    """The largest part other than arithmetic at the sustained rate; ``arithmetic`` if there is none."""
    others = {name: seconds for name, seconds in attributed.items() if name != ARITHMETIC and seconds > 0}
    return max(others, key=lambda name: others[name]) if others else ARITHMETIC
