"""The page docs/planner-validation.md, written from a validation."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scalewall.report.table import Cell, TableView
    from scalewall.validation.planner_validation import Validation

__all__ = ["validation_page"]

_HEAD = """\
# The planner against published runs

Written by `scalewall validate --markdown`; a test compares the page with what the command prints. `validate` predicts
every published run of the package's data file with the profile that framework and date point to. *Fitted*: the
profiles' constants as they stand. *Left out*: each profile fitted again without the run's source (or family of
sources); a profile that then has no run left takes the constants of the profile that it names as nearest. Constants
that all profiles share and that are of the kind *fitted* were set once on all runs: leaving a source out does not
change them.

"""


def validation_page(validation: Validation) -> str:
    """Return the page as Markdown."""
    from scalewall.report.validation_tables import (
        groups_table,
        memory_table,
        summary_table,
        too_large_table,
    )
    from scalewall.validation.planner_validation import MEMORY_JUDGED

    tables = (
        summary_table(validation),
        groups_table(validation, "source", lambda row: row.step.source),
        groups_table(validation, "accelerator", lambda row: row.machine),
        groups_table(validation, "precision", lambda row: row.precision),
        memory_table(validation.rows, MEMORY_JUDGED),
        too_large_table(validation.rows),
    )
    return (
        _HEAD
        + "\n".join(_markdown(table) for table in tables)
        + _profiles(validation)
        + _constants()
        + _machines()
        + _refused(validation)
    )


def _text(cell: str | Cell) -> str:
    return (cell if isinstance(cell, str) else cell.text).replace("|", "/")


def _markdown(table: TableView) -> str:
    heads = [column.title.replace("\n", " ") for column in table.columns]
    rules = ["---:" if column.right else "---" for column in table.columns]
    lines = [f"## {table.title}\n", _row(heads), _row(rules)]
    lines += [_row([_text(cell) for cell in row]) for row in table.rows]
    notes = "".join(f"- {note.strip()}\n" for note in table.notes)
    return "\n".join(lines) + "\n" + (f"\n{notes}" if notes else "")


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _profiles(validation: Validation) -> str:
    lines = [
        "\n## Profiles\n",
        _row(["Profile", "Fitted constants", "Set by hand", "Rows", "Median error", "Fitted on", "Nearest"]),
        _row(["---"] * 7),
    ]
    for profile in validation.profiles.values():
        constants = ", ".join(f"{name} {profile[name]:.3g}" for name in profile.fitted)
        error = f"{100 * profile.fit.median_error:.1f} %" if profile.fit.rows else ""
        chosen = ", ".join(f"{name} {value:.3g}" for name, value in profile.chosen.items())
        name = f"{profile.name} (incomplete rows)" if profile.incomplete else profile.name
        rows = str(profile.fit.rows)
        lines.append(_row([name, constants, chosen, rows, error, profile.fit.date, profile.nearest]))
    return "\n".join(lines) + "\n"


def _constants() -> str:
    from scalewall.planner.constants import constants

    lines = [
        "\n## Constants that all profiles share\n",
        _row(["Constant", "Value", "Unit", "Kind", "Source", "Note"]),
        _row(["---", "---:", "---", "---", "---", "---"]),
    ]
    for one in constants().values():
        lines.append(_row([one.name, f"{one.value:g}", one.unit, one.kind, one.source, one.note]))
    return "\n".join(lines) + "\n"


def _machines() -> str:
    from scalewall.planner.device_data import device_figures

    lines = [
        "\n## What machines reach\n",
        _row(["Figure", "Value", "Kind", "Source", "Note"]),
        _row(["---"] * 5),
    ]
    lines += [_row([one.name, one.value, one.kind, one.source, one.note]) for one in device_figures()]
    return "\n".join(lines) + "\n"


def _refused(validation: Validation) -> str:
    reasons: dict[str, int] = {}
    for row in validation.rows:
        if row.reason:
            reasons[row.reason] = reasons.get(row.reason, 0) + 1
    lines = ["\n## Rows without a prediction\n", _row(["Reason", "Rows"]), _row(["---", "---:"])]
    lines += [_row([reason.replace("|", "/"), str(count)]) for reason, count in sorted(reasons.items())]
    return "\n".join(lines) + "\n"
