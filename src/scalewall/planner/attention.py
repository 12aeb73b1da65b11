"""Time of the core of attention: scores, softmax and their product with the values."""

from __future__ import annotations

from dataclasses import dataclass

from scalewall.planner.constants import value
from scalewall.planner.device import Device
from scalewall.workload.flops import keys_per_token
from scalewall.workload.transformer import Transformer

__all__ = ["CoreAttention", "core_attention_seconds", "visible_tokens"]

_BACKWARD = value("attention.backward_flop_ratio")
_UNALIGNED = value("attention.unaligned_ratio")
_RING = value("context.step_ratio")
_FORWARD_BYTES = value("attention.unfused_forward_bytes")
_BACKWARD_BYTES = value("attention.unfused_backward_bytes")


@dataclass(frozen=True)
class CoreAttention:
    """What one layer's core attention costs on one rank: seconds of compute and bytes through memory, by pass."""

    forward: float
    backward: float
    forward_bytes: float = 0.0
    backward_bytes: float = 0.0


_USUAL_HEAD = 128
"""Head size at which the shares of peak were measured."""


def visible_tokens(model: Transformer, sequence: int) -> float:
    """Return how many tokens a token sees, averaged over tokens and layers."""
    everywhere = keys_per_token(sequence, halve_causal=model.causal)
    if model.local is None:
        return everywhere
    local = model.local
    near = keys_per_token(sequence, local.window, chunked=local.chunked, halve_causal=model.causal)
    share = local.layers / model.layers
    return share * near + (1 - share) * everywhere


def core_attention_seconds(
    model: Transformer, device: Device, kind: str, tokens: float, sequence: int, tp: int, cp: int
) -> CoreAttention:
    """Seconds of one layer's core attention on one rank, forward and backward.

    Fused: causal FLOP at ``e s / (s + s0)`` of the 16-bit peak, with the stretch ``s = sequence / cp`` that a rank
    works on at once; backward 2.5 times the FLOP. Unfused: all ``s^2`` scores through memory.

    Parameters
    ----------
    model, device
        What and where.
    kind : str
        ``unfused``, ``flash`` (FlashAttention 1 and 2) or ``fused`` (FlashAttention 3, cuDNN).
    tokens : float
        Tokens of a microbatch on this rank.
    sequence : int
        Tokens of a whole sequence.
    tp, cp : int
        Over how many ranks heads and sequence are split.
    """
    width = model.heads * (model.head_dim + model.value_dim) / tp
    if kind == "unfused":
        scores = tokens * sequence * model.heads / tp
        flop = 2.0 * tokens * sequence * width
        rate = device.rate(16)
        if model.head_dim % 8:
            rate /= _UNALIGNED
        return CoreAttention(
            flop / rate, 2.0 * flop / rate, scores * _FORWARD_BYTES, scores * _BACKWARD_BYTES
        )
    share_forward, share_backward, half = device.attention[kind]
    stretch = sequence / cp
    reach = stretch / (stretch + half)
    reach *= (1 + device.head_half / _USUAL_HEAD) / (1 + device.head_half / model.head_dim)
    flop = 2.0 * tokens * visible_tokens(model, sequence) * width
    peak = device.peak[16] * reach / (1 + _RING * (cp - 1))
    return CoreAttention(flop / (peak * share_forward), _BACKWARD * flop / (peak * share_backward))
