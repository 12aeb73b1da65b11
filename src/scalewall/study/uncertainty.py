"""How sure the limits are: many curves of best plans under uncertain inputs, and what their spread comes from.

A sample is a point of a sweep: sampling, executors, parts on disk and resuming are the sweep's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scalewall.errors import InputError
from scalewall.hardware import read_machine
from scalewall.study.designs import shares_of
from scalewall.study.outputs import CURVE_FLOP
from scalewall.study.results import Results
from scalewall.study.sensitivity import Sensitivity, morris_effects, sobol_indices
from scalewall.study.tables import ERROR
from scalewall.study.uncertain_question import ANSWERS, COLUMNS, Question

__all__ = [
    "QUANTILES",
    "CurveSpread",
    "LimitSpread",
    "Uncertainty",
    "uncertainty_of",
]

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Shares of the worlds that lie below what is reported."""

EXPLAINED = ("last_pass_flop", "largest_feasible_flop")
"""Limits whose spread is traced to inputs, in decades."""

_LEAST_PRESENT = 0.5
"""Share of the worlds whose grid must reach a training compute for its spread to be reported."""

_Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class LimitSpread:
    """Quantiles of one limit (FLOP): 0 where it lies below the grid's first run, infinite beyond its last."""

    name: str
    quantiles: tuple[float, ...]


@dataclass(frozen=True)
class CurveSpread:
    """The worlds at one training compute.

    Parameters
    ----------
    flop : float
        Training compute.
    quantiles : tuple of float
        Of the best utilization; 0 where a run of that size does not finish.
    feasible, efficient : float
        Share of the worlds in which it finishes, and in which it does so above the threshold of utilization.
    """

    flop: float
    quantiles: tuple[float, ...]
    feasible: float
    efficient: float


@dataclass(frozen=True)
class Uncertainty:
    """What many worlds say together.

    Parameters
    ----------
    title : str
        The machine, for people.
    question : Question
        What was asked.
    worlds, failed : int
        Worlds behind the quantiles; evaluations that failed.
    limits : tuple of LimitSpread
        By name, in the order of :data:`ANSWERS`; empty where the samples are a screening's.
    curve : tuple of CurveSpread
        By training compute; the same.
    sensitivities : tuple of Sensitivity
        If they were asked for, one for each limit that can be explained.
    warnings : tuple of str
        What to keep in mind, one sentence each.
    """

    title: str
    question: Question
    worlds: int
    failed: int
    limits: tuple[LimitSpread, ...]
    curve: tuple[CurveSpread, ...]
    sensitivities: tuple[Sensitivity, ...]
    warnings: tuple[str, ...]


def uncertainty_of(question: Question, results: Results) -> Uncertainty:
    """Return what the rows of a question's sweep say together.

    Parameters
    ----------
    question : Question
        What was asked.
    results : Results
        The folder of its sweep, with all points.

    Raises
    ------
    InputError
        Points are missing, or every one failed.
    """
    sweep = question.sweep
    table = {name: _column(results, name) for name in COLUMNS}
    if len(table[COLUMNS[0]]) != sweep.count:
        raise InputError(
            "results", str(results.path), f"all of the {sweep.count:,} points; run it again to go on"
        )
    failed = _failed(results)
    if failed.all():
        raise InputError(
            "results", str(results.path), "at least one world that did not fail; see its column error"
        )
    chosen = _independent(question) & ~failed
    missing = [answer for answer in ANSWERS if question.method != "morris"]
    limits = tuple(LimitSpread(name, _quantiles(_filled(table, name)[chosen])) for name in missing)
    curve = () if question.method == "morris" else tuple(_curve(table, chosen))
    sensitivities, notes = _sensitivities(question, table, failed)
    return Uncertainty(
        title=read_machine(question.worlds.machine).title,
        question=question,
        worlds=int(chosen.sum()),
        failed=int(failed.sum()),
        limits=limits,
        curve=curve,
        sensitivities=sensitivities,
        warnings=(*notes, *_warnings(table, failed, limits)),
    )


