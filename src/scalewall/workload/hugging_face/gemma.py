"""Gemma 1 to 3, after their public configuration classes."""

from __future__ import annotations

from scalewall.workload.attention import LocalAttention
from scalewall.workload.hugging_face.fields import ConfigFields
from scalewall.workload.hugging_face.shape import usual_shape
from scalewall.workload.transformer import Details, QueryKeyNorm, Transformer

__all__ = ["READERS"]

_GEMMA3_HEADS = {"num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256}
_GEMMA3_VOCABULARY = 262_208
_GEMMA3_WINDOW = 4096
_GEMMA3_FULL_EVERY = 6
"""What the class ``Gemma3TextConfig`` takes for fields that a file leaves out; the released files do."""


def gemma(config: ConfigFields, name: str) -> Transformer:
    """Read Gemma 1: gated, tied, heads of their own size."""
    return _gemma(config, name, _details(config, 2, "none"), None)


def gemma2(config: ConfigFields, name: str) -> Transformer:
    """Read Gemma 2: norms before and after each part, a window in every second layer, the first included."""
    layers = config.whole("num_hidden_layers")
    local = config.layer_kinds(layers, config.optional("sliding_window"), -(-layers // 2))
    return _gemma(config, name, _details(config, 4, "none"), local)


def gemma3(config: ConfigFields, name: str) -> Transformer:
    """Read the text part of Gemma 3: as Gemma 2, norms of queries and keys, five of six layers with a window."""
    layers = config.whole("num_hidden_layers")
    full_every = config.whole("sliding_window_pattern", default=_GEMMA3_FULL_EVERY)
    window = config.whole("sliding_window", default=_GEMMA3_WINDOW)
    heads = {key: config.whole(key, default=value) for key, value in _GEMMA3_HEADS.items()}
    return Transformer(
        name=name,
        layers=layers,
        hidden=config.whole("hidden_size"),
        heads=heads["num_attention_heads"],
        kv_heads=heads["num_key_value_heads"],
        head_dim=heads["head_dim"],
        ffn=config.whole("intermediate_size"),
        vocab=config.whole("vocab_size", default=_GEMMA3_VOCABULARY),
        tied_embeddings=config.flag("tie_word_embeddings", default=True),
        local=config.layer_kinds(layers, window, layers - layers // full_every),
        details=_details(config, 4, "head"),
    )


def _gemma(config: ConfigFields, name: str, details: Details, local: LocalAttention | None) -> Transformer:
    config.whole("head_dim")
    shape = usual_shape(config, tied=True)
    return Transformer(
        name=name, **shape, ffn=config.whole("intermediate_size"), local=local, details=details
    )


def _details(config: ConfigFields, norms: int, query_key_norm: QueryKeyNorm) -> Details:
    bias = config.flag("attention_bias", default=False)
    return Details(qkv_bias=bias, output_bias=bias, norms_per_layer=norms, query_key_norm=query_key_norm)


READERS = {"gemma": gemma, "gemma2": gemma2, "gemma3_text": gemma3}
"""Readers by ``model_type``."""
