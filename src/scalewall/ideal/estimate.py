"""One batch of one stack under one given plan: the readable report behind every point of a curve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from scalewall.cost.machine_arrays import MachineArrays, machine_arrays
from scalewall.errors import InputError
from scalewall.hardware.machine import Cluster
from scalewall.ideal.breakdown import (
    attributed_seconds,
    binding_part,
    component_seconds,
    matmul_breakdown,
)
from scalewall.ideal.results import Plan
from scalewall.ideal.space import ModelSwitches
from scalewall.ideal.step import compute_share, fits_memory, utilization
from scalewall.ideal.tables import divisors
from scalewall.ideal.terms import BatchTerms, batch_terms
from scalewall.workload.stack import MlpStack

__all__ = ["BatchEstimate", "check_plan", "estimate_batch"]

_KINDS = ("dp", "tp_model", "tp_ff", "pp", "ep")


@dataclass(frozen=True)
class BatchEstimate:
    """One batch under a plan: times in seconds, what they are made of, and what binds.

    ``fits`` tells whether weights and optimizer state fit in memory (activations are not counted).
    """

    stack: MlpStack
    plan: Plan
    terms: BatchTerms
    utilization: float
    fits: bool
    component_seconds: Mapping[str, float]
    attributed_seconds: Mapping[str, float]
    binds: str

    @property
    def run_seconds(self) -> float:
        """Seconds of the whole run: ``total * D / B``."""
        return self.terms.total * self.stack.tokens / self.stack.batch_tokens


def check_plan(stack: MlpStack, plan: Plan, cluster: Cluster) -> None:
    """Refuse a plan that does not divide the stack or does not fit the network.

    Raises
    ------
    InputError
        Naming the degree, its value and what is allowed.
    """
    levels = cluster.network.levels
    for kind in _KINDS:
        degrees = getattr(plan, kind)
        if len(degrees) != len(levels):
            allowed = f"{len(levels)} factors, one a network level of {cluster.name}, innermost first"
            raise InputError(kind, " ".join(map(str, degrees)), allowed)
        if min(degrees) < 1:
            raise InputError(kind, " ".join(map(str, degrees)), "whole numbers of at least 1")
    for index, level in enumerate(levels):
        placed = prod(getattr(plan, kind)[index] for kind in _KINDS)
        if level.size is not None and placed > level.size:
            raise InputError(
                f"degrees in network level {index}", placed, f"a product of at most its size, {level.size}"
            )
    dp, tp_model, tp_ff, pp, ep = (prod(getattr(plan, kind)) for kind in _KINDS)
    for kind, degree, whole, what in (
        ("ep", ep, stack.sparsity, "experts"),
        ("pp", pp, stack.layers, "layers"),
        ("tp_model", tp_model, stack.d_model, "d_model"),
        ("tp_ff", tp_ff, stack.d_ff, "d_ff"),
        ("dp", dp, stack.batch_per_expert, "tokens an expert sees in a batch"),
    ):
        if whole % degree:
            raise InputError(kind, degree, f"a divisor of {whole}, the {what}", _near_divisors(whole, degree))
    if plan.microbatches < 1 or stack.batch_per_expert // dp % plan.microbatches:
        share = stack.batch_per_expert // dp
        raise InputError(
            "microbatches",
            plan.microbatches,
            f"a divisor of {share}, the tokens of an expert and replica",
            _near_divisors(share, plan.microbatches),
        )
    if plan.interleave < 1 or stack.layers // pp % plan.interleave:
        raise InputError(
            "interleave",
            plan.interleave,
            f"a divisor of the {stack.layers // pp} layers of a stage",
            _near_divisors(stack.layers // pp, plan.interleave),
        )
    if plan.zero_bubble and (plan.microbatches < 2 * pp or plan.interleave != 1):
        raise InputError(
            "zero_bubble", "1", f"at least {2 * pp} microbatches (2 PP) and 1 chunk a stage", ["0"]
        )


def _near_divisors(whole: int, wanted: int) -> list[str]:
    """The divisors of ``whole`` next to ``wanted``, nearest first."""
    found = divisors(whole)
    at = int(np.searchsorted(found, wanted))
    around = {int(divisor) for divisor in found[max(at - 1, 0) : at + 1]}
    return [str(divisor) for divisor in sorted(around, key=lambda divisor: abs(divisor - wanted))]


def estimate_batch(
    stack: MlpStack,
    plan: Plan,
    cluster: Cluster,
    model: ModelSwitches | None = None,
    arrays: MachineArrays | None = None,
) -> BatchEstimate:
    """Evaluate one batch under one plan, with the formulas that the searches call.

    Parameters
    ----------
    stack : MlpStack
        What is trained.
    plan : Plan
        Degrees by network level; must pass :func:`check_plan`.
    cluster : Cluster
        Accelerator and network.
    model : ModelSwitches, optional
        Overlaps and latencies; default: the model's own.
    arrays : MachineArrays, optional
        The cluster's figures, if the caller has them at hand.
    """
    model = model or ModelSwitches()
    machine = arrays or machine_arrays(cluster, model.tree_latency)
    switches = model.kernel_switches(machine.word_bytes)
    degrees = np.array([getattr(plan, kind) for kind in _KINDS], dtype=np.int64)
    terms = batch_terms(
        stack.d_model,
        stack.d_ff,
        stack.layers,
        stack.sparsity,
        stack.batch_tokens,
        degrees,
        plan.microbatches,
        plan.interleave,
        plan.zero_bubble,
        machine,
        switches,
    )
    dp, tp_model, tp_ff, pp, ep = (int(degree) for degree in degrees.prod(axis=1))
    alone, waited = matmul_breakdown(
        stack.d_ff / tp_ff,
        stack.d_model / tp_model,
        stack.batch_tokens / (float(dp) * plan.microbatches * stack.sparsity),
        compute_share(stack.layers, stack.sparsity, pp, ep, plan.microbatches),
        cluster.accelerator.memory,
        machine,
    )
    attributed = attributed_seconds(waited, terms, plan.zero_bubble, switches)
    return BatchEstimate(
        stack=stack,
        plan=plan,
        terms=terms,
        utilization=utilization(
            stack.active_parameters, stack.batch_tokens, terms.n_gpu, terms.total, machine
        ),
        fits=bool(fits_memory(stack.parameters, dp, terms.n_active, machine, switches.method)),
        component_seconds=component_seconds(alone, terms, switches),
        attributed_seconds=attributed,
        binds=binding_part(attributed),
    )
