"""Communication among data-parallel ranks, and the optimizer step."""

from __future__ import annotations

from scalewall._jit import formula
from scalewall.planner.communication import gather, pace, reduce_everywhere
from scalewall.planner.constants import value
from scalewall.planner.figures import GRADIENTS, NOTHING, PARAMETERS, Degrees, Figures
from scalewall.planner.weights import Weights

__all__ = ["group_ranks", "optimizer_seconds", "shard_ranks", "sharing_seconds"]

_HELD = value("profile.contention")


@formula
def group_ranks(degrees: Degrees, experts: bool) -> int:
    """Ranks that hold the same weights: ``cp x dp``, or ``tp x cp x dp / (ep x etp)`` of experts."""
    if experts:
        return degrees.tp * degrees.cp * degrees.dp // (degrees.ep * degrees.etp)
    return degrees.cp * degrees.dp


@formula
def shard_ranks(degrees: Degrees, experts: bool) -> int:
    """Over how many ranks of a group the sharding goes."""
    ranks = group_ranks(degrees, experts)
    return min(ranks, degrees.shard_ranks) if degrees.shard_ranks else ranks


@formula
def _stride(degrees: Degrees, experts: bool) -> int:
    return degrees.ep * degrees.etp if experts else degrees.tp


@formula
def _reduce(figures: Figures, degrees: Degrees, parameters: float, calls: float, experts: bool) -> float:
    """Seconds that reducing the gradients of one group takes, were nothing beside it."""
    ranks, shard = group_ranks(degrees, experts), shard_ranks(degrees, experts)
    if parameters == 0.0 or ranks == 1:
        return 0.0
    stride, size = _stride(degrees, experts), parameters * figures.gradient_bytes
    if degrees.sharding == NOTHING or figures.full_reduce or shard < ranks:
        return reduce_everywhere(figures.links, ranks, stride, size, calls, figures.ports)
    return gather(figures.links, ranks, stride, size, calls, figures.ports)


@formula
def _gather(figures: Figures, degrees: Degrees, parameters: float, calls: float, experts: bool) -> float:
    """Seconds that gathering the updated weights of one group takes, were nothing beside it."""
    shard = shard_ranks(degrees, experts)
    if degrees.sharding == NOTHING or parameters == 0.0 or shard == 1:
        return 0.0
    size = parameters * figures.gather_bytes
    return gather(figures.links, shard, _stride(degrees, experts), size, calls, figures.ports)


@formula
def _beside(communication: float, compute: float, first: float, contention: float) -> float:
    """Seconds that communication beside compute adds: what does not fit, the first (or last) layer's share at
    least, and the multiprocessors that what fits takes from the compute."""
    exposed = max(communication - compute, communication * first)
    return exposed + contention * (communication - exposed)


@formula
def _contention(figures: Figures, degrees: Degrees) -> float:
    """Share of the compute lost to collectives beside it: multiprocessors that they hold however slow they are, and
    what goes with the bytes that they move, less on a slow network."""
    held = min(figures.contention, _HELD)
    return held + (figures.contention - held) * pace(
        figures.links, group_ranks(degrees, False), degrees.tp, figures.ports
    )


@formula
def sharing_seconds(
    figures: Figures,
    degrees: Degrees,
    weights: Weights,
    forward: float,
    backward: float,
    microbatches: int,
) -> float:
    """Exposed seconds of a step in which a stage's ranks share gradients and weights.

    Sharded gradients and weights travel for every microbatch; in a pipeline the software keeps a stage's weights and
    gradients whole until the last microbatch (as torchtitan does by default), and they travel once.

    Parameters
    ----------
    figures, degrees
        Machine, software, layout.
    weights : Weights
        Of the stage.
    forward, backward : float
        Seconds that a microbatch takes on it, to hide communication under.
    microbatches : int
        Of a step.
    """
    calls = figures.calls_per_layer * weights.layers
    reduce = figures.data * (
        _reduce(figures, degrees, weights.dense, calls, False)
        + _reduce(figures, degrees, weights.experts, calls, True)
    )
    gathered = figures.data * (
        _gather(figures, degrees, weights.dense, calls, False)
        + _gather(figures, degrees, weights.experts, calls, True)
    )
    first = 1.0 / max(1.0, weights.layers)
    contention = _contention(figures, degrees)
    if degrees.sharding >= GRADIENTS and degrees.pp == 1:
        again = gathered if degrees.sharding == PARAMETERS else 0.0
        in_forward = _beside(gathered, forward, first, contention)
        in_backward = _beside(again + reduce, backward, first, contention)
        return microbatches * (in_forward + in_backward)
    exposed = _beside(reduce, backward, first, contention) if figures.overlap_reduce else reduce
    return exposed + (_beside(gathered, forward, first, contention) if figures.overlap_gather else gathered)


@formula
def optimizer_seconds(figures: Figures, degrees: Degrees, weights: Weights) -> float:
    """Seconds of the optimizer step: bytes of weights, gradients and moments over memory bandwidth."""
    own = weights.dense + weights.experts
    if degrees.sharding != NOTHING:
        own = weights.dense / shard_ranks(degrees, False) + weights.experts / shard_ranks(degrees, True)
    return own * figures.optimizer_moved / figures.memory_bandwidth
