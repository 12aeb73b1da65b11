"""A question about uncertain inputs: how many worlds, drawn by which design, as the study of a sweep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scalewall.errors import InputError, unknown_name
from scalewall.study.axes import whole_number
from scalewall.study.designs import DESIGNS
from scalewall.study.outputs import CURVE_FLOP
from scalewall.study.sensitivity import METHODS
from scalewall.study.study_file import MOST_POINTS, MOST_SEED, sweep_of
from scalewall.study.sweep import Sweep
from scalewall.study.uncertain_inputs import Worlds

__all__ = ["ANSWERS", "COLUMNS", "Question", "question_of"]

ANSWERS: Mapping[str, float] = {
    "last_pass_flop": 0.0,
    "first_failure_flop": np.inf,
    "largest_feasible_flop": 0.0,
}
"""Limits, and what one counts as where a grid has none: below its first run, or beyond its last."""

COLUMNS = (*ANSWERS, "threshold_utilization", *CURVE_FLOP)
"""What is kept of a world."""

_DESIGN = "sobol"


@dataclass(frozen=True)
class Question:
    """Uncertain inputs and how they are sampled.

    Parameters
    ----------
    worlds : Worlds
        The inputs.
    sweep : Sweep
        The same as a study of a sweep.
    method : str or None
        Sensitivity that is asked for, a name of :data:`~scalewall.study.sensitivity.METHODS`.
    """

    worlds: Worlds
    sweep: Sweep
    method: str | None


def question_of(
    worlds: Worlds,
    samples: int | None = None,
    seed: int | None = None,
    design: str | None = None,
    method: str | None = None,
    usual: int = 512,
) -> Question:
    """Return uncertain inputs as a sweep, checked as a whole.

    Parameters
    ----------
    worlds : Worlds
        What is uncertain.
    samples : int, optional
        Worlds; for a sensitivity its base samples or walks, each of which takes several. Default: the file's
        count, else ``usual``.
    seed : int, optional
        Default: the file's, else 0.
    design : str, optional
        A name of :data:`~scalewall.study.designs.DESIGNS`; default: the file's, else ``sobol``. A sensitivity
        brings its own.
    method : str, optional
        A sensitivity to compute.
    usual : int
        Samples where nobody says how many.

    Raises
    ------
    InputError
        Naming the input, its value and what is allowed.
    """
    settings = worlds.settings
    field = "samples.count" if samples is None else "--samples"
    count = whole_number(field, settings.get("count", usual) if samples is None else samples, 1, MOST_POINTS)
    if method is not None:
        chosen = _design_of(method, design)
        count = _evaluations(field, count, method, len(worlds.beliefs))
    else:
        field = "samples.design" if design is None else "--design"
        chosen = str(settings.get("design", _DESIGN)) if design is None else design
        plain = [name for name in DESIGNS if name not in METHODS.values()]
        if chosen not in plain:
            raise unknown_name(field, chosen, plain)
    field = "samples.seed" if seed is None else "--seed"
    start = whole_number(field, settings.get("seed", 0) if seed is None else seed, 0, MOST_SEED)
    drawn = {belief.path: dict(belief.distribution) for belief in worlds.beliefs}
    chance = {"count": count, "seed": start, "design": chosen}
    sweep = sweep_of(
        {
            "fixed": dict(worlds.fixed),
            "samples": {**chance, **drawn},
            "outputs": {"kind": "limits-curve", "columns": list(COLUMNS)},
        }
    )
    return Question(worlds, sweep, method)


def _design_of(method: str, design: str | None) -> str:
    if method not in METHODS:
        raise unknown_name("--sensitivity", method, METHODS)
    if design is not None:
        allowed = f"none beside a sensitivity, which has its own ({METHODS[method]})"
        raise InputError("--design", design, allowed)
    return METHODS[method]


def _evaluations(field: str, samples: int, method: str, inputs: int) -> int:
    """Return how many evaluations so many base samples or walks take."""
    if method == "morris":
        return whole_number(field, samples, 2, MOST_POINTS) * (inputs + 1)
    if samples < 2 or samples & (samples - 1):
        usual = 2 ** max(1, round(np.log2(samples)))
        raise InputError(field, samples, "a power of 2 from 2, which Sobol indices need", [str(usual)])
    return samples * (inputs + 2)
