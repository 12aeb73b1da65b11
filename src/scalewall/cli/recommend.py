"""``scalewall recommend``: how many accelerators a run needs to finish in time."""

from __future__ import annotations

from datetime import date
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scalewall.cli import planner_options as options
from scalewall.cli.cost import Price, price_changes
from scalewall.cli.flags import command_line, note_compiling, overrides_of, print_warnings
from scalewall.cli.output_files import check_files
from scalewall.cli.plan import Bound, Failures, Machines
from scalewall.cli.planner_inputs import named
from scalewall.cli.progress import status_line
from scalewall.errors import InputError

if TYPE_CHECKING:
    from scalewall.planner.recommend import Recommendation

__all__ = ["recommend"]

_EXAMPLES = """\b
Examples:
  scalewall recommend --model llama3-70b --machine h100 --global-batch 2048 --seq 8192 --tokens 15e12 --days 60
  scalewall recommend --model deepseek-v3 --machine h800 b200 --global-batch 15360 --seq 4096 --tokens 14.8e12 \\
      --by 2027-06-30 --start 2027-04-01 --aim cost
"""

Day = Annotated[str | None, typer.Option("--by", help="Date by which the run must finish, YYYY-MM-DD.")]


def recommend(
    model: options.Model,
    machine: Machines,
    global_batch: options.GlobalBatch,
    seq: options.Seq,
    tokens: Annotated[float, typer.Option("--tokens", help="Tokens to train.")],
    days: Annotated[float | None, typer.Option("--days", help="Days in which the run must finish.")] = None,
    by: Day = None,
    start: Annotated[
        str | None, typer.Option("--start", help="Date the run starts (default: today).")
    ] = None,
    aim: Annotated[str, typer.Option("--aim", help="gpus: the fewest; cost: the least money.")] = "gpus",
    max_gpus: Annotated[int, typer.Option("--max-gpus", help="Most accelerators to try.")] = 1_000_000,
    bound: Bound = None,
    precision: options.Precision = "bf16",
    profile: options.ProfileName = "",
    dispatcher: options.Dispatcher = "all-to-all",
    expert_overlap: options.ExpertOverlap = False,
    graphs: options.Graphs = "none",
    measured: options.Measured = None,
    set_: options.Set = None,
    price: Price = None,
    ideal: Annotated[bool, typer.Option("--ideal", help="Software costs nothing: physics alone.")] = False,
    failures: Failures = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    csv: Annotated[Path | None, typer.Option("--csv", help="Write what was tried, one count a row.")] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw accelerators against days: .html, .png, .svg or .pdf.")
    ] = None,
) -> None:
    """Recommend how many accelerators to take, and with which layout: the fewest or cheapest that finish in time."""
    from scalewall.planner.planning import question_of
    from scalewall.planner.recommend import recommend as find
    from scalewall.report import units
    from scalewall.report.plots import PLOT_SUFFIXES

    check_files((("--csv", csv, (".csv",)), ("--plot", plot, PLOT_SUFFIXES)))
    within, note = _days(days, by, start)
    note_compiling("evaluate_row")
    found = []
    with named(), status_line() as show:
        for name in machine:
            question = question_of(
                model,
                name,
                1,
                global_batch,
                seq,
                tokens=tokens,
                bounds=bound or [],
                precision=precision,  # type: ignore[arg-type]
                profile=profile,
                dispatcher=dispatcher,  # type: ignore[arg-type]
                expert_overlap=expert_overlap,
                graphs=graphs,  # type: ignore[arg-type]
                measured=measured,
                overrides=overrides_of(set_ or []),
                prices=price_changes(price or []),
                ideal=ideal,
                failures=failures,
            )
            device = question.run.device.name

            def trying(ranks: int, device: str = device) -> None:
                show(f"{units.count(ranks)} {device} ...")

            found.append(find(question, within, aim, max_gpus, trying))  # type: ignore[arg-type]
    print_warnings(warning for one in found for warning in one.warnings)
    if csv:
        _write(csv, found)
    if plot:
        from scalewall.report.choice_charts import save_recommendations

        save_recommendations(found, plot, command_line())
        typer.echo(f"Wrote {plot}", err=True)
    if json:
        from scalewall.report.records import json_text

        documents = [one.to_json() for one in found]
        typer.echo(json_text(documents if len(found) > 1 else documents[0]), nl=False)
    elif not csv:
        _print(found, note)


recommend.__doc__ = f"{cleandoc(str(recommend.__doc__))}\n\n{_EXAMPLES}"


def _days(days: float | None, by: str | None, start: str | None) -> tuple[float, str]:
    """Return the days that a run may take, and what that assumes."""
    if (days is None) == (by is None):
        raise InputError("--days", days, "either --days or --by", ["60"])
    if days is not None:
        if start is not None:
            raise InputError("--start", start, "no start beside --days")
        return days, ""
    begins = _date("--start", start) if start else date.today()
    left = (_date("--by", str(by)) - begins).days
    if left < 1:
        raise InputError("--by", by, f"a date after the start, {begins.isoformat()}")
    return float(left), f"the run starts on {begins.isoformat()}"


def _date(option: str, text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InputError(option, text, "a date such as 2027-06-30") from None


def _write(path: Path, found: list[Recommendation]) -> None:
    from scalewall.report.files import RowWriter
    from scalewall.report.plan_records import OFFER_COLUMNS, offer_rows

    with RowWriter(path, OFFER_COLUMNS) as writer:
        for row in offer_rows(found):
            writer.write(row)
    typer.echo(f"Wrote {path}", err=True)


def _print(found: list[Recommendation], note: str) -> None:
    from rich.console import Console

    from scalewall.report.ranking_tables import offers_table

    console = Console()
    for one in found:
        console.print(offers_table(one))
    notes = [*([note] if note else []), *(note for one in found for note in one.assumptions)]
    for line in dict.fromkeys(notes):
        console.print(f"Assumed: {line}.", style="dim", highlight=False)
