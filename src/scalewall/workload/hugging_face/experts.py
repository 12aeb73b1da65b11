"""Models with experts that are relatives of none: gpt-oss, DBRX, Grok-1, OLMoE, Phi-3.5-MoE."""

from __future__ import annotations

from scalewall.workload.experts import Experts
from scalewall.workload.hugging_face.fields import ConfigFields
from scalewall.workload.hugging_face.shape import usual_shape
from scalewall.workload.transformer import Details, Transformer

__all__ = ["READERS"]


def gpt_oss(config: ConfigFields, name: str) -> Transformer:
    """Read gpt-oss: biases everywhere, a sink in each head, a window in every second layer from the first on."""
    shape = usual_shape(config, tied=False)
    layers = shape["layers"]
    width = config.whole("intermediate_size")
    bias = config.flag("attention_bias", default=True)
    return Transformer(
        name=name,
        **shape,
        ffn=width,
        local=config.layer_kinds(layers, config.optional("sliding_window"), -(-layers // 2)),
        experts=_every_layer(config, "num_local_experts", width, router_bias=True),
        details=Details(qkv_bias=bias, output_bias=bias, mlp_bias=True, attention_sinks=True),
    )


def dbrx(config: ConfigFields, name: str) -> Transformer:
    """Read DBRX: fields in two groups, LayerNorm without bias."""
    attention, feed_forward = config.part("attn_config"), config.part("ffn_config")
    hidden, heads = config.whole("d_model"), config.whole("n_heads")
    width = feed_forward.whole("ffn_hidden_size")
    return Transformer(
        name=name,
        layers=config.whole("n_layers"),
        hidden=hidden,
        heads=heads,
        kv_heads=attention.whole("kv_n_heads"),
        head_dim=config.head_dim(hidden, heads),
        ffn=width,
        vocab=config.whole("vocab_size"),
        tied_embeddings=config.flag("tie_word_embeddings", default=False),
        experts=Experts(
            routed=feed_forward.whole("moe_num_experts"),
            top_k=feed_forward.whole("moe_top_k"),
            ffn=width,
        ),
    )


def grok1(config: ConfigFields, name: str) -> Transformer:
    """Read Grok-1: gated experts in every layer, four norms a layer, a tied embedding."""
    shape = usual_shape(config, tied=True)
    width = config.whole("intermediate_size")
    experts = _every_layer(config, "num_experts", width)
    return Transformer(name=name, **shape, ffn=width, experts=experts, details=Details(norms_per_layer=4))


def olmoe(config: ConfigFields, name: str) -> Transformer:
    """Read OLMoE: experts in every layer, norms over all queries and all keys."""
    shape = usual_shape(config, tied=False, kv_default=True)
    width = config.whole("intermediate_size")
    bias = config.flag("attention_bias", default=False)
    details = Details(qkv_bias=bias, output_bias=bias, query_key_norm="projection")
    experts = _every_layer(config, "num_experts", width)
    return Transformer(name=name, **shape, ffn=width, experts=experts, details=details)


def phimoe(config: ConfigFields, name: str) -> Transformer:
    """Read Phi-3.5-MoE: LayerNorm with bias, experts in every layer."""
    shape = usual_shape(config, tied=False)
    width = config.whole("intermediate_size")
    bias = config.flag("attention_bias")
    details = Details(qkv_bias=bias, output_bias=bias, head_bias=config.flag("lm_head_bias"), norm_vectors=2)
    experts = _every_layer(config, "num_local_experts", width)
    return Transformer(name=name, **shape, ffn=width, experts=experts, details=details)


def _every_layer(config: ConfigFields, routed: str, width: int, *, router_bias: bool = False) -> Experts:
    return Experts(
        routed=config.whole(routed),
        top_k=config.whole("num_experts_per_tok"),
        ffn=width,
        router_bias=router_bias,
    )


READERS = {"dbrx": dbrx, "gpt_oss": gpt_oss, "grok-1": grok1, "olmoe": olmoe, "phimoe": phimoe}
"""Readers by ``model_type``."""
