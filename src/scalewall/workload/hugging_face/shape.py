"""The fields that nearly every configuration has under the same names."""

from __future__ import annotations

from typing import TypedDict

from scalewall.workload.hugging_face.fields import ConfigFields

__all__ = ["Shape", "usual_shape"]


class Shape(TypedDict):
    """Some of the fields of a transformer."""

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    vocab: int
    tied_embeddings: bool


def usual_shape(config: ConfigFields, *, tied: bool, kv_default: bool = False) -> Shape:
    """Return what Llama and its many relatives call by the same names.

    Parameters
    ----------
    config : ConfigFields
        The configuration.
    tied : bool
        What the architecture's class takes if ``tie_word_embeddings`` is not given.
    kv_default : bool
        Whether the class gives keys and values as many heads as queries if their number is not given.
    """
    hidden = config.whole("hidden_size")
    heads = config.whole("num_attention_heads")
    return Shape(
        layers=config.whole("num_hidden_layers"),
        hidden=hidden,
        heads=heads,
        kv_heads=config.whole("num_key_value_heads", default=heads if kv_default else None),
        head_dim=config.head_dim(hidden, heads),
        vocab=config.whole("vocab_size"),
        tied_embeddings=config.flag("tie_word_embeddings", default=tied),
    )
