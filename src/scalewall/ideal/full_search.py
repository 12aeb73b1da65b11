"""The full search: the highest utilization among all plans that finish in time.

Plans, not clusters, are enumerated: EP a divisor of S (or S), DP and microbatches divisors of ``B / S``, PP of
``L``, TP of ``d_model`` and ``d_ff``, chunks of ``L / PP``, either schedule, every placement; the cluster is what
the plan needs. Matmul shapes come first, best floor first, so that the search ends once no shape left can beat
the best plan found. Exact: a branch is cut only by a floor that no plan in it can beat.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scalewall._jit import kernel
from scalewall.cost.machine_arrays import MachineArrays
from scalewall.cost.matmul import layer_seconds
from scalewall.cost.schedules import bubble_fraction, zero_bubble_fits
from scalewall.ideal.floors import compute_floor, data_floor, flat_network, latency_floor, tensor_floor
from scalewall.ideal.placement import (
    ROUNDING,
    ZERO_BUBBLE,
    Best,
    Bounds,
    StackArrays,
    Tables,
    data_costs,
    least_batch_seconds,
    place,
    worse,
)
from scalewall.ideal.step import Switches, busy_seconds, fits_memory
from scalewall.ideal.tables import divisors

__all__ = ["full_search", "schedules_of"]

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@kernel
def schedules_of(
    layers: int, pp: int, microbatches: int, layer_divisors: IntArray, bounds: Bounds, found: IntArray
) -> int:
    """Write the schedules open to a pipeline into ``found``; return how many (see ``placement.ZERO_BUBBLE``)."""
    number = 0
    if bounds.zero_bubble and zero_bubble_fits(pp, microbatches):
        found[number] = ZERO_BUBBLE
        number += 1
    if bounds.one_f_one_b:
        for chunks in layer_divisors:
            if chunks > 1 and (pp == 1 or (bounds.classic_order and microbatches % pp != 0)):
                break
            if layers // pp % chunks == 0 and bounds.interleave[0] <= chunks <= bounds.interleave[1]:
                found[number] = chunks
                number += 1
    return number


@kernel
def _shapes(
    stack: StackArrays,
    machine: MachineArrays,
    switches: Switches,
    bounds: Bounds,
    tables: Tables,
    counts: IntArray,
    deadline: float,
    fastest: bool,
    best: Best,
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Matmul shapes worth a look: sort key, compute in accelerator-seconds, and their indices.

    A shape is a TP pair and a number ``dp * microbatches`` of pieces that an expert's batch is cut into; the
    key is the floor of the cost: accelerator-seconds, or with ``fastest`` seconds on as many accelerators as
    the shape can use.
    """
    flat = flat_network(machine)
    tp_model, tp_ff = tables.tp_model, tables.tp_ff
    batch_per_expert = stack.batch_tokens / stack.sparsity
    scratch = np.empty(1 + machine.tile_bytes.size)
    size = tp_model.degree.size * tp_ff.degree.size * counts.size
    key = np.empty(size)
    compute = np.empty(size)
    index = np.empty((size, 3), dtype=np.int64)
    number = 0
    for i_model in range(tp_model.degree.size):
        for i_ff in range(tp_ff.degree.size):
            model, ff = tp_model.degree[i_model], tp_ff.degree[i_ff]
            if not bounds.tp[0] <= model * ff <= bounds.tp[1]:
                continue
            tensor = tensor_floor(model, ff, stack, 1.0, flat, machine)
            latency = latency_floor(model, ff, 1, 1, stack, flat) if not bounds.zero_bubble else 0.0
            for i_count in range(counts.size):
                passes = float(model * ff) * counts[i_count] * stack.layers * stack.sparsity
                most = float(model * ff) * counts[i_count] * stack.sparsity
                floor = busy_seconds(compute_floor(stack, passes, 1.0, machine), tensor, 0.0, switches)
                if worse(floor / most + latency, 1.0 if fastest else most, deadline, fastest, best):
                    if not fastest and floor / most * (1 - ROUNDING) <= deadline:
                        break
                    continue
                seconds = passes * layer_seconds(
                    stack.d_ff / ff,
                    stack.d_model / model,
                    batch_per_expert / counts[i_count],
                    machine,
                    scratch,
                )
                floor = busy_seconds(seconds, tensor, 0.0, switches)
                if worse(floor / most + latency, 1.0 if fastest else most, deadline, fastest, best):
                    continue
                key[number] = floor / most if fastest else floor
                compute[number] = seconds
                index[number, 0], index[number, 1], index[number, 2] = i_model, i_ff, i_count
                number += 1
    return key[:number], compute[:number], index[:number]


