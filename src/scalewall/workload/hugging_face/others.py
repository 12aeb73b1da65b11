"""OLMo, Nemotron, Phi-1 and -2, Command R and StarCoder2, after their public configuration classes."""

from __future__ import annotations

from scalewall.workload.hugging_face.fields import ConfigFields
from scalewall.workload.hugging_face.shape import usual_shape
from scalewall.workload.transformer import Details, Transformer

__all__ = ["READERS"]

_OLMO3_FULL_EVERY = 4
"""Every fourth layer of OLMo 3 sees the whole sequence."""


def olmo(config: ConfigFields, name: str) -> Transformer:
    """Read OLMo 1: norms without parameters."""
    shape = usual_shape(config, tied=False, kv_default=True)
    bias = config.flag("attention_bias", default=False)
    details = Details(qkv_bias=bias, output_bias=bias, norm_vectors=0)
    return Transformer(name=name, **shape, ffn=config.whole("intermediate_size"), details=details)


def olmo2(config: ConfigFields, name: str) -> Transformer:
    """Read OLMo 2 and 3: norms after each part, and over all queries and all keys."""
    shape = usual_shape(config, tied=False, kv_default=True)
    layers = shape["layers"]
    bias = config.flag("attention_bias", default=False)
    details = Details(qkv_bias=bias, output_bias=bias, query_key_norm="projection")
    local = None
    if config.model_type == "olmo3":
        window = config.optional("sliding_window")
        local = config.layer_kinds(layers, window, layers - layers // _OLMO3_FULL_EVERY)
    ffn = config.whole("intermediate_size")
    return Transformer(name=name, **shape, ffn=ffn, local=local, details=details)


def nemotron(config: ConfigFields, name: str) -> Transformer:
    """Read Nemotron 3 and 4 (not the later hybrids): squared ReLU, LayerNorm with bias."""
    shape = usual_shape(config, tied=False, kv_default=True)
    bias = config.flag("attention_bias", default=False)
    details = Details(
        qkv_bias=bias,
        output_bias=bias,
        mlp_bias=config.flag("mlp_bias", default=False),
        norm_vectors=2,
    )
    ffn = config.whole("intermediate_size")
    return Transformer(name=name, **shape, ffn=ffn, gated=False, details=details)


def phi(config: ConfigFields, name: str) -> Transformer:
    """Read Phi-1, 1.5 and 2: a parallel block behind one norm, biases everywhere."""
    config.require("qk_layernorm", False, "norms of queries and keys with biases are not modelled")
    shape = usual_shape(config, tied=False, kv_default=True)
    details = Details(
        qkv_bias=True,
        output_bias=True,
        mlp_bias=True,
        head_bias=True,
        norm_vectors=2,
        norms_per_layer=1,
    )
    ffn = config.whole("intermediate_size")
    return Transformer(name=name, **shape, ffn=ffn, gated=False, parallel_block=True, details=details)


def cohere(config: ConfigFields, name: str) -> Transformer:
    """Read Command R: a parallel block behind one norm, a tied embedding."""
    shape = usual_shape(config, tied=True)
    bias = config.flag("attention_bias", default=False)
    details = Details(
        qkv_bias=bias,
        output_bias=bias,
        norms_per_layer=1,
        query_key_norm="projection" if config.flag("use_qk_norm", default=False) else "none",
    )
    ffn = config.whole("intermediate_size")
    return Transformer(name=name, **shape, ffn=ffn, parallel_block=True, details=details)


def starcoder2(config: ConfigFields, name: str) -> Transformer:
    """Read StarCoder2: biases everywhere, a window in every layer."""
    shape = usual_shape(config, tied=True)
    layers = shape["layers"]
    bias = config.flag("use_bias", default=True)
    details = Details(qkv_bias=bias, output_bias=bias, mlp_bias=bias, norm_vectors=2)
    local = config.layer_kinds(layers, config.optional("sliding_window"), layers)
    ffn = config.whole("intermediate_size")
    return Transformer(name=name, **shape, ffn=ffn, gated=False, local=local, details=details)


READERS = {
    "cohere": cohere,
    "nemotron": nemotron,
    "olmo": olmo,
    "olmo2": olmo2,
    "olmo3": olmo2,
    "phi": phi,
    "starcoder2": starcoder2,
}
"""Readers by ``model_type``."""
