"""Parameters that one accelerator holds."""

from __future__ import annotations

from typing import NamedTuple

from scalewall._jit import formula
from scalewall.planner.layout import Layout
from scalewall.planner.run import Run
from scalewall.workload.matmuls import head_matmul, layer_matmuls

__all__ = ["LayerParameters", "Weights", "layer_parameters", "stage_parameters"]


class LayerParameters(NamedTuple):
    """Parameters on one rank of one layer of each kind, and of the table of the embedding or the head.

    ``dense``: of a dense layer; ``beside_experts`` and ``routed``: of a layer with experts.
    """

    dense: float
    beside_experts: float
    routed: float
    table: float


class Weights(NamedTuple):
    """Parameters of a stage on one rank, before sharding over data-parallel ranks.

    ``dense`` are shared by ``cp x dp`` ranks, ``experts`` by the ranks that hold the same experts; ``layers`` is how
    many layers they belong to.
    """

    dense: float
    experts: float
    layers: float


def layer_parameters(run: Run, layout: Layout) -> LayerParameters:
    """Return the parameters that one rank holds of each kind of layer."""
    model = run.model
    shares = {"dense": 0.0, "beside_experts": 0.0, "routed": 0.0}
    kinds = [("dense", False)] if model.dense_layers else []
    kinds += [("beside_experts", True)] if model.experts else []
    for name, with_experts in kinds:
        for matmul in layer_matmuls(model, experts=with_experts):
            if matmul.part == "experts":
                shares["routed"] += matmul.parameters / (layout.ep * layout.etp)
            else:
                shares[name] += matmul.parameters / layout.tp
    return LayerParameters(table=head_matmul(model).parameters / layout.tp, **shares)


@formula
def stage_parameters(
    own: LayerParameters, dense: float, experts: float, embedding: bool, head: bool, tied: bool
) -> Weights:
    """Return the parameters of a stage on one rank.

    Parameters
    ----------
    own : LayerParameters
        Of each kind of layer.
    dense, experts : float
        How many layers of each kind the stage holds.
    embedding, head : bool
        Whether it holds them.
    tied : bool
        Whether they are one table.
    """
    tables = 1.0 if embedding or head else 0.0
    if embedding and head and not tied:
        tables = 2.0
    shared = dense * own.dense + experts * own.beside_experts + tables * own.table
    return Weights(shared, experts * own.routed, dense + experts)
