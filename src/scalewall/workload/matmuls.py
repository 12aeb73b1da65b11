"""The matrices of a transformer, by layer: the one list that parameter counts, FLOP and times are made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from scalewall.workload.transformer import Transformer

__all__ = ["Matmul", "Part", "head_matmul", "layer_matmuls", "prediction_matmul"]

Part = Literal["attention", "mlp", "experts", "router", "shared", "head", "prediction"]


@dataclass(frozen=True)
class Matmul:
    """Matrices of one shape that tokens are multiplied with.

    Parameters
    ----------
    part : str
        What it belongs to: ``attention``, ``mlp`` (dense feed-forward), ``experts`` (routed), ``router``,
        ``shared`` (shared experts), ``head`` or ``prediction``.
    name : str
        Which one: ``qkv``, ``up``, ...
    inputs, outputs : int
        Shape (elements).
    copies : int
        Matrices of this shape (experts).
    active : int
        How many of them a token goes through.
    bias : bool
        Whether each has a bias of ``outputs`` elements.
    """

    part: Part
    name: str
    inputs: int
    outputs: int
    copies: int = 1
    active: int = 1
    bias: bool = False

    @property
    def parameters(self) -> int:
        """Parameters of all copies, biases included."""
        return self.copies * self._each

    @property
    def active_parameters(self) -> int:
        """Parameters that a token goes through, biases included."""
        return self.active * self._each

    @property
    def _each(self) -> int:
        return self.inputs * self.outputs + (self.outputs if self.bias else 0)

    @property
    def forward_flop(self) -> int:
        """Forward FLOP a token: ``2 * inputs * outputs`` an active copy (a multiply-add is 2 FLOP)."""
        return 2 * self.inputs * self.outputs * self.active


def layer_matmuls(model: Transformer, *, experts: bool) -> tuple[Matmul, ...]:
    """Return the matrices of one layer in the order of use.

    Parameters
    ----------
    model : Transformer
        The model.
    experts : bool
        Of a layer that holds experts, else of a dense one.
    """
    attention = _latent_matmuls(model) if model.latent else _attention_matmuls(model)
    if not experts:
        return (*attention, *_feed_forward(model, "mlp", model.ffn))
    return (*attention, *_expert_matmuls(model))


def head_matmul(model: Transformer) -> Matmul:
    """Return the language-model head: ``hidden x vocab``."""
    return Matmul("head", "logits", model.hidden, model.vocab, bias=model.details.head_bias)


def prediction_matmul(model: Transformer) -> Matmul:
    """Return what joins hidden state and next token's embedding before a multi-token prediction layer.

    It is ``2 hidden x hidden`` (DeepSeek-AI, "DeepSeek-V3", arXiv:2412.19437 (2024), section 2.2).
    """
    return Matmul("prediction", "join", 2 * model.hidden, model.hidden)


def _attention_matmuls(model: Transformer) -> tuple[Matmul, ...]:
    details = model.details
    queries = model.heads * model.head_dim
    keys_values = 2 * model.kv_heads * model.head_dim
    return (
        Matmul("attention", "qkv", model.hidden, queries + keys_values, bias=details.qkv_bias),
        Matmul("attention", "output", queries, model.hidden, bias=details.output_bias),
    )


def _latent_matmuls(model: Transformer) -> tuple[Matmul, ...]:
    """Return the matrices of latent attention (arXiv:2405.04434, section 2.1)."""
    latent, details = model.latent, model.details
    assert latent is not None
    queries = model.heads * latent.query_dim
    down = latent.kv_rank + latent.rope_dim
    up = model.heads * (latent.nope_dim + latent.value_dim)
    query: tuple[Matmul, ...]
    if latent.q_rank is None:
        query = (Matmul("attention", "query", model.hidden, queries),)
    else:
        query = (
            Matmul("attention", "query_down", model.hidden, latent.q_rank, bias=details.qkv_bias),
            Matmul("attention", "query_up", latent.q_rank, queries),
        )
    return (
        *query,
        Matmul("attention", "kv_down", model.hidden, down, bias=details.qkv_bias),
        Matmul("attention", "kv_up", latent.kv_rank, up),
        Matmul("attention", "output", model.heads * latent.value_dim, model.hidden, bias=details.output_bias),
    )


def _feed_forward(
    model: Transformer, part: Part, width: int, copies: int = 1, active: int = 1
) -> tuple[Matmul, ...]:
    """Return up (gate and up in one, if gated) and down."""
    up = 2 * width if model.gated else width
    bias = model.details.mlp_bias
    return (
        Matmul(part, "gate_up" if model.gated else "up", model.hidden, up, copies, active, bias),
        Matmul(part, "down", width, model.hidden, copies, active, bias),
    )


def _expert_matmuls(model: Transformer) -> tuple[Matmul, ...]:
    experts = model.experts
    assert experts is not None
    router = Matmul("router", "router", model.hidden, experts.routed, bias=experts.router_bias)
    routed = _feed_forward(model, "experts", experts.ffn, experts.routed, experts.top_k)
    if not experts.shared:
        return (router, *routed)
    shared = _feed_forward(model, "shared", experts.shared_ffn, experts.shared, experts.shared)
    gate = (Matmul("shared", "shared_gate", model.hidden, 1),) if experts.shared_gate else ()
    return (router, *routed, *shared, *gate)
