"""What a law is: a named, cited function, the inputs it takes and the range it was fitted on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Fitted", "Law", "Number", "power_law", "registry"]

Number = TypeVar("Number", float, NDArray[np.float64])


@dataclass(frozen=True)
class Fitted:
    """The range of one quantity that a law rests on.

    Parameters
    ----------
    quantity : str
        The property of :class:`~scalewall.workload.MlpStack` that it bounds: ``d_model``, ``parameters``,
        ``tokens`` or ``training_flop``.
    low, high : float
        Ends of the range, in the quantity's unit; a ``low`` of 0 says that the source gives no lower end.
    """

    quantity: str
    low: float
    high: float

    def describe(self) -> str:
        """Return the range in words."""
        words = {"training_flop": "training FLOP", "tokens": "training tokens"}
        ends = f"{self.low:.4g} to {self.high:.4g}" if self.low > 0 else f"up to {self.high:.4g}"
        return f"{ends} {words.get(self.quantity, self.quantity)}"


@dataclass(frozen=True)
class Law:
    """One published or user-set law.

    Parameters
    ----------
    family : str
        ``depth``, ``width``, ``data``, ``batch`` or ``sparsity``.
    name : str
        What selects it.
    formula : str
        The equation as people write it.
    function : callable
        The law itself: pure, on floats or arrays.
    inputs : tuple of str
        Quantities of the stack that ``function`` takes, by keyword.
    options : mapping of str to float or None
        The user's own parameters that ``function`` takes, by keyword, with their defaults; None: required.
    source : str
        Who published it, or why it is offered.
    note : str
        What a reader should know before choosing it.
    fitted : tuple of Fitted
        Where the evidence lies; empty for a convention or the user's own value.
    aliases : tuple of str
        Other names that select it.
    """

    family: str
    name: str
    formula: str
    function: Callable[..., float]
    inputs: tuple[str, ...]
    options: Mapping[str, float | None]
    source: str
    note: str
    fitted: tuple[Fitted, ...] = ()
    aliases: tuple[str, ...] = ()


def registry(*laws: Law) -> Mapping[str, Law]:
    """Return ``laws`` as a read-only mapping by name, in the order given."""
    return MappingProxyType({law.name: law for law in laws})


def power_law(base: Number, prefactor: float, exponent: float) -> Number:
    """Return ``prefactor * base ** exponent``, the form that nearly every law here has."""
    value: Number = prefactor * base**exponent
    return value
