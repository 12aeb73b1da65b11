"""What the planner trains: a decoder-only transformer, dense or with experts."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Literal, get_args

from scalewall.errors import InputError, unknown_name
from scalewall.workload.attention import LatentAttention, LocalAttention
from scalewall.workload.checks import check_whole
from scalewall.workload.experts import Experts

__all__ = ["Details", "QueryKeyNorm", "Transformer"]

QueryKeyNorm = Literal["none", "head", "projection"]
"""Norms of queries and keys: none, one vector of a head's size each (Qwen3), or of all heads' (OLMo 2)."""

_LIMITS = {
    "layers": (1, 10**6, "layers"),
    "hidden": (1, 10**7, "elements"),
    "heads": (1, 10**6, "heads"),
    "kv_heads": (1, 10**6, "heads"),
    "head_dim": (1, 10**6, "elements"),
    "ffn": (1, 10**8, "elements"),
    "vocab": (1, 10**9, "tokens"),
    "prediction_layers": (0, 100, "layers"),
}
_NORMS_PER_LAYER = (1, 2, 4)


@dataclass(frozen=True)
class Details:
    """Small parts that hardly matter to time but belong to a parameter count.

    Parameters
    ----------
    qkv_bias, output_bias, mlp_bias, head_bias : bool
        Which matrices have biases: queries, keys and values; the attention's output; the feed-forward part (dense
        or experts); the language-model head.
    norm_vectors : int
        Vectors of parameters a norm: 1 (RMSNorm, LayerNorm without bias), 2 (LayerNorm) or 0 (no parameters).
    norms_per_layer : int
        1 (one norm before both parts of a parallel block), 2 or 4 (before and after each part).
    final_norm, embedding_norm : bool
        Norm after the last layer, norm after the embedding.
    query_key_norm : {"none", "head", "projection"}
        Norms of queries and keys (``head`` is one vector of a head's size each, ``projection`` of all heads').
    learned_positions : int
        Rows of a learned table of positions; 0: none.
    attention_sinks : bool
        Whether each head has a learned logit that attention can go to (gpt-oss).

    Raises
    ------
    InputError
        For a value that is none of those.
    """

    qkv_bias: bool = False
    output_bias: bool = False
    mlp_bias: bool = False
    head_bias: bool = False
    norm_vectors: int = 1
    norms_per_layer: int = 2
    final_norm: bool = True
    embedding_norm: bool = False
    query_key_norm: QueryKeyNorm = "none"
    learned_positions: int = 0
    attention_sinks: bool = False

    def __post_init__(self) -> None:
        for part in fields(self):
            value = getattr(self, part.name)
            if isinstance(part.default, bool) and not isinstance(value, bool):
                raise InputError(f"details.{part.name}", value, "true or false")
        check_whole("details.norm_vectors", self.norm_vectors, 0, 2, "vectors")
        check_whole("details.learned_positions", self.learned_positions, 0, 10**9, "rows")
        if self.norms_per_layer not in _NORMS_PER_LAYER:
            raise InputError("details.norms_per_layer", self.norms_per_layer, "1, 2 or 4 norms", ["2"])
        if self.query_key_norm not in get_args(QueryKeyNorm):
            raise unknown_name("details.query_key_norm", str(self.query_key_norm), get_args(QueryKeyNorm))


@dataclass(frozen=True)
class Transformer:
    """A decoder-only transformer.

    Parameters
    ----------
    name : str
        For people.
    layers : int
        Layers, dense and with experts, without those of multi-token prediction.
    hidden : int
        Width between layers (elements).
    heads : int
        Query heads.
    kv_heads : int
        Key and value heads: ``heads`` (multi-head), fewer (grouped-query) or 1 (multi-query).
    head_dim : int
        Size of a head's query and key (elements); with latent attention ``nope_dim + rope_dim``.
    ffn : int
        Width inside a dense feed-forward part (elements); in a model whose layers all hold experts it is unused,
        and is the experts' width by convention.
    vocab : int
        Rows of the embedding.
    gated : bool
        Whether feed-forward parts have three matrices (SwiGLU, GeGLU), else two.
    tied_embeddings : bool
        Whether the language-model head uses the embedding's matrix.
    causal : bool
        Whether a token sees only earlier ones.
    parallel_block : bool
        Whether attention and feed-forward part work side by side on the same input (GPT-NeoX, Falcon).
    latent : LatentAttention, optional
        Multi-head latent attention, in every layer.
    local : LocalAttention, optional
        Layers that see only a window.
    experts : Experts, optional
        Mixture of experts.
    prediction_layers : int
        Extra layers that predict further tokens in training (multi-token prediction of DeepSeek-V3).
    details : Details
        Biases, norms and other small parts.

    Raises
    ------
    InputError
        Naming the field, for a number out of range or fields that contradict each other.
    """

    name: str
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    vocab: int
    gated: bool = True
    tied_embeddings: bool = False
    causal: bool = True
    parallel_block: bool = False
    latent: LatentAttention | None = None
    local: LocalAttention | None = None
    experts: Experts | None = None
    prediction_layers: int = 0
    details: Details = field(default_factory=Details)

    def __post_init__(self) -> None:
        for name, (low, high, unit) in _LIMITS.items():
            object.__setattr__(self, name, check_whole(name, getattr(self, name), low, high, unit))
        for name in ("gated", "tied_embeddings", "causal", "parallel_block"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(name, getattr(self, name), "true or false")
        self._check_heads()
        if self.local and self.local.layers > self.layers:
            allowed = f"at most the model's {self.layers} layers"
            raise InputError("local.layers", self.local.layers, allowed, [str(self.layers)])
        if self.experts and self.experts.leading_dense >= self.layers:
            allowed = f"fewer than the model's {self.layers} layers"
            raise InputError(
                "experts.leading_dense", self.experts.leading_dense, allowed, [str(self.layers - 1)]
            )

    def _check_heads(self) -> None:
        """Refuse heads that keys and values cannot be shared among, and sizes that latent attention denies."""
        if self.heads % self.kv_heads:
            divisors = [count for count in range(1, self.heads + 1) if self.heads % count == 0]
            near = sorted(divisors, key=lambda count: abs(count - self.kv_heads))[:3]
            allowed = f"a divisor of the {self.heads} heads"
            raise InputError("kv_heads", self.kv_heads, allowed, [str(count) for count in near])
        if self.latent is None:
            return
        if self.kv_heads != self.heads:
            allowed = f"{self.heads}, as many as heads, with latent attention"
            raise InputError("kv_heads", self.kv_heads, allowed, [str(self.heads)])
        if self.head_dim != self.latent.query_dim:
            allowed = f"{self.latent.query_dim}, nope_dim + rope_dim of the latent attention"
            raise InputError("head_dim", self.head_dim, allowed, [str(self.latent.query_dim)])

    @property
    def value_dim(self) -> int:
        """Size of a head's value (elements)."""
        return self.latent.value_dim if self.latent else self.head_dim

    def has_experts(self, layer: int) -> bool:
        """Whether layer ``layer`` (from 0) holds experts."""
        return self.experts is not None and self.experts.in_layer(layer)

    @property
    def expert_layers(self) -> int:
        """Layers that hold experts, without those of multi-token prediction."""
        if self.experts is None:
            return 0
        return -(-(self.layers - self.experts.leading_dense) // self.experts.every)

    @property
    def dense_layers(self) -> int:
        """Layers with a dense feed-forward part."""
        return self.layers - self.expert_layers
