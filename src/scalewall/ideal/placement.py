"""The best placement of given degrees over the network's levels: the inner loops of both searches.

Every bound here is :func:`scalewall.ideal.step.batch_seconds` itself, called with terms that no placement can
beat; since it never falls when a term rises, nothing better is ever cut off.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scalewall._jit import inner_kernel
from scalewall.cost.collectives import (
    all_reduce_chain_latency,
    data_parallel_seconds,
)
from scalewall.cost.machine_arrays import MachineArrays
from scalewall.cost.schedules import bubble_fraction
from scalewall.ideal.question import ROUNDING, ZERO_BUBBLE, Aim, Best, Question
from scalewall.ideal.send_costs import SendCosts
from scalewall.ideal.step import Switches, batch_seconds, cluster_size
from scalewall.ideal.tables import DegreeTable
from scalewall.ideal.tensor_placements import TensorPlacement

__all__ = ["DataCosts", "data_costs", "exact_room", "least_batch_seconds", "place", "worse"]

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


class DataCosts(NamedTuple):
    """Gradient all-reduce of every placement in DP's table: accelerator-seconds and latency (s).

    ``order`` holds the rows of each degree by rising ``seconds``, ``least_latency`` the least one of each degree.
    """

    seconds: FloatArray
    latency: FloatArray
    order: IntArray
    least_latency: FloatArray


@inner_kernel
def data_costs(table: DegreeTable, parameters: float, machine: MachineArrays) -> DataCosts:
    """Evaluate the gradient all-reduce of every placement in a table."""
    seconds = np.empty(table.rows.shape[0])
    latency = np.empty(table.rows.shape[0])
    for row in range(table.rows.shape[0]):
        seconds[row] = data_parallel_seconds(table.rows[row], parameters, 1.0, machine)
        latency[row] = all_reduce_chain_latency(table.rows[row], machine)
    order = np.empty(table.rows.shape[0], dtype=np.int64)
    least_latency = np.empty(table.degree.size)
    for index in range(table.degree.size):
        start, stop = table.start[index], table.start[index + 1]
        order[start:stop] = start + np.argsort(seconds[start:stop])
        least_latency[index] = latency[start:stop].min()
    return DataCosts(seconds, latency, order, least_latency)


@inner_kernel
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
        hidden = batch_seconds(
            compute, tensor, point_to_point, data, 0.0, latency, data_latency, True, switches
        )
        least = min(least, hidden)
    return least


@inner_kernel
def worse(bound: float, n_gpu: float, aim: Aim, best_cost: float) -> bool:
    """Whether a least time means missing the deadline or no gain over the best plan."""
    cost = bound if aim.fastest else bound * n_gpu
    return bound * (1 - ROUNDING) > aim.deadline or cost * (1 + aim.gain) > best_cost


@inner_kernel
def exact_room(n_active: int, machine: MachineArrays, room: IntArray) -> bool:
    """Write the product that each level's degrees must have; False if a size does not divide what is left."""
    rest = n_active
    for level in range(room.size):
        room[level] = min(machine.level_size[level], rest)
        if rest % room[level] != 0:
            return False
        rest //= room[level]
    return rest == 1


@inner_kernel
def _take(row: IntArray, left: IntArray, after: IntArray) -> bool:
    """Whether ``row`` fits in what is ``left`` of each level; writes what is left ``after`` it."""
    for level in range(row.size):
        if row[level] > left[level]:
            return False
        after[level] = left[level] // row[level]
    return True