@kernel
def full_search(
    stack: StackArrays,
    machine: MachineArrays,
    switches: Switches,
    bounds: Bounds,
    tables: Tables,
    deadline: float,
    fastest: bool,
    best: Best,
) -> None:
    """Improve ``best`` to the best plan of the whole space.

    Parameters
    ----------
    stack, machine, switches, bounds, tables
        The question.
    deadline : float
        Most seconds a batch may take.
    fastest : bool
        Minimize seconds instead of accelerator-seconds.
    best : Best
        Empty, or a plan of the space to start from; written in place.
    """
    dp, tp_model, tp_ff, pp, ep = tables
    if min(dp.degree.size, tp_model.degree.size, tp_ff.degree.size, pp.degree.size, ep.degree.size) == 0:
        return
    counts = divisors(round(stack.batch_tokens / stack.sparsity))
    layer_divisors = divisors(stack.layers)
    dp_index = np.full(counts.size, -1, dtype=np.int64)
    for i_dp in range(dp.degree.size):
        dp_index[np.searchsorted(counts, dp.degree[i_dp])] = i_dp
    data_seconds, data_latency = data_costs(dp, stack.parameters, machine)
    flat = flat_network(machine)
    schedules = np.empty(layer_divisors.size + 1, dtype=np.int64)
    key, compute, index = _shapes(stack, machine, switches, bounds, tables, counts, deadline, fastest, best)
    for position in np.argsort(key):
        if key[position] * (1 - ROUNDING) > best.value[0]:
            break
        i_model, i_ff, i_count = index[position]
        model, ff, count = tp_model.degree[i_model], tp_ff.degree[i_ff], counts[i_count]
        tensor = tensor_floor(model, ff, stack, 1.0, flat, machine)
        for i_ep in range(ep.degree.size):
            for i_pp in range(pp.degree.size):
                pp_degree = pp.degree[i_pp]
                ranks = float(model * ff) * pp_degree * ep.degree[i_ep]
                latency = latency_floor(model, ff, pp_degree, ep.degree[i_ep], stack, flat)
                for i_m in range(counts.size):
                    microbatches = counts[i_m]
                    if microbatches < pp_degree or microbatches < bounds.microbatches[0]:
                        continue
                    if microbatches > bounds.microbatches[1]:
                        break
                    if count % microbatches != 0:
                        continue
                    i_dp = dp_index[np.searchsorted(counts, count // microbatches)]
                    if i_dp < 0:
                        continue
                    n_active = ranks * dp.degree[i_dp]
                    if compute[position] / n_active * (1 - ROUNDING) > deadline:
                        break
                    if n_active > bounds.n_gpu[1] or not fits_memory(
                        stack.parameters, dp.degree[i_dp], n_active, machine
                    ):
                        continue
                    zero = bounds.zero_bubble and zero_bubble_fits(pp_degree, microbatches)
                    least_bubble = 1.0
                    if bounds.one_f_one_b:
                        chunks = stack.layers // pp_degree
                        if bounds.classic_order and microbatches % pp_degree != 0:
                            chunks = 1
                        least_bubble = bubble_fraction(pp_degree, microbatches, chunks, False)
                    bound = least_batch_seconds(
                        compute[position] / n_active,
                        tensor / n_active,
                        0.0,
                        data_floor(dp.degree[i_dp], stack, n_active, flat, machine),
                        latency,
                        0.0,
                        least_bubble,
                        zero,
                        switches,
                    )
                    if worse(bound, n_active, deadline, fastest, best):
                        continue
                    number = schedules_of(
                        stack.layers, pp_degree, microbatches, layer_divisors, bounds, schedules
                    )
                    if number > 0:
                        place(
                            stack,
                            machine,
                            switches,
                            bounds,
                            tables,
                            data_seconds,
                            data_latency,
                            (i_dp, i_model, i_ff, i_pp, i_ep),
                            microbatches,
                            schedules[:number],
                            compute[position] / n_active,
                            deadline,
                            fastest,
                            best,
                        )
