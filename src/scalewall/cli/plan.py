"""``scalewall plan``: the best layouts of a run, why, and how to run them."""

from __future__ import annotations

from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scalewall.cli import planner_options as options
from scalewall.cli.cost import Price, price_changes
from scalewall.cli.flags import command_line, complete_machine, note_compiling, overrides_of, print_warnings
from scalewall.cli.output_files import check_files
from scalewall.cli.plan_outputs import Export, Plot, Timeline, exported, print_export, write_pictures
from scalewall.cli.planner_inputs import named
from scalewall.cli.progress import progress_bar
from scalewall.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from scalewall.planner.plan import PlanResult, PlanResults, RankedPlan
    from scalewall.report.table import TableView

__all__ = ["Bound", "Failures", "Machines", "Objective", "Top", "plan"]

NOTHING_FITS = 1
"""Exit code if no plan fits on any machine."""

_CONTINUED = " \\\n"
"""Between two lines that a shell reads as one."""

_EXAMPLES = """\b
Examples:
  scalewall plan --model llama3-70b --machine h100 --gpus 1024 --global-batch 2048 --seq 8192 --tokens 15e12
  scalewall plan --model path/to/config.json --machine h100 b200 gb200-nvl72 --gpus 1024 \\
      --global-batch 2048 --seq 8192 --csv plans.csv
  scalewall plan --model gpt3-175b --machine a100-80gb --gpus 512 --global-batch 1536 --seq 2048 \\
      --bound tp=8 --bound pp=:16 --bound recompute=none,full --objective memory
  scalewall plan --model llama3-70b --machine h100 --gpus 1024 --global-batch 2048 --seq 8192 --export megatron
"""

Machines = Annotated[
    list[str],
    typer.Option("--machine", help="Machines of the catalogue or files.", autocompletion=complete_machine),
]
Gpus = Annotated[list[int], typer.Option("--gpus", help="Accelerators, all used; several counts compare.")]
Bound = Annotated[
    list[str] | None,
    typer.Option(
        "--bound",
        help="NAME=VALUE, NAME=A,B or NAME=LOW:HIGH for tp, cp, pp, dp, ep, etp, chunks, microbatch, shard_ranks, "
        "schedule, sharding, recompute.",
    ),
]
Objective = Annotated[
    str,
    typer.Option("--objective", help="throughput, cost, or memory (most left within 5 % of the fastest)."),
]
Failures = Annotated[
    bool, typer.Option("--failures", help="Count failures, checkpoints and restarts into days and cost.")
]
Top = Annotated[int, typer.Option("--top", help="Plans to rank.")]


def plan(
    model: options.Model,
    machine: Machines,
    gpus: Gpus,
    global_batch: options.GlobalBatch,
    seq: options.Seq,
    tokens: Annotated[float | None, typer.Option("--tokens", help="Tokens to train: days and cost.")] = None,
    bound: Bound = None,
    objective: Objective = "throughput",
    top: Top = 10,
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
    export: Export = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    csv: Annotated[Path | None, typer.Option("--csv", help="Write all ranked plans, one a row.")] = None,
    plot: Plot = None,
    timeline: Timeline = None,
) -> None:
    """Find the best layouts of a run: ranked, with what binds, what would help, and the flags to run the best one.

    The search is exact over a stated space of tensor, context, expert, pipeline and data parallelism, virtual stages,
    schedule, sharding, microbatch and recomputation.
    """
    from scalewall.planner.planning import plan as find_plans
    from scalewall.report.plots import PLOT_SUFFIXES

    check_files(
        (("--csv", csv, (".csv",)), ("--plot", plot, PLOT_SUFFIXES), ("--timeline", timeline, PLOT_SUFFIXES))
    )
    several = len(machine) * len(gpus) > 1
    if several:
        for option, given in (("--export", export), ("--timeline", timeline)):
            if given is not None:
                raise InputError(option, str(given), "one machine and one number of accelerators")
    note_compiling("evaluate_row")
    with named(), progress_bar() as bar:
        results: PlanResults = find_plans(  # type: ignore[assignment]
            model,
            machine,
            gpus,
            global_batch,
            seq,
            progress=bar,
            tokens=tokens,
            bounds=bound or [],
            objective=objective,
            top=top,
            precision=precision,
            profile=profile,
            dispatcher=dispatcher,
            expert_overlap=expert_overlap,
            graphs=graphs,
            measured=measured,
            overrides=overrides_of(set_ or []),
            prices=price_changes(price or []),
            ideal=ideal,
            failures=failures,
        )
    print_warnings([*(warning for result in results for warning in result.warnings), *_too_good(results)])
    if csv:
        _write(csv, results)
    first = results[0]
    if several and plot:
        from scalewall.report.choice_charts import save_comparison

        save_comparison(results, plot, command_line())
        typer.echo(f"Wrote {plot}", err=True)
    elif first.best and (plot or timeline):
        from scalewall.report.ranking_tables import excluded_table, ranking_table

        write_pictures(
            first.best.estimate, plot, timeline, first.front, (ranking_table(first), excluded_table(first))
        )
    elif plot or timeline:
        print_warnings(f"nothing fits: {path} is not written" for path in (plot, timeline) if path)
    if export and first.best:
        written = exported(export, first.question.run, first.best.layout, first.question.profile)
        assert written is not None
        print_export(written)
    elif json:
        from scalewall.report.records import json_text

        documents = results.to_json()
        typer.echo(json_text(documents if several else documents[0]), nl=False)
    elif not csv:
        _print(results)
    if not any(result.plans for result in results):
        raise typer.Exit(NOTHING_FITS)


