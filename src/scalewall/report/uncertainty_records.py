"""Uncertain limits as JSON values: quantiles, whole curves, sensitivities, beliefs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scalewall.report.uncertainty_tables import uncertainty_warnings
from scalewall.study.sensitivity import CONFIDENCE
from scalewall.study.uncertainty import QUANTILES

if TYPE_CHECKING:
    from scalewall.study.uncertainty import Uncertainty

__all__ = ["uncertainty_json"]

SCHEMA_VERSION = 1


def uncertainty_json(found: Uncertainty) -> dict[str, object]:
    """Return uncertain limits as JSON values, in the shape that ``schema_version`` names.

    Compute in FLOP. A limit of 0 lies below the grid's first run; null lies beyond its last.
    """
    from scalewall.study.manifest import installed

    question = found.question
    return {
        "schema_version": SCHEMA_VERSION,
        "machine": question.worlds.machine,
        "title": found.title,
        "worlds": found.worlds,
        "evaluations": question.sweep.count,
        "failed": found.failed,
        "quantiles": QUANTILES,
        "limits": {spread.name: spread.quantiles for spread in found.limits},
        "curve": found.curve,
        "sensitivities": found.sensitivities,
        "confidence": CONFIDENCE,
        "assumptions": {
            "fixed": question.worlds.fixed,
            "beliefs": question.worlds.beliefs,
            "design": question.sweep.samples.design,
            "seed": question.sweep.samples.seed,
            "versions": installed(),
        },
        "warnings": uncertainty_warnings(found),
    }
