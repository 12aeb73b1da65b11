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
from scalewall.ideal.tensor_placements import TensorPlacement, add_placements, tensor_costs

__all__ = ["reference_search"]

MICROBATCH_CHOICES = 4
"""How many microbatch counts the published program tries for 1F1B [1]."""
ASPECT = 4
"""TP along d_ff is at most this many times isqrt(TP) [1]."""
LARGEST_CLUSTER = 1 << 60
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
    flat = flat_network(machine)
    scratch = np.empty(1 + machine.tile_bytes.size)
    schedules = np.empty(2, dtype=np.int64)
    room = np.empty(machine.level_size.size, dtype=np.int64)
    arithmetic = arithmetic_floor(question)
    extra = switches.method.extra_compute * arithmetic
    largest = float(dp.degree[-1]) * tp_model.degree[-1] * tp_ff.degree[-1] * pp.degree[-1]
    i_ep = ep.degree.size - 1
    ranks = 1
    while ranks <= min(largest, min(LARGEST_CLUSTER, bounds.n_gpu[1]) // question.sparsity):
        n_active = ranks * question.sparsity
        placeable = not bounds.exact_domains or exact_room(n_active, machine, room)
        if placeable and not worse(arithmetic / n_active, n_active, aim, best.value[0]):
            for i_pp in range(pp.degree.size):
                pp_degree = pp.degree[i_pp]
                if ranks % pp_degree != 0:
                    continue
                for i_dp in range(dp.degree.size):
                    dp_degree = dp.degree[i_dp]
                    if ranks // pp_degree % dp_degree != 0:
                        continue
                    tp = ranks // pp_degree // dp_degree
                    if (
                        question.d_model * question.d_ff % tp != 0
                        or not bounds.tp[0] <= tp <= bounds.tp[1]
                        or not fits_memory(question.parameters, dp_degree, n_active, machine, switches.method)
                    ):
                        continue
                    per_replica = batch_per_expert // dp_degree
                    root = _isqrt(tp)
                    for i_ff in range(tp_ff.degree.size):
                        ff = tp_ff.degree[i_ff]
                        if ff < root or tp % ff != 0:
                            continue
                        if ff > ASPECT * root:
                            break
                        i_model = _index(tp_model.degree, tp // ff)
                        if i_model < 0:
                            continue
                        latency = costs.least_model_latency[i_model] + costs.least_ff_latency[i_ff]
                        latency += sends.least_latency[i_pp, i_ep]
                        passes = float(tp) * dp_degree * pp_degree * question.layers * question.sparsity
                        bound = least_batch_seconds(
                            compute_floor(arithmetic, passes, machine.kernel_latency) / n_active,
                            tensor_floor(tp // ff, ff, question, flat) / n_active,
                            sends.least_seconds[i_pp, i_ep] / n_active,
                            data.least_seconds[i_dp] / n_active,
                            latency,
                            data.least_latency[i_dp],
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
                        for microbatches in counts:
                            if microbatches < pp_degree or per_replica % microbatches != 0:
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
                            passes = (
                                float(tp) * dp_degree * microbatches * question.layers * question.sparsity
                            )
                            bound = least_batch_seconds(
                                compute_floor(arithmetic, passes, machine.kernel_latency) / n_active,
                                pairs[start].seconds / n_active,
                                sends.least_seconds[i_pp, i_ep] / n_active,
                                data.least_seconds[i_dp] / n_active,
                                latency,
                                data.least_latency[i_dp],
                                0.0,
                                zero,
                                switches,
                            )
                            if worse(bound, n_active, aim, best.value[0]):
                                continue
                            i_count = np.searchsorted(counts, dp_degree * microbatches)
                            if layer[i_model, i_ff, i_count] < 0:
                                layer[i_model, i_ff, i_count] = layer_seconds(
                                    question.d_ff / ff,
                                    question.d_model / (tp // ff),
                                    per_replica / microbatches,
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
                return best
        ranks *= 2
    return best
