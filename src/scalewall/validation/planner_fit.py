"""Fit a profile's few constants to published runs: robust least squares on the logarithm of the step time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scalewall.planner.profile import FITTED, Profile, with_constants
from scalewall.validation.planner_cases import Case, log_errors

__all__ = ["fit_profile", "left_out_profile"]

_SCALE = 0.03
"""Errors well below this count squared, above it linearly: about what two measurements of one run differ by."""


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


def left_out_profile(
    profile: Profile,
    rest: Mapping[str, Sequence[Case]],
    left: Mapping[str, int],
    fitted: Mapping[str, Profile],
) -> tuple[Profile, str]:
    """Return ``profile`` as it would be without some runs, and in words where its constants come from.

    Parameters
    ----------
    profile : Profile
        As it stands.
    rest : mapping of str to sequence of Case
        The runs that are left, by profile. If the profile has none, the nearest one that has lends its constants,
        fitted without the runs that are left out; what that one does not fit is as usual.
    left : mapping of str to int
        How many runs are left out, by profile.
    fitted : mapping of str to Profile
        All profiles, fitted on all runs.
    """
    lender, passed = profile, {profile.name}
    while not rest.get(lender.name):
        lender = fitted[lender.nearest]
        if lender.name in passed:
            return with_constants(
                profile, {name: FITTED[name].usual for name in profile.fitted}
            ), "usual constants"
        passed.add(lender.name)
    known = fit_profile(lender, rest[lender.name]) if left.get(lender.name) else lender
    if lender.name == profile.name:
        return known, "its other sources"
    usual = {name: FITTED[name].usual for name in profile.fitted}
    lent = {name: known[name] for name in profile.fitted if name in known.fitted}
    return with_constants(profile, usual | lent), f"constants of {lender.name}"


def _loss(errors: NDArray[np.float64]) -> float:
    return float((np.sqrt(1 + (errors / _SCALE) ** 2) - 1).sum())


_PARTS = ("low", "high", "usual", "unit")
_PULL = 0.02
_NUDGE = 1e-3
_DONE = 1e-4
_MOST_STEPS = 40
_SHRINKS = (1.0, 0.5, 0.25, 0.1, 0.03)
