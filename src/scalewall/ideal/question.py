"""What the compiled searches are asked, and the record that they answer with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scalewall._jit import kernel
from scalewall.cost.machine_arrays import MachineArrays
from scalewall.ideal.step import Switches
from scalewall.ideal.tables import DegreeTable

__all__ = ["ROUNDING", "ZERO_BUBBLE", "Aim", "Best", "Bounds", "Question", "Tables", "new_best"]

ZERO_BUBBLE = 0
"""In a list of schedules: the zero-bubble schedule. Other entries are chunks of layers a stage (1F1B)."""


ROUNDING = 1e-12
"""Relative slack of every cut, so that rounding errors never cut off a plan."""


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


class Aim(NamedTuple):
    """What a search looks for.

    Parameters
    ----------
    deadline : float
        Most seconds a batch may take.
    fastest : bool
        Minimize seconds; else accelerator-seconds, idle ones included.
    gain : float
        Least relative gain over the best plan for which another is looked at. Below 0, equally good plans are
        too, and less communication decides; above 0, the first one stays.
    """

    deadline: float
    fastest: bool
    gain: float


class Question(NamedTuple):
    """One training run on one cluster, and which plans may answer.

    Parameters
    ----------
    d_model, d_ff, layers, sparsity : int
        The stack.
    batch_tokens, parameters : float
        Tokens a batch; weights of all experts.
    machine : MachineArrays
        The cluster's figures.
    switches : Switches
        What overlaps what.
    bounds : Bounds
        Constraints.
    tables : Tables
        Allowed degrees.
    aim : Aim
        What is looked for.
    """

    d_model: int
    d_ff: int
    layers: int
    sparsity: int
    batch_tokens: float
    parameters: float
    machine: MachineArrays
    switches: Switches
    bounds: Bounds
    tables: Tables
    aim: Aim


class Best(NamedTuple):
    """The best plan so far, written in place.

    ``value`` = (cost, communication seconds, batch seconds, accelerators, plans evaluated), with 0
    accelerators until a plan is found; ``plan`` = the five degrees' placements one after the other, then
    microbatches and schedule.
    """

    value: NDArray[np.float64]
    plan: NDArray[np.int64]


@kernel
def new_best(levels: int, cost: float) -> Best:
    """An empty record that only a plan of at most ``cost`` can enter."""
    value = np.zeros(5)
    value[0] = cost
    value[1] = np.inf
    return Best(value, np.zeros(5 * levels + 2, dtype=np.int64))
