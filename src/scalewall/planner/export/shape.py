"""A model's shape in the words of Megatron-Core, which Megatron-LM and Megatron Bridge share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from scalewall.errors import InputError
from scalewall.planner.export.dialect import Note, check_shape
from scalewall.workload.transformer import Transformer

__all__ = ["CHECKED", "Word", "check_model", "shape_notes", "shape_words"]

CHECKED: Mapping[str, str] = MappingProxyType(
    {
        "--num-layers": "num_layers",
        "--hidden-size": "hidden_size",
        "--ffn-hidden-size": "ffn_hidden_size",
        "--num-attention-heads": "num_attention_heads",
        "--num-query-groups": "num_query_groups",
        "--kv-channels": "kv_channels",
        "--vocab-size": "vocab_size",
        "--swiglu": "gated_linear_unit",
        "--untie-embeddings-and-output-weights": "share_embeddings_and_output_weights",
        "--multi-latent-attention": "multi_latent_attention",
        "--q-lora-rank": "q_lora_rank",
        "--kv-lora-rank": "kv_lora_rank",
        "--qk-head-dim": "qk_head_dim",
        "--qk-pos-emb-head-dim": "qk_pos_emb_head_dim",
        "--v-head-dim": "v_head_dim",
        "--mtp-num-layers": "mtp_num_layers",
        "--num-experts": "num_moe_experts",
        "--moe-router-topk": "moe_router_topk",
        "--moe-ffn-hidden-size": "moe_ffn_hidden_size",
        "--moe-shared-expert-intermediate-size": "moe_shared_expert_intermediate_size",
    }
)
"""Arguments of Megatron-LM and fields of Megatron Bridge's model that must be those of the model asked about."""


@dataclass(frozen=True)
class Word:
    """One fact of a model's shape.

    Parameters
    ----------
    flag : str
        Argument of Megatron-LM.
    key : str
        Field of Megatron Bridge's model configuration.
    value : int, str or bool
        True: a switch without a value on the command line.
    bridge : int, str, bool or None
        Value of the field where it is another than the argument's.
    """

    flag: str
    key: str
    value: int | str | bool
    bridge: int | str | bool | None = None


def shape_words(model: Transformer) -> tuple[Word, ...]:
    """Return a model's shape, a word a fact."""
    words = [
        Word("--num-layers", "num_layers", model.layers),
        Word("--hidden-size", "hidden_size", model.hidden),
        Word("--ffn-hidden-size", "ffn_hidden_size", model.ffn),
        Word("--num-attention-heads", "num_attention_heads", model.heads),
        Word("--vocab-size", "vocab_size", model.vocab),
    ]
    if model.latent is None:
        words.append(Word("--kv-channels", "kv_channels", model.head_dim))
    if model.latent is None and model.kv_heads != model.heads:
        words.append(Word("--num-query-groups", "num_query_groups", model.kv_heads))
    if model.gated:
        words.append(Word("--swiglu", "gated_linear_unit", True))
    if not model.tied_embeddings:
        words.append(
            Word("--untie-embeddings-and-output-weights", "share_embeddings_and_output_weights", True, False)
        )
    if not model.details.learned_positions:
        words.append(Word("--position-embedding-type", "position_embedding_type", "rope"))
    words += _norms_and_biases(model)
    if model.latent:
        words += [
            Word("--multi-latent-attention", "multi_latent_attention", True),
            Word("--kv-lora-rank", "kv_lora_rank", model.latent.kv_rank),
            Word("--qk-head-dim", "qk_head_dim", model.latent.nope_dim),
            Word("--qk-pos-emb-head-dim", "qk_pos_emb_head_dim", model.latent.rope_dim),
            Word("--v-head-dim", "v_head_dim", model.latent.value_dim),
        ]
        if model.latent.q_rank:
            words.append(Word("--q-lora-rank", "q_lora_rank", model.latent.q_rank))
    if model.prediction_layers:
        words.append(Word("--mtp-num-layers", "mtp_num_layers", model.prediction_layers))
    return (*words, *_experts(model))


def _norms_and_biases(model: Transformer) -> list[Word]:
    details = model.details
    norm = "LayerNorm" if details.norm_vectors == 2 else "RMSNorm"
    words = [Word("--normalization", "normalization", norm)]
    if not (details.qkv_bias and details.output_bias and details.mlp_bias):
        words.append(Word("--disable-bias-linear", "add_bias_linear", True, False))
        if details.qkv_bias:
            words.append(Word("--add-qkv-bias", "add_qkv_bias", True))
    if details.query_key_norm != "none" or model.latent:
        words.append(Word("--qk-layernorm", "qk_layernorm", True))
    if details.attention_sinks:
        words.append(Word("--softmax-type", "softmax_type", "learnable"))
    return words


def _experts(model: Transformer) -> list[Word]:
    experts = model.experts
    if experts is None:
        return []
    words = [
        Word("--num-experts", "num_moe_experts", experts.routed),
        Word("--moe-router-topk", "moe_router_topk", experts.top_k),
        Word("--moe-ffn-hidden-size", "moe_ffn_hidden_size", experts.ffn),
        Word("--moe-grouped-gemm", "moe_grouped_gemm", True),
    ]
    if experts.shared:
        width = experts.shared * experts.shared_ffn
        words.append(
            Word("--moe-shared-expert-intermediate-size", "moe_shared_expert_intermediate_size", width)
        )
    if model.dense_layers:
        pattern = "[" + ",".join(str(int(model.has_experts(layer))) for layer in range(model.layers)) + "]"
        words.append(Word("--moe-layer-freq", "moe_layer_freq", pattern))
    return words


def check_model(given: Mapping[str, Any], model: Transformer, prefix: str = "") -> None:
    """Refuse a configuration of another model's shape.

    Parameters
    ----------
    given : mapping of str to value
        Arguments of Megatron-LM, or with ``prefix`` keys of Megatron Bridge.
    model : Transformer
        What is asked about.
    prefix : str
        Before a field's name in a key.

    Raises
    ------
    InputError
        Naming the argument or key.
    """
    has: dict[str, Any] = {
        "num_query_groups": model.kv_heads,
        "kv_channels": model.head_dim,
        "gated_linear_unit": False,
        "share_embeddings_and_output_weights": True,
        "multi_latent_attention": False,
    }
    for word in shape_words(model):
        has[word.key] = word.value if word.bridge is None else word.bridge
    for flag, key in CHECKED.items():
        named = f"{prefix}{key}" if prefix else flag
        if named not in given:
            continue
        if key not in has:
            raise InputError(named, given[named], f"nothing: {model.name} has no such part")
        wanted = key != "share_embeddings_and_output_weights" if given[named] is True else given[named]
        check_shape(named, wanted, model, has[key])


def shape_notes(model: Transformer) -> list[Note]:
    """Return what of a model's shape Megatron-Core cannot say, or what the planner does not know."""
    notes = []
    if model.gated:
        notes.append(Note("model", "gated feed-forward part written as SwiGLU; GeGLU and others: change it"))
    if not model.details.learned_positions:
        notes.append(Note("model", "positions written as rotary; ALiBi and others: change it"))
    if model.parallel_block:
        notes.append(
            Note("model", "attention and feed-forward part side by side: Megatron-Core has no such block")
        )
    if model.local:
        words = (
            f"window of {model.local.window} tokens in {model.local.layers} layers: set the window yourself"
        )
        notes.append(Note("model", words))
    if model.details.norms_per_layer != 2:
        words = f"{model.details.norms_per_layer} norms a layer: needs a layer specification of your own"
        notes.append(Note("model", words))
    return notes
