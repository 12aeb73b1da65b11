"""The GPT line and its contemporaries: two matrices a feed-forward part, LayerNorm with bias."""

from __future__ import annotations

from scalewall.errors import InputError
from scalewall.workload.hugging_face.fields import ConfigFields
from scalewall.workload.transformer import Details, Transformer

__all__ = ["READERS"]

_USUAL_RATIO = 4
"""Width of the feed-forward part per width of the model where a class has no field for it."""
_OPT_OFFSET = 2
"""Rows that OPT's table of positions has beyond ``max_position_embeddings``."""


def gpt2(config: ConfigFields, name: str) -> Transformer:
    """Read GPT-2 and, with one head of keys and values, GPTBigCode (StarCoder)."""
    hidden, heads = config.whole("n_embd", "hidden_size"), config.whole("n_head", "num_attention_heads")
    shared = config.model_type == "gpt_bigcode" and config.flag("multi_query", default=True)
    return Transformer(
        name=name,
        layers=config.whole("n_layer", "num_hidden_layers"),
        hidden=hidden,
        heads=heads,
        kv_heads=1 if shared else heads,
        head_dim=config.head_dim(hidden, heads),
        ffn=config.whole("n_inner", default=_USUAL_RATIO * hidden),
        vocab=config.whole("vocab_size"),
        gated=False,
        tied_embeddings=config.flag("tie_word_embeddings", default=True),
        details=Details(
            qkv_bias=True,
            output_bias=True,
            mlp_bias=True,
            norm_vectors=2,
            learned_positions=config.whole("n_positions", "max_position_embeddings"),
        ),
    )


def gptj(config: ConfigFields, name: str) -> Transformer:
    """Read GPT-J: a parallel block behind one norm."""
    hidden, heads = config.whole("n_embd"), config.whole("n_head")
    return Transformer(
        name=name,
        layers=config.whole("n_layer"),
        hidden=hidden,
        heads=heads,
        kv_heads=heads,
        head_dim=config.head_dim(hidden, heads),
        ffn=config.whole("n_inner", default=_USUAL_RATIO * hidden),
        vocab=config.whole("vocab_size"),
        gated=False,
        tied_embeddings=config.flag("tie_word_embeddings", default=False),
        parallel_block=True,
        details=Details(mlp_bias=True, head_bias=True, norm_vectors=2, norms_per_layer=1),
    )


def gpt_neox(config: ConfigFields, name: str) -> Transformer:
    """Read GPT-NeoX and Pythia: a parallel block behind two norms."""
    hidden, heads = config.whole("hidden_size"), config.whole("num_attention_heads")
    bias = config.flag("attention_bias", default=True)
    return Transformer(
        name=name,
        layers=config.whole("num_hidden_layers"),
        hidden=hidden,
        heads=heads,
        kv_heads=heads,
        head_dim=config.head_dim(hidden, heads),
        ffn=config.whole("intermediate_size"),
        vocab=config.whole("vocab_size"),
        gated=False,
        tied_embeddings=config.flag("tie_word_embeddings", default=False),
        parallel_block=config.flag("use_parallel_residual", default=True),
        details=Details(qkv_bias=bias, output_bias=bias, mlp_bias=True, norm_vectors=2),
    )


def opt(config: ConfigFields, name: str) -> Transformer:
    """Read OPT: learned positions."""
    hidden, heads = config.whole("hidden_size"), config.whole("num_attention_heads")
    config.require("word_embed_proj_dim", hidden, "an embedding of another width is not modelled")
    bias = config.flag("enable_bias", default=True)
    return Transformer(
        name=name,
        layers=config.whole("num_hidden_layers"),
        hidden=hidden,
        heads=heads,
        kv_heads=heads,
        head_dim=config.head_dim(hidden, heads),
        ffn=config.whole("ffn_dim"),
        vocab=config.whole("vocab_size"),
        gated=False,
        tied_embeddings=config.flag("tie_word_embeddings", default=True),
        details=Details(
            qkv_bias=bias,
            output_bias=bias,
            mlp_bias=bias,
            norm_vectors=2,
            final_norm=config.flag("do_layer_norm_before", default=True),
            learned_positions=config.whole("max_position_embeddings") + _OPT_OFFSET,
        ),
    )


