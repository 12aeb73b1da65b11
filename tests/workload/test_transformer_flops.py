"""Model FLOP a token, against published formulas and figures, and by brute force."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scalewall.errors import InputError
from scalewall.workload.attention import LocalAttention
from scalewall.workload.flops import keys_per_token, token_flop
from scalewall.workload.models import load_model
from scalewall.workload.transformer import Transformer


@pytest.mark.parametrize("name", ["megatron-22b", "megatron-175b", "mt-nlg-530b", "megatron-1t"])
def test_the_formula_of_narayanan_et_al(name):
    """arXiv:2104.04473, appendix: 96 B s l h^2 (1 + s / 6h + V / 16 l h), with the layers' forward pass twice."""
    model, sequence = load_model(name), 2048
    layers, hidden, vocabulary = model.layers, model.hidden, model.vocab
    published = 96 * layers * hidden**2 * (1 + sequence / (6 * hidden) + vocabulary / (16 * layers * hidden))
    flop = token_flop(model, sequence, halve_causal=False)
    recomputed = flop.forward - flop.head
    assert flop.training + recomputed == pytest.approx(published, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "sequence", "halve_causal", "flop"),
    [
        ("nemotron4-15b", 4096, False, 3.85e14),
        ("nemotron4-340b", 4096, False, 8.62e15),
        ("llama4-maverick", 8192, True, 8.92e14),
    ],
)
def test_what_a_vendor_counts_for_a_sequence(name, sequence, halve_causal, flop):
    """Constants that the README files of github.com/NVIDIA/dgxc-benchmarking print for one training sequence."""
    counted = sequence * token_flop(load_model(name), sequence, halve_causal=halve_causal).training
    assert counted == pytest.approx(flop, rel=2e-3)


def test_palm_counts_six_parameters_and_twelve_of_attention():
    """Chowdhery et al. 2022, arXiv:2204.02311, appendix B: 6 N + 12 L H Q T, norms aside."""
    model, sequence = load_model("palm-540b"), 2048
    attention = 12 * model.layers * model.heads * model.head_dim * sequence
    counted = token_flop(model, sequence, halve_causal=False).training
    assert counted == pytest.approx(6 * 540.35e9 + attention, rel=1e-4)


def test_only_active_experts_count():
    model = load_model("mixtral-8x7b")
    more = replace(model, experts=replace(model.experts, routed=64))
    flop, other = token_flop(model, 4096), token_flop(more, 4096)
    assert other.experts == flop.experts
    assert other.router == 8 * flop.router
    doubled = replace(model, experts=replace(model.experts, top_k=4))
    assert token_flop(doubled, 4096).experts == 2 * flop.experts


def test_multi_token_prediction_adds_a_layer_and_a_head():
    model = load_model("deepseek-v3")
    flop = token_flop(model, 4096)
    layer = (flop.attention + flop.scores) / 61 + (flop.experts + flop.router + flop.shared) / 58
    assert flop.prediction == pytest.approx(layer + flop.head + 4 * model.hidden**2)
    assert token_flop(model, 4096, prediction=False).prediction == 0
    assert flop.training == 3 * flop.forward
    assert flop.backward == 2 * flop.forward


def test_latent_attention_scores_by_its_own_sizes():
    model = load_model("deepseek-v3")
    assert token_flop(model, 4096).scores == 61 * 2 * 128 * (192 + 128) * 4096 / 2


def test_a_model_that_is_not_causal_counts_everything():
    model = replace(load_model("llama3-8b"), causal=False)
    assert token_flop(model, 4096) == token_flop(model, 4096, halve_causal=False)


@pytest.mark.parametrize(("sequence", "window"), [(4096, 128), (4096, 4096), (1000, 5000), (8192, 8192)])
def test_keys_in_a_window_by_brute_force(sequence, window):
    met = sum(min(place + 0.5, window) for place in range(sequence)) / sequence
    assert keys_per_token(sequence, window) == pytest.approx(met, rel=1e-3)


@pytest.mark.parametrize(("sequence", "chunk"), [(8192, 512), (512, 8192)])
def test_keys_in_chunks_by_brute_force(sequence, chunk):
    met = sum(place % chunk + 0.5 for place in range(sequence)) / sequence
    assert keys_per_token(sequence, chunk, chunked=True) == pytest.approx(met, rel=1e-9)


def test_local_layers_meet_fewer_keys_than_the_others():
    model = load_model("gpt-oss-20b")
    everywhere = token_flop(replace(model, local=None), 8192).scores
    share = keys_per_token(8192, 128) / keys_per_token(8192)
    assert token_flop(model, 8192).scores == pytest.approx(everywhere * (0.5 + 0.5 * share))


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.booleans())
@settings(max_examples=100)
def test_a_window_never_adds_work_and_half_is_half(sequence, window, chunked):
    local = keys_per_token(sequence, window, chunked=chunked)
    assert 0 < local <= keys_per_token(sequence) * (1 + 1e-12)
    assert keys_per_token(sequence, window, chunked=chunked, halve_causal=False) == 2 * local


@given(st.integers(1, 10**6), st.integers(1, 128))
@settings(max_examples=50)
def test_flop_grow_with_the_sequence_and_shrink_with_local_layers(sequence, layers):
    model = Transformer("m", 128, 512, 8, 8, 64, 1024, 1000)
    flop = token_flop(model, sequence)
    assert token_flop(model, sequence + 1).forward > flop.forward
    local = replace(model, local=LocalAttention(256, layers))
    assert token_flop(local, sequence).forward <= flop.forward * (1 + 1e-12)


@pytest.mark.parametrize("sequence", [0, -1, float("nan"), float("inf")])
def test_a_sequence_that_cannot_be_is_refused(sequence):
    with pytest.raises(InputError, match="sequence"):
        token_flop(load_model("llama3-8b"), sequence)
