"""``scalewall forecast``: when frontier training runs reach the limits of a machine and its successors."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scalewall.cli import limits_options as options
from scalewall.cli.flags import command_line, note_compiling, print_warnings
from scalewall.cli.output_files import check_files
from scalewall.cli.progress import progress_bar
from scalewall.cli.scenario import study_of
from scalewall.errors import InputError

if TYPE_CHECKING:
    from scalewall.study.forecast import Forecast
    from scalewall.study.forecast_question import ForecastStudy

__all__ = ["forecast"]

_EXAMPLES = """\b
Examples:
  scalewall forecast
  scalewall forecast --machine h100 gb200-nvl72 --plot forecast.html
  scalewall forecast --growth article --start article --generations 0
  scalewall forecast --growth 3:6 --start 5e26@2025-07 --months 6
  scalewall forecast --rate slow_network=1.6 --rate latency=0.9 --json
"""

_SINCE, _SPREAD = 2018.0, 1.5

Growth = Annotated[
    str,
    typer.Option(
        "--growth", help="fit (to the table of runs), article (4 to 5), or times a year: 4.5 or 4:5."
    ),
]
Since = Annotated[float, typer.Option("--since", help="First year of the runs that growth is fitted to.")]
StartAt = Annotated[
    str,
    typer.Option(
        "--start", help="largest (known run), trend (fitted line), article, or FLOP@DATE: 5e26@2025-07."
    ),
]
StartSpread = Annotated[
    float,
    typer.Option("--start-spread", help="Factor by which the start may be off (one deviation); 1: certain."),
]
Rate = Annotated[
    list[str] | None,
    typer.Option(
        "--rate",
        help="NAME=FACTOR a year: compute, memory_bandwidth, memory_capacity, fast_network, slow_network, latency, "
        "domain (default: the catalogue's V100 to B200; latency, domain 1).",
    ),
]
GenerationYears = Annotated[
    float | None,
    typer.Option("--generation-years", help="Years from a machine to its successor (default 2.3)."),
]
Generations = Annotated[
    int, typer.Option("--generations", help="Successors at most, 0 to 8; 0: the machine stays.")
]
Lag = Annotated[float, typer.Option("--lag", help="Years from a machine's release to frontier runs on it.")]
Samples = Annotated[int, typer.Option("--samples", help="Draws.")]
Worlds = Annotated[
    int | None,
    typer.Option(
        "--worlds", help="Sampled laws and figures (default 32; none with --reference); 0: as they stand."
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="The same seed makes the same draws.")]
Now = Annotated[str | None, typer.Option("--now", help="Date that years are counted from (default today).")]
Csv = Annotated[
    Path | None, typer.Option("--csv", help="Write the distributions, one share of the draws a row.")
]


def forecast(
    machine: options.Machine = None,
    growth: Growth = "fit",
    since: Since = _SINCE,
    start: StartAt = "largest",
    start_spread: StartSpread = _SPREAD,
    rate: Rate = None,
    generation_years: GenerationYears = None,
    generations: Generations = 8,
    lag: Lag = 1.25,
    samples: Samples = 4000,
    worlds: Worlds = None,
    seed: Seed = 0,
    now: Now = None,
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
    scenario: options.Scenario = None,
    json: options.Json = False,
    csv: Csv = None,
    output: options.Output = None,
    plot: options.Plot = None,
) -> None:
    """Print when frontier training runs stop being efficient, and when none finishes, as distributions of dates.

    Compute grows from the largest known run on; machines come in generations that improve at stated rates.
    """
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
    limits = study_of(scenario, given, grid, set_)
    from scalewall.study.forecast_question import forecast_question

    study = forecast_question(
        limits,
        growth=growth,
        since=since,
        start=start,
        start_spread=start_spread,
        rates=_rates(rate or ()),
        generation_years=generation_years,
        generations=generations,
        lag_years=lag,
        samples=samples,
        worlds=worlds,
        seed=seed,
        now=now,
    )
    from scalewall.report.plots import PLOT_SUFFIXES

    idle = _idle(growth, since, start, start_spread, rate, generation_years, generations)
    check_files((("--csv", csv, ()), ("--output", output, ()), ("--plot", plot, PLOT_SUFFIXES)))
    found = _run(study)
    _write(found, csv, output, plot)
    if json:
        from scalewall.report.forecast_records import forecast_json
        from scalewall.report.records import json_text

        print_warnings((*idle, *found.warnings))
        typer.echo(json_text(forecast_json(found)), nl=False)
    else:
        _print(found, idle)


forecast.__doc__ = f"{cleandoc(str(forecast.__doc__))}\n\n{_EXAMPLES}"


def _idle(
    growth: str,
    since: float,
    start: str,
    spread: float,
    rate: Sequence[str] | None,
    years: float | None,
    generations: int,
) -> list[str]:
    """Return options that were given and have no effect, a sentence each."""
    found = []
    if growth != "fit" and since != _SINCE:
        found.append("--since has no effect: growth is not fitted.")
    if start == "trend" and spread != _SPREAD:
        found.append("--start-spread has no effect: the fit says how sure its line is.")
    if generations == 0:
        found += [
            f"{option} has no effect without generations."
            for option, given in (("--rate", rate), ("--generation-years", years))
            if given
        ]
    return found


def _rates(settings: Sequence[str]) -> dict[str, float]:
    """Return ``--rate NAME=FACTOR`` options as a mapping."""
    found = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        try:
            found[name.strip()] = float(text)
        except ValueError:
            equals = ""
        if not equals:
            raise InputError("--rate", setting, "NAME=FACTOR, such as slow_network=1.5", ["slow_network=1.5"])
    return found


def _run(study: ForecastStudy) -> Forecast:
    from scalewall.study.forecast import forecast_of

    note_compiling(f"{study.limits.search}_search")
    with progress_bar() as show:
        return forecast_of(study, show)


def _write(found: Forecast, csv: Path | None, output: Path | None, plot: Path | None) -> None:
    from scalewall.report.files import RowWriter, write_text
    from scalewall.report.forecast_records import FORECAST_COLUMNS, forecast_json, forecast_rows
    from scalewall.report.records import json_text

    if csv:
        with RowWriter(csv, FORECAST_COLUMNS) as rows:
            for row in forecast_rows(found):
                rows.write(row)
    if output:
        write_text(output, json_text(forecast_json(found)))
    if plot:
        from scalewall.report.forecast_files import save_forecast

        save_forecast(found, plot, command_line())


def _print(found: Forecast, idle: Sequence[str]) -> None:
    """Print the answer in words, the dates, the machines behind them, the way from the published date."""
    from rich.console import Console

    from scalewall.report.forecast_tables import dates_table, generations_table, steps_table
    from scalewall.report.forecast_words import finding

    console = Console()
    for one in found.machines:
        console.print(finding(found, one), highlight=False, markup=False)
        console.print()
    console.print(dates_table(found))
    console.print()
    console.print(generations_table(found))
    for one in found.machines:
        console.print()
        console.print(steps_table(found, one))
    for warning in (*idle, *found.warnings):
        console.print(f"Warning: {warning}", style="dim", highlight=False, markup=False)
