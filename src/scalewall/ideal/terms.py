"""The terms of one batch under one plan, computed by the shared cost formulas."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scalewall._jit import kernel
from scalewall.cost.collectives import (
    all_reduce_chain_latency,
    boundary_latency,
    boundary_seconds,
    data_parallel_seconds,
    tensor_parallel_latency,
    tensor_parallel_seconds,
)
from scalewall.cost.machine_arrays import MachineArrays
from scalewall.cost.matmul import layer_seconds
from scalewall.cost.reliability import slowdown
from scalewall.cost.schedules import bubble_fraction
from scalewall.ideal.step import Switches, arithmetic_seconds, batch_seconds, cluster_size, compute_share

__all__ = ["BatchTerms", "batch_terms"]

IntArray = NDArray[np.int64]


class BatchTerms(NamedTuple):
    """Terms of one batch: seconds each, were it alone; ``bubble`` is a share.

    ``compute`` holds the optimizer's ``extra_compute`` too; ``undisturbed`` is the batch's time without failures,
    ``total`` with them.
    """

    n_active: int
    n_gpu: int
    compute: float
    extra_compute: float
    tensor: float
    point_to_point: float
    data: float
    bubble: float
    latency: float
    data_latency: float
    undisturbed: float
    total: float


@kernel
def batch_terms(
    d_model: int,
    d_ff: int,
    layers: int,
    sparsity: int,
    batch_tokens: float,
    degrees: IntArray,
    microbatches: int,
    interleave: int,
    zero_bubble: bool,
    machine: MachineArrays,
    switches: Switches,
) -> BatchTerms:
    """Evaluate one batch of a stack of ``layers`` blocks under one plan.

    Parameters
    ----------
    d_model, d_ff, layers, sparsity : int
        The stack; ``sparsity`` experts a block.
    batch_tokens : float
        Tokens a batch.
    degrees : array of int, shape (5, network levels)
        DP, TP along ``d_model``, TP along ``d_ff``, PP, EP, innermost level first.
    microbatches, interleave : int
        Microbatches in flight, chunks of layers a stage.
    zero_bubble : bool
        Zero-bubble schedule instead of interleaved 1F1B.
    machine : MachineArrays
        The cluster's figures.
    switches : Switches
        What overlaps what.
    """
    dp, tp_model, tp_ff, pp, ep = degrees[0], degrees[1], degrees[2], degrees[3], degrees[4]
    placed = np.ones(degrees.shape[1], dtype=np.int64)
    for kind in range(5):
        placed *= degrees[kind]
    n_active = placed.prod()
    sharing = float(n_active)
    parameters = 2.0 * d_model * d_ff * layers * sparsity
    tokens_a_matmul = batch_tokens / (float(dp.prod()) * microbatches * sparsity)
    scratch = np.empty(1 + machine.tile_bytes.size)
    compute = compute_share(layers, sparsity, pp.prod(), ep.prod(), microbatches) * layer_seconds(
        d_ff / tp_ff.prod(), d_model / tp_model.prod(), tokens_a_matmul, machine, scratch
    )
    method = switches.method
    extra = method.extra_compute * arithmetic_seconds(parameters, sparsity, batch_tokens, machine) / sharing
    compute += extra
    tensor = tensor_parallel_seconds(tp_model, tp_ff, d_model, d_ff, layers, batch_tokens, sharing, machine)
    point_to_point = boundary_seconds(pp, ep, interleave, d_model, layers, batch_tokens, sharing, machine)
    data = method.data_traffic * data_parallel_seconds(dp, parameters, sharing, machine)
    bubble = bubble_fraction(pp.prod(), microbatches, interleave, zero_bubble)
    latency = tensor_parallel_latency(tp_model, tp_ff, layers, machine) + boundary_latency(
        pp, ep, interleave, layers, machine
    )
    data_latency = method.data_latency * all_reduce_chain_latency(dp, machine)
    undisturbed = batch_seconds(
        compute, tensor, point_to_point, data, bubble, latency, data_latency, zero_bubble, switches
    )
    return BatchTerms(
        n_active,
        cluster_size(placed, machine.level_size),
        compute,
        extra,
        tensor,
        point_to_point,
        data,
        bubble,
        latency,
        data_latency,
        undisturbed,
        undisturbed * slowdown(sharing, float(dp.prod()), method.reliability),
    )
