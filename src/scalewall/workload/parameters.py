"""Parameter counts of a transformer, by part, all of them or those that a token goes through."""

from __future__ import annotations

from dataclasses import dataclass, fields

from scalewall.workload.matmuls import Matmul, head_matmul, layer_matmuls, prediction_matmul
from scalewall.workload.transformer import Transformer

__all__ = [
    "LayerParameters",
    "ParameterCount",
    "active_parameters",
    "count_parameters",
    "layer_parameters",
]

_PREDICTION_NORMS = 3
"""Norms of a multi-token prediction module beside its layer's: of the hidden state, of the embedding, before the
head (DeepSeek-AI, "DeepSeek-V3", arXiv:2412.19437 (2024), section 2.2, and the released checkpoint)."""


@dataclass(frozen=True)
class LayerParameters:
    """Parameters of one layer by part; biases belong to their matrix, norms are apart.

    Parameters
    ----------
    attention, mlp, experts, router, shared, norms : int
        Attention with its sinks; dense feed-forward part; routed experts; router; shared experts; norms.
    """

    attention: int
    mlp: int
    experts: int
    router: int
    shared: int
    norms: int

    @property
    def total(self) -> int:
        """All of them."""
        return sum(getattr(self, part.name) for part in fields(self))


@dataclass(frozen=True)
class ParameterCount:
    """Parameters of a model by part.

    Parameters
    ----------
    attention, mlp, experts, router, shared, norms : int
        Of all layers; the norms include those after the embedding and before the head.
    embedding : int
        Of the vocabulary.
    positions : int
        Of a learned table of positions.
    head : int
        Language-model head with its bias; without its matrix where that is the embedding's.
    prediction : int
        Modules of multi-token prediction, which use the model's own embedding and head. Not part of the totals.
    """

    attention: int
    mlp: int
    experts: int
    router: int
    shared: int
    norms: int
    embedding: int
    positions: int
    head: int
    prediction: int

    @property
    def total(self) -> int:
        """The main model, without multi-token prediction."""
        return self.without_embeddings + self.embedding + self.positions + self.head

    @property
    def without_input_embedding(self) -> int:
        """The main model without tables that are only looked up; a tied embedding is also the head and stays."""
        lookup = self.embedding if self.head >= self.embedding else 0
        return self.total - lookup - self.positions

    @property
    def without_embeddings(self) -> int:
        """The layers and norms alone: neither embedding, positions nor head."""
        return self.attention + self.mlp + self.experts + self.router + self.shared + self.norms


def layer_parameters(model: Transformer, *, experts: bool, active: bool = False) -> LayerParameters:
    """Return the parameters of one layer.

    Parameters
    ----------
    model : Transformer
        The model.
    experts : bool
        Of a layer that holds experts, else of a dense one.
    active : bool
        Of the routed experts, only those that a token goes through.
    """
    matmuls = layer_matmuls(model, experts=experts)

    def of(part: str) -> int:
        return sum(_parameters(matmul, active) for matmul in matmuls if matmul.part == part)

    sinks = model.heads if model.details.attention_sinks else 0
    return LayerParameters(
        attention=of("attention") + sinks,
        mlp=of("mlp"),
        experts=of("experts"),
        router=of("router"),
        shared=of("shared"),
        norms=_layer_norms(model),
    )


def count_parameters(model: Transformer) -> ParameterCount:
    """Return all parameters of a model by part."""
    return _count(model, active=False)


def active_parameters(model: Transformer) -> ParameterCount:
    """Return the parameters that a token goes through by part: ``top_k`` of the routed experts."""
    return _count(model, active=True)


def _count(model: Transformer, *, active: bool) -> ParameterCount:
    dense = layer_parameters(model, experts=False, active=active)
    parts = {part.name: model.dense_layers * getattr(dense, part.name) for part in fields(dense)}
    last = dense
    if model.experts:
        last = layer_parameters(model, experts=True, active=active)
        for name in parts:
            parts[name] += model.expert_layers * getattr(last, name)
    details = model.details
    norm = details.norm_vectors * model.hidden
    parts["norms"] += norm * (details.final_norm + details.embedding_norm)
    join = prediction_matmul(model).parameters
    head = head_matmul(model).parameters
    return ParameterCount(
        **parts,
        embedding=model.vocab * model.hidden,
        positions=details.learned_positions * model.hidden,
        head=head - model.vocab * model.hidden if model.tied_embeddings else head,
        prediction=model.prediction_layers * (last.total + join + _PREDICTION_NORMS * norm),
    )


def _parameters(matmul: Matmul, active: bool) -> int:
    return matmul.active_parameters if active else matmul.parameters


def _layer_norms(model: Transformer) -> int:
    """Return the parameters of a layer's norms, those inside attention included."""
    details, latent = model.details, model.latent
    width = details.norms_per_layer * model.hidden
    if latent:
        width += latent.kv_rank + (latent.q_rank or 0)
    if details.query_key_norm == "head":
        width += 2 * model.head_dim
    elif details.query_key_norm == "projection":
        width += (model.heads + model.kv_heads) * model.head_dim
    return details.norm_vectors * width
