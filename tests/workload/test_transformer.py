"""A transformer refuses what cannot be, and its parameters are those that are counted by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scalewall.errors import InputError
from scalewall.workload.attention import LatentAttention, LocalAttention
from scalewall.workload.experts import Experts
from scalewall.workload.matmuls import head_matmul, layer_matmuls
from scalewall.workload.parameters import active_parameters, count_parameters, layer_parameters
from scalewall.workload.transformer import Details, Transformer

DENSE = Transformer("dense", layers=4, hidden=64, heads=8, kv_heads=2, head_dim=16, ffn=256, vocab=1000)
SPARSE = replace(DENSE, experts=Experts(routed=16, top_k=4, ffn=32, shared=2, shared_ffn=48, leading_dense=1))
LATENT = replace(
    SPARSE,
    kv_heads=8,
    head_dim=24,
    latent=LatentAttention(32, rope_dim=8, nope_dim=16, value_dim=12, q_rank=40),
)


@pytest.mark.parametrize(
    ("field", "value", "nearest"),
    [
        ("layers", 0, "1"),
        ("layers", -3, "1"),
        ("hidden", 64.5, "64"),
        ("heads", True, None),
        ("kv_heads", 3, "2"),
        ("head_dim", float("nan"), None),
        ("ffn", float("inf"), "100000000"),
        ("vocab", "1000", None),
        ("layers", 10**400, "1000000"),
        ("prediction_layers", -1, "0"),
        ("gated", 1, None),
    ],
)
def test_a_field_out_of_range_is_named_with_the_nearest_value(field, value, nearest):
    with pytest.raises(InputError) as caught:
        replace(DENSE, **{field: value})
    assert caught.value.field == field
    assert nearest is None or nearest in caught.value.suggestions


def test_whole_numbers_may_be_written_as_floats():
    assert replace(DENSE, layers=4.0) == DENSE
    assert isinstance(replace(DENSE, layers=4.0).layers, int)


@pytest.mark.parametrize(
    ("build", "field"),
    [
        (lambda: Experts(routed=8, top_k=9, ffn=4), "experts.top_k"),
        (lambda: Experts(routed=0, top_k=1, ffn=4), "experts.routed"),
        (lambda: Experts(routed=8, top_k=1, ffn=4, shared=1), "experts.shared_ffn"),
        (lambda: Experts(routed=8, top_k=1, ffn=4, shared_ffn=4), "experts.shared_ffn"),
        (lambda: Experts(routed=8, top_k=1, ffn=4, router_bias="yes"), "experts.router_bias"),
        (lambda: LatentAttention(0, 8, 16, 12), "latent.kv_rank"),
        (lambda: LatentAttention(32, 8, 16, 12, q_rank=0), "latent.q_rank"),
        (lambda: LocalAttention(0, 1), "local.window"),
        (lambda: LocalAttention(8, 1, chunked="no"), "local.chunked"),
        (lambda: replace(DENSE, local=LocalAttention(8, 5)), "local.layers"),
        (lambda: replace(DENSE, experts=Experts(8, 1, 4, leading_dense=4)), "experts.leading_dense"),
        (lambda: replace(LATENT, head_dim=16), "head_dim"),
        (lambda: replace(LATENT, kv_heads=2), "kv_heads"),
        (lambda: Details(norms_per_layer=3), "details.norms_per_layer"),
        (lambda: Details(query_key_norm="heads"), "details.query_key_norm"),
        (lambda: Details(qkv_bias=None), "details.qkv_bias"),
        (lambda: Details(norm_vectors=3), "details.norm_vectors"),
    ],
)
def test_parts_that_contradict_each_other_are_named(build, field):
    with pytest.raises(InputError) as caught:
        build()
    assert caught.value.field == field


def test_a_gpt_layer_has_twelve_squares_and_thirteen_vectors():
    """12 h^2 + 13 h: matrices, biases and two LayerNorms, as every reader of GPT-2 counts them."""
    hidden = 768
    details = Details(qkv_bias=True, output_bias=True, mlp_bias=True, norm_vectors=2)
    model = Transformer("gpt", 12, hidden, 12, 12, 64, 4 * hidden, 50257, gated=False, details=details)
    assert layer_parameters(model, experts=False).total == 12 * hidden**2 + 13 * hidden


def test_a_gated_layer_with_grouped_queries():
    layer = layer_parameters(DENSE, experts=False)
    assert layer.attention == 64 * 16 * (8 + 2 * 2) + 8 * 16 * 64
    assert layer.mlp == 3 * 64 * 256
    assert layer.norms == 2 * 64


def test_a_layer_with_experts():
    layer = layer_parameters(SPARSE, experts=True)
    assert (layer.mlp, layer.router) == (0, 64 * 16)
    assert layer.experts == 16 * 3 * 64 * 32
    assert layer.shared == 2 * 3 * 64 * 48
    assert layer_parameters(SPARSE, experts=True, active=True).experts == 4 * 3 * 64 * 32


def test_latent_attention():
    layer = layer_parameters(LATENT, experts=True)
    queries = 64 * 40 + 40 * 8 * 24
    keys_and_values = 64 * (32 + 8) + 32 * 8 * (16 + 12)
    assert layer.attention == queries + keys_and_values + 8 * 12 * 64
    assert layer.norms == 2 * 64 + 32 + 40
    direct = replace(LATENT, latent=replace(LATENT.latent, q_rank=None))
    assert layer_parameters(direct, experts=True).attention == 64 * 8 * 24 + keys_and_values + 8 * 12 * 64


@pytest.mark.parametrize(
    ("details", "more"),
    [
        (Details(qkv_bias=True), 4 * 16 * (8 + 2 * 2)),
        (Details(output_bias=True), 4 * 64),
        (Details(mlp_bias=True), 4 * (2 * 256 + 64)),
        (Details(head_bias=True), 1000),
        (Details(norm_vectors=2), 4 * 2 * 64 + 64),
        (Details(norm_vectors=0), -4 * 2 * 64 - 64),
        (Details(norms_per_layer=4), 4 * 2 * 64),
        (Details(norms_per_layer=1), -4 * 64),
        (Details(final_norm=False), -64),
        (Details(embedding_norm=True), 64),
        (Details(query_key_norm="head"), 4 * 2 * 16),
        (Details(query_key_norm="projection"), 4 * (8 + 2) * 16),
        (Details(learned_positions=512), 512 * 64),
        (Details(attention_sinks=True), 4 * 8),
    ],
)
def test_each_detail_adds_its_parameters(details, more):
    assert count_parameters(replace(DENSE, details=details)).total - count_parameters(DENSE).total == more


def test_totals_with_and_without_embeddings():
    count = count_parameters(replace(DENSE, details=Details(learned_positions=10)))
    table = 1000 * 64
    assert count.total - count.without_embeddings == 2 * table + 640
    assert count.total - count.without_input_embedding == table + 640
    tied = count_parameters(replace(DENSE, tied_embeddings=True))
    assert tied.total == count_parameters(DENSE).total - table
    assert tied.without_input_embedding == tied.total
    biased = count_parameters(replace(DENSE, tied_embeddings=True, details=Details(head_bias=True)))
    assert (biased.head, biased.without_input_embedding) == (1000, biased.total)


def test_multi_token_prediction_is_beside_the_total():
    extra = replace(SPARSE, prediction_layers=2)
    count = count_parameters(extra)
    assert count.total == count_parameters(SPARSE).total
    module = layer_parameters(SPARSE, experts=True).total + 2 * 64 * 64 + 3 * 64
    assert count.prediction == 2 * module


@pytest.mark.parametrize(
    ("leading", "every", "layers"),
    [(0, 1, [0, 1, 2, 3, 4, 5]), (1, 2, [1, 3, 5]), (3, 1, [3, 4, 5]), (2, 3, [2, 5])],
)
def test_which_layers_hold_experts(leading, every, layers):
    experts = Experts(8, 2, 32, leading_dense=leading, every=every)
    model = replace(DENSE, layers=6, experts=experts)
    assert [layer for layer in range(6) if model.has_experts(layer)] == layers
    assert (model.expert_layers, model.dense_layers) == (len(layers), 6 - len(layers))


def test_a_dense_model_has_no_expert_layers():
    assert (DENSE.expert_layers, DENSE.has_experts(0)) == (0, False)


def test_the_matrices_of_a_layer_hold_its_parameters():
    for model, experts in ((DENSE, False), (SPARSE, True), (LATENT, True)):
        layer = layer_parameters(model, experts=experts)
        assert (
            sum(matmul.parameters for matmul in layer_matmuls(model, experts=experts))
            == layer.total - layer.norms
        )
    assert head_matmul(DENSE).parameters == 64 * 1000


@st.composite
def transformers(draw: st.DrawFn) -> Transformer:
    kv_heads, group = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    layers = draw(st.integers(1, 12))
    experts = None
    if draw(st.booleans()):
        routed = draw(st.integers(1, 64))
        shared = draw(st.integers(0, 2))
        experts = Experts(
            routed,
            draw(st.integers(1, routed)),
            draw(st.integers(1, 512)),
            shared,
            shared and draw(st.integers(1, 512)),
            draw(st.integers(0, layers - 1)),
            draw(st.integers(1, 3)),
        )
    return Transformer(
        "drawn",
        layers,
        draw(st.integers(1, 512)),
        kv_heads * group,
        kv_heads,
        draw(st.integers(1, 128)),
        draw(st.integers(1, 2048)),
        draw(st.integers(1, 5000)),
        gated=draw(st.booleans()),
        tied_embeddings=draw(st.booleans()),
        experts=experts,
        prediction_layers=draw(st.integers(0, 2)),
    )


@given(transformers())
@settings(max_examples=60)
def test_layers_add_up_and_no_more_is_active_than_there_is(model):
    count, active = count_parameters(model), active_parameters(model)
    layers = sum(
        layer_parameters(model, experts=model.has_experts(layer)).total for layer in range(model.layers)
    )
    assert count.without_embeddings == layers + model.hidden
    assert active.total <= count.total
    assert (active.total == count.total) == (
        not model.expert_layers or model.experts.top_k == model.experts.routed
    )
    assert count.without_embeddings <= count.without_input_embedding <= count.total
