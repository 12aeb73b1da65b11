"""The published program's search: power-of-two clusters, the smallest that finishes in time.

Clusters of ``S * 2^i`` accelerators, upward; EP = S; ``N / EP = TP * DP * PP`` with TP a divisor of
``d_model * d_ff``, DP of ``B / S`` and PP of ``L``; ``TP_ff`` a divisor of TP in
``[isqrt(TP), 4 isqrt(TP)]``; microbatches among the smallest four divisors of ``B / (S DP)`` that are at least
PP (zero bubble: the smallest of at least 2 PP); ``v = L / PP`` chunks a stage; every placement. The best plan
of a cluster is the fastest.

References
----------
[1] Erdil and Schneider-Joseph, arXiv 2411.01137 (2024): the search its results rest on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scalewall._jit import inner_kernel, kernel
from scalewall.cost.matmul import layer_seconds
from scalewall.cost.schedules import zero_bubble_fits
from scalewall.ideal.floors import arithmetic_floor, compute_floor, flat_network, tensor_floor
from scalewall.ideal.placement import data_costs, exact_room, least_batch_seconds, place, worse
from scalewall.ideal.question import ZERO_BUBBLE, Best, Bounds, Question, new_best
from scalewall.ideal.send_costs import send_costs
from scalewall.ideal.step import fits_memory
from scalewall.ideal.tables import divisors
from scalewall.ideal.tensor_placements import TensorCosts, TensorPlacement, add_placements, tensor_costs

__all__ = ["reference_search"]

MICROBATCH_CHOICES = 4
"""How many microbatch counts the published program tries for 1F1B [1]."""
ASPECT = 4
"""TP along d_ff is at most this many times isqrt(TP) [1]."""
_EXPONENTS = 61
LARGEST_CLUSTER = 1 << (_EXPONENTS - 1)
"""No cluster beyond this many accelerators is looked at: it is past any integer a plan needs."""


@inner_kernel
def _index(values: NDArray[np.int64], wanted: int) -> int:
    """Position of ``wanted`` in the ascending ``values``; -1 if it is not there."""
    position = int(np.searchsorted(values, wanted))
    if position < values.size and values[position] == wanted:
        return position
    return -1


@inner_kernel
def _isqrt(number: int) -> int:
    """Integer square root."""
    root = int(np.sqrt(number))
    while root * root > number:
        root -= 1
    while (root + 1) * (root + 1) <= number:
        root += 1
    return root


@inner_kernel
def _exponents(powers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Exponents of powers of two."""
    exponents = np.zeros(powers.size, dtype=np.int64)
    for index in range(powers.size):
        while 1 << exponents[index] < powers[index]:
            exponents[index] += 1
    return exponents


class Splits(NamedTuple):
    """How TP splits into its two degrees: those of ``2^i`` are entries ``start[i]`` to ``start[i + 1]``, TP_ff rising.

    Parameters
    ----------
    start : array of int
        By exponent.
    i_model, i_ff : array of int
        Indices of the two degrees in their tables.
    tensor : array of float
        Floor of tensor-parallel all-reduces (accelerator-seconds).
    latency : array of float
        The same for their latency (s).
    """

    start: NDArray[np.int64]
    i_model: NDArray[np.int64]
    i_ff: NDArray[np.int64]
    tensor: NDArray[np.float64]
    latency: NDArray[np.float64]


