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

    ``seconds`` in accelerator-seconds and ``latency`` in seconds, with one chunk a stage; the others are what
    each further chunk adds.
    """

    seconds: NDArray[np.float64]
    more_seconds: NDArray[np.float64]
    latency: NDArray[np.float64]
    more_latency: NDArray[np.float64]


@inner_kernel
def send_costs(question: Question) -> SendCosts:
    """Evaluate every pair of placements in PP's and EP's tables."""
    pp, ep, machine = question.tables.pp.rows, question.tables.ep.rows, question.machine
    layers, words = question.layers, question.batch_tokens
    shape = (pp.shape[0], ep.shape[0])
    costs = SendCosts(np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape))
    for i in range(shape[0]):
        for j in range(shape[1]):
            one = boundary_seconds(pp[i], ep[j], 1, question.d_model, layers, words, 1.0, machine)
            two = boundary_seconds(pp[i], ep[j], 2, question.d_model, layers, words, 1.0, machine)
            costs.seconds[i, j], costs.more_seconds[i, j] = one, two - one
            one = boundary_latency(pp[i], ep[j], 1, layers, machine)
            two = boundary_latency(pp[i], ep[j], 2, layers, machine)
            costs.latency[i, j], costs.more_latency[i, j] = one, two - one
    return costs
