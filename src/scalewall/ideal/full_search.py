"""The full search: the highest utilization among all plans that finish in time.

Plans, not clusters, are enumerated: EP a divisor of S (or S), DP and microbatches divisors of ``B / S``, PP of
``L``, TP of ``d_model`` and ``d_ff``, chunks of ``L / PP``, either schedule, every placement; the cluster is
what the plan needs. Matmul shapes come first, best floor first, so that the search ends once no shape left can
beat the best plan found. Exact: a branch is cut only by a floor that no plan in it can beat.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scalewall._jit import inner_kernel, inner_scalar_kernel, kernel
from scalewall.cost.matmul import layer_seconds
from scalewall.cost.reliability import slowdown
from scalewall.cost.schedules import bubble_fraction, zero_bubble_fits
from scalewall.ideal.floors import (
    arithmetic_floor,
    compute_floor,
    flat_network,
    tensor_floor,
)
from scalewall.ideal.placement import data_costs, least_batch_seconds, place, worse
from scalewall.ideal.question import ROUNDING, ZERO_BUBBLE, Best, Bounds, Question
from scalewall.ideal.send_costs import send_costs
from scalewall.ideal.step import busy_seconds, fits_memory
from scalewall.ideal.tables import divisors
from scalewall.ideal.tensor_placements import (
    TensorCosts,
    TensorPlacement,
    add_placements,
    least_tensor_seconds,
    tensor_costs,
)

__all__ = ["Shape", "full_search", "schedules_of"]

IntArray = NDArray[np.int64]
_UNKNOWN = -2


class Shape(NamedTuple):
    """A matmul shape: a TP pair and the pieces ``dp * microbatches`` that an expert's batch is cut into.

    ``key`` is the floor of its plans' cost: accelerator-seconds, or with ``Aim.fastest`` seconds on as
    many accelerators as the shape can use. ``compute`` and ``tensor``, the time of its quickest placement, are
    in accelerator-seconds.
    """

    key: float
    compute: float
    tensor: float
    i_model: int
    i_ff: int
    i_count: int


@inner_scalar_kernel
def schedules_of(
    layers: int, pp: int, microbatches: int, layer_divisors: IntArray, bounds: Bounds, found: IntArray
) -> int:
    """Write the schedules open to a pipeline into ``found`` (see ``ZERO_BUBBLE``); return how many."""
    number = 0
    least, most = bounds.interleave
    if bounds.zero_bubble and zero_bubble_fits(pp, microbatches):
        found[number] = ZERO_BUBBLE
        number += 1
    if bounds.one_f_one_b:
        for chunks in layer_divisors:
            if chunks > 1 and (pp == 1 or (bounds.classic_order and microbatches % pp != 0)):
                break
            if layers // pp % chunks == 0 and least <= chunks <= most:
                found[number] = chunks
                number += 1
    return number


@inner_kernel
def _least(floor: float, ranks: float, most: float, latency: float, fastest: bool) -> tuple[float, float]:
    """Least seconds and least cost of a shape: from ``ranks`` to ``most`` accelerators share its work."""
    seconds = floor / most + latency
    return seconds, seconds if fastest else floor + latency * ranks


@inner_kernel
def _shapes(question: Question, counts: IntArray, costs: TensorCosts, best: Best) -> list[Shape]:
    """Matmul shapes that can still beat ``best``."""
    machine, switches, bounds = question.machine, question.switches, question.bounds
    tp_model, tp_ff = question.tables.tp_model, question.tables.tp_ff
    fastest = question.aim.fastest
    most_cost, most_seconds = best.value[0] / (1 + question.aim.gain), question.aim.deadline / (1 - ROUNDING)
    flat = flat_network(machine)
    arithmetic = arithmetic_floor(question)
    extra = switches.method.extra_compute * arithmetic
    batch_per_expert = question.batch_tokens / question.sparsity
    scratch = np.empty(1 + machine.tile_bytes.size)
    shapes = [Shape(0.0, 0.0, 0.0, 0, 0, 0) for _ in range(0)]
    for i_model in range(tp_model.degree.size):
        for i_ff in range(tp_ff.degree.size):
            model, ff = tp_model.degree[i_model], tp_ff.degree[i_ff]
            if not bounds.tp[0] <= model * ff <= bounds.tp[1]:
                continue
            tensor = tensor_floor(model, ff, question, flat)
            latency = 0.0
            if not bounds.zero_bubble:
                latency = costs.least_model_latency[i_model] + costs.least_ff_latency[i_ff]
            flat_only = True
            for i_count in range(counts.size):
                ranks = float(model * ff)
                pieces = ranks * counts[i_count] * question.sparsity
                most = min(pieces, bounds.n_gpu[1])
                passes = pieces * question.layers
                floor = busy_seconds(
                    compute_floor(arithmetic, passes, machine.kernel_latency), tensor, 0.0, switches
                )
                seconds, cost = _least(floor, ranks, most, latency, fastest)
                if cost > most_cost and not fastest:
                    break
                if cost > most_cost or seconds > most_seconds:
                    continue
                if flat_only:
                    flat_only = False
                    tensor = least_tensor_seconds(i_model, i_ff, question, costs)
                    if tensor == np.inf:
                        break
                compute = passes * layer_seconds(
                    question.d_ff / ff,
                    question.d_model / model,
                    batch_per_expert / counts[i_count],
                    machine,
                    scratch,
                )
                compute += extra
                floor = busy_seconds(compute, tensor, 0.0, switches)
                seconds, cost = _least(floor, ranks, most, latency, fastest)
                if cost <= most_cost and seconds <= most_seconds:
                    shapes.append(Shape(cost, compute, tensor, i_model, i_ff, i_count))
    return shapes


@inner_kernel
def _divide(counts: IntArray, i_count: int, dp_index: IntArray, found: IntArray) -> None:
    """Write, by microbatches, the index of the DP degree that makes them a count of pieces; -1 where none does."""
    for i_microbatches in range(counts.size):
        found[i_microbatches] = -1
        if counts[i_count] % counts[i_microbatches] == 0:
            found[i_microbatches] = dp_index[
                np.searchsorted(counts, counts[i_count] // counts[i_microbatches])
            ]


@kernel
def full_search(question: Question, best: Best) -> None:
    """Improve ``best`` to the best plan of the whole space.

    Parameters
    ----------
    question : Question
        What is searched.
    best : Best
        Its cost caps the search; written in place.
    """
    machine, switches, bounds = question.machine, question.switches, question.bounds
    dp, tp_model, tp_ff, pp, ep = question.tables
    if min(dp.degree.size, tp_model.degree.size, tp_ff.degree.size, pp.degree.size, ep.degree.size) == 0:
        return
    counts = divisors(round(question.batch_tokens / question.sparsity))
    layer_divisors = divisors(question.layers)
    dp_index = np.full(counts.size, -1, dtype=np.int64)
    for i_dp in range(dp.degree.size):
        dp_index[np.searchsorted(counts, dp.degree[i_dp])] = i_dp
    replicas = np.full((counts.size, counts.size), _UNKNOWN)
    data = data_costs(dp, question.parameters, machine, switches.method)
    sends = send_costs(question)
    aim = question.aim
    schedules = np.empty(layer_divisors.size + 1, dtype=np.int64)
    costs = tensor_costs(question)
    pairs = [TensorPlacement(0.0, 0.0, 0, 0) for _ in range(0)]
    known = np.full((tp_model.degree.size, tp_ff.degree.size, 2), -1)
    shapes = _shapes(question, counts, costs, best)
    for position in np.argsort(np.array([shape.key for shape in shapes]), kind="mergesort"):
        shape = shapes[position]
        if shape.key * (1 + question.aim.gain) > best.value[0]:
            break
        model, ff = tp_model.degree[shape.i_model], tp_ff.degree[shape.i_ff]
        replicas_by_microbatches = replicas[shape.i_count]
        if replicas_by_microbatches[0] == _UNKNOWN:
            _divide(counts, shape.i_count, dp_index, replicas_by_microbatches)
        for i_ep in range(ep.degree.size):
            for i_pp in range(pp.degree.size):
                pp_degree = pp.degree[i_pp]
                ranks = float(model * ff) * pp_degree * ep.degree[i_ep]
                latency = costs.least_model_latency[shape.i_model] + costs.least_ff_latency[shape.i_ff]
                latency += sends.least_latency[i_pp, i_ep]
                for i_microbatches in range(shape.i_count + 1):
                    i_dp, microbatches = replicas_by_microbatches[i_microbatches], counts[i_microbatches]
                    if i_dp < 0 or microbatches < pp_degree or microbatches < bounds.microbatches[0]:
                        continue
                    if microbatches > bounds.microbatches[1]:
                        break
                    n_active = ranks * dp.degree[i_dp]
                    if shape.compute / n_active * (1 - ROUNDING) > question.aim.deadline:
                        break
                    if n_active > bounds.n_gpu[1] or not fits_memory(
                        question.parameters, dp.degree[i_dp], n_active, machine, switches.method
                    ):
                        continue
                    least_bubble = 1.0
                    if bounds.one_f_one_b:
                        chunks = question.layers // pp_degree
                        if bounds.classic_order and microbatches % pp_degree != 0:
                            chunks = 1
                        least_bubble = bubble_fraction(pp_degree, microbatches, chunks, False)
                    bound = least_batch_seconds(
                        shape.compute / n_active,
                        shape.tensor / n_active,
                        sends.least_seconds[i_pp, i_ep] / n_active,
                        data.least_seconds[i_dp] / n_active,
                        latency,
                        data.least_latency[i_dp],
                        least_bubble,
                        bounds.zero_bubble and zero_bubble_fits(pp_degree, microbatches),
                        switches,
                    )
                    slower = slowdown(n_active, dp.degree[i_dp], switches.method.reliability)
                    if worse(slower * bound, n_active, aim, best.value[0]):
                        continue
                    number = schedules_of(
                        question.layers, pp_degree, microbatches, layer_divisors, bounds, schedules
                    )
                    if known[shape.i_model, shape.i_ff, 0] < 0:
                        known[shape.i_model, shape.i_ff, 0] = len(pairs)
                        most = np.inf if aim.fastest else best.value[0]
                        add_placements(shape.i_model, shape.i_ff, most, question, costs, pairs)
                        known[shape.i_model, shape.i_ff, 1] = len(pairs)
                    start, stop = known[shape.i_model, shape.i_ff]
                    if number > 0 and start < stop:
                        place(
                            question,
                            data,
                            sends,
                            pairs,
                            (start, stop),
                            (i_dp, i_pp, i_ep),
                            microbatches,
                            schedules[:number],
                            shape.compute,
                            best,
                        )
