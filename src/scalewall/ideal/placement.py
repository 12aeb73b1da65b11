"""The best placement of given degrees over the network's levels: the inner loops of both searches.

Every bound here is :func:`scalewall.ideal.step.batch_seconds` itself, called with terms that no placement can
beat; since it never falls when a term rises, nothing better is ever cut off.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scalewall._jit import kernel
from scalewall.cost.collectives import (
    boundary_latency,
    boundary_seconds,
    data_parallel_latency,
    data_parallel_seconds,
    tensor_parallel_latency,
    tensor_parallel_seconds,
)
from scalewall.cost.machine_arrays import MachineArrays
from scalewall.cost.schedules import bubble_fraction
from scalewall.ideal.step import Switches, batch_seconds, cluster_size
from scalewall.ideal.tables import DegreeTable

__all__ = [
    "ZERO_BUBBLE",
    "Best",
    "Bounds",
    "StackArrays",
    "Tables",
    "data_costs",
    "exact_room",
    "least_batch_seconds",
    "new_best",
    "place",
    "worse",
]

ZERO_BUBBLE = 0
"""In a list of schedules: the zero-bubble schedule. Other entries are chunks of layers a stage (1F1B)."""
ROUNDING = 1e-12
"""Relative slack of every cut, so that rounding errors never cut off a plan."""

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


class StackArrays(NamedTuple):
    """The stack that is trained: integers, tokens a batch, parameters."""

    d_model: int
    d_ff: int
    layers: int
    sparsity: int
    batch_tokens: float
    parameters: float


class Bounds(NamedTuple):
    """What a search may use, besides the degrees in its tables (both ends included).

    ``exact_domains``: the degrees placed in a network level multiply to its size exactly (the published
    program); else to at most its size, idle accelerators counted. ``classic_order``: more than one chunk a
    stage only where PP divides the microbatches.
    """

    tp: tuple[int, int]
    microbatches: tuple[int, int]
    interleave: tuple[int, int]
    n_gpu: tuple[int, int]
    one_f_one_b: bool
    zero_bubble: bool
    classic_order: bool
    exact_domains: bool


class Tables(NamedTuple):
    """Allowed degrees and their placements, one table a kind of parallelism."""

    dp: DegreeTable
    tp_model: DegreeTable
    tp_ff: DegreeTable
    pp: DegreeTable
    ep: DegreeTable


class Best(NamedTuple):
    """The best plan so far, written in place.

    ``value`` = (cost, communication seconds, batch seconds, accelerators, plans evaluated); ``plan`` = the
    five degrees' placements one after the other, then microbatches and schedule.
    """

    value: FloatArray
    plan: IntArray


@kernel
def new_best(levels: int) -> Best:
    """An empty record: infinite cost."""
    value = np.zeros(5)
    value[0] = np.inf
    value[1] = np.inf
    return Best(value, np.zeros(5 * levels + 2, dtype=np.int64))


@kernel
def data_costs(
    table: DegreeTable, parameters: float, machine: MachineArrays
) -> tuple[FloatArray, FloatArray]:
    """Gradient all-reduce of every placement in a table: accelerator-seconds and latency (s)."""
    seconds = np.empty(table.rows.shape[0])
    latency = np.empty(table.rows.shape[0])
    for row in range(table.rows.shape[0]):
        seconds[row] = data_parallel_seconds(table.rows[row], parameters, 1.0, machine)
        latency[row] = data_parallel_latency(table.rows[row], machine)
    return seconds, latency


@kernel
def least_batch_seconds(
    compute: float,
    tensor: float,
    point_to_point: float,
    data: float,
    latency: float,
    data_latency: float,
    bubble: float,
    zero_bubble: bool,
    switches: Switches,
) -> float:
    """Least time over the schedules at hand: 1F1B with the least ``bubble`` (1: none), zero bubble if allowed."""
    least = np.inf
    if bubble < 1:
        least = batch_seconds(
            compute, tensor, point_to_point, data, bubble, latency, data_latency, False, switches
        )
    if zero_bubble:
        least = min(
            least,
            batch_seconds(compute, tensor, point_to_point, data, 0.0, latency, data_latency, True, switches),
        )
    return least


@kernel
def _room(row: IntArray, left: IntArray, after: IntArray) -> bool:
    """Whether ``row`` fits in what is ``left`` of each level; writes what is left ``after`` it."""
    for level in range(row.size):
        if row[level] > left[level]:
            return False
        after[level] = left[level] // row[level]
    return True


@kernel
def exact_room(n_active: int, machine: MachineArrays, room: IntArray) -> bool:
    """Write the product that each level's degrees must have; False if a size does not divide what is left."""
    rest = n_active
    for level in range(room.size):
        room[level] = min(machine.level_size[level], rest)
        if rest % room[level] != 0:
            return False
        rest //= room[level]
    return rest == 1


