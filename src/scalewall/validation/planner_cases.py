"""Published runs as the planner takes them, the profile found for each, and what is predicted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scalewall.errors import InputError
from scalewall.planner.layer import layer_passes
from scalewall.planner.layout import Layout
from scalewall.planner.profile import Profile, nearest_profile
from scalewall.planner.run import Run, check_run
from scalewall.planner.step import step_time
from scalewall.validation.runs import MeasuredStep, UnsupportedRunError, inputs_of

__all__ = ["Case", "cases_of", "family_of", "log_errors", "predicted_seconds"]

_FAMILIES = (
    ("mbridge", "Megatron-Bridge"),
    ("moe_modelzoo", "Megatron-Core model zoo"),
    ("nemo", "NeMo"),
    ("dgxc", "NeMo"),
    ("bloom", "BLOOM"),
    ("narayanan", "Megatron-LM 2021"),
    ("megatron_jan2021", "Megatron-LM 2021"),
    ("megatron_sep2020", "Megatron-LM 2021"),
    ("megatron_h100", "Megatron-Core 2024"),
    ("internevo", "InternEvo"),
    ("maxtext", "MaxText"),
    ("tpu_recipes", "MaxText"),
)


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


def cases_of(steps: Iterable[MeasuredStep]) -> tuple[list[Case], dict[str, str]]:
    """Return the runs that the planner can express, and by id why it cannot express the others."""
    cases: list[Case] = []
    refused: dict[str, str] = {}
    for step in steps:
        try:
            run, layout = inputs_of(step)
            if step.kind != "layer":
                check_run(run, layout)
        except (UnsupportedRunError, InputError) as error:
            refused[step.id] = str(error)
            continue
        profile, found = nearest_profile(step.framework, step.released)
        cases.append(Case(step, run, layout, profile, found))
    return cases, refused


def family_of(source: str) -> str:
    """Return the family of a source: releases of one framework by one team, which predict each other too well."""
    return next((family for prefix, family in _FAMILIES if source.startswith(prefix)), source)
