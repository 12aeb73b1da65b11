"""``scalewall cost``: money and energy of training runs, from dated prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scalewall.cli import limits_options as options
from scalewall.cli.flags import command_line, note_compiling
from scalewall.cli.output_files import check_files
from scalewall.cli.progress import progress_bar
from scalewall.errors import InputError, check_finite

if TYPE_CHECKING:
    from scalewall.study.money import CostedRun

__all__ = ["Price", "cost", "price_changes"]

_EXAMPLES = """\b
Examples:
  scalewall cost --machine h100 --accelerators 16384 --days 54
  scalewall cost --machine h100 --flop 3.8e25 --utilization 0.4 --accelerators 16384
  scalewall cost --machine h100 b200 gb200-nvl72 --flop 1e27 --months 3
  scalewall cost --machine h100 --flop 1e26 --flop 1e27 --plot cost.png
  scalewall cost --machine h100 --accelerators 1000 --days 30 --price usd_per_hour=2 --price usd_per_kwh=0.05
"""

Price = Annotated[
    list[str] | None,
    typer.Option(
        "--price",
        help="NAME=VALUE: usd, usd_per_hour, watts, server_cost_ratio, interconnect_share, depreciation, "
        "server_power_ratio, average_draw, pue, usd_per_kwh.",
    ),
]
Flop = Annotated[
    list[float] | None, typer.Option("--flop", help="Training compute; alone: as its best plan takes it.")
]
Accelerators = Annotated[float | None, typer.Option("--accelerators", help="How many.")]
Days = Annotated[float | None, typer.Option("--days", help="How long they are busy.")]
Utilization = Annotated[
    float | None, typer.Option("--utilization", help="Share of the peak that a run reaches.")
]


def cost(
    machine: options.Machine = None,
    flop: Flop = None,
    accelerators: Accelerators = None,
    days: Days = None,
    utilization: Utilization = None,
    months: options.Months = None,
    model: options.Model = None,
    search: options.Search = None,
    precision: options.Precision = None,
    price: Price = None,
    json: options.Json = False,
    csv: Annotated[Path | None, typer.Option("--csv", help="Write one run a row.")] = None,
    output: options.Output = None,
    plot: options.Plot = None,
) -> None:
    """Print what runs cost and draw: rent, purchase, ownership, power, energy, each price with source and date.

    State a run by --accelerators and --days; by --flop, --utilization and one of the two; or by --flop alone, and
    the ideal model's best plan within --months says how many accelerators it takes and for how long.
    """
    from scalewall.report.plots import PLOT_SUFFIXES

    changes = price_changes(price or ())
    if days is not None:
        check_finite("--days", days, 1e-4, 1e6, "days")
    check_files((("--csv", csv, ()), ("--output", output, ()), ("--plot", plot, PLOT_SUFFIXES)))
    machines = tuple(machine or ("h100",))
    if accelerators is None and days is None and utilization is None:
        planned = {"months": months, "model": model, "search": search, "precision": precision}
        runs = _planned(machines, flop or (), {k: v for k, v in planned.items() if v is not None}, changes)
    else:
        _refuse_planning(months=months, model=model, search=search)
        runs = _stated(machines, flop or (), accelerators, days, utilization, precision or 16, changes)
    _write(runs, csv, output, plot)
    if json:
        typer.echo(_document(runs), nl=False)
    else:
        _print(runs)


cost.__doc__ = f"{cleandoc(str(cost.__doc__))}\n\n{_EXAMPLES}"


def price_changes(settings: Sequence[str]) -> dict[str, float]:
    """Return ``--price NAME=VALUE`` options as a mapping."""
    found = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        try:
            found[name.strip()] = float(text)
        except ValueError:
            equals = ""
        if not equals:
            raise InputError("--price", setting, "NAME=VALUE, such as usd_per_hour=2", ["usd_per_hour=2"])
    return found


def _planned(
    machines: Sequence[str],
    flop: Sequence[float],
    settings: Mapping[str, object],
    changes: Mapping[str, float],
) -> list[CostedRun]:
    """Return runs as the ideal model's best plans take them."""
    from scalewall.cost.money import prices_of
    from scalewall.ideal.limits import limits_of
    from scalewall.ideal.study import LimitsStudy
    from scalewall.study.money import costed_runs

    if not flop:
        raise InputError("--flop", None, "a run: --flop, or --accelerators and --days", ["--flop 1e27"])
    study = LimitsStudy(machines=tuple(machines), flop=tuple(flop), **settings)  # type: ignore[arg-type]
    for machine in study.machines:
        prices_of(machine, changes)
    note_compiling(f"{study.search}_search")
    found: list[CostedRun] = []
    with progress_bar() as show:
        for machine in study.machines:
            limits = limits_of(study, machine, lambda done, total, _, name=machine: show(name, done, total))  # type: ignore[misc]
            found += costed_runs(limits, changes)
    return found


def _stated(
    machines: Sequence[str],
    flop: Sequence[float],
    accelerators: float | None,
    days: float | None,
    utilization: float | None,
    precision: int,
    changes: Mapping[str, float],
) -> list[CostedRun]:
    """Return runs as the options state them."""
    from scalewall.report.units import DAY
    from scalewall.study.money import stated_run

    return [
        stated_run(
            machine,
            changes,
            accelerators=accelerators,
            seconds=None if days is None else days * DAY,
            training_flop=size,
            utilization=utilization,
            precision=precision,
        )
        for machine in machines
        for size in (flop or (None,))
    ]


def _refuse_planning(**given: object) -> None:
    """Refuse options that only a searched plan could use."""
    for name, value in given.items():
        if value is not None:
            allowed = "nothing, since the run is stated (by accelerators, days or utilization) and no plan is searched"
            raise InputError(f"--{name}", value, allowed)


def _document(runs: Sequence[CostedRun]) -> str:
    from scalewall._version import __version__
    from scalewall.report.money_tables import cost_rows, prices_json
    from scalewall.report.records import json_text

    prices = {run.machine: prices_json(run.prices) for run in runs}
    return json_text(
        {
            "schema_version": 1,
            "version": __version__,
            "runs": cost_rows(runs),
            "prices": list(prices.values()),
        }
    )


def _write(runs: Sequence[CostedRun], csv: Path | None, output: Path | None, plot: Path | None) -> None:
    from scalewall.report.files import RowWriter, write_text
    from scalewall.report.money_files import save_costs
    from scalewall.report.money_tables import COST_COLUMNS, cost_rows

    if csv:
        with RowWriter(csv, COST_COLUMNS) as rows:
            for row in cost_rows(runs):
                rows.write(row)
    if output:
        write_text(output, _document(runs))
    if plot:
        save_costs(runs, plot, command_line())


def _print(runs: Sequence[CostedRun]) -> None:
    from rich.console import Console

    from scalewall.report.money_tables import cost_table, power_table, prices_table

    console = Console()
    console.print(cost_table(runs))
    console.print()
    console.print(power_table(runs))
    for prices in {run.machine: run.prices for run in runs}.values():
        console.print()
        console.print(prices_table(prices))
    for run in runs:
        if run.reason:
            console.print(f"{run.machine}: {run.reason}.", style="dim", highlight=False, markup=False)
