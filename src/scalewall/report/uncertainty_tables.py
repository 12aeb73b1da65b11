"""Uncertain limits in words and tables: their quantiles, what they come from, what was believed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from scalewall.report import units
from scalewall.report.sweep_tables import distribution_text
from scalewall.report.table import Column, TableView
from scalewall.study.sensitivity import impossible, unsettled

if TYPE_CHECKING:
    from scalewall.study.sensitivity import Effect, Sensitivity
    from scalewall.study.uncertainty import LimitSpread, Uncertainty

__all__ = [
    "ANSWER_TITLES",
    "beliefs_table",
    "curve_table",
    "effects_table",
    "input_title",
    "limits_table",
    "uncertainty_tables",
    "uncertainty_warnings",
    "uncertainty_words",
]

ANSWER_TITLES = {
    "last_pass_flop": "Last efficient run",
    "first_failure_flop": "First run that is not",
    "largest_feasible_flop": "Largest run that finishes",
}
_SHARES = ("5 %", "25 %", "50 %", "75 %", "95 %")
_NOTES = {
    "sobol": "In all: interactions with other inputs included; where alone exceeds it, that is sampling error. "
    "+- is half of a 95 % confidence interval.",
    "morris": "The spread is large where inputs interact or bend. +- is half of a 95 % confidence interval.",
}
_SAID_EFFECTS = 3
_EVERY = 2
"""Which rows of the curve the table shows: every half decade."""


def input_title(path: str) -> str:
    """Return an input's path as people read it."""
    return path if "." in path else path.replace("_", " ")


def _flop(value: float) -> str:
    """Return a quantile of a limit, which may lie below or beyond the grid."""
    if value <= 0:
        return "below the grid"
    return units.scientific(value) if math.isfinite(value) else "beyond the grid"


def uncertainty_words(found: Uncertainty) -> str:
    """Return the answer in a few sentences."""
    sentences = []
    spreads = {spread.name: spread for spread in found.limits}
    if spreads:
        efficient, largest = spreads["last_pass_flop"], spreads["largest_feasible_flop"]
        sentences += [
            f"In nine of ten of {found.worlds:,} worlds, the last efficient run on {found.title} lies "
            f"{_between(efficient)}, the largest that finishes {_between(largest)}."
        ]
    for one in found.sensitivities:
        sentences.append(_effects_words(one))
    return " ".join(sentences)


def _between(spread: LimitSpread) -> str:
    low, _, middle, _, high = spread.quantiles
    return f"between {_flop(low)} and {_flop(high)} FLOP (median {_flop(middle)})"


def _effects_words(one: Sensitivity) -> str:
    title = ANSWER_TITLES[one.answer].lower()
    shown = [effect for effect in one.effects[:_SAID_EFFECTS] if effect.main > 0 or effect.total > 0]
    if not shown:
        return f"Nothing moves the {title}."
    if one.method == "sobol":
        parts = [f"{input_title(effect.path)} ({units.percent(max(0.0, effect.total))})" for effect in shown]
        return f"What the {title} varies by comes, interactions included, from {', '.join(parts)}."
    parts = [f"{input_title(effect.path)} ({effect.main:.2g} decades)" for effect in shown]
    return f"What moves the {title} most: {', '.join(parts)}."


def uncertainty_warnings(found: Uncertainty) -> tuple[str, ...]:
    """Return what to keep in mind, a sentence each: evaluations that lack, limits off the grid, open rankings."""
    return (*found.warnings, *(line for one in found.sensitivities for line in _open_words(one)))


def _open_words(one: Sensitivity) -> tuple[str, ...]:
    """Return what of a ranking the samples leave open, what of it cannot be, and how many it takes."""
    found = []
    few = f"{one.groups + one.dropped:,} {'base samples' if one.method == 'sobol' else 'walks'} are too few"
    answer = ANSWER_TITLES[one.answer].lower()
    left, excess = unsettled(one), impossible(one)
    if left:
        first, second = (_with_interval(one, effect) for effect in (left.higher, left.lower))
        found.append(
            f"{few} to rank what the {answer} depends on: {first} and {second} cannot be told apart. "
            f"It takes {left.needed:,} or more."
        )
    if excess:
        effect, needed = excess
        found.append(
            f"{few} for the shares of the {answer}: {input_title(effect.path)} seems to explain more alone "
            f"({units.percent(effect.main)}) than in all ({units.percent(effect.total)}), which is sampling error. "
            f"It takes {needed:,} or more."
        )
    return tuple(found)


