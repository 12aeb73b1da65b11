"""Each architecture is read as its public class reads it: to the last parameter of released checkpoints."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from scalewall.errors import InputError
from scalewall.workload.attention import LocalAttention
from scalewall.workload.hugging_face import NOT_MODELLED, READERS, import_config
from scalewall.workload.models.published import published_rows
from scalewall.workload.parameters import count_parameters

LLAMA = {
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
}
SIZES = {key: LLAMA[key] for key in LLAMA if key != "model_type"}
QWEN_MOE = {
    **SIZES,
    "model_type": "qwen3_moe",
    "num_experts": 8,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 512,
}


def read(config: dict[str, object]):
    return import_config("config.json", config, "m").model


def total(config: dict[str, object]) -> int:
    return count_parameters(read(config)).total


CHECKPOINTS = {
    "GLM-4-9B-0414": (
        9_400_279_040,
        {
            "model_type": "glm4",
            "num_hidden_layers": 40,
            "hidden_size": 4096,
            "num_attention_heads": 32,
            "head_dim": 128,
            "num_key_value_heads": 2,
            "intermediate_size": 13696,
            "vocab_size": 151552,
            "attention_bias": True,
            "tie_word_embeddings": False,
        },
    ),
    "OLMo-3-7B": (
        7_298_011_136,
        {
            "model_type": "olmo3",
            "hidden_size": 4096,
            "intermediate_size": 11008,
            "num_hidden_layers": 32,
            "num_attention_heads": 32,
            "num_key_value_heads": 32,
            "vocab_size": 100278,
            "tie_word_embeddings": False,
            "sliding_window": 4096,
        },
    ),
    "StarCoder2-15B": (
        15_957_889_024,
        {
            "model_type": "starcoder2",
            "hidden_size": 6144,
            "intermediate_size": 24576,
            "num_hidden_layers": 40,
            "num_attention_heads": 48,
            "num_key_value_heads": 4,
            "vocab_size": 49152,
            "use_bias": True,
            "tie_word_embeddings": False,
            "sliding_window": 4096,
        },
    ),
}
"""Tensor totals that the models' pages show, of architectures that the registry has no model of."""


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_a_released_checkpoint_to_the_last_parameter(name):
    published, config = CHECKPOINTS[name]
    assert total(config) == published


def test_every_architecture_is_tested_by_a_model():
    """By a published total: of the registry, or of the checkpoints here; the rest differ in names only."""
    rows = [row["config"] for row in published_rows().values() if "config" in row]
    tested = {row["model_type"] for row in rows} | {
        config["model_type"] for _, config in CHECKPOINTS.values()
    }
    assert set(READERS) - tested == {"glm", "internlm"}


def test_glm_is_glm4_with_two_norms_a_layer():
    """The first GLM-4 in the newer form: the same total as in its own, 9,399,951,360."""
    config = CHECKPOINTS["GLM-4-9B-0414"][1]
    assert total({**config, "model_type": "glm"}) == 9_399_951_360


def test_internlm_has_biases_in_attention_if_it_says_so():
    config = {**SIZES, "model_type": "internlm"}
    difference = total({**config, "bias": True}) - total({**config, "bias": False})
    assert difference == 32 * (4096 + 2 * 1024 + 4096)


@pytest.mark.parametrize("model_type", NOT_MODELLED)
def test_what_is_not_modelled_says_why(model_type):
    with pytest.raises(InputError, match=NOT_MODELLED[model_type]):
        read({**LLAMA, "model_type": model_type})


def test_an_unknown_architecture_has_the_nearest_and_what_the_file_lacks():
    config = {"model_type": "lama", "hidden_size": 4096, "vocab_size": 1000}
    with pytest.raises(InputError) as caught:
        read(config)
    assert caught.value.field == "config.json: model_type"
    assert "llama" in caught.value.suggestions
    lacking = "intermediate_size, num_attention_heads, num_hidden_layers, num_key_value_heads"
    assert lacking in caught.value.allowed


@pytest.mark.parametrize("model_type", [None, 7, ["llama"], {"a": 1}, "x" * 1000])
def test_an_architecture_without_a_name_is_refused(model_type):
    with pytest.raises(InputError, match="model_type"):
        read({**LLAMA, "model_type": model_type})


