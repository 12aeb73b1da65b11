"""How a pair of tensor-parallel degrees can be placed, the quickest placement first.

Tensor-parallel time depends on nothing but the pair's placement, so each pair's placements are evaluated once,
sorted, and thinned: of placements that take the same room in every network level, one that is beaten in both
time and latency can never be part of the best plan.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scalewall._jit import inner_kernel, inner_scalar_kernel
from scalewall.cost.collectives import all_reduce_level_seconds, tensor_parallel_latency
from scalewall.ideal.question import ROUNDING, Question
from scalewall.ideal.tables import DegreeTable

__all__ = ["TensorCosts", "TensorPlacement", "add_placements", "least_tensor_seconds", "tensor_costs"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class TensorPlacement(NamedTuple):
    """One placement of a TP pair: accelerator-seconds a batch, latency (s), rows in the two tables."""

    seconds: float
    latency: float
    row_model: int
    row_ff: int


class TensorCosts(NamedTuple):
    """Costs of every placement in the two TP tables.

    ``model`` and ``ff``: accelerator-seconds at each network level (rows x levels). ``model_latency`` and
    ``ff_latency``: seconds a batch; ``least_model_latency`` and ``least_ff_latency`` the least of each degree.
    ``most_latency``: what no plan that meets the deadline exceeds.
    """

    model: FloatArray
    ff: FloatArray
    model_latency: FloatArray
    ff_latency: FloatArray
    least_model_latency: FloatArray
    least_ff_latency: FloatArray
    most_latency: float


@inner_kernel
def _level_costs(table: DegreeTable, words: float, question: Question) -> FloatArray:
    """All-reduce of ``words`` a batch for every placement of a table, level by level."""
    rows, levels = table.rows.shape
    costs = np.empty((rows, levels))
    for row in range(rows):
        for level in range(levels):
            costs[row, level] = all_reduce_level_seconds(table.rows[row], level, words, 1.0, question.machine)
    return costs


@inner_kernel
def _latencies(table: DegreeTable, question: Question) -> FloatArray:
    """Latency a batch of every placement of a table, for one of the two kinds of all-reduce."""
    alone = np.ones(table.rows.shape[1], dtype=np.int64)
    latencies = np.empty(table.rows.shape[0])
    for row in range(latencies.size):
        latencies[row] = tensor_parallel_latency(table.rows[row], alone, question.layers, question.machine)
    return latencies


@inner_kernel
def _least_latencies(table: DegreeTable, latencies: FloatArray) -> FloatArray:
    """Least latency of each degree of a table."""
    least = np.full(table.degree.size, np.inf)
    for index in range(least.size):
        for row in range(table.start[index], table.start[index + 1]):
            least[index] = min(least[index], latencies[row])
    return least


@inner_kernel
def tensor_costs(question: Question) -> TensorCosts:
    """Evaluate the two TP tables (see ``collectives``: time at a level and latency are sums over the two)."""
    words = 2 * question.layers * question.batch_tokens
    tables = question.tables
    model_latency, ff_latency = _latencies(tables.tp_model, question), _latencies(tables.tp_ff, question)
    free = question.bounds.zero_bubble and question.switches.free_zero_bubble_latency
    return TensorCosts(
        _level_costs(tables.tp_model, words * question.d_ff, question),
        _level_costs(tables.tp_ff, words * question.d_model, question),
        model_latency,
        ff_latency,
        _least_latencies(tables.tp_model, model_latency),
        _least_latencies(tables.tp_ff, ff_latency),
        np.inf if free else question.aim.deadline * (1 + ROUNDING),
    )


@inner_scalar_kernel
def _way_seconds(r_model: int, r_ff: int, question: Question, costs: TensorCosts) -> float:
    """Accelerator-seconds of one placement; infinite without room in a level or with too much latency."""
    model, ff, machine = question.tables.tp_model, question.tables.tp_ff, question.machine
    if costs.model_latency[r_model] + costs.ff_latency[r_ff] > costs.most_latency:
        return np.inf
    slowest = 0.0
    for level in range(machine.level_size.size):
        if model.rows[r_model, level] * ff.rows[r_ff, level] > machine.level_size[level]:
            return np.inf
        slowest = max(slowest, costs.model[r_model, level] + costs.ff[r_ff, level])
    return slowest


@inner_scalar_kernel
def least_tensor_seconds(i_model: int, i_ff: int, question: Question, costs: TensorCosts) -> float:
    """Accelerator-seconds of a pair's quickest placement; infinite if it has none."""
    model, ff = question.tables.tp_model, question.tables.tp_ff
    least = np.inf
    for r_model in range(model.start[i_model], model.start[i_model + 1]):
        for r_ff in range(ff.start[i_ff], ff.start[i_ff + 1]):
            least = min(least, _way_seconds(r_model, r_ff, question, costs))
    return least


