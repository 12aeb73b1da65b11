"""The parameters that laws take from the user: what is accepted, and what looks like a slip of units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = ["OPTIONS", "LawOption"]

_UNIT_SLIP = 1000**0.5
"""Further outside practice than this, a value looks more like a unit mistaken by 1000 than like a choice."""


@dataclass(frozen=True)
class LawOption:
    """A parameter that a law takes from the user.

    Parameters
    ----------
    low, high : float
        What is accepted.
    unit : str
        Its unit in words.
    whole : bool
        Whether it must be a whole number.
    practice : tuple of float, optional
        Least and largest value of known runs.
    practice_source : str
        Which runs those are.
    """

    low: float
    high: float
    unit: str
    whole: bool = False
    practice: tuple[float, float] | None = None
    practice_source: str = ""

    def slip(self, value: float) -> str:
        """Return what is odd about ``value`` beside practice, empty if nothing is."""
        if self.practice is None:
            return ""
        least, largest = self.practice
        if least / _UNIT_SLIP <= value <= largest * _UNIT_SLIP:
            return ""
        return (
            f"{value:.3g} {self.unit} is far from practice, {least:.3g} to {largest:.3g} "
            f"({self.practice_source}): check its unit."
        )


_BATCH_PRACTICE = (3.2e6, 62.9e6)
_BATCH_SOURCE = "GPT-3, arXiv:2005.14165; DeepSeek-V3, arXiv:2412.19437"


OPTIONS: Mapping[str, LawOption] = MappingProxyType(
    {
        "layers": LawOption(
            1, 1e6, "layers", True, (8, 126), "Hoffmann et al. 2022, table A9; Llama 3.1 405B"
        ),
        "depth_anchor_layers": LawOption(1, 1e6, "layers"),
        "depth_exponent": LawOption(0, 1, "(power of d_model times d_ff)"),
        "width_ratio": LawOption(0.01, 100, "d_ff per d_model"),
        "experts": LawOption(1, 1e6, "experts", True),
        "tokens_per_parameter": LawOption(
            1e-3, 1e6, "tokens a parameter", False, (1.7, 4500), "GPT-3; Qwen3 8B"
        ),
        "batch_tokens": LawOption(2048, 1e15, "tokens a batch", False, _BATCH_PRACTICE, _BATCH_SOURCE),
        "batch_anchor_tokens": LawOption(1, 1e15, "tokens a batch", False, _BATCH_PRACTICE, _BATCH_SOURCE),
        "batch_anchor_flop": LawOption(1e6, 1e40, "FLOP"),
        "batch_exponent": LawOption(0, 1, "(power of training compute)"),
    }
)
"""The laws' own parameters by name, with the range that makes sense of them."""