@pytest.mark.parametrize("field", SIZES)
@pytest.mark.parametrize("value", [0, -1, 1.5, "4096", True, [4096], {}, float("nan"), float("inf"), 10**400])
def test_a_wrong_value_is_named(field, value):
    with pytest.raises(InputError) as caught:
        read({**LLAMA, field: value})
    assert caught.value.field == f"config.json: {field}"
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("field", [field for field in SIZES if field != "num_key_value_heads"])
@pytest.mark.parametrize("gone", [True, False])
def test_a_missing_field_is_named(field, gone):
    config = dict(LLAMA)
    if gone:
        del config[field]
    else:
        config[field] = None
    with pytest.raises(InputError) as caught:
        read(config)
    assert (caught.value.field, caught.value.value) == (f"config.json: {field}", None)
    assert "llama" in caught.value.allowed


def test_defaults_of_the_class_are_said():
    config = {key: LLAMA[key] for key in LLAMA if key != "num_key_value_heads"}
    imported = import_config("config.json", config, "m")
    assert imported.model.kv_heads == 32
    assert imported.defaults["num_key_value_heads"] == 32
    assert imported.defaults["tie_word_embeddings"] is False
    assert "vocab_size" not in imported.defaults


def test_heads_that_do_not_fit_are_named_as_the_file_names_them():
    with pytest.raises(InputError) as caught:
        read({**LLAMA, "num_key_value_heads": 5})
    assert caught.value.field == "config.json: num_key_value_heads"
    assert "4" in caught.value.suggestions
    with pytest.raises(InputError) as caught:
        read({**LLAMA, "num_attention_heads": 24, "num_key_value_heads": 8})
    assert caught.value.field == "config.json: num_attention_heads"
    assert "head_dim" in caught.value.allowed


def test_experts_that_do_not_fit_are_named_as_the_file_names_them():
    mixtral = {**SIZES, "model_type": "mixtral", "num_local_experts": 8, "num_experts_per_tok": 9}
    with pytest.raises(InputError) as caught:
        read(mixtral)
    assert (caught.value.field, caught.value.value) == ("config.json: num_experts_per_tok", 9)
    dbrx = {
        "model_type": "dbrx",
        "d_model": 6144,
        "n_heads": 48,
        "n_layers": 40,
        "vocab_size": 100352,
        "attn_config": {"kv_n_heads": 7},
        "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4},
    }
    with pytest.raises(InputError, match=r"config.json: attn_config.kv_n_heads: 7"):
        read(dbrx)


def test_only_the_text_part_of_a_model_that_sees_counts():
    text = {**LLAMA, "model_type": "mistral", "sliding_window": None}
    imported = import_config("config.json", {"model_type": "mistral3", "text_config": text}, "m")
    assert imported.model_type == "mistral"
    assert "mistral3" in imported.notes[0]
    with pytest.raises(InputError, match=r"config.json: text_config.hidden_size"):
        read({"model_type": "mistral3", "text_config": {**text, "hidden_size": 0}})


def test_gemma3_takes_from_its_class_what_its_file_leaves_out():
    """The released file of the 4B model gives five sizes only."""
    text = {
        "model_type": "gemma3_text",
        "hidden_size": 2560,
        "intermediate_size": 10240,
        "num_hidden_layers": 34,
        "sliding_window": 1024,
    }
    imported = import_config("config.json", {"model_type": "gemma3", "text_config": text}, "m")
    assert count_parameters(imported.model).total == 3_880_099_328 + 64 * 2560
    assert imported.model.local == LocalAttention(1024, 29)
    assert imported.defaults["text_config.num_attention_heads"] == 8


@pytest.mark.parametrize(
    ("config", "local"),
    [
        ({"model_type": "mistral"}, LocalAttention(4096, 32)),
        ({"model_type": "mistral", "sliding_window": None}, None),
        ({"model_type": "qwen2", "sliding_window": 4096}, None),
        (
            {
                "model_type": "qwen2",
                "sliding_window": 4096,
                "use_sliding_window": True,
                "max_window_layers": 28,
            },
            LocalAttention(4096, 4),
        ),
        ({"model_type": "gemma2", "sliding_window": 4096, "head_dim": 256}, LocalAttention(4096, 16)),
        ({"model_type": "olmo3", "sliding_window": 4096}, LocalAttention(4096, 24)),
        (
            {"model_type": "olmo3", "sliding_window": 64, "layer_types": ["full_attention"] * 32},
            None,
        ),
        (
            {
                "model_type": "olmo3",
                "sliding_window": 64,
                "layer_types": ["full_attention"] * 30 + ["sliding_attention"] * 2,
            },
            LocalAttention(64, 2),
        ),
    ],
)
def test_which_layers_see_a_window(config, local):
    assert read({**SIZES, **config}).local == local


