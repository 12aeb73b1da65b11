"""Parameters that one accelerator holds."""

from __future__ import annotations

from dataclasses import dataclass

from scalewall.planner.layout import Layout
from scalewall.planner.pipeline import Stage
from scalewall.planner.run import Run
from scalewall.workload.matmuls import head_matmul, layer_matmuls

__all__ = ["Weights", "stage_weights"]


@dataclass(frozen=True)
class Weights:
    """Parameters on one rank, before sharding over data-parallel ranks.

    Parameters
    ----------
    dense, experts : float
        Shared by ``cp x dp`` ranks, and by the ranks that hold the same experts.
    layers : int
        Layers they belong to.
    """

    dense: float
    experts: float
    layers: float


def stage_weights(run: Run, layout: Layout, stage: Stage) -> Weights:
    """Return the parameters of a stage on one rank."""
    model = run.model
    dense = routed = 0.0
    for count, with_experts in ((stage.dense, False), (stage.experts, True)):
        if not count:
            continue
        for matmul in layer_matmuls(model, experts=with_experts):
            if matmul.part == "experts":
                routed += count * matmul.parameters / (layout.ep * layout.etp)
            else:
                dense += count * matmul.parameters / layout.tp
    table = head_matmul(model).parameters / layout.tp
    dense += table * (stage.embedding + stage.head)
    if stage.embedding and stage.head and model.tied_embeddings:
        dense -= table
    return Weights(dense, routed, stage.dense + stage.experts)
