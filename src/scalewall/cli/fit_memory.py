"""``scalewall fit-memory``: whether one given layout fits, and what would make it fit."""

from __future__ import annotations

from inspect import cleandoc
from typing import Annotated

import typer

from scalewall.cli import framework_inputs as frameworks
from scalewall.cli import planner_options as options
from scalewall.cli.planner_inputs import PlannerOptions, ask

__all__ = ["fit_memory"]

SCHEMA_VERSION = 1
"""Version of the JSON shape; goes up when a key is renamed, removed or changes its meaning."""
DOES_NOT_FIT = 1
"""Exit code if the layout does not fit."""

_EXAMPLES = """\b
Examples:
  scalewall fit-memory --model llama3-70b --machine h100 --gpus 64 --global-batch 128 --seq 8192 --tp 8
  scalewall fit-memory --model llama3-70b --machine h100 --torchtitan-file train.toml
"""


def fit_memory(
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
    sequence_parallel: options.SequenceParallel = True,
    shard_ranks: options.ShardRanks = 0,
    offloaded_layers: options.OffloadedLayers = 0,
    set_: options.Set = None,
    megatron_args: frameworks.MegatronArgs = None,
    nemo_overrides: frameworks.NemoFile = None,
    torchtitan_file: frameworks.TorchtitanFile = None,
    deepspeed_file: frameworks.DeepspeedFile = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Ask only whether a layout fits: memory of every stage by term; exit code 1 if it does not."""
    from scalewall.planner.fixes import cheapest_fixes
    from scalewall.planner.memory import fit_of, stage_memory

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
    )
    sources = frameworks.Sources(megatron_args, nemo_overrides, torchtitan_file, deepspeed_file)
    asked = ask(frameworks.with_framework(ctx, given, sources))
    fit = fit_of(asked.run, asked.layout, asked.profile)
    stages = stage_memory(asked.run, asked.layout, asked.profile)
    fixes = [] if fit.fits else cheapest_fixes(asked.run, asked.layout, asked.profile)
    if json:
        from scalewall.report.records import json_text

        document = {
            "schema_version": SCHEMA_VERSION,
            "fits": fit.fits,
            "stage": fit.stage,
            "needed_bytes": fit.needed,
            "capacity_bytes": fit.capacity,
            "shortfall_bytes": fit.shortfall,
            "largest": fit.largest,
            "memory_bytes": [stage.total for stage in stages],
            "memory_terms": [stage.terms for stage in stages],
            "fixes": [
                {"change": fix.change, "needed": fix.needed, "slowdown": fix.slowdown} for fix in fixes
            ],
            "assumptions": asked.assumptions,
            "warnings": asked.warnings,
        }
        typer.echo(json_text(document), nl=False)
    else:
        from rich.console import Console

        from scalewall.report.estimate_tables import fixes_table, memory_table

        console = Console()
        console.print(memory_table(stages, fit))
        if not fit.fits:
            console.print(fixes_table(fixes))
        for note in asked.assumptions:
            console.print(f"Assumed: {note}.", style="dim", highlight=False)
        for warning in asked.warnings:
            console.print(f"Warning: {warning}.", style="yellow", highlight=False)
    if not fit.fits:
        raise typer.Exit(DOES_NOT_FIT)


fit_memory.__doc__ = f"{cleandoc(str(fit_memory.__doc__))}\n\n{_EXAMPLES}"
