"""DeepSeek's experts and latent attention, and what builds on them: Kimi, Moonlight, GLM."""

from __future__ import annotations

from scalewall.workload.attention import LatentAttention
from scalewall.workload.experts import Experts
from scalewall.workload.hugging_face.fields import ConfigFields
from scalewall.workload.hugging_face.shape import usual_shape
from scalewall.workload.transformer import Details, Transformer

__all__ = ["READERS"]

_CORRECTED = "noaux_tc"
"""``topk_method`` of routers that hold a correction an expert (balancing without an auxiliary loss)."""


def deepseek(config: ConfigFields, name: str) -> Transformer:
    """Read DeepSeekMoE: shared experts beside many small ones, usual attention."""
    shape = usual_shape(config, tied=False, kv_default=True)
    bias = config.flag("attention_bias", default=False)
    return Transformer(
        name=name,
        **shape,
        ffn=config.whole("intermediate_size"),
        experts=_experts(config, corrected=False),
        details=Details(qkv_bias=bias, output_bias=bias),
    )


def deepseek_v2(config: ConfigFields, name: str) -> Transformer:
    """Read DeepSeek-V2: latent attention."""
    return _latent(config, name, corrected=False)


def deepseek_v3(config: ConfigFields, name: str) -> Transformer:
    """Read DeepSeek-V3, R1, Kimi K2 and Moonlight: routers with a correction, multi-token prediction."""
    return _latent(config, name, corrected=config.values.get("topk_method", _CORRECTED) == _CORRECTED)


def glm4_moe(config: ConfigFields, name: str) -> Transformer:
    """Read GLM-4.5: DeepSeek-V3's experts, grouped-query attention with biases of queries, keys and values."""
    shape = usual_shape(config, tied=False)
    normed = config.flag("use_qk_norm", default=False)
    return Transformer(
        name=name,
        **shape,
        ffn=config.whole("intermediate_size"),
        experts=_experts(config, corrected=True),
        prediction_layers=config.whole("num_nextn_predict_layers", low=0, default=0),
        details=Details(
            qkv_bias=config.flag("attention_bias", default=False),
            query_key_norm="head" if normed else "none",
        ),
    )


def glm(config: ConfigFields, name: str) -> Transformer:
    """Read GLM-4: grouped-query attention with biases of queries, keys and values; later ones with four norms."""
    shape = usual_shape(config, tied=False)
    details = Details(
        qkv_bias=config.flag("attention_bias", default=True),
        norms_per_layer=4 if config.model_type == "glm4" else 2,
    )
    return Transformer(name=name, **shape, ffn=config.whole("intermediate_size"), details=details)


def chatglm(config: ConfigFields, name: str) -> Transformer:
    """Read ChatGLM2, ChatGLM3 and GLM-4 in its first form, with field names of their own."""
    heads = config.whole("num_attention_heads")
    grouped = config.flag("multi_query_attention", default=False)
    linear_bias = config.flag("add_bias_linear", default=False)
    return Transformer(
        name=name,
        layers=config.whole("num_layers"),
        hidden=config.whole("hidden_size"),
        heads=heads,
        kv_heads=config.whole("multi_query_group_num") if grouped else heads,
        head_dim=config.whole("kv_channels"),
        ffn=config.whole("ffn_hidden_size"),
        vocab=config.whole("padded_vocab_size", "vocab_size"),
        tied_embeddings=config.flag("tie_word_embeddings", default=False),
        details=Details(
            qkv_bias=config.flag("add_qkv_bias", default=False) or linear_bias,
            output_bias=linear_bias,
            mlp_bias=linear_bias,
            norm_vectors=1 if config.flag("rmsnorm", default=True) else 2,
            final_norm=config.flag("post_layer_norm", default=True),
        ),
    )


def _latent(config: ConfigFields, name: str, *, corrected: bool) -> Transformer:
    heads = config.whole("num_attention_heads")
    latent = LatentAttention(
        kv_rank=config.whole("kv_lora_rank"),
        rope_dim=config.whole("qk_rope_head_dim"),
        nope_dim=config.whole("qk_nope_head_dim"),
        value_dim=config.whole("v_head_dim"),
        q_rank=config.optional("q_lora_rank"),
    )
    bias = config.flag("attention_bias", default=False)
    return Transformer(
        name=name,
        layers=config.whole("num_hidden_layers"),
        hidden=config.whole("hidden_size"),
        heads=heads,
        kv_heads=config.whole("num_key_value_heads", default=heads),
        head_dim=latent.query_dim,
        ffn=config.whole("intermediate_size"),
        vocab=config.whole("vocab_size"),
        tied_embeddings=config.flag("tie_word_embeddings", default=False),
        latent=latent,
        experts=_experts(config, corrected=corrected),
        prediction_layers=config.whole("num_nextn_predict_layers", low=0, default=0),
        details=Details(qkv_bias=bias, output_bias=bias),
    )


def _experts(config: ConfigFields, *, corrected: bool) -> Experts | None:
    """Return the experts: in layer ``i`` from the first ones on if ``i`` is a multiple of the frequency."""
    if "n_routed_experts" not in config and "n_routed_experts" in config.values:
        return None
    every = config.whole("moe_layer_freq", default=1)
    first = config.whole("first_k_dense_replace", low=0, default=0)
    shared = config.whole("n_shared_experts", low=0, default=0)
    width = config.whole("moe_intermediate_size")
    return Experts(
        routed=config.whole("n_routed_experts"),
        top_k=config.whole("num_experts_per_tok"),
        ffn=width,
        shared=shared,
        shared_ffn=width if shared else 0,
        leading_dense=-(-first // every) * every,
        every=every,
        router_bias=corrected,
    )


READERS = {
    "chatglm": chatglm,
    "deepseek": deepseek,
    "deepseek_v2": deepseek_v2,
    "deepseek_v3": deepseek_v3,
    "glm": glm,
    "glm4": glm,
    "glm4_moe": glm4_moe,
    "kimi_k2": deepseek_v3,
}
"""Readers by ``model_type``."""