def _with_interval(one: Sensitivity, effect: Effect) -> str:
    if one.method == "sobol":
        value, within = units.percent(effect.total), units.percent(effect.total_within)
    else:
        value, within = f"{effect.main:.2f}", f"{effect.main_within:.2f}"
    return f"{input_title(effect.path)} ({value} +- {within})"


def limits_table(found: Uncertainty) -> TableView:
    """Return quantiles of the limits."""
    return TableView(
        title=f"Limits of {found.title} in {found.worlds:,} worlds (FLOP)",
        columns=(
            Column("This share lies below"),
            *(Column(share, right=True, whole=True) for share in _SHARES),
        ),
        rows=tuple(
            (ANSWER_TITLES[spread.name], *(_flop(value) for value in spread.quantiles))
            for spread in found.limits
        ),
    )


def curve_table(found: Uncertainty) -> TableView:
    """Return the best utilization at each half decade of compute, and in how many worlds a run finishes."""
    return TableView(
        title="Best utilization by training compute; a run that does not finish counts as 0",
        columns=(
            Column("FLOP", whole=True),
            *(Column(share, right=True, whole=True) for share in _SHARES),
            Column("Efficient in", right=True),
            Column("Finishes in", right=True),
        ),
        rows=tuple(
            (
                units.scientific(spread.flop),
                *(units.percent(value) for value in spread.quantiles),
                units.percent(spread.efficient),
                units.percent(spread.feasible),
            )
            for spread in found.curve[::_EVERY]
        ),
    )


def effects_table(one: Sensitivity) -> TableView:
    """Return the effects of inputs on one limit."""
    if one.method == "sobol":
        headings = ("Alone", "+-", "In all", "+-")
        title = f"{ANSWER_TITLES[one.answer]}: shares of the variance of its logarithm (Sobol indices)"
        texts = [
            (
                units.percent(effect.main),
                units.percent(effect.main_within),
                units.percent(effect.total),
                units.percent(effect.total_within),
            )
            for effect in one.effects
        ]
    else:
        headings = ("Mean effect", "+-", "Its spread", "")
        title = f"{ANSWER_TITLES[one.answer]}: decades that an input's whole range moves it (Morris)"
        texts = [
            (f"{effect.main:.2f}", f"{effect.main_within:.2f}", f"{effect.total:.2f}", "")
            for effect in one.effects
        ]
    return TableView(
        title=title,
        columns=(
            Column("Input"),
            *(Column(heading, right=True, whole=True) for heading in headings if heading),
        ),
        rows=tuple(
            (
                input_title(effect.path),
                *(text for text, heading in zip(line, headings, strict=True) if heading),
            )
            for effect, line in zip(one.effects, texts, strict=True)
        ),
        notes=(_NOTES[one.method],),
    )


def beliefs_table(found: Uncertainty, sources: bool = False) -> TableView:
    """Return what was taken for uncertain and how; with ``sources`` also what that rests on."""
    samples = found.question.sweep.samples
    rows = []
    for belief in found.question.worlds.beliefs:
        sampled = samples.find(belief.path)
        assert sampled is not None
        drawn = distribution_text(belief.path, sampled.distribution)
        rows.append((belief.path, drawn, belief.evidence, *((belief.source,) if sources else ())))
    columns = (Column("Input"), Column("Distribution"), Column("Evidence", whole=True))
    return TableView(
        title="What was believed",
        columns=(*columns, *((Column("Source"),) if sources else ())),
        rows=tuple(rows),
        notes=() if sources else ("--json and the page of --plot have the sources.",),
    )


def uncertainty_tables(found: Uncertainty) -> tuple[TableView, ...]:
    """Return the tables of the answer."""
    spread = (limits_table(found), curve_table(found)) if found.limits else ()
    return (*spread, *(effects_table(one) for one in found.sensitivities))
