"""Sampled worlds of one question: the uncertain inputs of ``scalewall uncertainty``, but for what it settles itself."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from scalewall.ideal.study import LimitsStudy
from scalewall.study.executors import InProcess
from scalewall.study.paths import MACHINE, limits_study
from scalewall.study.results import Results
from scalewall.study.running import run_sweep
from scalewall.study.uncertain_inputs import default_table, worlds_of
from scalewall.study.uncertain_question import Question, question_of
from scalewall.study.uncertainty import Uncertainty, uncertainty_of

__all__ = ["sampled_worlds", "settled", "uncertain_limits", "worlds_question"]

_OF_LAW = {
    "depth_law": ("depth_anchor_layers", "depth_exponent"),
    "data_law": ("tokens_per_parameter",),
    "batch_law": ("batch_anchor_tokens", "batch_exponent"),
}
"""Inputs that belong to a law: another law than the usual one settles them."""

_MONTHS = "months"
_ELSEWHERE = ("scalewall_version", "machines", "overrides", "bounds")


def settled(study: LimitsStudy) -> tuple[str, ...]:
    """Return the uncertain inputs that a question settles: its duration, laws of its choice, figures that it sets."""
    laws = [law for law in _OF_LAW if getattr(study, law) != getattr(LimitsStudy, law)]
    return (_MONTHS, *(path for law in laws for path in _OF_LAW[law]), *study.overrides)


def worlds_question(study: LimitsStudy, machine: str, count: int, seed: int) -> Question:
    """Return a question about one machine with everything uncertain that it does not settle.

    Parameters
    ----------
    study : LimitsStudy
        The question.
    machine : str
        One of its machines; figures are drawn around its own.
    count, seed : int
        Worlds, by a Sobol design, and what makes them the same again.
    """
    known = settled(study)
    table = default_table(machine, study.precision)
    samples = {path: belief for path, belief in table["samples"].items() if path not in known}
    laws = {law: table["fixed"][law] for law, paths in _OF_LAW.items() if set(paths) & samples.keys()}
    fixed = {MACHINE: machine, **_plain(study), **laws, **study.overrides}
    return question_of(worlds_of({"fixed": fixed, "samples": samples}), count, seed)


def _plain(study: LimitsStudy) -> dict[str, object]:
    """Return a question's own settings by path."""
    plain = {name: value for name, value in study.to_scenario().items() if name not in _ELSEWHERE}
    return plain | {f"bounds.{name}": list(ends) for name, ends in study.bounds.items()}


def sampled_worlds(study: LimitsStudy, machine: str, count: int, seed: int) -> tuple[LimitsStudy, ...]:
    """Return the question in sampled worlds, see :func:`worlds_question`."""
    sweep = worlds_question(study, machine, count, seed).sweep
    return tuple(limits_study(sweep.point(number).values) for number in range(count))


def uncertain_limits(
    study: LimitsStudy, count: int, seed: int = 0, progress: Callable[[int, int], None] | None = None
) -> Uncertainty:
    """Return how sure the limits of a question's first machine are.

    Parameters
    ----------
    study : LimitsStudy
        The question.
    count, seed : int
        Sampled worlds, each a whole curve, evaluated in this process.
    progress : callable, optional
        Called with (worlds done, in all).
    """
    question = worlds_question(study, study.machines[0], count, seed)
    with tempfile.TemporaryDirectory() as kept:
        folder = Path(kept) / "worlds"
        run_sweep(
            question.sweep,
            folder,
            InProcess(),
            progress=(lambda now: progress(now.done, now.points)) if progress else None,
        )
        return uncertainty_of(question, Results.open(folder))
