"""Tables of the planner's validation: targets, groups, runs, memory, what is not predicted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from scalewall.report import units
from scalewall.report.table import Cell, Column, TableView

if TYPE_CHECKING:
    from scalewall.validation.planner_scores import Score
    from scalewall.validation.planner_validation import RunRow, Validation

__all__ = [
    "groups_table",
    "memory_table",
    "profiles_table",
    "reasons_table",
    "refused_table",
    "runs_table",
    "summary_table",
    "too_large_table",
]

Group = Callable[["RunRow"], str]


def _percent(share: float | None, signed: bool = False) -> str:
    if share is None:
        return ""
    return f"{100 * share:+.1f} %" if signed else f"{100 * share:.1f} %"


def _pair(score: Score | None) -> str:
    return f"{100 * score.median:.1f} / {100 * score.p90:.1f}" if score else "-"


def _errors(rows: Iterable[RunRow], which: str) -> Score | None:
    from scalewall.validation.planner_scores import score

    found = (row.error(getattr(row, which)) for row in rows)
    return score(error for error in found if error is not None)


def summary_table(validation: Validation) -> TableView:
    """Return the figures that the planner is judged by, over core runs: median and 90th percentile in percent."""
    from scalewall.validation.planner_scores import score

    core = validation.core
    kinds = (
        ("all runs", core),
        ("dense", [row for row in core if not row.step.experts]),
        ("experts", [row for row in core if row.step.experts]),
    )
    rows: list[tuple[str | Cell, ...]] = []
    for name, members in kinds:
        whole = _errors(members, "predicted")
        rows.append(
            (
                name,
                str(len(members)),
                _pair(whole),
                _pair(_errors(members, "left_out")),
                _pair(_errors(members, "left_out_family")),
                _percent(whole.bias if whole else None, signed=True),
                _percent(whole.close if whole else None),
            )
        )
    steps = {row.step.id: row.step.step_seconds for row in core}
    constant = {
        name: score(seconds / steps[key] - 1 for key, seconds in times.items() if key in steps)
        for name, times in validation.baseline.items()
    }
    fitted = constant["fitted"]
    rows.append(
        (
            Cell("one constant rate a profile, machine, precision", "muted"),
            str(len(core)),
            _pair(fitted),
            _pair(constant["left out"]),
            "",
            _percent(fitted.bias if fitted else None, signed=True),
            _percent(fitted.close if fitted else None),
        )
    )
    if validation.noise:
        noise = validation.noise
        rows.append(
            (Cell("the same run measured again", "muted"), str(noise.rows), _pair(noise), "", "", "", "")
        )
    orders = validation.orderings
    return TableView(
        title="Step time: error over core runs, median / 90th percentile in %",
        columns=(
            Column("Runs"),
            Column("Rows", right=True),
            Column("Fitted", right=True, whole=True),
            Column("Left out:\nsource", right=True, whole=True),
            Column("family", right=True, whole=True),
            Column("Bias", right=True, whole=True),
            Column("Within\n10 %", right=True, since=90),
        ),
        rows=tuple(rows),
        notes=(
            f"Order of layouts: {_percent(orders['fitted'].share)} of {orders['fitted'].pairs} pairs that differ by "
            f"more than 3 % right, {_percent(orders['left out'].share)} leaving sources out.",
            f"Coverage: {_percent(validation.coverage)} of core runs. Fitted constants in all: "
            f"{validation.constants}, in {len(validation.profiles)} profiles.",
        ),
    )


def groups_table(validation: Validation, title: str, group: Group) -> TableView:
    """Return the error by group of core runs."""
    groups: dict[str, list[RunRow]] = {}
    for row in validation.core:
        groups.setdefault(group(row), []).append(row)
    rows = []
    for name, members in sorted(groups.items()):
        whole = _errors(members, "predicted")
        rows.append(
            (
                name,
                str(len(members)),
                _pair(whole),
                _pair(_errors(members, "left_out")),
                _percent(whole.bias if whole else None, signed=True),
                _percent(whole.close if whole else None),
            )
        )
    return TableView(
        title=f"By {title}",
        columns=(
            Column(title.capitalize()),
            Column("Rows", right=True),
            Column("Fitted", right=True, whole=True),
            Column("Left out", right=True, whole=True),
            Column("Bias", right=True, whole=True),
            Column("Within\n10 %", right=True),
        ),
        rows=tuple(rows),
    )


def profiles_table(rows: Sequence[RunRow]) -> TableView:
    """Return the error by profile of runs that are not ours, with how each profile was found."""
    groups: dict[tuple[str, str], list[RunRow]] = {}
    for row in rows:
        if row.predicted is not None:
            groups.setdefault((row.profile, row.found), []).append(row)
    lines: list[tuple[str | Cell, ...]] = []
    for name, found, members in (*((*key, groups[key]) for key in sorted(groups)), ("all", "", list(rows))):
        whole = _errors(members, "predicted")
        lines.append(
            (
                Cell(name, "strong") if name == "all" else name,
                found,
                str(sum(row.predicted is not None for row in members)),
                _pair(whole),
                _percent(whole.bias if whole else None, signed=True),
                _percent(whole.close if whole else None),
            )
        )
    return TableView(
        title="Runs of the file: error of the step time, median / 90th percentile in %",
        columns=(
            Column("Profile", whole=True),
            Column("Found by", fold=20),
            Column("Rows", right=True, whole=True),
            Column("Error", right=True, whole=True),
            Column("Bias", right=True, whole=True),
            Column("Within\n10 %", right=True),
        ),
        rows=tuple(lines),
        notes=("Every run with its reason or assumptions: --rows, --json.",),
    )


def reasons_table(rows: Sequence[RunRow]) -> TableView:
    """Return why runs have no prediction, the most frequent reason first."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.reason:
            reasons.setdefault(row.reason, []).append(row.step.id)
    lines = sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0]))
    return TableView(
        title="Not predicted",
        columns=(Column("Reason"), Column("Runs", right=True, whole=True), Column("Such as")),
        rows=tuple((reason, str(len(names)), names[0]) for reason, names in lines),
    )


