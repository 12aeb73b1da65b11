"""Model FLOP of a token: what a training step must compute, whatever the layout and without recomputing."""

from __future__ import annotations

from dataclasses import dataclass, fields

from scalewall.errors import check_finite
from scalewall.workload.matmuls import head_matmul, layer_matmuls, prediction_matmul
from scalewall.workload.transformer import Transformer

__all__ = ["TokenFlop", "keys_per_token", "token_flop"]

_BACKWARD = 2
"""Backward FLOP per forward FLOP: each matmul has two gradients (Kaplan et al. 2020, arXiv:2001.08361, 2.1)."""


@dataclass(frozen=True)
class TokenFlop:
    """Forward FLOP of one token by part; a multiply-add is 2 FLOP, norms and activations are not counted.

    Parameters
    ----------
    attention : float
        Matrices of attention: queries, keys, values, output.
    scores : float
        The two matmuls of queries with keys and of weights with values.
    mlp, experts, router, shared : float
        Dense feed-forward parts; the routed experts that a token goes through; router; shared experts.
    head : float
        Language-model head.
    prediction : float
        Everything of multi-token prediction, its use of the head included.
    """

    attention: float
    scores: float
    mlp: float
    experts: float
    router: float
    shared: float
    head: float
    prediction: float

    @property
    def forward(self) -> float:
        """FLOP of the forward pass."""
        return float(sum(getattr(self, part.name) for part in fields(self)))

    @property
    def backward(self) -> float:
        """FLOP of the backward pass: twice the forward pass, nothing recomputed."""
        return _BACKWARD * self.forward

    @property
    def training(self) -> float:
        """FLOP of forward and backward pass."""
        return self.forward + self.backward


def keys_per_token(
    sequence: float, window: int | None = None, *, chunked: bool = False, halve_causal: bool = True
) -> float:
    """Return how many keys a token meets on average in one layer.

    A causal token meets half the sequence: ``s / 2``. With a sliding window ``w < s`` the triangle loses its far
    corner: ``w - w^2 / (2 s)``; in chunks of ``w`` it meets ``w / 2``.

    Parameters
    ----------
    sequence : float
        Tokens of a sequence, ``s``.
    window : int, optional
        Tokens of a window or chunk, ``w``.
    chunked : bool
        Whether ``w`` is a chunk, else a sliding window.
    halve_causal : bool
        Count only what a causal mask leaves. Otherwise the masked half counts too: twice the number, ``s`` without
        a window.
    """
    width = min(float(window), sequence) if window else sequence
    causal = width / 2 if chunked else width - width**2 / (2 * sequence)
    return causal if halve_causal else 2 * causal


def token_flop(
    model: Transformer, sequence: float, *, halve_causal: bool = True, prediction: bool = True
) -> TokenFlop:
    """Return the forward FLOP of a token, by part.

    Matrices take 2 FLOP a parameter, the scores ``2 heads (head_dim + value_dim)`` FLOP a key. With
    ``halve_causal=False`` a dense model has what Narayanan et al. 2021 [1]_ count, less what they recompute.

    Parameters
    ----------
    model : Transformer
        The model.
    sequence : float
        Tokens of a sequence.
    halve_causal : bool
        Count the causal half of the scores, else all of them (papers differ: state which).
    prediction : bool
        Count multi-token prediction.

    Raises
    ------
    InputError
        For a sequence below 1 token or not finite.

    References
    ----------
    .. [1] D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM",
       arXiv:2104.04473 (2021), appendix.
    """
    check_finite("sequence", sequence, 1, 1e12, "tokens")
    parts = dict.fromkeys(("attention", "mlp", "experts", "router", "shared"), 0.0)
    last = 0.0
    for experts, layers in ((False, model.dense_layers), (True, model.expert_layers)):
        if not layers:
            continue
        matmuls = layer_matmuls(model, experts=experts)
        for matmul in matmuls:
            parts[matmul.part] += layers * matmul.forward_flop
        last = float(sum(matmul.forward_flop for matmul in matmuls))
    halved = halve_causal and model.causal
    a_key = 2.0 * model.heads * (model.head_dim + model.value_dim)
    full = a_key * keys_per_token(sequence, halve_causal=halved)
    local_layers, local = 0, 0.0
    if model.local:
        local_layers = model.local.layers
        near = keys_per_token(sequence, model.local.window, chunked=model.local.chunked, halve_causal=halved)
        local = a_key * near
    head = float(head_matmul(model).forward_flop)
    extra = model.prediction_layers * (last + full + prediction_matmul(model).forward_flop + head)
    return TokenFlop(
        **parts,
        scores=local_layers * local + (model.layers - local_layers) * full,
        head=head,
        prediction=extra if prediction else 0.0,
    )
