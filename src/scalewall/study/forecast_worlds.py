"""Worlds of a forecast: the uncertain inputs of ``scalewall uncertainty``, but for what the question itself settles."""

from __future__ import annotations

from collections.abc import Mapping

from scalewall.ideal.study import LimitsStudy
from scalewall.study.paths import MACHINE, split_overrides
from scalewall.study.uncertain_inputs import default_table, worlds_of
from scalewall.study.uncertainty import question_of

__all__ = ["sampled_worlds", "settled"]

_OF_LAW = {
    "depth_law": ("depth_anchor_layers", "depth_exponent"),
    "data_law": ("tokens_per_parameter",),
    "batch_law": ("batch_anchor_tokens", "batch_exponent"),
}
"""Inputs that belong to a law: another law than the usual one settles them."""

_MONTHS = "months"


def settled(study: LimitsStudy) -> tuple[str, ...]:
    """Return the uncertain inputs that a question settles: its duration, laws of its choice, figures that it sets."""
    laws = [law for law in _OF_LAW if getattr(study, law) != getattr(LimitsStudy, law)]
    return (_MONTHS, *(path for law in laws for path in _OF_LAW[law]), *study.overrides)


def sampled_worlds(study: LimitsStudy, machine: str, count: int, seed: int) -> tuple[dict[str, object], ...]:
    """Return settings of the question in sampled worlds, for :func:`dataclasses.replace`.

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
    fixed = {
        path: value
        for path, value in table["fixed"].items()
        if path == MACHINE or set(_OF_LAW[path]) & samples.keys()
    }
    sweep = question_of(worlds_of({"fixed": fixed, "samples": samples}), count, seed).sweep
    return tuple(_settings(study, sweep.point(number).values) for number in range(count))


def _settings(study: LimitsStudy, values: Mapping[str, object]) -> dict[str, object]:
    plain, figures = split_overrides(values)  # type: ignore[arg-type]
    plain.pop(MACHINE)
    return {**plain, "overrides": {**study.overrides, **figures}}
