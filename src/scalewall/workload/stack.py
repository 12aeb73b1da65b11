"""The model of the ideal limits: a stack of feed-forward blocks, dense or with experts."""

from __future__ import annotations

from dataclasses import dataclass

from scalewall.errors import InputError, check_finite

__all__ = ["MlpStack"]


@dataclass(frozen=True)
class MlpStack:
    """A training run of a stack of blocks without attention.

    Each of the ``layers`` blocks holds ``sparsity`` experts of two weight matrices, ``d_ff x d_model`` and
    ``d_model x d_ff``; a token passes through one expert a block.

    Parameters
    ----------
    d_model : int
        Width of the stack (elements).
    d_ff : int
        Width inside an expert (elements).
    layers : int
        Blocks.
    sparsity : int
        Experts a block; 1: dense.
    batch_tokens : float
        Tokens a batch, a whole multiple of ``sparsity`` (routing is balanced).
    tokens : float
        Tokens of the whole run.

    Raises
    ------
    InputError
        For a figure that is not positive and finite, not whole where it must be, or a batch that the
        experts cannot share equally.
    """

    d_model: int
    d_ff: int
    layers: int
    sparsity: int
    batch_tokens: float
    tokens: float

    def __post_init__(self) -> None:
        for name in ("d_model", "d_ff", "layers", "sparsity"):
            value = getattr(self, name)
            if check_finite(name, value, 1, 1e12, "") != int(value):
                raise InputError(name, value, "a whole number of at least 1", [str(max(1, round(value)))])
        check_finite("batch_tokens", self.batch_tokens, 1, 2.0**53, "tokens")
        check_finite("tokens", self.tokens, 1, 1e40, "tokens")
        if self.batch_tokens % self.sparsity:
            share = max(1, round(self.batch_tokens / self.sparsity))
            allowed = f"a whole multiple of the {self.sparsity} experts"
            raise InputError("batch_tokens", self.batch_tokens, allowed, [str(share * self.sparsity)])

    @property
    def parameters(self) -> float:
        """Weights of all experts: ``P = 2 * d_model * d_ff * layers * sparsity``."""
        return float(2 * self.d_model * self.d_ff * self.layers * self.sparsity)

    @property
    def active_parameters(self) -> float:
        """Weights that one token passes through: ``P / S``."""
        return float(2 * self.d_model * self.d_ff * self.layers)

    @property
    def training_flop(self) -> float:
        """Training compute ``C = 6 * (P / S) * D`` (FLOP)."""
        return 6 * self.active_parameters * self.tokens

    @property
    def batch_per_expert(self) -> int:
        """Tokens of a batch that each expert sees: ``B / S``."""
        return int(self.batch_tokens) // self.sparsity