@inner_kernel
def _splits(question: Question, costs: TensorCosts) -> Splits:
    """Splits of every power of two that divides ``d_model * d_ff`` within the bounds."""
    tp_model, tp_ff, bounds = question.tables.tp_model.degree, question.tables.tp_ff.degree, question.bounds
    most = tp_model.size * tp_ff.size
    i_model, i_ff = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    tensor, latency = np.empty(most), np.empty(most)
    start = np.zeros(_EXPONENTS + 1, dtype=np.int64)
    flat = flat_network(question.machine)
    number = 0
    for exponent in range(_EXPONENTS):
        tp = 1 << exponent
        if question.d_model * question.d_ff % tp == 0 and bounds.tp[0] <= tp <= bounds.tp[1]:
            root = _isqrt(tp)
            for j in range(tp_ff.size):
                ff = tp_ff[j]
                if ff < root or ff > ASPECT * root or tp % ff != 0:
                    continue
                i = _index(tp_model, tp // ff)
                if i >= 0:
                    i_model[number], i_ff[number] = i, j
                    tensor[number] = tensor_floor(tp // ff, ff, question, flat)
                    latency[number] = costs.least_model_latency[i] + costs.least_ff_latency[j]
                    number += 1
        start[exponent + 1] = number
    return Splits(start, i_model, i_ff, tensor, latency)


@inner_kernel
def _interleaving_allowed(pp: int, microbatches: int, chunks: int, bounds: Bounds) -> bool:
    """Whether the bounds admit 1F1B with this many chunks a stage."""
    ordered = not bounds.classic_order or chunks == 1 or microbatches % pp == 0
    return bounds.one_f_one_b and ordered and bounds.interleave[0] <= chunks <= bounds.interleave[1]


@kernel
def reference_search(question: Question) -> Best:
    """Search the clusters upward; stop at the first with a plan that meets the deadline [1].

    Parameters
    ----------
    question : Question
        EP's table holds S alone, the others powers of two. With ``fastest`` all clusters are looked through
        for the least time (to say how late an infeasible run would be).

    Returns
    -------
    Best
        Without accelerators if no plan meets the deadline.
    """
    machine, switches, bounds, aim = question.machine, question.switches, question.bounds, question.aim
    dp, tp_model, tp_ff, pp, ep = question.tables
    best = new_best(machine.level_size.size, np.inf)
    if min(dp.degree.size, tp_model.degree.size, tp_ff.degree.size, pp.degree.size, ep.degree.size) == 0:
        return best
    data = data_costs(dp, question.parameters, machine, switches.method)
    sends = send_costs(question)
    costs = tensor_costs(question)
    pairs = [TensorPlacement(0.0, 0.0, 0, 0) for _ in range(0)]
    known = np.full((tp_model.degree.size, tp_ff.degree.size, 2), -1)
    batch_per_expert = round(question.batch_tokens / question.sparsity)
    counts = divisors(batch_per_expert)
    layer = np.full((tp_model.degree.size, tp_ff.degree.size, counts.size), -1.0)
    scratch = np.empty(1 + machine.tile_bytes.size)
    schedules = np.empty(2, dtype=np.int64)
    room = np.empty(machine.level_size.size, dtype=np.int64)
    arithmetic = arithmetic_floor(question)
    extra = switches.method.extra_compute * arithmetic
    largest = float(dp.degree[-1]) * tp_model.degree[-1] * tp_ff.degree[-1] * pp.degree[-1]
    i_ep = ep.degree.size - 1
    send_seconds, send_latency = sends.least_seconds[:, i_ep], sends.least_latency[:, i_ep]
    data_seconds, data_latency = data.least_seconds, data.least_latency
    dp_degrees, pp_degrees = dp.degree, pp.degree
    model_degrees, ff_degrees = tp_model.degree, tp_ff.degree
    dp_exponents, pp_exponents = _exponents(dp_degrees), _exponents(pp_degrees)
    split_start, i_models, i_ffs, split_tensor, split_latency = _splits(question, costs)
    divides = np.empty((dp_degrees.size, counts.size), dtype=np.bool_)
    for i_dp in range(dp_degrees.size):
        for i_count in range(counts.size):
            divides[i_dp, i_count] = batch_per_expert // dp_degrees[i_dp] % counts[i_count] == 0
    most = min(largest, min(LARGEST_CLUSTER, bounds.n_gpu[1]) // question.sparsity)
    for exponent in range(_EXPONENTS):
        ranks = 1 << exponent
        if ranks > most:
            break
        n_active = ranks * question.sparsity
        if bounds.exact_domains and not exact_room(n_active, machine.level_size, room):
            continue
        if worse(arithmetic / n_active, n_active, aim, best.value[0]):
            continue
        passes = float(ranks) * question.layers * question.sparsity
        compute = compute_floor(arithmetic, passes, machine.kernel_latency) / n_active
        for i_pp in range(pp_degrees.size):
            for i_dp in range(dp_degrees.size):
                dp_degree, pp_degree = dp_degrees[i_dp], pp_degrees[i_pp]
                tp_exponent = exponent - pp_exponents[i_pp] - dp_exponents[i_dp]
                if tp_exponent < 0 or not fits_memory(
                    question.parameters, dp_degree, n_active, machine, switches.method
                ):
                    continue
                for split in range(split_start[tp_exponent], split_start[tp_exponent + 1]):
                    i_model, i_ff = i_models[split], i_ffs[split]
                    latency = split_latency[split] + send_latency[i_pp]
                    bound = least_batch_seconds(
                        compute,
                        split_tensor[split] / n_active,
                        send_seconds[i_pp] / n_active,
                        data_seconds[i_dp] / n_active,
                        latency,
                        data_latency[i_dp],
                        0.0,
                        True,
                        switches,
                    )
                    if worse(bound, n_active, aim, best.value[0]):
                        continue
                    if known[i_model, i_ff, 0] < 0:
                        known[i_model, i_ff, 0] = len(pairs)
                        add_placements(i_model, i_ff, np.inf, question, costs, pairs)
                        known[i_model, i_ff, 1] = len(pairs)
                    start, stop = known[i_model, i_ff]
                    if start == stop:
                        continue
                    tried = 0
                    tried_zero = False
                    for i_microbatches in range(counts.size):
                        microbatches = counts[i_microbatches]
                        if microbatches < pp_degree or not divides[i_dp, i_microbatches]:
                            continue
                        zero = not tried_zero and zero_bubble_fits(pp_degree, microbatches)
                        if tried >= MICROBATCH_CHOICES and not zero:
                            if tried_zero:
                                break
                            continue
                        number = 0
                        chunks = question.layers // pp_degree if pp_degree > 1 else 1
                        if tried < MICROBATCH_CHOICES and _interleaving_allowed(
                            pp_degree, microbatches, chunks, bounds
                        ):
                            schedules[number] = chunks
                            number += 1
                        if zero and bounds.zero_bubble:
                            schedules[number] = ZERO_BUBBLE
                            number += 1
                        tried += 1
                        tried_zero = tried_zero or zero
                        if number == 0 or not (
                            bounds.microbatches[0] <= microbatches <= bounds.microbatches[1]
                        ):
                            continue
                        tp = 1 << tp_exponent
                        passes = float(tp) * dp_degree * microbatches * question.layers * question.sparsity
                        bound = least_batch_seconds(
                            compute_floor(arithmetic, passes, machine.kernel_latency) / n_active,
                            pairs[start].seconds / n_active,
                            send_seconds[i_pp] / n_active,
                            data_seconds[i_dp] / n_active,
                            latency,
                            data_latency[i_dp],
                            0.0,
                            zero,
                            switches,
                        )
                        if worse(bound, n_active, aim, best.value[0]):
                            continue
                        i_count = np.searchsorted(counts, dp_degree * microbatches)
                        if layer[i_model, i_ff, i_count] < 0:
                            layer[i_model, i_ff, i_count] = layer_seconds(
                                question.d_ff / ff_degrees[i_ff],
                                question.d_model / model_degrees[i_model],
                                batch_per_expert // dp_degree / microbatches,
                                machine,
                                scratch,
                            )
                        place(
                            question,
                            data,
                            sends,
                            pairs,
                            (start, stop),
                            (i_dp, i_pp, i_ep),
                            microbatches,
                            schedules[:number],
                            passes * layer[i_model, i_ff, i_count] + extra,
                            best,
                        )
        if not aim.fastest and best.value[3] > 0:
            break
    return best
