"""Find the best plan for one training run on one cluster."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from scalewall.cost.machine_arrays import MachineArrays, machine_arrays
from scalewall.cost.reliability import Reliability, slowdown
from scalewall.hardware.machine import Cluster
from scalewall.ideal.estimate import BatchEstimate, estimate_batch
from scalewall.ideal.floors import MATMULS_A_LAYER
from scalewall.ideal.full_search import full_search
from scalewall.ideal.question import ROUNDING, ZERO_BUBBLE, Aim, Best, Question, Tables, new_best
from scalewall.ideal.reference_search import reference_search
from scalewall.ideal.results import Plan
from scalewall.ideal.space import ModelSwitches, SearchSpace
from scalewall.ideal.tables import DegreeTable, degree_table, divisors
from scalewall.workload.stack import MlpStack

__all__ = ["Searcher", "find_plan"]

_COST_CAPS = (1.1, 1.4, 2.0, 4.0, 16.0, math.inf)
"""The full search looks for plans of at most this many times the arithmetic's cost, then for costlier ones: a
plan found under a cap is the best of all, and a tight cap cuts almost everything."""
_TIME_CAPS = (1.1, 1.3, 1.7, 2.5, 5.0, 20.0, 1e3, math.inf)
"""The same for the fastest plan, in multiples of a deadline that no plan meets."""


@dataclass(frozen=True)
class Searcher:
    """A cluster, a search space and a model, ready for many runs.

    Parameters
    ----------
    cluster : Cluster
        Accelerator and network.
    space : SearchSpace
        Which plans, by which search.
    model : ModelSwitches
        Overlaps and latencies.
    arrays : MachineArrays
        The cluster's figures for the kernels; use :meth:`of`.
    """

    cluster: Cluster
    space: SearchSpace
    model: ModelSwitches
    arrays: MachineArrays

    @classmethod
    def of(cls, cluster: Cluster, space: SearchSpace, model: ModelSwitches) -> Searcher:
        """Flatten the cluster once."""
        return cls(cluster, space, model, machine_arrays(cluster, model.tree_latency))

    def best(self, stack: MlpStack, run_seconds: float) -> tuple[BatchEstimate | None, int]:
        """Return the best plan that finishes in ``run_seconds``, and how many plans were evaluated."""
        deadline = run_seconds * stack.batch_tokens / stack.tokens
        return self._result(stack, self._search(stack, deadline, fastest=False))

    def fastest(self, stack: MlpStack, too_short: float) -> BatchEstimate | None:
        """Return the plan that takes the least time whatever it costs; None if memory or bounds forbid all.

        Parameters
        ----------
        stack : MlpStack
            What is trained.
        too_short : float
            Seconds in which no plan finishes the run.
        """
        deadline = too_short * stack.batch_tokens / stack.tokens
        for factor in _TIME_CAPS:
            found, _ = self._result(stack, self._search(stack, factor * deadline, fastest=True))
            if found is not None:
                return found
        return None

    def kernel_floor(self, stack: MlpStack) -> float:
        """Seconds of a run that no plan beats: every batch passes the kernels of all layers one after the other."""
        return self._kernels_a_batch(stack) * stack.tokens / stack.batch_tokens

    def _kernels_a_batch(self, stack: MlpStack) -> float:
        """Seconds that no batch beats, see :meth:`kernel_floor`."""
        return stack.layers * MATMULS_A_LAYER * self.arrays.kernel_latency

    def _tables(self, stack: MlpStack) -> Tables:
        """Degrees that divide the stack, within bounds, with their placements."""
        sizes, space = tuple(self.arrays.level_size.tolist()), self.space
        levels = len(sizes)
        tensor_levels = min(space.tensor_levels or levels, levels)
        experts = space.bound("ep")
        reference = space.method == "reference"
        if reference:
            experts = (max(experts[0], stack.sparsity), experts[1])

        def table(kind: str, whole: int, levels: int) -> DegreeTable:
            power_of_two = whole & -whole
            return _divisor_table(power_of_two if reference else whole, space.bound(kind), sizes, levels)

        return Tables(
            dp=table("dp", stack.batch_per_expert, levels),
            tp_model=table("tp_model", stack.d_model, tensor_levels),
            tp_ff=table("tp_ff", stack.d_ff, tensor_levels),
            pp=table("pp", stack.layers, levels),
            ep=_divisor_table(stack.sparsity, experts, sizes, levels),
        )

    def reaches(self, stack: MlpStack, run_seconds: float, utilization: float) -> bool:
        """Tell whether some plan that finishes in ``run_seconds`` has more than ``utilization``, of the peak.

        Quicker than :meth:`best` where the answer is no: plans that waste more are not looked at.
        """
        deadline = run_seconds * stack.batch_tokens / stack.tokens
        question = self._question(stack, deadline, fastest=False)
        most = 6 * stack.active_parameters * stack.batch_tokens / (self.arrays.peak_flops * utilization)
        if self.space.method == "reference":
            best = reference_search(question)
        else:
            best = new_best(self.arrays.level_size.size, most)
            full_search(question, best)
        return bool(best.value[3] > 0 and best.value[0] < most)

    def _question(self, stack: MlpStack, deadline: float, fastest: bool) -> Question:
        """What the kernels are asked."""
        return Question(
            d_model=stack.d_model,
            d_ff=stack.d_ff,
            layers=stack.layers,
            sparsity=stack.sparsity,
            batch_tokens=stack.batch_tokens,
            parameters=stack.parameters,
            machine=self.arrays,
            switches=self.model.kernel_switches(self.arrays.word_bytes),
            bounds=self.space.kernel_bounds(),
            tables=self._tables(stack),
            aim=Aim(deadline, fastest, -ROUNDING if self.space.method == "reference" else ROUNDING),
        )

    def _search(self, stack: MlpStack, deadline: float, fastest: bool) -> Best:
        """Run the chosen search, unless the kernels alone take longer than the deadline."""
        if self._kernels_a_batch(stack) * (1 - ROUNDING) > deadline:
            return new_best(self.arrays.level_size.size, deadline)
        question = self._question(stack, deadline, fastest)
        if self.space.method == "reference":
            return reference_search(question)
        floor = 6 * stack.active_parameters * stack.batch_tokens / self.arrays.sustained_flops
        evaluated = 0.0
        if least_disturbed(floor, question.switches.method.reliability) > deadline:
            return new_best(self.arrays.level_size.size, deadline)
        for cost in (deadline,) if fastest else tuple(cap * floor for cap in _COST_CAPS):
            best = new_best(self.arrays.level_size.size, cost)
            full_search(question, best)
            evaluated += best.value[4]
            if best.value[3] > 0:
                break
        best.value[4] = evaluated
        return best

    def _result(self, stack: MlpStack, best: Best) -> tuple[BatchEstimate | None, int]:
        """Turn the kernels' record into a plan and its report."""
        evaluated = int(best.value[4])
        if best.value[3] == 0:
            return None, evaluated
        levels = self.arrays.level_size.size
        rows = best.plan[: 5 * levels].reshape(5, levels)
        dp, tp_model, tp_ff, pp, ep = (tuple(int(degree) for degree in row) for row in rows)
        microbatches, schedule = (int(number) for number in best.plan[5 * levels :])
        plan = Plan(
            dp=dp,
            tp_model=tp_model,
            tp_ff=tp_ff,
            pp=pp,
            ep=ep,
            microbatches=microbatches,
            interleave=max(schedule, 1),
            zero_bubble=schedule == ZERO_BUBBLE,
        )
        return estimate_batch(stack, plan, self.cluster, self.model, self.arrays), evaluated