def bloom(config: ConfigFields, name: str) -> Transformer:
    """Read BLOOM: a norm after the embedding, no table of positions."""
    hidden = config.whole("hidden_size", "n_embed")
    heads = config.whole("n_head", "num_attention_heads")
    return Transformer(
        name=name,
        layers=config.whole("n_layer", "num_hidden_layers"),
        hidden=hidden,
        heads=heads,
        kv_heads=heads,
        head_dim=config.head_dim(hidden, heads),
        ffn=_USUAL_RATIO * hidden,
        vocab=config.whole("vocab_size"),
        gated=False,
        tied_embeddings=config.flag("tie_word_embeddings", default=True),
        details=Details(qkv_bias=True, output_bias=True, mlp_bias=True, norm_vectors=2, embedding_norm=True),
    )


def falcon(config: ConfigFields, name: str) -> Transformer:
    """Read Falcon: a parallel block, behind two norms in the larger models; few heads of keys and values."""
    hidden = config.whole("hidden_size", "n_embed")
    heads = config.whole("num_attention_heads", "n_head")
    newer = config.flag("new_decoder_architecture", default=False)
    if newer:
        kv_heads = config.whole("num_kv_heads", "n_head_kv", default=heads)
    else:
        kv_heads = 1 if config.flag("multi_query", default=True) else heads
    parallel = newer or config.flag("parallel_attn", default=True)
    norms = config.whole("num_ln_in_parallel_attn", default=2) if newer else 1
    bias = config.flag("bias", default=False)
    return Transformer(
        name=name,
        layers=config.whole("num_hidden_layers", "n_layer"),
        hidden=hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=config.head_dim(hidden, heads),
        ffn=config.whole("ffn_hidden_size", default=_USUAL_RATIO * hidden),
        vocab=config.whole("vocab_size"),
        gated=False,
        tied_embeddings=config.flag("tie_word_embeddings", default=True),
        parallel_block=parallel,
        details=Details(
            qkv_bias=bias,
            output_bias=bias,
            mlp_bias=bias,
            norm_vectors=2,
            norms_per_layer=norms if parallel else 2,
        ),
    )


def mpt(config: ConfigFields, name: str) -> Transformer:
    """Read MPT: usually no biases; learned positions unless its attention carries them."""
    attention = config.part("attn_config")
    hidden, heads = config.whole("d_model"), config.whole("n_heads")
    kinds = {"multihead_attention": heads, "multiquery_attention": 1}
    kind = attention.values.get("attn_type", "multihead_attention")
    if kind == "grouped_query_attention":
        kv_heads = attention.whole("kv_n_heads")
    elif kind in tuple(kinds):
        kv_heads = kinds[str(kind)]
    else:
        allowed = f"{', '.join(kinds)} or grouped_query_attention"
        raise InputError(attention.path("attn_type"), str(kind)[:60], allowed)
    bias = not config.flag("no_bias", default=False)
    carried = attention.flag("alibi", default=False) or attention.flag("rope", default=False)
    learned = config.flag("learned_pos_emb", default=True) and not carried
    return Transformer(
        name=name,
        layers=config.whole("n_layers"),
        hidden=hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=config.head_dim(hidden, heads),
        ffn=config.whole("expansion_ratio", default=_USUAL_RATIO) * hidden,
        vocab=config.whole("vocab_size"),
        gated=False,
        tied_embeddings=config.flag("tie_word_embeddings", default=True),
        details=Details(
            qkv_bias=bias,
            output_bias=bias,
            mlp_bias=bias,
            norm_vectors=2 if bias else 1,
            query_key_norm="projection" if attention.flag("qk_ln", default=False) else "none",
            learned_positions=config.whole("max_seq_len") if learned else 0,
        ),
    )


READERS = {
    "bloom": bloom,
    "falcon": falcon,
    "gpt2": gpt2,
    "gpt_bigcode": gpt2,
    "gpt_neox": gpt_neox,
    "gptj": gptj,
    "mpt": mpt,
    "opt": opt,
}
"""Readers by ``model_type``."""
