"""Kinds of attention beside the usual one: latent (compressed keys and values) and local (windows)."""

from __future__ import annotations

from dataclasses import dataclass

from scalewall.errors import InputError
from scalewall.workload.checks import check_whole

__all__ = ["LatentAttention", "LocalAttention"]

_LARGEST_WIDTH = 10**7


@dataclass(frozen=True)
class LatentAttention:
    """Multi-head latent attention: keys and values come from one short vector a token.

    A token's keys and values of all heads are made from ``kv_rank`` numbers, plus ``rope_dim`` numbers that carry
    the position and that all heads share [1]_.

    Parameters
    ----------
    kv_rank : int
        Width that keys and values are compressed to (elements).
    rope_dim : int
        Part of a head's query and key that carries the position (elements).
    nope_dim : int
        Part of a head's query and key without position (elements).
    value_dim : int
        Size of a head's value (elements).
    q_rank : int, optional
        Width that queries are compressed to (elements); None: not compressed.

    Raises
    ------
    InputError
        For a width that is no positive whole number.

    References
    ----------
    .. [1] DeepSeek-AI, "DeepSeek-V2", arXiv:2405.04434 (2024), section 2.1.
    """

    kv_rank: int
    rope_dim: int
    nope_dim: int
    value_dim: int
    q_rank: int | None = None

    def __post_init__(self) -> None:
        for name in ("kv_rank", "rope_dim", "nope_dim", "value_dim", "q_rank"):
            value = getattr(self, name)
            if value is not None or name != "q_rank":
                whole = check_whole(f"latent.{name}", value, 1, _LARGEST_WIDTH, "elements")
                object.__setattr__(self, name, whole)

    @property
    def query_dim(self) -> int:
        """Size of a head's query and key (elements)."""
        return self.nope_dim + self.rope_dim


@dataclass(frozen=True)
class LocalAttention:
    """Layers whose tokens see only the tokens near them.

    Parameters
    ----------
    window : int
        Tokens that a token sees at most, itself included.
    layers : int
        How many of the model's layers; the others see the whole sequence.
    chunked : bool
        Whether the sequence is cut into blocks of ``window`` tokens that do not see each other (Llama 4), rather
        than a window that slides along (Mistral, Gemma).

    Raises
    ------
    InputError
        For a window or a number of layers that is no positive whole number.
    """

    window: int
    layers: int
    chunked: bool = False

    def __post_init__(self) -> None:
        for name, high, unit in (("window", 10**9, "tokens"), ("layers", 10**6, "layers")):
            whole = check_whole(f"local.{name}", getattr(self, name), 1, high, unit)
            object.__setattr__(self, name, whole)
        if not isinstance(self.chunked, bool):
            raise InputError("local.chunked", self.chunked, "true or false")
