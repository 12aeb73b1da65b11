"""``scalewall explain``: why one given layout takes what it takes, and what would change that."""

from __future__ import annotations

from inspect import cleandoc
from typing import TYPE_CHECKING, Annotated

import typer

from scalewall.cli import framework_inputs as frameworks
from scalewall.cli import planner_options as options
from scalewall.cli.flags import print_warnings
from scalewall.cli.plan_outputs import (
    Export,
    Plot,
    Timeline,
    check_pictures,
    exported,
    print_export,
    write_pictures,
)
from scalewall.cli.planner_inputs import PlannerOptions, ask

if TYPE_CHECKING:
    from scalewall.cli.planner_inputs import Asked
    from scalewall.planner.explain import Explanation

__all__ = ["explain"]

SCHEMA_VERSION = 1
"""Version of the JSON shape; goes up when a key is renamed, removed or changes its meaning."""

_EXAMPLES = """\b
Examples:
  scalewall explain --model llama3-70b --machine h100 --torchtitan-file train.toml --plot why.html
  scalewall explain --model llama3-70b --machine h100 --gpus 64 --global-batch 128 --seq 8192 \\
      --tp 4 --cp 2 --pp 4 --chunks 5
  scalewall explain --model deepseek-v3 --machine gb200-nvl72 --gpus 256 --global-batch 4096 --seq 4096 \\
      --pp 4 --chunks 4 --ep 64 --precision mxfp8 --dispatcher hybridep --json
"""


def explain(
    ctx: typer.Context,
    model: options.Model,
    machine: options.Machine,
    gpus: options.GpusOrPlan = None,
    global_batch: options.GlobalBatchOrPlan = None,
    seq: options.SeqOrPlan = None,
    tp: options.Tp = 1,
    cp: options.Cp = 1,
    pp: options.Pp = 1,
    ep: options.Ep = 1,
    etp: options.Etp = 1,
    chunks: options.Chunks = 1,
    microbatch: options.Microbatch = 1,
    schedule: options.Schedule = "1f1b",
    sharding: options.Sharding = "optimizer",
    recompute: options.Recompute = "none",
    recompute_modules: options.Modules = "",
    precision: options.Precision = "bf16",
    profile: options.ProfileName = "",
    dispatcher: options.Dispatcher = "all-to-all",
    expert_overlap: options.ExpertOverlap = False,
    graphs: options.Graphs = "none",
    sequence_parallel: options.SequenceParallel = True,
    shard_ranks: options.ShardRanks = 0,
    offloaded_layers: options.OffloadedLayers = 0,
    measured: options.Measured = None,
    set_: options.Set = None,
    megatron_args: frameworks.MegatronArgs = None,
    nemo_overrides: frameworks.NemoFile = None,
    torchtitan_file: frameworks.TorchtitanFile = None,
    deepspeed_file: frameworks.DeepspeedFile = None,
    export: Export = None,
    plot: Plot = None,
    timeline: Timeline = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Explain one given layout: its step from the arithmetic up, what binds it, what one change would buy."""
    from scalewall.planner.explain import explain as explain_layout

    check_pictures(plot, timeline)
    given = PlannerOptions(
        model=model,
        machine=machine,
        gpus=gpus,
        global_batch=global_batch,
        sequence=seq,
        tp=tp,
        cp=cp,
        pp=pp,
        ep=ep,
        etp=etp,
        chunks=chunks,
        microbatch=microbatch,
        schedule=schedule,
        sharding=sharding,
        recompute=recompute,
        modules=recompute_modules,
        precision=precision,
        profile=profile,
        sequence_parallel=sequence_parallel,
        shard_ranks=shard_ranks,
        offloaded_layers=offloaded_layers,
        settings=set_ or [],
        dispatcher=dispatcher,
        expert_overlap=expert_overlap,
        graphs=graphs,
        measured=measured,
    )
    sources = frameworks.Sources(megatron_args, nemo_overrides, torchtitan_file, deepspeed_file)
    asked = ask(frameworks.with_framework(ctx, given, sources))
    written = exported(export, asked.run, asked.layout, asked.profile)
    explained = explain_layout(asked.run, asked.layout, asked.profile)
    write_pictures(explained.answer, plot, timeline)
    if json:
        from scalewall.report.records import json_text

        typer.echo(json_text(_document(asked, explained) | {"export": written}), nl=False)
        return
    if written:
        print_warnings(asked.warnings)
        print_export(written)
        return
    _print(asked, explained)


explain.__doc__ = f"{cleandoc(str(explain.__doc__))}\n\n{_EXAMPLES}"


def _document(asked: Asked, explained: Explanation) -> dict[str, object]:
    from scalewall._version import __version__
    from scalewall.report.explain_tables import explanation_record

    return {
        "schema_version": SCHEMA_VERSION,
        "version": __version__,
        "model": asked.run.model.name,
        "machine": asked.run.device.name,
        "layout": asked.layout,
        "profile": asked.profile.name,
        "step_seconds": explained.answer.step.seconds,
        "fit": explained.answer.fit,
        **explanation_record(explained),
        "assumptions": asked.assumptions,
        "warnings": asked.warnings,
    }


def _print(asked: Asked, explained: Explanation) -> None:
    from rich.console import Console

    from scalewall.report.estimate_tables import answer_table
    from scalewall.report.explain_tables import (
        helps_table,
        moves_table,
        sensitivity_table,
        verdict,
        waterfall_table,
    )

    console = Console()
    console.print(answer_table(explained.answer))
    console.print(waterfall_table(explained))
    for line in verdict(explained):
        console.print(line, highlight=False)
    console.print()
    for table in (sensitivity_table, moves_table, helps_table):
        console.print(table(explained))
    for note in asked.assumptions:
        console.print(f"Assumed: {note}.", style="dim", highlight=False)
    for warning in asked.warnings:
        console.print(f"Warning: {warning}.", style="yellow", highlight=False)
