"""The planner against published runs: fitted, leaving out one source or one family, and memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scalewall.planner.memory import stage_memory
from scalewall.planner.profile import Profile, load_profile, profile_names
from scalewall.validation.planner_cases import Case, cases_of, family_of, log_errors, predicted_seconds
from scalewall.validation.planner_fit import fit_profile, left_out_profile
from scalewall.validation.planner_scores import (
    Ordering,
    Score,
    constant_rates,
    noise_floor,
    ordering,
    score,
)
from scalewall.validation.runs import MeasuredStep

__all__ = ["MEMORY_JUDGED", "RunRow", "Validation", "predict_rows", "refit_profiles", "validate_planner"]

Progress = Callable[[str, int, int], None]
MEMORY_JUDGED = ("zerobubble", "torchtitan")
"""Sources whose memory figure has a clear definition."""


@dataclass(frozen=True)
class RunRow:
    """One published run and its predictions (seconds, bytes; None where there is none).

    Parameters
    ----------
    step : MeasuredStep
        What was published.
    family, profile, found : str
        Family of the source, profile used, how the profile was found.
    predicted, left_out, left_out_family : float or None
        Step time, fitted on all runs, without the run's source, without its family.
    lent : str
        Where the constants without its source come from.
    memory, capacity : float or None
        Predicted peak of the fullest stage and the machine's capacity (bytes).
    reason : str
        Why there is no prediction.
    """

    step: MeasuredStep
    family: str
    profile: str = ""
    found: str = ""
    predicted: float | None = None
    left_out: float | None = None
    left_out_family: float | None = None
    lent: str = ""
    memory: float | None = None
    capacity: float | None = None
    precision: str = ""
    machine: str = ""
    reason: str = ""

    def error(self, seconds: float | None) -> float | None:
        """Relative error of a predicted step time."""
        return seconds / self.step.step_seconds - 1 if seconds and self.step.step_seconds else None

    @property
    def share_of_memory(self) -> float:
        """Predicted memory over the machine's; 0 without a prediction."""
        return self.memory / self.capacity if self.memory and self.capacity else 0.0

    @property
    def too_large(self) -> bool:
        """Whether the prediction does not fit the machine."""
        return self.share_of_memory > 1.0

    @property
    def memory_error(self) -> float | None:
        """Relative error of the predicted memory."""
        return self.memory / self.step.memory_bytes - 1 if self.memory and self.step.memory_bytes else None


@dataclass(frozen=True)
class Validation:
    """What the planner's validation found over core runs.

    Parameters
    ----------
    rows : tuple of RunRow
        Every run.
    profiles : mapping of str to Profile
        As used.
    orderings : mapping of str to Ordering
        ``fitted`` and ``left out``.
    baseline : mapping of str to mapping of str to float
        Step time by id that one constant rate predicts, ``fitted`` and ``left out``.
    noise : Score or None
        How much repeated measurements differ.
    """

    rows: tuple[RunRow, ...]
    profiles: Mapping[str, Profile]
    orderings: Mapping[str, Ordering]
    baseline: Mapping[str, Mapping[str, float]]
    noise: Score | None

    @property
    def core(self) -> tuple[RunRow, ...]:
        """Runs complete enough to be judged."""
        return tuple(row for row in self.rows if row.step.core and row.step.step_seconds)

    @property
    def coverage(self) -> float:
        """Share of the core runs that have a prediction."""
        return sum(row.predicted is not None for row in self.core) / max(1, len(self.core))

    @property
    def constants(self) -> int:
        """Fitted constants in all profiles together, and those that all profiles share."""
        from scalewall.planner.constants import constants

        shared = sum(one.kind == "fitted" for one in constants().values())
        return shared + sum(len(profile.fitted) for profile in self.profiles.values())


def predict_rows(
    steps: Sequence[MeasuredStep], profiles: Mapping[str, Profile] | None = None
) -> tuple[list[RunRow], list[Case]]:
    """Return a row for every run, with a prediction or the reason why there is none, and the runs as cases."""
    cases, refused = cases_of(steps)
    by_id = {case.step.id: case for case in cases}
    rows = []
    for step in steps:
        if step.id in refused:
            rows.append(RunRow(step, family_of(step.source), reason=refused[step.id]))
            continue
        case = by_id[step.id]
        profile = (profiles or {}).get(case.profile.name, case.profile)
        fullest = max(stage.total for stage in stage_memory(case.run, case.layout, profile))
        rows.append(
            RunRow(
                step,
                family_of(step.source),
                profile.name,
                case.found,
                predicted_seconds(case, profile),
                memory=fullest if step.kind == "train" else None,
                capacity=case.run.device.memory_bytes,
                precision=case.run.precision,
                machine=case.run.device.name,
            )
        )
    return rows, cases


