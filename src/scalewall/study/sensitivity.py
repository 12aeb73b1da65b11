"""Which inputs an answer's uncertainty comes from: Sobol indices and Morris' elementary effects, computed by SALib.

References
----------
.. [1] A. Saltelli et al., "Variance based sensitivity analysis of model output", Comput. Phys. Commun. 181 (2010).
.. [2] F. Campolongo, J. Cariboni, A. Saltelli, "An effective screening design for sensitivity analysis of large
   models", Environmental Modelling & Software 22 (2007).
.. [3] W. Usher, J. Herman et al., SALib, https://github.com/SALib/SALib.
.. [4] F. Sarrazin, F. Pianosi, T. Wagener, "Global sensitivity analysis of environmental models: convergence and
   validation", Environmental Modelling & Software 79 (2016).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scalewall.errors import InputError
from scalewall.study.designs import MORRIS_LEVELS, problem_of

__all__ = [
    "CONFIDENCE",
    "METHODS",
    "RESOLUTION",
    "Effect",
    "Sensitivity",
    "Unsettled",
    "impossible",
    "morris_effects",
    "sobol_indices",
    "unsettled",
]

CONFIDENCE = 0.95
METHODS = {"sobol": "saltelli", "morris": "morris"}
"""Name of a method to the design of samples that it needs."""

RESOLUTION = 0.05
"""Share of the variance (Morris: of the largest effect) that counts as a difference. Assumed: the line at which
screening usually takes an input for one that does not matter."""

_RESAMPLES = 200
_LEAST_GROUPS = 4


@dataclass(frozen=True)
class Effect:
    """How much one input matters.

    Parameters
    ----------
    path : str
        The input.
    main : float
        Sobol: the share of the variance that it explains alone (first order). Morris: the mean of its absolute
        elementary effects, in the answer's unit over the whole range of the input.
    main_within : float
        Half the width of the 95 % confidence interval of ``main``.
    total : float
        Sobol: the share that goes away with it, interactions included (total order). Morris: the standard
        deviation of the elementary effects, large where they interact or bend.
    total_within : float or None
        Half the width of its 95 % confidence interval; Morris has none.
    """

    path: str
    main: float
    main_within: float
    total: float
    total_within: float | None


@dataclass(frozen=True)
class Sensitivity:
    """Effects of all inputs on one answer.

    Parameters
    ----------
    method : str
        ``sobol`` or ``morris``.
    answer : str
        What varies.
    effects : tuple of Effect
        The largest first.
    groups, dropped : int
        Groups of evaluations that count (one a base sample, or a walk), and those left out because an answer
        is missing in them.
    """

    method: str
    answer: str
    effects: tuple[Effect, ...]
    groups: int
    dropped: int


@dataclass(frozen=True)
class Unsettled:
    """Two neighbours of a ranking whose order is open, and how many samples it takes to settle the whole ranking.

    Parameters
    ----------
    higher, lower : Effect
        Of all neighbours those that need most samples.
    needed : int
        Base samples or walks that it takes at least, as far as these tell.
    """

    higher: Effect
    lower: Effect
    needed: int


def unsettled(one: Sensitivity) -> Unsettled | None:
    """Return what the samples leave open of a ranking; None if they settle it.

    Convergence of the ranking, judged by bootstrapped intervals as in [4]: neighbours in it are told apart if the
    half interval of their difference, ``sqrt(w_i**2 + w_j**2)`` for independent errors, is no wider than the
    difference itself, or than :data:`RESOLUTION`, below which they count as equal. Inputs below that count as not
    mattering, in any order. Intervals shrink with the root of the samples, so ``samples * (half interval /
    what it may be)**2`` are needed, or more: what these samples say of the difference is rough too.

    Parameters
    ----------
    one : Sensitivity
        Ranked by its total order indices (Sobol) or mean effects (Morris).
    """
    ranked = [
        (effect, effect.total, effect.total_within)
        if one.method == "sobol"
        else (effect, effect.main, effect.main_within)
        for effect in one.effects
    ]
    scale = 1.0 if one.method == "sobol" else max(value for _, value, _ in ranked)
    samples = one.groups + one.dropped
    worst: Unsettled | None = None
    for (higher, above, half), (lower, below, other) in pairwise(ranked):
        if above < RESOLUTION * scale or scale == 0.0:
            break
        between = math.hypot(_half(half, scale), _half(other, scale))
        ratio = between / max(above - below, RESOLUTION * scale)
        needed = math.ceil(samples * ratio**2)
        if ratio > 1.0 and (worst is None or needed > worst.needed):
            worst = Unsettled(higher, lower, needed)
    if worst is None or one.method != "sobol":
        return worst
    return replace(worst, needed=_power_of_two(worst.needed))


def impossible(one: Sensitivity) -> tuple[Effect, int] | None:
    """Return the input that seems to explain most more alone than in all, and how many samples it takes at least.

    No input can: the excess is sampling error, and a sign that both indices are rough. It is said from
    :data:`RESOLUTION` on, and shrinks with the root of the samples. None for Morris effects, and without such an
    input.
    """
    if one.method != "sobol":
        return None
    worst = max(one.effects, key=lambda effect: effect.main - effect.total)
    ratio = (worst.main - worst.total) / RESOLUTION
    if not ratio > 1.0:
        return None
    return worst, _power_of_two((one.groups + one.dropped) * ratio**2)


def _power_of_two(least: float) -> int:
    return int(2 ** math.ceil(math.log2(least)))


def _half(within: float | None, scale: float) -> float:
    """Return half an interval, at most the whole scale; that too where resamples without variance leave none."""
    return min(within, scale) if within is not None and math.isfinite(within) else scale


def _whole_groups(answers: ArrayLike, size: int) -> tuple[NDArray[np.float64], int]:
    """Return the groups of ``size`` answers that lack none, in a row, and how many lack some."""
    groups = np.asarray(answers, dtype=float).reshape(-1, size)
    whole = np.isfinite(groups).all(axis=1)
    if whole.sum() < _LEAST_GROUPS:
        allowed = f"at least {_LEAST_GROUPS} groups of samples in which every answer is there; more samples may help"
        raise InputError("sensitivity", f"{whole.sum()} of {len(groups)}", allowed)
    return groups[whole].ravel(), int((~whole).sum())


def sobol_indices(answer: str, paths: Sequence[str], answers: ArrayLike, seed: int = 0) -> Sensitivity:
    """Return first and total order Sobol indices of the design ``saltelli`` [1].

    Parameters
    ----------
    answer : str
        What the answers are.
    paths : sequence of str
        Inputs, in the design's order.
    answers : array_like
        One a sample, in order; NaN where there is none.
    seed : int
        Of the bootstrap behind the confidence intervals.

    Raises
    ------
    InputError
        Too few groups without a missing answer.
    """
    from SALib.analyze import sobol

    values, dropped = _whole_groups(answers, len(paths) + 2)
    groups = len(values) // (len(paths) + 2)
    if np.ptp(values) == 0:
        still = tuple(Effect(path, 0.0, 0.0, 0.0, 0.0) for path in paths)
        return Sensitivity("sobol", answer, still, groups, dropped)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of resamples in which nothing varies
        found = sobol.analyze(
            problem_of(paths),
            values,
            calc_second_order=False,
            num_resamples=_RESAMPLES,
            conf_level=CONFIDENCE,
            seed=seed + 1,  # SALib takes 0 for none
        )
    effects = (
        Effect(path, *(float(found[key][place]) for key in ("S1", "S1_conf", "ST", "ST_conf")))
        for place, path in enumerate(paths)
    )
    ordered = tuple(sorted(effects, key=lambda effect: -effect.total))
    return Sensitivity("sobol", answer, ordered, groups, dropped)


def morris_effects(
    answer: str, paths: Sequence[str], shares: ArrayLike, answers: ArrayLike, seed: int = 0
) -> Sensitivity:
    """Return Morris' elementary effects of the design ``morris`` [2].

    Parameters
    ----------
    answer : str
        What the answers are.
    paths : sequence of str
        Inputs, in the design's order.
    shares : array_like
        The design, shape (samples, inputs).
    answers : array_like
        One a sample, in order; NaN where there is none.
    seed : int
        Of the bootstrap behind the confidence intervals.

    Raises
    ------
    InputError
        Too few walks without a missing answer.
    """
    from SALib.analyze import morris

    size = len(paths) + 1
    values, dropped = _whole_groups(answers, size)
    whole = np.isfinite(np.asarray(answers, dtype=float).reshape(-1, size)).all(axis=1)
    walked = np.asarray(shares, dtype=float).reshape(-1, size, len(paths))[whole].reshape(-1, len(paths))
    found = morris.analyze(
        problem_of(paths),
        walked,
        values,
        num_resamples=_RESAMPLES,
        conf_level=CONFIDENCE,
        num_levels=MORRIS_LEVELS,
        seed=seed + 1,
    )
    effects = (
        Effect(
            path,
            float(found["mu_star"][place]),
            float(found["mu_star_conf"][place]),
            float(found["sigma"][place]),
            None,
        )
        for place, path in enumerate(paths)
    )
    ordered = tuple(sorted(effects, key=lambda effect: -effect.main))
    return Sensitivity("morris", answer, ordered, len(values) // size, dropped)
