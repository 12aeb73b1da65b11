"""Fit a profile's few constants to published runs: robust least squares on the logarithm of the step time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scalewall.planner.layer import layer_passes
from scalewall.planner.layout import Layout
from scalewall.planner.profile import FITTED, Profile, with_constants
from scalewall.planner.run import Run
from scalewall.planner.step import step_time
from scalewall.validation.runs import MeasuredStep

__all__ = ["Case", "fit_profile", "log_errors", "predicted_seconds"]

_SCALE = 0.03
"""Errors well below this count squared, above it linearly: about what two measurements of one run differ by."""


@dataclass(frozen=True)
class Case:
    """A published run as the planner takes it."""

    step: MeasuredStep
    run: Run
    layout: Layout
    profile: Profile
    found: str


def predicted_seconds(case: Case, profile: Profile) -> float:
    """Return the predicted time of a run's step, or of its one layer."""
    if case.step.kind == "layer":
        return sum(layer_passes(case.run, case.layout, profile, experts=False).seconds)
    return step_time(case.run, case.layout, profile).seconds


def log_errors(cases: Sequence[Case], profile: Profile) -> NDArray[np.float64]:
    """Return ``log(predicted / measured)`` of each run."""
    return np.array([np.log(predicted_seconds(case, profile) / case.step.step_seconds) for case in cases])


def fit_profile(profile: Profile, cases: Sequence[Case]) -> Profile:
    """Return ``profile`` with its fitted constants set so that the runs come out best.

    Minimizes the soft L1 loss of the log errors, ``sum 2 s^2 (sqrt(1 + (e/s)^2) - 1)``, plus a weak pull of each
    constant to its usual value, so that what the runs do not tell stays put: Gauss-Newton steps with reweighting,
    halved until the loss falls, inside each constant's range.

    Parameters
    ----------
    profile : Profile
        Which constants are fitted.
    cases : sequence of Case
        Published runs; not empty.
    """
    names = profile.fitted
    low, high, usual, unit = (np.array([getattr(FITTED[name], part) for name in names]) for part in _PARTS)

    def residuals(point: NDArray[np.float64]) -> NDArray[np.float64]:
        trial = with_constants(profile, dict(zip(names, (point * unit).tolist(), strict=True)))
        return np.concatenate([log_errors(cases, trial), _PULL * (point - usual / unit)])

    point = usual / unit
    found = residuals(point)
    for _ in range(_MOST_STEPS):
        slopes = np.stack(
            [(residuals(point + _NUDGE * one) - found) / _NUDGE for one in np.eye(len(names))], axis=1
        )
        weights = 1 / np.sqrt(1 + (found / _SCALE) ** 2)
        step = np.linalg.lstsq(slopes * np.sqrt(weights)[:, None], -found * np.sqrt(weights), rcond=None)[0]
        for shrink in _SHRINKS:
            trial = np.clip(point + shrink * step, low / unit, high / unit)
            better = residuals(trial)
            if _loss(better) < _loss(found):
                break
        else:
            break
        moved = float(np.abs(trial - point).max())
        point, found = trial, better
        if moved < _DONE:
            break
    return with_constants(profile, dict(zip(names, (point * unit).tolist(), strict=True)))


def _loss(errors: NDArray[np.float64]) -> float:
    return float((np.sqrt(1 + (errors / _SCALE) ** 2) - 1).sum())


_PARTS = ("low", "high", "usual", "unit")
_PULL = 0.02
_NUDGE = 1e-3
_DONE = 1e-4
_MOST_STEPS = 40
_SHRINKS = (1.0, 0.5, 0.25, 0.1, 0.03)