def runs_table(rows: Sequence[RunRow]) -> TableView:
    """Return one line a run: published and predicted step time, error, where its source was left out too."""
    return TableView(
        title="Runs",
        columns=(
            Column("Run", fold=26),
            Column("Model", fold=24),
            Column("Machine", since=100),
            Column("Published", right=True, whole=True),
            Column("Predicted", right=True, whole=True),
            Column("Error", right=True, whole=True),
            Column("Left\nout", right=True, whole=True),
            Column("Memory", right=True, whole=True, since=100),
            Column("Profile", since=120),
        ),
        rows=tuple(
            (
                row.step.id,
                str(row.step.architecture.get("name", "")),
                row.machine,
                units.duration(row.step.step_seconds) if row.step.step_seconds else "",
                units.duration(row.predicted) if row.predicted else Cell("none", "muted"),
                _percent(row.error(row.predicted), signed=True),
                _percent(row.error(row.left_out), signed=True),
                _percent(row.share_of_memory) if row.memory else "",
                row.profile or Cell(row.reason, "muted"),
            )
            for row in rows
        ),
    )


def memory_table(rows: Sequence[RunRow], judged: Sequence[str]) -> TableView:
    """Return the error of the predicted peak memory by source."""
    from scalewall.validation.planner_scores import score

    sources: dict[str, list[RunRow]] = {}
    for row in rows:
        if row.memory_error is not None:
            sources.setdefault(row.step.source, []).append(row)
    lines = []
    for name, members in sorted(sources.items()):
        found = score(row.memory_error for row in members if row.memory_error is not None)
        bias = _percent(found.bias if found else None, signed=True)
        tone = "yes" if name in judged else Cell("no", "muted")
        lines.append((name, str(len(members)), _pair(found), bias, tone))
    return TableView(
        title="Peak memory of the fullest stage: error, median / 90th percentile in %",
        columns=(
            Column("Source"),
            Column("Rows", right=True),
            Column("Error", right=True, whole=True),
            Column("Bias", right=True, whole=True),
            Column("Judged"),
        ),
        rows=tuple(lines),
    )


def too_large_table(rows: Sequence[RunRow]) -> TableView:
    """Return every run that ran but is called too large for its memory, by source, with how close it comes."""
    groups: dict[tuple[bool, str], list[RunRow]] = {}
    for row in rows:
        if row.step.step_seconds and row.too_large:
            groups.setdefault((not row.step.core, row.step.source), []).append(row)
    lines: list[tuple[str | Cell, ...]] = []
    for (other, source), members in sorted(groups.items()):
        members.sort(key=lambda row: row.share_of_memory)
        shares = [f"{row.step.id.rsplit('-', 1)[-1]}: {100 * row.share_of_memory:.1f} %" for row in members]
        unsaid = sum(any("recomputation" in word for word in row.step.assumed) for row in members)
        lines.append(
            (
                source,
                Cell("no", "muted") if other else "yes",
                str(len(members)),
                str(unsaid) if unsaid else "",
                ", ".join(shares),
            )
        )
    core = sum(len(members) for (other, _), members in groups.items() if not other)
    total = sum(len(members) for members in groups.values())
    return TableView(
        title="Runs that ran but are called too large: what they need of the memory",
        columns=(
            Column("Source"),
            Column("Core"),
            Column("Runs", right=True, whole=True),
            Column("Recompute\nnot stated", right=True, whole=True),
            Column("Run: share of the memory"),
        ),
        rows=tuple(lines),
        notes=(f"{core} core runs, {total - core} others; without recomputation where none is stated.",),
    )


def refused_table(rows: Sequence[RunRow]) -> TableView:
    """Return the runs that the planner cannot express, with the reason."""
    refused = [row for row in rows if row.reason]
    return TableView(
        title="Not predicted",
        columns=(Column("Run"), Column("Core"), Column("Reason")),
        rows=tuple((row.step.id, "yes" if row.step.core else "no", row.reason) for row in refused),
    )