@inner_kernel
def _room_taken(ways: IntArray, question: Question) -> IntArray:
    """Product of the two degrees' factors at each network level, for given pairs of rows (ways x levels)."""
    model, ff = question.tables.tp_model.rows, question.tables.tp_ff.rows
    taken = np.empty((ways.shape[0], model.shape[1]), dtype=np.int64)
    for way in range(taken.shape[0]):
        for level in range(taken.shape[1]):
            taken[way, level] = model[ways[way, 0], level] * ff[ways[way, 1], level]
    return taken


@inner_kernel
def _by_room(taken: IntArray, ways: IntArray) -> IntArray:
    """The given ways with those that take the same room side by side, else in their order."""
    most, key, ordered = np.ones(taken.shape[1]), np.zeros(ways.size), np.empty_like(ways)
    for way in range(taken.shape[0]):
        for level in range(taken.shape[1]):
            most[level] = max(most[level], taken[way, level])
    for position in range(ways.size):
        for level in range(taken.shape[1]):
            key[position] = key[position] * (most[level] + 1) + taken[ways[position], level]
    by_key = np.argsort(key, kind="mergesort")
    for position in range(ways.size):
        ordered[position] = ways[by_key[position]]
    return ordered


@inner_kernel
def add_placements(
    i_model: int,
    i_ff: int,
    most: float,
    question: Question,
    costs: TensorCosts,
    pairs: list[TensorPlacement],
) -> None:
    """Append the placements of one pair that can matter, the least time first.

    Parameters
    ----------
    i_model, i_ff : int
        Indices of the two degrees in their tables.
    most : float
        Accelerator-seconds that no plan worth looking at exceeds.
    question : Question
        What is searched.
    costs : TensorCosts
        From :func:`tensor_costs`.
    pairs : list of TensorPlacement
        Appended to.
    """
    model, ff = question.tables.tp_model, question.tables.tp_ff
    first_model, first_ff = model.start[i_model], ff.start[i_ff]
    ways_ff = ff.start[i_ff + 1] - first_ff
    all_ways = (model.start[i_model + 1] - first_model) * ways_ff
    seconds, ways = np.empty(all_ways), np.empty((all_ways, 2), dtype=np.int64)
    number = 0
    for way in range(all_ways):
        ways[number, 0], ways[number, 1] = first_model + way // ways_ff, first_ff + way % ways_ff
        seconds[number] = _way_seconds(ways[number, 0], ways[number, 1], question, costs)
        if seconds[number] < np.inf and seconds[number] <= most:
            number += 1
    if number == 0:
        return
    taken, by_time = _room_taken(ways[:number], question), np.argsort(seconds[:number], kind="mergesort")
    kept = np.zeros(number, dtype=np.bool_)
    least_latency, before = np.inf, by_time[0]
    for way in _by_room(taken, by_time):
        for level in range(taken.shape[1]):
            if taken[way, level] != taken[before, level]:
                least_latency = np.inf
        latency = costs.model_latency[ways[way, 0]] + costs.ff_latency[ways[way, 1]]
        kept[way] = latency < least_latency
        least_latency, before = min(least_latency, latency), way
    for way in by_time:
        if kept[way]:
            latency = costs.model_latency[ways[way, 0]] + costs.ff_latency[ways[way, 1]]
            pairs.append(TensorPlacement(seconds[way], latency, ways[way, 0], ways[way, 1]))