@pytest.mark.parametrize(
    ("kinds", "window", "field"),
    [
        (["full_attention"] * 31, 64, "layer_types"),
        (["linear_attention"] * 32, 64, "layer_types"),
        ("full_attention", 64, "layer_types"),
        ([["full_attention"]] * 32, 64, "layer_types"),
        (["sliding_attention"] * 32, None, "sliding_window"),
    ],
)
def test_kinds_of_layers_that_cannot_be_are_refused(kinds, window, field):
    config = {**SIZES, "model_type": "olmo3", "layer_types": kinds, "sliding_window": window}
    with pytest.raises(InputError) as caught:
        read(config)
    assert caught.value.field == f"config.json: {field}"


@pytest.mark.parametrize(
    ("fields", "with_experts"),
    [
        ({}, list(range(32))),
        ({"decoder_sparse_step": 2}, list(range(1, 32, 2))),
        ({"mlp_only_layers": [1, 0]}, list(range(2, 32))),
    ],
)
def test_which_layers_of_qwen_hold_experts(fields, with_experts):
    model = read({**QWEN_MOE, **fields})
    assert [layer for layer in range(32) if model.has_experts(layer)] == with_experts


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"mlp_only_layers": [3, 7]}, "mlp_only_layers"),
        ({"mlp_only_layers": [0], "decoder_sparse_step": 2}, "mlp_only_layers"),
        ({"mlp_only_layers": list(range(32))}, "mlp_only_layers"),
        ({"mlp_only_layers": "none"}, "mlp_only_layers"),
        ({"mlp_only_layers": [-1]}, "mlp_only_layers"),
        ({"decoder_sparse_step": 33}, "decoder_sparse_step"),
        ({"decoder_sparse_step": 0}, "decoder_sparse_step"),
    ],
)
def test_layers_without_experts_that_cannot_be_told_are_refused(fields, field):
    with pytest.raises(InputError) as caught:
        read({**QWEN_MOE, **fields})
    assert caught.value.field == f"config.json: {field}"


def test_a_deepseek_without_experts_is_dense():
    config = {**SIZES, "model_type": "deepseek", "n_routed_experts": None}
    assert read(config).experts is None


def test_every_second_layer_from_the_frequency_on():
    row = dict(published_rows()["deepseek-v2"]["config"])
    model = read({**row, "first_k_dense_replace": 3, "moe_layer_freq": 2})
    assert [layer for layer in range(8) if model.has_experts(layer)] == [4, 6]


@pytest.mark.parametrize(
    ("model_type", "fields", "field"),
    [
        (
            "opt",
            {"word_embed_proj_dim": 512, "ffn_dim": 16384, "max_position_embeddings": 2048},
            "word_embed_proj_dim",
        ),
        ("phi", {"qk_layernorm": True}, "qk_layernorm"),
    ],
)
def test_switches_that_change_what_is_not_modelled_are_refused(model_type, fields, field):
    with pytest.raises(InputError) as caught:
        read({**SIZES, "model_type": model_type, **fields})
    assert caught.value.field == f"config.json: {field}"


@pytest.mark.parametrize(
    ("attention", "kv_heads"),
    [
        ({"attn_type": "multihead_attention"}, 32),
        ({"attn_type": "multiquery_attention"}, 1),
        ({"attn_type": "grouped_query_attention", "kv_n_heads": 8}, 8),
    ],
)
def test_kinds_of_attention_of_mpt(attention, kv_heads):
    config = {
        "model_type": "mpt",
        "d_model": 4096,
        "n_heads": 32,
        "n_layers": 32,
        "vocab_size": 50432,
        "max_seq_len": 2048,
        "attn_config": attention,
    }
    model = read(config)
    assert (model.kv_heads, model.details.learned_positions) == (kv_heads, 2048)
    with pytest.raises(InputError, match=r"attn_config.attn_type"):
        read({**config, "attn_config": {"attn_type": ["multihead_attention"]}})
    with pytest.raises(InputError, match=r"attn_config"):
        read({**config, "attn_config": 3})


def test_an_older_falcon_has_one_norm_and_one_head_of_keys():
    row = dict(published_rows()["falcon-7b"]["config"])
    model = read(row)
    assert (model.kv_heads, model.details.norms_per_layer, model.parallel_block) == (1, 1, True)
    sequential = read({**row, "parallel_attn": False, "multi_query": False})
    assert (sequential.kv_heads, sequential.details.norms_per_layer) == (71, 2)


def test_an_imported_model_is_plain_data():
    assert asdict(read(LLAMA))["details"]["query_key_norm"] == "none"
