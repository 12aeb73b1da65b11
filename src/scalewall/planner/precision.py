"""Precisions of the matmuls, and which of them an accelerator's matrix units have.

A machine has a precision if its catalogue entry has a peak for as many bits in a format of floating point (the 8 bits
of an A100 are integers: no FP8), and

- one scale a tensor (``fp8-delayed``, ``fp8-current``): any 8-bit floating-point format;
- one scale a block of 32 (``mxfp8``): matrix units that scale blocks, which are those that have a 4-bit format, or an
  8-bit format called mxfp8. Ada and Hopper have neither [1], Blackwell has NVFP4 and MXFP8 [1], AMD's CDNA 4 MXFP4 and
  MXFP8 [2], Trainium 3 MXFP4 and MXFP8 [3];
- ``nvfp4``: a 4-bit format of that name; MXFP4 is another.

[1] NVIDIA, Transformer Engine, "Datatype and hardware support matrix" (2026). It runs no MXFP8 yet on compute
capability 12.0, whose matrix units have it.
[2] AMD, "AMD CDNA 4 architecture" white paper (2025).
[3] AWS Neuron, "Trainium3 architecture" and "NeuronCore-v4 architecture" (2025).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

__all__ = ["BITS", "Precision", "has_floats", "nearest_precisions", "precisions_of"]

Precision = Literal["bf16", "fp8-delayed", "fp8-current", "mxfp8", "nvfp4"]
"""Recipe of the layers' matmuls."""

BITS: Mapping[str, int] = MappingProxyType(
    {"bf16": 16, "fp8-delayed": 8, "fp8-current": 8, "mxfp8": 8, "nvfp4": 4}
)
"""Bits of a word in matmuls of the layers; the head stays at 16."""


def has_floats(number_format: str) -> bool:
    """Whether a number format of the catalogue is one of floating point."""
    return not number_format.startswith("int")


def precisions_of(formats: Mapping[int, str]) -> tuple[Precision, ...]:
    """Return the precisions that matrix units of these formats have; see the module's rule.

    Parameters
    ----------
    formats : mapping of int to str
        Format in floating point by bits of a word.
    """
    has = {
        "bf16": 16 in formats,
        "fp8-delayed": 8 in formats,
        "fp8-current": 8 in formats,
        "mxfp8": 8 in formats and (4 in formats or formats[8] == "mxfp8"),
        "nvfp4": formats.get(4) == "nvfp4",
    }
    return tuple(name for name in get_args(Precision) if has[name])


def nearest_precisions(wanted: str, offered: tuple[Precision, ...]) -> list[str]:
    """Return precisions nearest in bits to a wanted one first."""
    return sorted(offered, key=lambda name: abs(BITS[name] - BITS[wanted]))
