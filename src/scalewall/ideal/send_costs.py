"""Point-to-point traffic of every placement of a pipeline and of experts, evaluated once a search.

Time and latency are linear in the chunks a stage, so two evaluations give all schedules, and the lesser of two
schedules' values bounds all between.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scalewall._jit import inner_kernel
from scalewall.cost.collectives import boundary_latency, boundary_seconds
from scalewall.ideal.question import Question

__all__ = ["SendCosts", "send_costs"]


class SendCosts(NamedTuple):
    """Costs of a batch by placement of PP (first index) and EP (second).

    ``seconds`` in accelerator-seconds and ``latency`` in seconds, with one chunk a stage; ``more_seconds`` and
    ``more_latency`` are what each further chunk adds. ``least_seconds`` and ``least_latency``: the least over
    all placements and schedules, by index of the two degrees.
    """

    seconds: NDArray[np.float64]
    more_seconds: NDArray[np.float64]
    latency: NDArray[np.float64]
    more_latency: NDArray[np.float64]
    least_seconds: NDArray[np.float64]
    least_latency: NDArray[np.float64]


@inner_kernel
def send_costs(question: Question) -> SendCosts:
    """Evaluate every pair of placements in PP's and EP's tables."""
    tables, machine = question.tables, question.machine
    pp, ep = tables.pp.rows, tables.ep.rows
    layers, words = question.layers, question.batch_tokens
    shape = (pp.shape[0], ep.shape[0])
    least = (tables.pp.degree.size, tables.ep.degree.size)
    costs = SendCosts(
        np.empty(shape),
        np.empty(shape),
        np.empty(shape),
        np.empty(shape),
        np.full(least, np.inf),
        np.full(least, np.inf),
    )
    for i in range(shape[0]):
        for j in range(shape[1]):
            for chunks in range(1, 3):
                seconds = boundary_seconds(
                    pp[i], ep[j], chunks, question.d_model, layers, words, 1.0, machine
                )
                latency = boundary_latency(pp[i], ep[j], chunks, layers, machine)
                if chunks == 1:
                    costs.seconds[i, j], costs.latency[i, j] = seconds, latency
                else:
                    costs.more_seconds[i, j] = seconds - costs.seconds[i, j]
                    costs.more_latency[i, j] = latency - costs.latency[i, j]
    for i_pp in range(least[0]):
        further = layers // tables.pp.degree[i_pp] - 1
        for i_ep in range(least[1]):
            for i in range(tables.pp.start[i_pp], tables.pp.start[i_pp + 1]):
                for j in range(tables.ep.start[i_ep], tables.ep.start[i_ep + 1]):
                    seconds = costs.seconds[i, j] + min(0.0, further * costs.more_seconds[i, j])
                    latency = costs.latency[i, j] + min(0.0, further * costs.more_latency[i, j])
                    costs.least_seconds[i_pp, i_ep] = min(costs.least_seconds[i_pp, i_ep], seconds)
                    costs.least_latency[i_pp, i_ep] = min(costs.least_latency[i_pp, i_ep], latency)
    return costs
