"""Mixture of experts: how many, how wide, in which layers."""

from __future__ import annotations

from dataclasses import dataclass

from scalewall.errors import InputError
from scalewall.workload.checks import check_whole

__all__ = ["Experts"]

_LIMITS = {
    "routed": (1, 10**6, "experts"),
    "top_k": (1, 10**6, "experts"),
    "ffn": (1, 10**8, "elements"),
    "shared": (0, 10**4, "experts"),
    "shared_ffn": (0, 10**8, "elements"),
    "leading_dense": (0, 10**6, "layers"),
    "every": (1, 10**6, "layers"),
}


@dataclass(frozen=True)
class Experts:
    """The experts of a model's expert layers.

    Layer ``i`` (from 0) holds experts if ``i >= leading_dense`` and ``i - leading_dense`` is a multiple of
    ``every``; the other layers have a dense feed-forward part.

    Parameters
    ----------
    routed : int
        Experts a layer among which the router chooses.
    top_k : int
        Routed experts that a token goes through.
    ffn : int
        Width inside a routed expert (elements).
    shared : int
        Experts a layer that every token goes through.
    shared_ffn : int
        Width inside each shared expert (elements); 0 if there is none.
    leading_dense : int
        First layers that are dense.
    every : int
        1: each layer after those holds experts; 2: every second one.
    router_bias : bool
        Whether the router has one more number an expert (bias, or the correction of balancing without a loss).
    shared_gate : bool
        Whether a gate of one number a token scales the shared experts' output (Qwen2-MoE).

    Raises
    ------
    InputError
        For a number out of range, more experts a token than there are, or shared experts without a width.
    """

    routed: int
    top_k: int
    ffn: int
    shared: int = 0
    shared_ffn: int = 0
    leading_dense: int = 0
    every: int = 1
    router_bias: bool = False
    shared_gate: bool = False

    def __post_init__(self) -> None:
        for name, (low, high, unit) in _LIMITS.items():
            whole = check_whole(f"experts.{name}", getattr(self, name), low, high, unit)
            object.__setattr__(self, name, whole)
        for name in ("router_bias", "shared_gate"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"experts.{name}", getattr(self, name), "true or false")
        if self.top_k > self.routed:
            allowed = f"at most the {self.routed} routed experts"
            raise InputError("experts.top_k", self.top_k, allowed, [str(self.routed)])
        if bool(self.shared) != bool(self.shared_ffn):
            allowed = "positive if there are shared experts, 0 if not"
            suggestion = [str(self.ffn if self.shared else 0)]
            raise InputError("experts.shared_ffn", self.shared_ffn, allowed, suggestion)

    def in_layer(self, layer: int) -> bool:
        """Whether layer ``layer`` (from 0) holds experts."""
        return layer >= self.leading_dense and (layer - self.leading_dense) % self.every == 0
