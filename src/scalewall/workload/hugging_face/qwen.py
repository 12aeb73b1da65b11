"""Qwen 1.5 to 3, dense and with experts, after their public configuration classes."""

from __future__ import annotations

from scalewall.errors import InputError
from scalewall.workload.attention import LocalAttention
from scalewall.workload.experts import Experts
from scalewall.workload.hugging_face.fields import ConfigFields
from scalewall.workload.hugging_face.shape import usual_shape
from scalewall.workload.transformer import Details, Transformer

__all__ = ["READERS"]


def qwen2(config: ConfigFields, name: str) -> Transformer:
    """Read Qwen 1.5, 2 and 2.5: Llama with biases of queries, keys and values."""
    shape = usual_shape(config, tied=False)
    local = _window(config, shape["layers"])
    ffn = config.whole("intermediate_size")
    return Transformer(name=name, **shape, ffn=ffn, local=local, details=Details(qkv_bias=True))


def qwen2_moe(config: ConfigFields, name: str) -> Transformer:
    """Read Qwen 1.5 and 2 with experts: one shared expert behind a gate beside the routed ones."""
    shared = config.whole("shared_expert_intermediate_size", low=0)
    details = Details(qkv_bias=config.flag("qkv_bias", default=True))
    return _with_experts(config, name, shared, details)


def qwen3(config: ConfigFields, name: str) -> Transformer:
    """Read Qwen3: norms of queries and keys, heads of their own size."""
    shape = usual_shape(config, tied=False)
    local = _window(config, shape["layers"])
    ffn = config.whole("intermediate_size")
    return Transformer(name=name, **shape, ffn=ffn, local=local, details=_qwen3_details(config))


def qwen3_moe(config: ConfigFields, name: str) -> Transformer:
    """Read Qwen3 with experts: no shared expert."""
    return _with_experts(config, name, 0, _qwen3_details(config))


def _qwen3_details(config: ConfigFields) -> Details:
    bias = config.flag("attention_bias", default=False)
    return Details(qkv_bias=bias, output_bias=bias, query_key_norm="head")


def _with_experts(config: ConfigFields, name: str, shared: int, details: Details) -> Transformer:
    shape = usual_shape(config, tied=False)
    local = _window(config, shape["layers"])
    experts = _experts(config, shared)
    ffn = config.whole("intermediate_size")
    return Transformer(name=name, **shape, ffn=ffn, local=local, experts=experts, details=details)


def _experts(config: ConfigFields, shared: int) -> Experts:
    """Return the experts; layer ``i`` holds them if ``i + 1`` is a multiple of the step and it is not excluded."""
    step = config.whole("decoder_sparse_step", default=1)
    excluded = sorted(set(config.indices("mlp_only_layers")))
    leading = step - 1
    if excluded:
        leading = len(excluded)
        if step > 1 or excluded != list(range(leading)):
            allowed = "the first layers without a gap, [0, 1, ...], with a decoder_sparse_step of 1"
            raise InputError(config.path("mlp_only_layers"), str(excluded[:8]), allowed)
    return Experts(
        routed=config.whole("num_experts"),
        top_k=config.whole("num_experts_per_tok"),
        ffn=config.whole("moe_intermediate_size"),
        shared=1 if shared else 0,
        shared_ffn=shared,
        leading_dense=leading,
        every=step,
        shared_gate=bool(shared),
    )


def _window(config: ConfigFields, layers: int) -> LocalAttention | None:
    """Return the window, which holds from layer ``max_window_layers`` on and only if it is switched on."""
    if not config.flag("use_sliding_window", default=False):
        return None
    full = config.whole("max_window_layers", low=0, default=layers)
    return config.layer_kinds(layers, config.optional("sliding_window"), max(0, layers - full))


READERS = {"qwen2": qwen2, "qwen2_moe": qwen2_moe, "qwen3": qwen3, "qwen3_moe": qwen3_moe}
"""Readers by ``model_type``."""
