"""Llama and the architectures that differ from it in few things, after their public configuration classes."""

from __future__ import annotations

from scalewall.workload.attention import LocalAttention
from scalewall.workload.experts import Experts
from scalewall.workload.hugging_face.fields import ConfigFields
from scalewall.workload.hugging_face.shape import usual_shape
from scalewall.workload.transformer import Details, Transformer

__all__ = ["READERS"]

_LLAMA4_FULL_EVERY = 4
"""Every fourth layer of Llama 4 has no position and sees the whole sequence (``no_rope_layer_interval``)."""
_MISTRAL_WINDOW = 4096


def llama(config: ConfigFields, name: str) -> Transformer:
    """Read Llama 1 to 3 and models that use its class (Yi, DeepSeek LLM, ...)."""
    bias = config.flag("attention_bias", default=False)
    details = Details(qkv_bias=bias, output_bias=bias, mlp_bias=config.flag("mlp_bias", default=False))
    shape = usual_shape(config, tied=False, kv_default=True)
    return Transformer(name=name, **shape, ffn=config.whole("intermediate_size"), details=details)


def granite(config: ConfigFields, name: str) -> Transformer:
    """Read IBM Granite 3: Llama with scaled residuals, which hold no parameters."""
    return llama(config, name)


def baichuan(config: ConfigFields, name: str) -> Transformer:
    """Read Baichuan: Llama with one matrix for queries, keys and values, always of as many heads."""
    shape = usual_shape(config, tied=False, kv_default=True)
    return Transformer(name=name, **shape, ffn=config.whole("intermediate_size"))


def internlm(config: ConfigFields, name: str) -> Transformer:
    """Read InternLM 1 and 2: Llama with biases in attention if ``bias`` says so."""
    bias = config.flag("bias")
    shape = usual_shape(config, tied=False, kv_default=config.model_type == "internlm")
    details = Details(qkv_bias=bias, output_bias=bias)
    return Transformer(name=name, **shape, ffn=config.whole("intermediate_size"), details=details)


def mistral(config: ConfigFields, name: str) -> Transformer:
    """Read Mistral: Llama with grouped queries and, in its first release, a sliding window in every layer."""
    shape = usual_shape(config, tied=False)
    local = _mistral_window(config, shape["layers"], _MISTRAL_WINDOW)
    return Transformer(name=name, **shape, ffn=config.whole("intermediate_size"), local=local)


def mixtral(config: ConfigFields, name: str) -> Transformer:
    """Read Mixtral: Mistral whose layers all hold experts."""
    shape = usual_shape(config, tied=False)
    width = config.whole("intermediate_size")
    experts = Experts(
        routed=config.whole("num_local_experts"),
        top_k=config.whole("num_experts_per_tok"),
        ffn=width,
    )
    local = _mistral_window(config, shape["layers"], None)
    return Transformer(name=name, **shape, ffn=width, local=local, experts=experts)


def phi3(config: ConfigFields, name: str) -> Transformer:
    """Read Phi-3 and Phi-4: Llama with fused matrices."""
    shape = usual_shape(config, tied=False, kv_default=True)
    local = _mistral_window(config, shape["layers"], None)
    return Transformer(name=name, **shape, ffn=config.whole("intermediate_size"), local=local)


def llama4(config: ConfigFields, name: str) -> Transformer:
    """Read the text part of Llama 4: chunked attention in three of four layers, experts with a shared one."""
    shape = usual_shape(config, tied=False)
    layers = shape["layers"]
    every = config.whole("interleave_moe_layer_step", default=1)
    width = config.whole("intermediate_size")
    experts = Experts(
        routed=config.whole("num_local_experts"),
        top_k=config.whole("num_experts_per_tok"),
        ffn=width,
        shared=1,
        shared_ffn=width,
        leading_dense=every - 1,
        every=every,
    )
    chunk = config.optional("attention_chunk_size")
    near = layers - layers // _LLAMA4_FULL_EVERY
    local = config.layer_kinds(layers, chunk, near)
    if local:
        local = LocalAttention(local.window, local.layers, chunked=True)
    bias = config.flag("attention_bias", default=False)
    details = Details(qkv_bias=bias, output_bias=bias)
    ffn = config.whole("intermediate_size_mlp")
    return Transformer(name=name, **shape, ffn=ffn, local=local, experts=experts, details=details)


def _mistral_window(config: ConfigFields, layers: int, default: int | None) -> LocalAttention | None:
    """Return the window of every layer; a field that is there but null says that there is none."""
    if default is not None and "sliding_window" not in config.values:
        return config.layer_kinds(layers, config.whole("sliding_window", default=default), layers)
    return config.layer_kinds(layers, config.optional("sliding_window"), layers)


READERS = {
    "baichuan": baichuan,
    "granite": granite,
    "internlm": internlm,
    "internlm2": internlm,
    "llama": llama,
    "llama4_text": llama4,
    "mistral": mistral,
    "mixtral": mixtral,
    "phi3": phi3,
}
"""Readers by ``model_type``."""
