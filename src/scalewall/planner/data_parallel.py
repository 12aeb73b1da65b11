"""Communication among data-parallel ranks, and the optimizer step."""

from __future__ import annotations

from scalewall.planner.communication import gather_seconds
from scalewall.planner.constants import value
from scalewall.planner.layout import Layout
from scalewall.planner.profile import Profile
from scalewall.planner.run import Run
from scalewall.planner.weights import Weights

__all__ = ["gather_weights_seconds", "optimizer_seconds", "reduce_seconds"]

_OPTIMIZER = value("elementwise.optimizer_bytes")


def _shard_ranks(layout: Layout) -> int:
    return min(layout.gradient_ranks, layout.shard_ranks or layout.gradient_ranks)


def _groups(layout: Layout, weights: Weights) -> list[tuple[int, int, float]]:
    """Ranks, stride and parameters of the two groups that share weights."""
    expert_stride = layout.ep * layout.etp
    return [
        (layout.gradient_ranks, layout.tp, weights.dense),
        (layout.expert_gradient_ranks, expert_stride, weights.experts),
    ]


def reduce_seconds(run: Run, layout: Layout, profile: Profile, weights: Weights) -> float:
    """Seconds that reducing the gradients of one stage takes, were nothing beside it."""
    total = 0.0
    calls = profile.calls_per_layer * weights.layers
    for ranks, stride, parameters in _groups(layout, weights):
        if parameters and ranks > 1:
            whole = gather_seconds(
                run.device, ranks, stride, parameters * profile.gradient_bytes, calls, profile.ports
            )
            shard = min(ranks, layout.shard_ranks or ranks)
            if layout.sharding == "none" or profile.full_reduce:
                whole *= 2
            elif shard < ranks:
                whole = gather_seconds(
                    run.device,
                    ranks,
                    stride,
                    2 * parameters * profile.gradient_bytes,
                    2 * calls,
                    profile.ports,
                )
            total += whole
    return total


def gather_weights_seconds(run: Run, layout: Layout, profile: Profile, weights: Weights) -> float:
    """Seconds that gathering the updated weights of one stage takes, were nothing beside it."""
    if layout.sharding == "none":
        return 0.0
    total = 0.0
    calls = profile.calls_per_layer * weights.layers
    for ranks, stride, parameters in _groups(layout, weights):
        shard = min(ranks, layout.shard_ranks or ranks)
        if parameters and shard > 1:
            total += gather_seconds(
                run.device, shard, stride, parameters * profile.gather_bytes, calls, profile.ports
            )
    return total


def optimizer_seconds(run: Run, layout: Layout, weights: Weights) -> float:
    """Seconds of the optimizer step: bytes of weights, gradients and moments over memory bandwidth."""
    share = 1.0
    expert_share = 1.0
    if layout.sharding != "none":
        share = 1.0 / _shard_ranks(layout)
        expert_share = 1.0 / min(
            layout.expert_gradient_ranks, layout.shard_ranks or layout.expert_gradient_ranks
        )
    owned = weights.dense * share + weights.experts * expert_share
    return owned * _OPTIMIZER / run.device.memory_bandwidth