@inner_kernel
def place(
    question: Question,
    data: DataCosts,
    sends: SendCosts,
    pairs: list[TensorPlacement],
    pair: tuple[int, int],
    chosen: tuple[int, int, int],
    microbatches: int,
    schedules: IntArray,
    compute: float,
    best: Best,
) -> None:
    """Try every placement of chosen degrees under the given schedules; keep the best in ``best``.

    Parameters
    ----------
    question : Question
        What is searched.
    data : DataCosts
        Of DP's table.
    sends : SendCosts
        Of PP's and EP's tables.
    pairs : list of TensorPlacement
        Placements of the TP pair are ``pairs[pair[0]:pair[1]]``, by tensor-parallel time.
    pair : two int
        See ``pairs``.
    chosen : three int
        Index of DP, PP and EP in their tables.
    microbatches : int
        Microbatches in flight.
    schedules : array of int
        Chunks a stage of 1F1B, or ``ZERO_BUBBLE``.
    compute : float
        Accelerator-seconds of matmuls of one batch.
    best : Best
        Read and written.
    """
    machine, switches, bounds = question.machine, question.switches, question.bounds
    tables, aim = question.tables, question.aim
    dp, pp, ep = tables.dp, tables.pp, tables.ep
    i_dp, i_pp, i_ep = chosen
    levels = machine.level_size.size
    first = pairs[pair[0]]
    tensor_degree = tables.tp_model.rows[first.row_model].prod() * tables.tp_ff.rows[first.row_ff].prod()
    pp_degree = pp.degree[i_pp]
    n_active = dp.degree[i_dp] * tensor_degree * pp_degree * ep.degree[i_ep]
    room = np.empty((4, levels), dtype=np.int64)
    if not bounds.exact_domains:
        room[0] = machine.level_size
    elif not exact_room(n_active, machine, room[0]):
        return
    compute /= n_active
    least_bubble = 1.0
    zero_bubble = False
    fewest, most = max(schedules.min(), 1), max(schedules.max(), 1)
    for schedule in schedules:
        if schedule == ZERO_BUBBLE:
            zero_bubble = True
        else:
            least_bubble = min(least_bubble, bubble_fraction(pp_degree, microbatches, schedule, False))
    least_data, least_data_latency = (
        data.seconds[data.order[dp.start[i_dp]]] / n_active,
        data.least_latency[i_dp],
    )
    used = np.empty(levels, dtype=np.int64)
    placed = np.empty(levels, dtype=np.int64)
    for position in range(pair[0], pair[1]):
        tensor_parallel = pairs[position]
        tensor = tensor_parallel.seconds / n_active
        tensor_latency = tensor_parallel.latency
        bound = least_batch_seconds(
            compute, tensor, 0.0, least_data, 0.0, least_data_latency, least_bubble, zero_bubble, switches
        )
        if worse(bound, n_active, aim, best.value[0]):
            return
        used[:] = tables.tp_model.rows[tensor_parallel.row_model] * tables.tp_ff.rows[tensor_parallel.row_ff]
        bound = least_batch_seconds(
            compute,
            tensor,
            0.0,
            least_data,
            tensor_latency,
            least_data_latency,
            least_bubble,
            zero_bubble,
            switches,
        )
        if worse(bound, n_active, aim, best.value[0]) or not _take(used, room[0], room[1]):
            continue
        for r_pp in range(pp.start[i_pp], pp.start[i_pp + 1]):
            row_pp = pp.rows[r_pp]
            for r_ep in range(ep.start[i_ep], ep.start[i_ep + 1]):
                row_ep = ep.rows[r_ep]
                more, more_latency = sends.more_seconds[r_pp, r_ep], sends.more_latency[r_pp, r_ep]
                point = sends.seconds[r_pp, r_ep] + min((fewest - 1) * more, (most - 1) * more)
                point /= n_active
                latency = tensor_latency + sends.latency[r_pp, r_ep]
                latency += min((fewest - 1) * more_latency, (most - 1) * more_latency)
                bound = least_batch_seconds(
                    compute,
                    tensor,
                    point,
                    least_data,
                    latency,
                    least_data_latency,
                    least_bubble,
                    zero_bubble,
                    switches,
                )
                if worse(bound, n_active, aim, best.value[0]) or not (
                    _take(row_pp, room[1], room[2]) and _take(row_ep, room[2], room[3])
                ):
                    continue
                for r_dp in data.order[dp.start[i_dp] : dp.start[i_dp + 1]]:
                    data_seconds = data.seconds[r_dp] / n_active
                    bound = least_batch_seconds(
                        compute,
                        tensor,
                        point,
                        data_seconds,
                        latency,
                        least_data_latency,
                        least_bubble,
                        zero_bubble,
                        switches,
                    )
                    if worse(bound, n_active, aim, best.value[0]):
                        break
                    row_dp = dp.rows[r_dp]
                    fits = True
                    for level in range(levels):
                        placed[level] = used[level] * row_pp[level] * row_ep[level] * row_dp[level]
                        if bounds.exact_domains:
                            fits = fits and placed[level] == room[0, level]
                        else:
                            fits = fits and placed[level] <= room[0, level]
                    if not fits:
                        continue
                    data_latency = data.latency[r_dp]
                    n_gpu = cluster_size(placed, machine.level_size)
                    bound = least_batch_seconds(
                        compute,
                        tensor,
                        point,
                        data_seconds,
                        latency,
                        data_latency,
                        least_bubble,
                        zero_bubble,
                        switches,
                    )
                    if worse(bound, n_gpu, aim, best.value[0]) or not (
                        bounds.n_gpu[0] <= n_gpu <= bounds.n_gpu[1]
                    ):
                        continue
                    for schedule in schedules:
                        is_zero = schedule == ZERO_BUBBLE
                        interleave = 1 if is_zero else schedule
                        traffic = (sends.seconds[r_pp, r_ep] + (interleave - 1) * more) / n_active
                        total = batch_seconds(
                            compute,
                            tensor,
                            traffic,
                            data_seconds,
                            bubble_fraction(pp_degree, microbatches, interleave, is_zero),
                            tensor_latency + sends.latency[r_pp, r_ep] + (interleave - 1) * more_latency,
                            data_latency,
                            is_zero,
                            switches,
                        )
                        best.value[4] += 1
                        cost = total if aim.fastest else total * n_gpu
                        talk = tensor + traffic + data_seconds
                        if total > aim.deadline or cost > best.value[0]:
                            continue
                        if cost < best.value[0] or talk < best.value[1]:
                            best.value[0], best.value[1] = cost, talk
                            best.value[2], best.value[3] = total, n_gpu
                            plan = best.plan[: 5 * levels].reshape(5, levels)
                            plan[0] = row_dp
                            plan[1] = tables.tp_model.rows[tensor_parallel.row_model]
                            plan[2] = tables.tp_ff.rows[tensor_parallel.row_ff]
                            plan[3] = row_pp
                            plan[4] = row_ep
                            best.plan[5 * levels] = microbatches
                            best.plan[5 * levels + 1] = schedule
