"""What errors of a transformer name, as configurations call it."""

from __future__ import annotations

from collections.abc import Mapping

from scalewall.errors import InputError
from scalewall.workload.hugging_face.fields import ConfigFields

__all__ = ["in_file"]

_FILE_NAMES: Mapping[str, tuple[str, ...]] = {
    "layers": ("num_hidden_layers", "n_layer", "n_layers", "num_layers"),
    "hidden": ("hidden_size", "n_embd", "n_embed", "d_model"),
    "heads": ("num_attention_heads", "n_head", "n_heads"),
    "kv_heads": ("num_key_value_heads", "num_kv_heads", "n_head_kv", "kv_n_heads", "multi_query_group_num"),
    "head_dim": ("head_dim", "kv_channels"),
    "ffn": ("intermediate_size", "ffn_dim", "n_inner", "ffn_hidden_size", "expansion_ratio"),
    "vocab": ("vocab_size", "padded_vocab_size"),
    "prediction_layers": ("num_nextn_predict_layers",),
    "local.window": ("sliding_window", "attention_chunk_size"),
    "local.layers": ("layer_types", "sliding_window_pattern"),
    "experts.routed": ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"),
    "experts.top_k": ("num_experts_per_tok", "moe_top_k"),
    "experts.ffn": ("moe_intermediate_size", "intermediate_size", "ffn_hidden_size"),
    "experts.shared": ("n_shared_experts",),
    "experts.shared_ffn": ("shared_expert_intermediate_size", "moe_intermediate_size"),
    "experts.leading_dense": (
        "first_k_dense_replace",
        "mlp_only_layers",
        "decoder_sparse_step",
        "interleave_moe_layer_step",
    ),
    "experts.every": ("moe_layer_freq", "decoder_sparse_step", "interleave_moe_layer_step"),
    "details.norms_per_layer": ("num_ln_in_parallel_attn",),
    "details.learned_positions": ("n_positions", "max_position_embeddings", "max_seq_len"),
}


def in_file(error: InputError, config: ConfigFields) -> InputError:
    """Return an error of a transformer with the file's own name of the field and the file's own value.

    Parameters
    ----------
    error : InputError
        As the transformer or a part of it raised it.
    config : ConfigFields
        The configuration that it was built from.
    """
    if error.field.startswith(f"{config.where}: "):
        return error
    for part in (config, *config.parts()):
        for name in _FILE_NAMES.get(error.field, ()):
            if name in part:
                given = part.shown(name)
                suggestions = error.suggestions if given == error.value else ()
                return InputError(part.path(name), given, error.allowed, suggestions)
    return InputError(f"{config.where}: {error.field}", error.value, error.allowed, error.suggestions)