def refit_profiles(cases: Sequence[Case], progress: Progress, date: str) -> dict[str, Profile]:
    """Return all profiles, each fitted on its runs; one without any stays as it stands.

    Parameters
    ----------
    cases : sequence of Case
        Core runs, and those of profiles that have no others.
    progress : callable
        Told what is done, as (name, done, in all).
    date : str
        For the record of the fit.
    """
    by_profile = _grouped(
        [case for case in cases if not case.step.not_fitted], lambda case: case.profile.name
    )
    fitted = {}
    names = profile_names()
    for done, name in enumerate(names):
        progress("fitting profiles", done, len(names))
        profile = load_profile(name)
        own = by_profile.get(name, [])
        if own:
            profile = fit_profile(profile, own)
            errors = np.abs(np.expm1(log_errors(own, profile)))
            machines = tuple(sorted({case.run.device.name for case in own}))
            ranks = max(case.layout.ranks for case in own)
            profile = replace(
                profile,
                fit=replace(
                    profile.fit,
                    date=date,
                    rows=len(own),
                    median_error=float(np.median(errors)),
                    machines=machines,
                    most_ranks=ranks,
                ),
            )
        fitted[name] = profile
    return fitted


def _grouped(cases: Sequence[Case], key: Callable[[Case], str]) -> dict[str, list[Case]]:
    groups: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        groups[key(case)].append(case)
    return groups


def _left_out(
    cases: Sequence[Case],
    fitted: Mapping[str, Profile],
    group: Callable[[Case], str],
    progress: Progress,
    name: str,
) -> dict[str, tuple[float, str]]:
    """Predict each run with its profile fitted without the run's group."""
    found: dict[str, tuple[float, str]] = {}
    by_profile = _grouped(cases, lambda case: case.profile.name)
    jobs = [
        (profile, left) for profile, own in by_profile.items() for left in sorted({group(c) for c in own})
    ]
    for done, (profile, left) in enumerate(jobs):
        progress(name, done, len(jobs))
        rest = {
            key: [case for case in own if group(case) != left and not case.step.not_fitted]
            for key, own in by_profile.items()
        }
        gone = {key: len(own) - len(rest[key]) for key, own in by_profile.items()}
        without, lent = left_out_profile(fitted[profile], rest, gone, fitted)
        for case in by_profile[profile]:
            if group(case) == left:
                found[case.step.id] = predicted_seconds(case, without), lent
    return found


def validate_planner(
    steps: Sequence[MeasuredStep], progress: Progress, *, refit: bool = False, date: str = ""
) -> Validation:
    """Return how the planner does on published runs.

    Parameters
    ----------
    steps : sequence of MeasuredStep
        Published runs.
    progress : callable
        Told what is done, as (name, done, in all).
    refit : bool
        Fit the profiles on the core runs first, else take them as they stand.
    date : str
        For the record of the fit.
    """
    core, _ = cases_of(step for step in steps if step.core and step.step_seconds)
    stored = {name: load_profile(name) for name in profile_names()}
    profiles = stored
    if refit:
        incomplete, _ = cases_of(step for step in steps if not step.core and step.step_seconds)
        extra = [case for case in incomplete if case.profile.incomplete]
        profiles = refit_profiles([*core, *extra], progress, date)
    rows, _ = predict_rows(steps, profiles)
    by_source = _left_out(core, profiles, lambda case: case.step.source, progress, "leaving out sources")
    by_family = _left_out(
        core, profiles, lambda case: family_of(case.step.source), progress, "leaving out families"
    )
    if refit:
        profiles = {name: _with_spread(profile, core, by_source) for name, profile in profiles.items()}
    complete = []
    for row in rows:
        left, lent = by_source.get(row.step.id, (None, ""))
        family, _ = by_family.get(row.step.id, (None, ""))
        complete.append(replace(row, left_out=left, left_out_family=family, lent=lent))
    predicted = {row.step.id: row.predicted for row in complete if row.predicted}
    return Validation(
        rows=tuple(complete),
        profiles=profiles,
        orderings={
            "fitted": ordering(core, predicted),
            "left out": ordering(core, {name: seconds for name, (seconds, _) in by_source.items()}),
        },
        baseline={
            "fitted": constant_rates(core, leave_out=False),
            "left out": constant_rates(core, leave_out=True),
        },
        noise=noise_floor(core),
    )


def _with_spread(
    profile: Profile, core: Sequence[Case], left_out: Mapping[str, tuple[float, str]]
) -> Profile:
    """Record how far off the profile's runs are when their source is left out, dense and with experts."""
    spread = {}
    for experts in (False, True):
        own = [
            case.step for case in core if case.profile.name == profile.name and case.step.experts == experts
        ]
        found = score(left_out[step.id][0] / step.step_seconds - 1 for step in own)
        spread[experts] = found.p90 if found else 0.0
    return replace(profile, fit=replace(profile.fit, dense_p90=spread[False], experts_p90=spread[True]))
