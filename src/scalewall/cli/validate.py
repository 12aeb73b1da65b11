"""``scalewall validate``: the planner against published, measured runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scalewall.cli.output_files import check_files
from scalewall.cli.progress import progress_bar
from scalewall.errors import InputError

if TYPE_CHECKING:
    from scalewall.report.table import TableView
    from scalewall.validation.planner_validation import RunRow, Validation

__all__ = ["validate"]

SCHEMA_VERSION = 1
"""Version of the JSON shape; goes up when a key is renamed, removed or changes its meaning."""
LARGEST_FILE = 100_000_000
"""Bytes of the largest file of runs that is read."""

_EXAMPLES = """\b
Examples:
  scalewall validate
  scalewall validate --refit --rows
  scalewall validate --runs runs.jsonl --json
  scalewall validate --plot predicted.png
"""


def validate(
    runs: Annotated[
        Path | None,
        typer.Option("--runs", help="Runs to predict instead of our own, one flat JSON object a line."),
    ] = None,
    refit: Annotated[
        bool, typer.Option("--refit", help="Fit the profiles' constants to our core runs first.")
    ] = False,
    write_profiles: Annotated[
        Path | None, typer.Option("--write-profiles", help="With --refit: write the profiles to this TOML.")
    ] = None,
    rows: Annotated[bool, typer.Option("--rows", help="Print every run.")] = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Predicted against published: html, png, svg or pdf.")
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the page docs/planner-validation.md.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON, one object a run.")] = False,
) -> None:
    """Predict published runs with the planner and print how far off it is, fitted and leaving sources out."""
    from scalewall.report.plots import PLOT_SUFFIXES

    check_files((("--plot", plot, PLOT_SUFFIXES), ("--write-profiles", write_profiles, (".toml",))))
    if write_profiles and not refit:
        raise InputError("--write-profiles", str(write_profiles), "beside --refit", ["--refit"])
    if runs and (refit or markdown):
        raise InputError("--runs", str(runs), "without --refit and --markdown, which use our own runs")
    if runs:
        _foreign(runs, rows, plot, json)
        return
    _own(refit, write_profiles, rows, plot, markdown, json)


validate.__doc__ = f"{cleandoc(str(validate.__doc__))}\n\n{_EXAMPLES}"


def _read(path: Path) -> str:
    if path.is_dir():
        raise InputError("--runs", str(path), "a file, and this is a folder")
    if not path.exists():
        raise InputError("--runs", str(path), "an existing file")
    if not path.is_file():
        raise InputError("--runs", str(path), "a regular file")
    if path.stat().st_size > LARGEST_FILE:
        raise InputError("--runs", str(path), f"a file of at most {LARGEST_FILE} bytes")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError("--runs", str(path), "a file of text in UTF-8") from error


def _foreign(path: Path, every_row: bool, plot: Path | None, json: bool) -> None:
    """Predict the runs of a file."""
    from scalewall.report.validation_tables import profiles_table, reasons_table
    from scalewall.validation.planner_validation import predict_rows
    from scalewall.validation.runs_import import import_runs

    found, _ = predict_rows(import_runs(_read(path)))
    _save_plot(found, plot)
    if json:
        _print_json(found, _plain_summary(found))
        return
    _print([profiles_table(found), reasons_table(found)], every_row=every_row, rows=found)


def _own(
    refit: bool, write_profiles: Path | None, rows: bool, plot: Path | None, markdown: bool, json: bool
) -> None:
    from datetime import UTC, datetime

    from scalewall.validation.planner_validation import validate_planner
    from scalewall.validation.runs import load_published

    with progress_bar() as progress:
        today = datetime.now(tz=UTC).date().isoformat()
        validation = validate_planner(load_published(), progress, refit=refit, date=today)
    if write_profiles:
        from scalewall.planner.profile_file import profiles_text
        from scalewall.report.files import write_text

        write_text(write_profiles, profiles_text(validation.profiles.values()))
    _save_plot(validation.core, plot)
    if json:
        _print_json(validation.rows, _summary(validation))
    elif markdown:
        from scalewall.cli.validation_page import validation_page

        typer.echo(validation_page(validation), nl=False)
    else:
        _print(_tables(validation), every_row=rows, rows=validation.rows)


def _tables(validation: Validation) -> list[TableView]:
    from scalewall.report.validation_tables import (
        groups_table,
        memory_table,
        refused_table,
        summary_table,
        too_large_table,
    )
    from scalewall.validation.planner_validation import MEMORY_JUDGED

    return [
        summary_table(validation),
        groups_table(validation, "source", lambda row: row.step.source),
        groups_table(validation, "accelerator", lambda row: row.machine),
        groups_table(validation, "precision", lambda row: row.precision),
        memory_table(validation.rows, MEMORY_JUDGED),
        too_large_table(validation.rows),
        refused_table([row for row in validation.rows if row.step.core]),
    ]


def _save_plot(rows: Sequence[RunRow], path: Path | None) -> None:
    if path:
        from scalewall.report.validation_figures import predicted_chart, save_chart

        save_chart(predicted_chart(rows), path)


def _print(tables: Sequence[TableView], *, every_row: bool, rows: Sequence[RunRow]) -> None:
    from rich.console import Console

    from scalewall.report.validation_tables import runs_table

    console = Console()
    for table in tables:
        if table.rows:
            console.print(table)
    if every_row:
        console.print(runs_table(rows))


def _record(row: RunRow) -> dict[str, object]:
    return {
        "id": row.step.id,
        "source": row.step.source,
        "reference": row.step.reference,
        "core": row.step.core,
        "published_step_s": row.step.step_seconds or None,
        "predicted_step_s": row.predicted,
        "left_out_step_s": row.left_out,
        "left_out_family_step_s": row.left_out_family,
        "published_memory_bytes": row.step.memory_bytes or None,
        "predicted_memory_bytes": row.memory,
        "memory_capacity_bytes": row.capacity,
        "memory_share": row.share_of_memory or None,
        "profile": row.profile or None,
        "profile_found_by": row.found or None,
        "constants_left_out": row.lent or None,
        "assumed": list(row.step.assumed),
        "reason": row.reason or None,
    }


def _print_json(rows: Sequence[RunRow], summary: dict[str, object]) -> None:
    from scalewall._version import __version__
    from scalewall.report.records import json_text

    document = {
        "schema_version": SCHEMA_VERSION,
        "version": __version__,
        "rows": [_record(row) for row in rows],
        "summary": summary,
    }
    typer.echo(json_text(document), nl=False)


def _plain_summary(rows: Sequence[RunRow]) -> dict[str, object]:
    from scalewall.validation.planner_scores import score

    errors = [error for row in rows if (error := row.error(row.predicted)) is not None]
    found = score(errors)
    return {
        "rows": len(rows),
        "predicted": sum(row.predicted is not None for row in rows),
        "step_time": asdict(found) if found else None,
    }


def _summary(validation: Validation) -> dict[str, object]:
    from scalewall.validation.planner_scores import score

    core = validation.core
    kinds = {
        "all": core,
        "dense": [row for row in core if not row.step.experts],
        "experts": [row for row in core if row.step.experts],
    }
    summary: dict[str, object] = {
        "coverage": validation.coverage,
        "fitted_constants": validation.constants,
        "noise": validation.noise,
        "ordering": {
            name: {"pairs": one.pairs, "share": one.share} for name, one in validation.orderings.items()
        },
    }
    for name, members in kinds.items():
        summary[name] = {
            which: score(
                error for row in members if (error := row.error(getattr(row, attribute))) is not None
            )
            for which, attribute in (
                ("fitted", "predicted"),
                ("left_out_source", "left_out"),
                ("left_out_family", "left_out_family"),
            )
        }
    steps = {row.step.id: row.step.step_seconds for row in core}
    summary["constant_rate"] = {
        name: score(seconds / steps[key] - 1 for key, seconds in times.items() if key in steps)
        for name, times in validation.baseline.items()
    }
    return summary
