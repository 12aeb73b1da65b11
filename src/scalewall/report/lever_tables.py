"""What levers gain, as words, a table and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scalewall.report import units
from scalewall.report.records import SCHEMA_VERSION
from scalewall.report.table import Cell, Column, TableView
from scalewall.report.words import part_label
from scalewall.study.levers import GROUPS, LEVERS, STANDARD

if TYPE_CHECKING:
    from scalewall.ideal.results import LinearScaling
    from scalewall.study.what_if import Levers, Outcome

__all__ = [
    "exponents_table",
    "factor",
    "levers_json",
    "levers_table",
    "levers_words",
    "list_json",
    "list_table",
]

_ABSENT = Cell("none", "muted")
_COLUMNS = (
    Column("What if", fold=26),
    Column("Falls\nbelow at", right=True, whole=True),
    Column("Last\nabove at", right=True, whole=True),
    Column("Gain", right=True, whole=True),
    Column("Largest\nrun", right=True, whole=True),
    Column("Gain", right=True, whole=True),
    Column("Binds there", since=100),
    Column("As an option", since=140),
)
_EXACT = 1e-9


def factor(gain: float | None) -> str:
    """Return a gain as ``x13.6``; a dash where there is none."""
    if gain is None:
        return "-"
    if abs(gain - 1) < _EXACT:
        return "x1"
    rounded = float(f"{gain:.1e}")
    if 1e-2 <= rounded < 1e4:
        return f"x{rounded:g}"
    mantissa, exponent = f"{rounded:.1e}".split("e")
    return f"x{mantissa}e{int(exponent)}"


def levers_table(levers: Levers) -> TableView:
    """Return one row a what-if, by what it gains; the question as it is comes first."""
    base = levers.baseline
    band = base.linear_scaling
    rows = [_row(base, base), *(_row(one, base) for one in levers.outcomes)]
    return TableView(
        title=f"What moves the limits of {levers.title} in {units.months(base.what_if.study.duration_seconds)} "
        "(training FLOP)",
        columns=_COLUMNS,
        rows=tuple(rows),
        notes=(
            f"Below, above: {100 * band.threshold:g} % of the utilization that the machine sustains. The first gain is "
            "that of the middle between the two, the second that of the largest run that finishes.",
            *_algorithm_notes(levers),
            *_grid_notes(levers),
            *_run_notes(levers),
            *(f"Not asked: {one.name}: {one.reason}." for one in levers.unavailable),
            *(f"Warning: {warning}" for warning in levers.warnings),
        ),
    )


def _row(one: Outcome, base: Outcome) -> tuple[str | Cell, ...]:
    band, top = one.linear_scaling, one.largest
    efficient, largest = one.gains(base)
    star = "*" if band.grid_limited else ""
    title = f"{one.what_if.title} [A]" if one.what_if.changes_algorithm else one.what_if.title
    return (
        Cell(title, "strong") if one is base else title,
        _ABSENT if band.first_failure_flop is None else units.scientific(band.first_failure_flop) + star,
        _ABSENT if band.last_pass_flop is None else units.scientific(band.last_pass_flop) + star,
        "" if one is base else _toned(efficient),
        _ABSENT if top is None else units.scientific(top.training_flop),
        "" if one is base else _toned(largest),
        _ABSENT if top is None else part_label(top.binds),
        "" if one is base else Cell(one.what_if.name, "muted"),
    )


def _toned(gain: float | None) -> Cell:
    tone = "plain" if gain is None or abs(gain - 1) < _EXACT else "good" if gain > 1 else "bad"
    return Cell(factor(gain), tone)  # type: ignore[arg-type]


def _algorithm_notes(levers: Levers) -> list[str]:
    if not any(one.what_if.changes_algorithm for one in levers.outcomes):
        return []
    return ["[A] changes the training algorithm: whether the laws still hold, the model does not know."]


def _grid_notes(levers: Levers) -> list[str]:
    if not any(one.linear_scaling.grid_limited for one in (levers.baseline, *levers.outcomes)):
        return []
    return ["* The end of the grid sets this, not the machine: a wider grid moves it."]


def _run_notes(levers: Levers) -> list[str]:
    notes = {lever.name: lever.note for one in levers.outcomes for lever in one.what_if.levers if lever.note}
    return [f"{name}: {note}" for name, note in notes.items()]


def levers_words(levers: Levers) -> str:
    """Return what moves the limits most, in a few sentences."""
    base = levers.baseline
    single = [one for one in levers.outcomes if len(one.what_if.levers) == 1]
    parts = [f"On {levers.title}, efficient scaling ends {_where(base.linear_scaling)}."]
    if single:
        best = single[0]
        parts.append(
            f"Of the single levers, {best.what_if.title} moves it most ({factor(best.gains(base)[0])})"
        )
        reach = max(single, key=lambda one: one.gains(base)[1] or 0.0)
        parts[-1] += (
            f", and {reach.what_if.title} moves the largest run most ({factor(reach.gains(base)[1])})."
            if reach is not best
            else f", the largest run too ({factor(best.gains(base)[1])})."
        )
        idle = [one.what_if.title for one in single if abs(one.gains(base)[0] - 1) < _EXACT]
        if idle:
            parts.append(f"It does not move at all with: {', '.join(idle)}.")
    return " ".join(parts)


def _where(band: LinearScaling) -> str:
    first, last = band.first_failure_flop, band.last_pass_flop
    if last is None:
        return "before the smallest run of the grid"
    if first is None:
        return "beyond the largest run of the grid"
    return f"between {units.scientific(min(first, last))} and {units.flop(max(first, last))}"


def levers_json(levers: Levers) -> dict[str, object]:
    """Return everything as JSON values: compute in FLOP, times in seconds."""
    base = levers.baseline
    return {
        "schema_version": SCHEMA_VERSION,
        "machine": base.what_if.study.machines[0],
        "title": levers.title,
        "duration_seconds": base.what_if.study.duration_seconds,
        "baseline": _outcome_json(base, base),
        "levers": [_outcome_json(one, base) for one in levers.outcomes],
        "unavailable": levers.unavailable,
        "exponents": levers.exponents,
        "assumptions": levers.assumptions,
        "warnings": levers.warnings,
    }


def _outcome_json(one: Outcome, base: Outcome) -> dict[str, object]:
    efficient, largest = one.gains(base)
    top = one.largest
    return {
        "name": one.what_if.name,
        "title": one.what_if.title,
        "group": one.what_if.group,
        "changes_algorithm": one.what_if.changes_algorithm,
        "sources": list(dict.fromkeys(lever.source for lever in one.what_if.levers)),
        "notes": [lever.note for lever in one.what_if.levers if lever.note],
        "linear_scaling": one.linear_scaling,
        "efficient_flop": one.efficient_flop,
        "efficient_gain": efficient,
        "largest_feasible_flop": top.training_flop if top else None,
        "largest_gain": largest,
        "largest_n_gpu": top.n_gpu if top else None,
        "binds": top.binds if top else None,
        "duration_seconds": one.what_if.study.duration_seconds,
        "sustained_fraction": one.sustained_fraction,
        "scenario": one.what_if.study.to_scenario(),
        "curve": [
            {
                "training_flop": point.training_flop,
                "utilization": point.utilization,
                "n_gpu": point.n_gpu,
                "binds": point.binds,
            }
            for point in one.points
        ],
    }


def exponents_table(levers: Levers) -> TableView:
    """Return both closed forms against the exponent difference that they hang on."""
    return TableView(
        title="Closed forms against the batch's exponent less the depth's (FLOP)",
        columns=(
            Column("Difference", right=True, whole=True),
            Column("Bandwidth\nlimit", right=True, whole=True),
            Column("Latency\nwall", right=True, whole=True),
        ),
        rows=tuple(
            (
                f"{row.alpha:g}",
                units.scientific(row.critical_compute_flop),
                units.scientific(row.latency_wall_flop),
            )
            for row in levers.exponents
        ),
        notes=(
            "Both in training compute, without a search (arXiv 2411.01137). The published laws make 0.03, the batch "
            "law of Zhang et al. 0.10.",
        ),
    )


def list_json() -> dict[str, object]:
    """Return every lever, and the what-ifs that are tried without any being named."""
    return {
        "schema_version": SCHEMA_VERSION,
        "levers": [
            {
                "name": one.name,
                "value": one.value,
                "group": one.group,
                "changes_algorithm": one.changes_algorithm,
                "source": one.source,
                "note": one.note,
            }
            for one in LEVERS.values()
        ],
        "standard": list(STANDARD),
    }


def list_table() -> TableView:
    """Return every lever with its values."""
    return TableView(
        title="Levers",
        columns=(
            Column("Lever", whole=True),
            Column("Changes"),
            Column("Value"),
            Column("Source", since=120),
        ),
        rows=tuple(
            (
                Cell(f"{one.name}{' [A]' if one.changes_algorithm else ''}", "strong"),
                GROUPS[one.group],
                one.value,
                Cell(one.source, "muted"),
            )
            for one in LEVERS.values()
        ),
        notes=("Written LEVER=VALUE, joined by + for several at once. [A] changes the training algorithm.",),
    )