plan.__doc__ = f"{cleandoc(str(plan.__doc__))}\n\n{_EXAMPLES}"


def _too_good(results: PlanResults) -> list[str]:
    """Say of each machine whose best plan beats everything that was published that no search is to be trusted there."""
    from scalewall.validation.best_published import best_published

    highest: dict[str, RankedPlan] = {}
    for result in results:
        if result.best and not result.question.ideal:
            name = result.question.run.device.name
            highest[name] = max(
                highest.get(name, result.best), result.best, key=lambda plan: plan.estimate.mfu
            )
    found = []
    for name, plan in highest.items():
        known, mfu = best_published(plan.estimate.run), plan.estimate.mfu
        if known and mfu > known.mfu:
            found.append(
                f"{100 * mfu:.1f} % MFU is more than any published run of the kind on {name}: {100 * known.mfu:.1f} % "
                f"({known.model} on {known.ranks}, {known.reference})"
            )
    return found


def _write(path: Path, results: PlanResults) -> None:
    from scalewall.report.files import RowWriter
    from scalewall.report.plan_records import plan_columns, plan_rows

    with RowWriter(path, plan_columns(results)) as writer:
        for row in plan_rows(results):
            writer.write(row)
    typer.echo(f"Wrote {path}", err=True)


def _print(results: PlanResults) -> None:
    from rich.console import Console

    from scalewall.report.ranking_tables import comparison_table, relief_table

    console = Console()
    if len(results) > 1:
        console.print(comparison_table(results))
        for result in results:
            if not result.plans:
                console.print(relief_table(result))
    else:
        _print_one(results[0], console)
    for note in dict.fromkeys(note for result in results for note in result.assumptions):
        console.print(f"Assumed: {note}.", style="dim", highlight=False)


def _print_one(result: PlanResult, console: Console) -> None:
    """Print one answer: the ranking, the whole run, what binds and helps, the front, what was left out, the flags."""
    from scalewall.planner.explain import explain_estimate
    from scalewall.report.explain_tables import helps_table, verdict
    from scalewall.report.ranking_tables import (
        excluded_table,
        front_table,
        ranking_table,
        relief_table,
        training_table,
    )

    if not result.best:
        _show(console, relief_table(result))
        _show(console, excluded_table(result))
        return
    _show(console, ranking_table(result))
    if result.best.training:
        _show(console, training_table(result))
    explained = explain_estimate(result.best.estimate)
    for sentence in verdict(explained):
        console.print(sentence, highlight=False)
    console.print()
    _show(console, helps_table(explained))
    _show(console, front_table(result))
    _show(console, excluded_table(result))
    flags = exported("megatron", result.question.run, result.best.layout, result.question.profile)
    if flags:
        console.print("The best plan for Megatron-LM (--export has other frameworks)", style="bold")
        console.print(_packed(flags.text, console.width), highlight=False, markup=False, soft_wrap=True)
        for note in flags.notes:
            words = f"{note.knob}: {note.words}" if note.knob else note.words
            console.print(f"Megatron-LM: {words}.", style="dim", highlight=False, markup=False)


def _show(console: Console, table: TableView) -> None:
    """Print a table, and an empty line after its notes; a table without notes ends in one."""
    console.print(table)
    if table.notes:
        console.print()


def _packed(arguments: str, width: int) -> str:
    """Return arguments, one a line, as few lines that a shell reads as one; none is broken."""
    lines: list[str] = []
    for argument in arguments.strip().split(_CONTINUED):
        if lines and len(lines[-1]) + len(argument) + len(_CONTINUED) <= width:
            lines[-1] += f" {argument}"
        else:
            lines.append(argument)
    return _CONTINUED.join(lines)
