"""The best placement of given degrees over the network's levels: the inner loops of both searches.

Every bound here is :func:`scalewall.ideal.step.batch_seconds` itself, called with terms that no placement can
beat; since it never falls when a term rises, nothing better is ever cut off.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scalewall._jit import inner_kernel, inner_scalar_kernel
from scalewall.cost.collectives import (
    all_reduce_chain_latency,
    data_parallel_seconds,
)
from scalewall.cost.machine_arrays import MachineArrays
from scalewall.cost.reliability import slowdown
from scalewall.cost.schedules import bubble_fraction
from scalewall.ideal.question import ROUNDING, ZERO_BUBBLE, Aim, Best, Question
from scalewall.ideal.send_costs import SendCosts
from scalewall.ideal.step import Method, Switches, batch_seconds, cluster_size
from scalewall.ideal.tables import DegreeTable, next_fit
from scalewall.ideal.tensor_placements import TensorPlacement

__all__ = ["DataCosts", "data_costs", "exact_room", "least_batch_seconds", "place", "worse"]

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


class DataCosts(NamedTuple):
    """Exchange of gradients a step under every placement in DP's table: accelerator-seconds and latency (s).

    ``least_seconds`` and ``least_latency``: the least of each degree.
    """

    seconds: FloatArray
    latency: FloatArray
    least_seconds: FloatArray
    least_latency: FloatArray


@inner_kernel
def data_costs(table: DegreeTable, parameters: float, machine: MachineArrays, method: Method) -> DataCosts:
    """Evaluate what replicas exchange a step under every placement in a table."""
    seconds = np.empty(table.rows.shape[0])
    latency = np.empty(table.rows.shape[0])
    for row in range(table.rows.shape[0]):
        seconds[row] = method.data_traffic * data_parallel_seconds(table.rows[row], parameters, 1.0, machine)
        latency[row] = method.data_latency * all_reduce_chain_latency(table.rows[row], machine)
    least = table.degree.size
    costs = DataCosts(seconds, latency, np.full(least, np.inf), np.full(least, np.inf))
    for index in range(least):
        for row in range(table.start[index], table.start[index + 1]):
            costs.least_seconds[index] = min(costs.least_seconds[index], seconds[row])
            costs.least_latency[index] = min(costs.least_latency[index], latency[row])
    return costs


@inner_scalar_kernel
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


@inner_scalar_kernel
def worse(bound: float, n_gpu: float, aim: Aim, best_cost: float) -> bool:
    """Whether a least time means missing the deadline or no gain over the best plan."""
    cost = bound if aim.fastest else bound * n_gpu
    return bound * (1 - ROUNDING) > aim.deadline or cost * (1 + aim.gain) > best_cost


@inner_scalar_kernel
def exact_room(n_active: int, level_size: IntArray, room: IntArray) -> bool:
    """Write the product that each level's degrees must have; False if a size does not divide what is left."""
    rest = n_active
    for level in range(room.size):
        room[level] = min(level_size[level], rest)
        if rest % room[level] != 0:
            return False
        rest //= room[level]
    return rest == 1


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
    switches, bounds, aim = question.switches, question.bounds, question.aim
    i_dp, i_pp, i_ep = chosen
    level_size = question.machine.level_size
    model_rows, ff_rows = question.tables.tp_model.rows, question.tables.tp_ff.rows
    dp_rows, dp_skip = question.tables.dp.rows, question.tables.dp.skip
    pp_rows, pp_skip = question.tables.pp.rows, question.tables.pp.skip
    ep_rows = question.tables.ep.rows
    dp_start, dp_stop = question.tables.dp.start[i_dp], question.tables.dp.start[i_dp + 1]
    pp_start, pp_stop = question.tables.pp.start[i_pp], question.tables.pp.start[i_pp + 1]
    ep_start, ep_stop = question.tables.ep.start[i_ep], question.tables.ep.start[i_ep + 1]
    dp_degree, pp_degree = question.tables.dp.degree[i_dp], question.tables.pp.degree[i_pp]
    levels = level_size.size
    first = pairs[pair[0]]
    n_active = dp_degree * pp_degree * question.tables.ep.degree[i_ep]
    for level in range(levels):
        n_active *= model_rows[first.row_model, level] * ff_rows[first.row_ff, level]
    room, room_after_tensor, room_after_data = (
        level_size.copy(),
        np.empty_like(level_size),
        np.empty_like(level_size),
    )
    if bounds.exact_domains and not exact_room(n_active, level_size, room):
        return
    slower = slowdown(n_active, dp_degree, switches.method.reliability)
    if slower == np.inf:
        return
    compute /= n_active
    least_bubble = 1.0
    zero_bubble = False
    fewest, most = max(schedules[0], 1), max(schedules[0], 1)
    for schedule in schedules:
        fewest, most = min(fewest, max(schedule, 1)), max(most, schedule)
        if schedule == ZERO_BUBBLE:
            zero_bubble = True
        else:
            least_bubble = min(least_bubble, bubble_fraction(pp_degree, microbatches, schedule, False))
    least_data, least_data_latency = data.least_seconds[i_dp] / n_active, data.least_latency[i_dp]
    least_point, least_latency = sends.least_seconds[i_pp, i_ep] / n_active, sends.least_latency[i_pp, i_ep]
    all_data_seconds, all_data_latency = data.seconds, data.latency
    send_seconds, more_send_seconds = sends.seconds, sends.more_seconds
    send_latency, more_send_latency = sends.latency, sends.more_latency
    best_value, best_plan = best.value, best.plan
    used, placed = np.empty_like(level_size), np.empty_like(level_size)
    for position in range(pair[0], pair[1]):
        tensor_parallel = pairs[position]
        tensor = tensor_parallel.seconds / n_active
        tensor_latency = tensor_parallel.latency
        bound = least_batch_seconds(
            compute,
            tensor,
            least_point,
            least_data,
            least_latency,
            least_data_latency,
            least_bubble,
            zero_bubble,
            switches,
        )
        if worse(slower * bound, n_active, aim, best_value[0]):
            return
        bound = least_batch_seconds(
            compute,
            tensor,
            least_point,
            least_data,
            tensor_latency + least_latency,
            least_data_latency,
            least_bubble,
            zero_bubble,
            switches,
        )
        if worse(slower * bound, n_active, aim, best_value[0]):
            continue
        r_model, r_ff = tensor_parallel.row_model, tensor_parallel.row_ff
        fits = True
        for level in range(levels):
            used[level] = model_rows[r_model, level] * ff_rows[r_ff, level]
            fits = fits and used[level] <= room[level]
            room_after_tensor[level] = room[level] // used[level]
        if not fits:
            continue
        r_dp = dp_start - 1
        while True:
            r_dp = next_fit(dp_rows, dp_skip, r_dp + 1, dp_stop, room_after_tensor)
            if r_dp == dp_stop:
                break
            data_seconds, data_latency = all_data_seconds[r_dp] / n_active, all_data_latency[r_dp]
            bound = least_batch_seconds(
                compute,
                tensor,
                least_point,
                data_seconds,
                tensor_latency + least_latency,
                data_latency,
                least_bubble,
                zero_bubble,
                switches,
            )
            if worse(slower * bound, n_active, aim, best_value[0]):
                continue
            for level in range(levels):
                room_after_data[level] = room_after_tensor[level] // dp_rows[r_dp, level]
            r_pp = pp_start - 1
            while True:
                r_pp = next_fit(pp_rows, pp_skip, r_pp + 1, pp_stop, room_after_data)
                if r_pp == pp_stop:
                    break
                for r_ep in range(ep_start, ep_stop):
                    fits = True
                    for level in range(levels):
                        placed[level] = used[level] * dp_rows[r_dp, level]
                        placed[level] *= pp_rows[r_pp, level] * ep_rows[r_ep, level]
                        if bounds.exact_domains:
                            fits = fits and placed[level] == room[level]
                        else:
                            fits = fits and placed[level] <= room[level]
                    if not fits:
                        continue
                    more, more_latency = more_send_seconds[r_pp, r_ep], more_send_latency[r_pp, r_ep]
                    point = send_seconds[r_pp, r_ep] + min((fewest - 1) * more, (most - 1) * more)
                    latency = tensor_latency + send_latency[r_pp, r_ep]
                    latency += min((fewest - 1) * more_latency, (most - 1) * more_latency)
                    bound = least_batch_seconds(
                        compute,
                        tensor,
                        point / n_active,
                        data_seconds,
                        latency,
                        data_latency,
                        least_bubble,
                        zero_bubble,
                        switches,
                    )
                    if worse(slower * bound, n_active, aim, best_value[0]):
                        continue
                    n_gpu = cluster_size(placed, level_size)
                    if worse(slower * bound, n_gpu, aim, best_value[0]) or not (
                        bounds.n_gpu[0] <= n_gpu <= bounds.n_gpu[1]
                    ):
                        continue
                    for schedule in schedules:
                        is_zero = schedule == ZERO_BUBBLE
                        interleave = 1 if is_zero else schedule
                        traffic = (send_seconds[r_pp, r_ep] + (interleave - 1) * more) / n_active
                        total = slower * batch_seconds(
                            compute,
                            tensor,
                            traffic,
                            data_seconds,
                            bubble_fraction(pp_degree, microbatches, interleave, is_zero),
                            tensor_latency + send_latency[r_pp, r_ep] + (interleave - 1) * more_latency,
                            data_latency,
                            is_zero,
                            switches,
                        )
                        best_value[4] += 1
                        cost = total if aim.fastest else total * n_gpu
                        talk = tensor + traffic + data_seconds
                        if total > aim.deadline or cost > best_value[0]:
                            continue
                        if cost < best_value[0] or talk < best_value[1]:
                            best_value[0], best_value[1] = cost, talk
                            best_value[2], best_value[3] = total, n_gpu
                            for level in range(levels):
                                best_plan[level] = dp_rows[r_dp, level]
                                best_plan[levels + level] = model_rows[r_model, level]
                                best_plan[2 * levels + level] = ff_rows[r_ff, level]
                                best_plan[3 * levels + level] = pp_rows[r_pp, level]
                                best_plan[4 * levels + level] = ep_rows[r_ep, level]
                            best_plan[5 * levels] = microbatches
                            best_plan[5 * levels + 1] = schedule
