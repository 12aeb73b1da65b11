"""The authors' program row by row: every matmul, plan, curve and limit of the reference data."""

from __future__ import annotations

from scalewall.validation.claim import Claim, Measure, Tolerance
from scalewall.validation.reference_checks import curve_rows, limit_values, matmul_rows, plan_rows
from scalewall.validation.reference_data import (
    reference_curves,
    reference_limits,
    reference_matmuls,
    reference_plans,
)
from scalewall.validation.sources import PROGRAM

__all__ = ["PROGRAM_ROWS"]

_LIMITS_A_CURVE = 2


def _every_row(name: str, claim: str, count: int, measure: Measure, digits: str) -> Claim:
    """Return the claim that all of ``count`` rows come out."""
    return Claim(
        name=name,
        claim=claim,
        published=float(count),
        unit="rows",
        source=PROGRAM,
        measure=measure,
        tolerance=Tolerance(0.0, f"every row, to the {digits} that the program prints"),
    )


def _curve_claim(name: str) -> Claim:
    """Return the claim that a curve comes out, in words made of what it was made for."""
    question, points = reference_curves()[name]
    machine = question.machine.removeprefix("ref-").replace("-", " ").upper()
    return _every_row(
        f"program-{name.replace('_', '-')}",
        f"{machine.replace('GLOBAL NVLINK', 'on global NVLink').replace('10X', 'with 10x data movement')}, "
        f"{question.model}, {question.batch_law} batch: runs",
        len(points),
        curve_rows(name),
        "seven digits",
    )


PROGRAM_ROWS = (
    _every_row("program-matmuls", "Matmul times", len(reference_matmuls()), matmul_rows(), "ten digits"),
    _every_row(
        "program-plans",
        "Batches under given plans",
        len(reference_plans()),
        plan_rows(),
        "ten digits",
    ),
    *(_curve_claim(name) for name in reference_curves()),
    _every_row(
        "program-limits",
        "Limits of these curves",
        _LIMITS_A_CURVE * len(reference_limits()),
        limit_values(),
        "seven digits",
    ),
)
"""Reference search and laws; zero bubble pays no latency, as in the program."""
