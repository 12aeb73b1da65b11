"""``scalewall report``: the whole analysis of a question as one self-contained interactive page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scalewall.cli import limits_options as options
from scalewall.cli.cost import Price, price_changes
from scalewall.cli.flags import command_line, note_compiling
from scalewall.cli.output_files import check_files
from scalewall.cli.progress import progress_bar
from scalewall.cli.scenario import study_of
from scalewall.errors import unknown_name

if TYPE_CHECKING:
    from scalewall.ideal.study import LimitsStudy
    from scalewall.report.figures_report import Analysis

__all__ = ["report"]

_PARTS = ("levers", "uncertainty", "forecast", "money")
_WORLDS = 64
"""Sampled worlds of the part on uncertainty: `scalewall uncertainty` takes more."""
_EXAMPLES = """\b
Examples:
  scalewall report --out report.html
  scalewall report --machine h100 gb200-nvl72 --months 6 --out report.html
  scalewall report --scenario question.toml --without levers --out report.html
"""

Out = Annotated[Path, typer.Option("--out", help="The page (.html).")]
Without = Annotated[
    list[str] | None,
    typer.Option("--without", help="A part to leave out: levers, uncertainty, forecast or money."),
]
Now = Annotated[str | None, typer.Option("--now", help="Date that years are counted from (default today).")]

Show = Callable[[str, int, int], None]


def report(
    out: Out = Path("report.html"),
    machine: options.Machine = None,
    without: Without = None,
    model: options.Model = None,
    sparsity: options.Sparsity = None,
    months: options.Months = None,
    search: options.Search = None,
    batch_law: options.BatchLaw = None,
    depth_law: options.DepthLaw = None,
    data_law: options.DataLaw = None,
    precision: options.Precision = None,
    grid: options.Grid = None,
    threshold: options.Threshold = None,
    reference: options.Reference = None,
    set_: options.Set = None,
    price: Price = None,
    now: Now = None,
    scenario: options.Scenario = None,
    json: Annotated[bool, typer.Option("--json", help="Print everything on the page as JSON.")] = False,
) -> None:
    """Write one page that opens offline: question, answer in words, figures, tables, assumptions, sources, command.

    It holds the limits of each machine, what moves those of the first and how sure they are, when the frontier reaches
    them, and what runs cost.
    """
    parts = _parts(without or ())
    changes = price_changes(price or ())
    given = {
        "machines": tuple(machine) if machine else None,
        "model": model,
        "sparsity": sparsity,
        "months": months,
        "search": search,
        "batch_law": batch_law,
        "depth_law": depth_law,
        "data_law": data_law,
        "precision": precision,
        "threshold": threshold,
        "reference": reference,
    }
    study = study_of(scenario, given, grid, set_)
    check_files((("--out", out, (".html",)),))
    analysis = _analyse(study, parts, changes, now)
    from scalewall.report.figures_report import analysis_json, analysis_page
    from scalewall.report.files import write_text
    from scalewall.report.records import json_text

    write_text(out, analysis_page(analysis, command_line()))
    if json:
        typer.echo(json_text(analysis_json(analysis)), nl=False)
    else:
        _print(analysis, out)


report.__doc__ = f"{cleandoc(str(report.__doc__))}\n\n{_EXAMPLES}"


def _parts(without: Sequence[str]) -> tuple[str, ...]:
    for name in without:
        if name not in _PARTS:
            raise unknown_name("--without", name, _PARTS)
    return tuple(part for part in _PARTS if part not in without)


def _analyse(
    study: LimitsStudy, parts: Sequence[str], changes: dict[str, float], now: str | None
) -> Analysis:
    """Compute every part that is asked for, with a progress bar."""
    from scalewall.cost.money import prices_of
    from scalewall.ideal.limits import limits_of
    from scalewall.report.figures_report import Analysis
    from scalewall.study.forecast import forecast_of
    from scalewall.study.forecast_question import forecast_question
    from scalewall.study.forecast_worlds import uncertain_limits
    from scalewall.study.money import efficient_runs, telling_runs
    from scalewall.study.what_if import levers

    for machine in study.machines:
        prices_of(machine, changes)
    asked = forecast_question(study, now=now)
    note_compiling(f"{study.search}_search")
    with progress_bar() as show:
        limits = tuple(
            limits_of(study, name, lambda done, total, _, name=name: show(f"limits {name}", done, total))  # type: ignore[misc]
            for name in study.machines
        )
        first = replace(study, machines=study.machines[:1])
        return Analysis(
            study=study,
            limits=limits,
            levers=levers(first, progress=lambda _, done, total: show("levers", done, total))
            if "levers" in parts
            else None,
            uncertainty=uncertain_limits(
                first, _WORLDS, progress=lambda done, total: show("uncertainty", done, total)
            )
            if "uncertainty" in parts
            else None,
            forecast=forecast_of(asked, lambda name, done, total: show(f"forecast {name}", done, total))
            if "forecast" in parts
            else None,
            costs=tuple(run for one in limits for run in telling_runs(one, changes))
            if "money" in parts
            else (),
            drawn_costs=tuple(run for one in limits for run in efficient_runs(one, changes))
            if "money" in parts
            else (),
        )


def _print(analysis: Analysis, out: Path) -> None:
    from rich.console import Console

    from scalewall.report.figures_report import answer_words

    console = Console()
    for sentence in answer_words(analysis):
        console.print(sentence, highlight=False, markup=False)
    console.print(f"The page is {out}.", highlight=False, markup=False)