def _column(results: Results, name: str) -> _Numbers:
    column = results.dataset.to_table(columns=[name]).column(0)
    return np.asarray(column.to_numpy(), dtype=float)


def _failed(results: Results) -> NDArray[np.bool_]:
    column = results.dataset.to_table(columns=[ERROR]).column(0)
    return np.asarray(column.is_valid().to_numpy(), dtype=bool)


def _independent(question: Question) -> NDArray[np.bool_]:
    """Tell which samples are draws by themselves: of a Saltelli group its first and last, of others all."""
    numbers = np.arange(question.sweep.count)
    if question.method != "sobol":
        return np.ones(len(numbers), dtype=bool)
    size = len(question.worlds.beliefs) + 2
    return np.isin(numbers % size, (0, size - 1))


def _filled(table: Mapping[str, _Numbers], name: str) -> _Numbers:
    return np.where(np.isnan(table[name]), ANSWERS[name], table[name])


def _quantiles(values: _Numbers) -> tuple[float, ...]:
    """Return quantiles that are values of the sample, so that infinite ones stay apart."""
    return tuple(float(one) for one in np.quantile(values, QUANTILES, method="inverted_cdf"))


def _curve(table: Mapping[str, _Numbers], chosen: NDArray[np.bool_]) -> list[CurveSpread]:
    found = []
    for name, decade in CURVE_FLOP.items():
        here = chosen & np.isfinite(table[name])
        if here.sum() < max(1.0, _LEAST_PRESENT * chosen.sum()):
            continue
        values = table[name][here]
        found.append(
            CurveSpread(
                flop=10.0**decade,
                quantiles=_quantiles(values),
                feasible=float(np.mean(values > 0)),
                efficient=float(np.mean(values > table["threshold_utilization"][here])),
            )
        )
    return found


def _sensitivities(
    question: Question, table: Mapping[str, _Numbers], failed: NDArray[np.bool_]
) -> tuple[tuple[Sensitivity, ...], tuple[str, ...]]:
    """Return what each limit's spread comes from, and why that of some cannot be told."""
    if question.method is None:
        return (), ()
    samples = question.sweep.samples
    found: list[Sensitivity] = []
    notes: list[str] = []
    for name in EXPLAINED:
        answers = np.full(len(failed), np.nan)
        known = ~failed & (table[name] > 0)
        answers[known] = np.log10(table[name][known])
        try:
            if question.method == "sobol":
                found.append(sobol_indices(name, samples.paths, answers, samples.seed))
            else:
                shares = shares_of(samples.design, samples.paths, samples.count, samples.seed)
                found.append(morris_effects(name, samples.paths, shares, answers, samples.seed))
        except InputError as error:
            notes.append(f"What {name} depends on cannot be told: it needs {error.allowed}.")
    for one in found:
        if one.dropped:
            notes.append(
                f"{one.dropped} of {one.groups + one.dropped} groups lack an answer for {one.answer}."
            )
    return tuple(found), tuple(notes)


def _warnings(
    table: Mapping[str, _Numbers], failed: NDArray[np.bool_], limits: Sequence[LimitSpread]
) -> list[str]:
    found = []
    if failed.any():
        found.append(f"{failed.sum():,} of {len(failed):,} evaluations failed and are left out.")
    beyond = float(np.mean(np.isnan(table["first_failure_flop"][~failed])))
    below = float(np.mean(np.isnan(table["last_pass_flop"][~failed])))
    if beyond and limits:
        found.append(
            f"In {beyond:.1%} of the worlds every run of the grid is efficient: the limit lies beyond it."
        )
    if below and limits:
        found.append(
            f"In {below:.1%} of the worlds no run of the grid is efficient: the limit lies below it."
        )
    return found