@kernel
def place(
    stack: StackArrays,
    machine: MachineArrays,
    switches: Switches,
    bounds: Bounds,
    tables: Tables,
    data_seconds: FloatArray,
    data_latency: FloatArray,
    chosen: tuple[int, int, int, int, int],
    microbatches: int,
    schedules: IntArray,
    compute: float,
    deadline: float,
    fastest: bool,
    best: Best,
) -> None:
    """Try every placement of chosen degrees under the given schedules; keep the best in ``best``.

    Parameters
    ----------
    stack, machine, switches, bounds, tables
        The question.
    data_seconds, data_latency : arrays
        From :func:`data_costs`, one entry a placement of DP.
    chosen : five int
        Index of each degree in its table: DP, TP along d_model, TP along d_ff, PP, EP.
    microbatches : int
        Microbatches in flight.
    schedules : array of int
        Chunks a stage of 1F1B, or ``ZERO_BUBBLE``.
    compute : float
        Seconds of matmuls of one batch.
    deadline : float
        Most seconds a batch may take.
    fastest : bool
        Minimize seconds; else accelerator-seconds, idle ones included.
    best : Best
        Read and written.
    """
    dp, tp_model, tp_ff, pp, ep = tables
    i_dp, i_model, i_ff, i_pp, i_ep = chosen
    pp_degree = pp.degree[i_pp]
    n_active = dp.degree[i_dp] * tp_model.degree[i_model] * tp_ff.degree[i_ff] * pp_degree * ep.degree[i_ep]
    levels = machine.level_size.size
    room = np.empty((5, levels), dtype=np.int64)
    if not bounds.exact_domains:
        room[0] = machine.level_size
    elif not exact_room(n_active, machine, room[0]):
        return
    least_bubble = 1.0
    zero_bubble = False
    for schedule in schedules:
        if schedule == ZERO_BUBBLE:
            zero_bubble = True
        else:
            least_bubble = min(least_bubble, bubble_fraction(pp_degree, microbatches, schedule, False))
    placed = np.empty(levels, dtype=np.int64)
    for r_model in range(tp_model.start[i_model], tp_model.start[i_model + 1]):
        row_model = tp_model.rows[r_model]
        if not _room(row_model, room[0], room[1]):
            continue
        for r_ff in range(tp_ff.start[i_ff], tp_ff.start[i_ff + 1]):
            row_ff = tp_ff.rows[r_ff]
            if not _room(row_ff, room[1], room[2]):
                continue
            tensor = tensor_parallel_seconds(
                row_model,
                row_ff,
                stack.d_model,
                stack.d_ff,
                stack.layers,
                stack.batch_tokens,
                n_active,
                machine,
            )
            tensor_latency = tensor_parallel_latency(row_model, row_ff, stack.layers, machine)
            bound = least_batch_seconds(
                compute, tensor, 0.0, 0.0, tensor_latency, 0.0, least_bubble, zero_bubble, switches
            )
            if worse(bound, n_active, deadline, fastest, best):
                continue
            for r_pp in range(pp.start[i_pp], pp.start[i_pp + 1]):
                row_pp = pp.rows[r_pp]
                if not _room(row_pp, room[2], room[3]):
                    continue
                for r_ep in range(ep.start[i_ep], ep.start[i_ep + 1]):
                    row_ep = ep.rows[r_ep]
                    if not _room(row_ep, room[3], room[4]):
                        continue
                    for r_dp in range(dp.start[i_dp], dp.start[i_dp + 1]):
                        row_dp = dp.rows[r_dp]
                        fits = True
                        for level in range(levels):
                            placed[level] = (
                                row_model[level]
                                * row_ff[level]
                                * row_pp[level]
                                * row_ep[level]
                                * row_dp[level]
                            )
                            if bounds.exact_domains:
                                fits = fits and placed[level] == room[0, level]
                            else:
                                fits = fits and placed[level] <= room[0, level]
                        if not fits:
                            continue
                        data = data_seconds[r_dp] / n_active
                        bound = least_batch_seconds(
                            compute,
                            tensor,
                            0.0,
                            data,
                            tensor_latency,
                            data_latency[r_dp],
                            least_bubble,
                            zero_bubble,
                            switches,
                        )
                        if worse(bound, n_active, deadline, fastest, best):
                            continue
                        n_gpu = cluster_size(placed, machine)
                        if worse(bound, n_gpu, deadline, fastest, best) or not (
                            bounds.n_gpu[0] <= n_gpu <= bounds.n_gpu[1]
                        ):
                            continue
                        for schedule in schedules:
                            is_zero = schedule == ZERO_BUBBLE
                            interleave = 1 if is_zero else schedule
                            point = boundary_seconds(
                                row_pp,
                                row_ep,
                                interleave,
                                stack.d_model,
                                stack.layers,
                                stack.batch_tokens,
                                n_active,
                                machine,
                            )
                            latency = tensor_latency + boundary_latency(
                                row_pp, row_ep, interleave, stack.layers, machine
                            )
                            total = batch_seconds(
                                compute,
                                tensor,
                                point,
                                data,
                                bubble_fraction(pp_degree, microbatches, interleave, is_zero),
                                latency,
                                data_latency[r_dp],
                                is_zero,
                                switches,
                            )
                            best.value[4] += 1
                            if total > deadline:
                                continue
                            cost = total if fastest else total * n_gpu
                            talk = tensor + point + data
                            if cost < best.value[0] or (cost == best.value[0] and talk < best.value[1]):
                                best.value[0] = cost
                                best.value[1] = talk
                                best.value[2] = total
                                best.value[3] = n_gpu
                                for level in range(levels):
                                    best.plan[level] = row_dp[level]
                                    best.plan[levels + level] = row_model[level]
                                    best.plan[2 * levels + level] = row_ff[level]
                                    best.plan[3 * levels + level] = row_pp[level]
                                    best.plan[4 * levels + level] = row_ep[level]
                                best.plan[5 * levels] = microbatches
                                best.plan[5 * levels + 1] = schedule


@kernel
def worse(bound: float, n_gpu: float, deadline: float, fastest: bool, best: Best) -> bool:
    """Whether a least time means missing the deadline or a cost above the best's."""
    bound *= 1 - ROUNDING
    return bound > deadline or (bound if fastest else bound * n_gpu) > best.value[0]
