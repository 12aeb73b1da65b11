"""A published claim as a record, and the verdict on it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from scalewall.validation.evidence import Evidence

__all__ = [
    "Answer",
    "Claim",
    "Expectation",
    "Measure",
    "Source",
    "Tolerance",
    "Unit",
    "Verdict",
    "judge",
    "kept",
    "printed",
    "stated",
]

Expectation = Literal["holds", "differs", "informs"]
"""What a claim is to do: hold; differ in a way that we found and stand by; or only inform."""

Verdict = Literal["holds", "differs", "informs", "fails"]
"""What came of it; ``fails``: it was to hold or to differ as we found, and does neither."""

Unit = Literal["FLOP", "parameters", "accelerators", "layers", "orders", "rows", "share", "years", ""]
"""Unit of a claim's numbers; ``share``: of 1; ``orders``: powers of ten; empty: a plain number."""


class Answer(NamedTuple):
    """Our number in the claim's unit, and what to know beside it (may be empty)."""

    value: float
    detail: str = ""


Measure = Callable[[Evidence], Answer]
"""Gets our number for a claim from the evidence."""


@dataclass(frozen=True)
class Source:
    """Where something was published: a short name for tables, and the full reference."""

    name: str
    reference: str


@dataclass(frozen=True)
class Tolerance:
    """How far from its target a number may be, as a share of the target, and why that far."""

    relative: float
    reason: str

    def allows(self, value: float, target: float) -> bool:
        """Tell whether ``value`` is near enough to ``target``."""
        return math.isclose(value, target, rel_tol=0.0, abs_tol=self.relative * abs(target))


def printed(target: float, digits: int) -> Tolerance:
    """Return the tolerance around a published number that is printed with ``digits`` significant digits."""
    return Tolerance(_half_last_digit(target, digits), f"printed to {_digits(digits)}")


def kept(target: float, digits: int = 3) -> Tolerance:
    """Return the tolerance around our own finding, kept with ``digits`` significant digits."""
    return Tolerance(_half_last_digit(target, digits), f"our finding, kept to {_digits(digits)}")


def _half_last_digit(target: float, digits: int) -> float:
    """Half a unit of the last digit, as a share of ``target``: what rounding can take away."""
    return float(0.5 * 10.0 ** (math.floor(math.log10(abs(target))) - digits + 1) / abs(target))


def _digits(digits: int) -> str:
    return "one digit" if digits == 1 else f"{digits} digits"


@dataclass(frozen=True)
class Claim:
    """What somebody published, and how to get the same number from the model.

    Parameters
    ----------
    name : str
        A key that stays the same.
    claim : str
        What was published, in words.
    published : float or None
        Its number in ``unit``; None where none was published.
    unit : str
        See :data:`Unit`.
    source : Source
        Where.
    measure : callable
        Gets our number.
    tolerance : Tolerance
        Around ``found`` where there is one, else around ``published``; has no say if the claim informs.
    place : str
        Where in the source.
    expect : str
        See :data:`Expectation`.
    found : float, optional
        Our own finding where it differs from what was published or nothing was: kept, so that a change shows.
    digits : int
        Significant digits of the published number.
    note : str
        What a reader must know to compare.
    """

    name: str
    claim: str
    published: float | None
    unit: Unit
    source: Source
    measure: Measure
    tolerance: Tolerance
    place: str = ""
    expect: Expectation = "holds"
    found: float | None = None
    digits: int = 3
    note: str = ""


def stated(
    name: str,
    claim: str,
    published: float,
    unit: Unit,
    source: Source,
    measure: Measure,
    *,
    digits: int = 3,
    place: str = "",
    note: str = "",
) -> Claim:
    """Return the claim of a published number that is to come out in all ``digits`` that are printed."""
    return Claim(
        name,
        claim,
        published,
        unit,
        source,
        measure,
        printed(published, digits),
        place,
        digits=digits,
        note=note,
    )


def judge(claim: Claim, value: float) -> Verdict:
    """Return the verdict on a claim for which our number is ``value``, in the claim's unit."""
    if claim.expect == "informs":
        return "informs"
    target = claim.published if claim.found is None else claim.found
    if target is None or not claim.tolerance.allows(value, target):
        return "fails"
    return claim.expect