@lru_cache(maxsize=128)
def _divisor_table(whole: int, bounds: tuple[int, int], sizes: tuple[int, ...], levels: int) -> DegreeTable:
    """Table of the divisors of ``whole`` within bounds; the runs of a curve share most of the published search's."""
    return degree_table(divisors(whole), *bounds, np.array(sizes), levels)


def least_disturbed(arithmetic: float, reliability: Reliability) -> float:
    """Seconds that no cluster beats where failures, of which more accelerators have more, undo what they gain.

    Parameters
    ----------
    arithmetic : float
        Accelerator-seconds of the work.
    reliability : Reliability
        Failures; without any nothing is too short.
    """
    if reliability.failure_rate == 0:
        return 0.0
    least, accelerators = math.inf, 1.0
    while accelerators < _MOST_ACCELERATORS:
        slower = min(slowdown(accelerators, copies, reliability) for copies in (1.0, math.inf))
        beyond = accelerators * _STEP
        least = min(least, arithmetic * slower / beyond)
        if math.isinf(slower):
            break
        accelerators = beyond
    return least


_MOST_ACCELERATORS = 1e15
_STEP = 1.1
"""Ratio of cluster sizes that are looked at: between two, the smaller one's failures and the larger one's speed."""


def find_plan(
    stack: MlpStack,
    cluster: Cluster,
    run_seconds: float,
    space: SearchSpace | None = None,
    model: ModelSwitches | None = None,
) -> BatchEstimate | None:
    """Return the best plan for one run, or None if none finishes in ``run_seconds``.

    Parameters
    ----------
    stack : MlpStack
        What is trained.
    cluster : Cluster
        Accelerator and network.
    run_seconds : float
        Most seconds the whole run may take.
    space, model : optional
        Default: the full search, the model's own switches.
    """
    return Searcher.of(cluster, space or SearchSpace(), model or ModelSwitches()).best(stack, run_seconds)[0]
