"""Which inputs an answer's uncertainty comes from: Sobol indices and Morris' elementary effects, computed by SALib.

References
----------
.. [1] A. Saltelli et al., "Variance based sensitivity analysis of model output", Comput. Phys. Commun. 181 (2010).
.. [2] F. Campolongo, J. Cariboni, A. Saltelli, "An effective screening design for sensitivity analysis of large
   models", Environmental Modelling & Software 22 (2007).
.. [3] W. Usher, J. Herman et al., SALib, https://github.com/SALib/SALib.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scalewall.errors import InputError
from scalewall.study.designs import MORRIS_LEVELS, problem_of

__all__ = ["CONFIDENCE", "METHODS", "Effect", "Sensitivity", "morris_effects", "sobol_indices"]

CONFIDENCE = 0.95
METHODS = {"sobol": "saltelli", "morris": "morris"}
"""Name of a method to the design of samples that it needs."""

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
