"""Results of claims in words, for the table and the page of ``scalewall reproduce``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from scalewall.report import units
from scalewall.validation.claim import Tolerance, Unit
from scalewall.validation.reproduce import ClaimResult

__all__ = ["ShownClaim", "note", "shown", "summary", "tolerance_words"]

_OUR_DIGITS = 3
"""Our numbers have at least this many significant digits."""


@dataclass(frozen=True)
class ShownClaim:
    """A claim's result in words."""

    claim: str
    ours: str
    published: str
    verdict: str
    source: str
    note: str


def shown(result: ClaimResult) -> ShownClaim:
    """Return a result in words."""
    claim = result.claim
    return ShownClaim(
        claim=claim.claim,
        ours=_number(result.answer.value, claim.unit, max(claim.digits, _OUR_DIGITS)),
        published=_number(claim.published, claim.unit, claim.digits),
        verdict=result.verdict,
        source=", ".join(filter(None, (claim.source.name, claim.place))),
        note=note(result),
    )


def note(result: ClaimResult) -> str:
    """Return what to know about a result; for one that fails, what would have passed."""
    claim = result.claim
    missed = ""
    if result.verdict == "fails":
        target = claim.published if claim.found is None else claim.found
        missed = f"Should be {_number(target, claim.unit, 3)} ({tolerance_words(claim.tolerance)})."
    return " ".join(filter(None, (claim.note, result.answer.detail, missed)))


def tolerance_words(tolerance: Tolerance) -> str:
    """Return a tolerance and its reason."""
    if tolerance.relative == 0:
        return f"exactly: {tolerance.reason}"
    return f"within {100 * tolerance.relative:.2g} %: {tolerance.reason}"


def summary(results: Sequence[ClaimResult]) -> str:
    """Return how many claims have which verdict."""
    counts = Counter(result.verdict for result in results)
    return (
        f"{len(results)} claims: {counts['holds']} hold, {counts['differs']} differ in the way that we found, "
        f"{counts['informs']} only inform, {counts['fails']} fail."
    )


def _number(value: float | None, unit: Unit, digits: int) -> str:
    """Return a number as people read it; FLOP stand in the heading or the claim."""
    if value is None:
        return "none"
    if unit in ("FLOP", "parameters"):
        return units.scientific(value, digits)
    if unit == "accelerators":
        return units.count(value)
    if unit == "share":
        return units.percent(value)
    text = f"{value:.{digits}g}"
    return f"{text} years" if unit == "years" else text
