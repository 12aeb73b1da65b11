"""``scalewall estimate``: step time, memory and cost of one given layout."""

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
from scalewall.errors import check_finite

if TYPE_CHECKING:
    from scalewall.cli.planner_inputs import Asked
    from scalewall.cost.money import Prices, RunMoney
    from scalewall.planner.estimate import Estimate, Goodput
    from scalewall.planner.export import Exported

__all__ = ["estimate"]

SCHEMA_VERSION = 1
"""Version of the JSON shape; goes up when a key is renamed, removed or changes its meaning."""
_DAY = 86400.0

_EXAMPLES = """\b
Examples:
  scalewall estimate --model llama3-70b --machine h100 --gpus 64 --global-batch 128 --seq 8192 \\
      --tp 4 --cp 2 --pp 4 --chunks 5 --precision bf16
  scalewall estimate --model deepseek-v3 --machine gb200-nvl72 --gpus 256 --global-batch 4096 --seq 4096 \\
      --pp 4 --chunks 4 --ep 64 --precision mxfp8 --dispatcher hybridep --json
  scalewall estimate --model llama3-70b --machine h100 --gpus 64 \\
      --megatron-args "--tensor-model-parallel-size 8 --global-batch-size 128 --seq-length 8192"
"""


def estimate(
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
    tokens: Annotated[float | None, typer.Option("--tokens", help="Tokens to train: days and cost.")] = None,
    gpu_hour_usd: Annotated[
        float | None, typer.Option("--gpu-hour-usd", help="Price of an accelerator an hour.")
    ] = None,
    failures: Annotated[
        bool, typer.Option("--failures", help="Count failures, checkpoints and restarts into days and cost.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Estimate one given layout: step time with an interval, its parts, MFU and HFU, memory of every stage."""
    from scalewall.cost.money import prices_of
    from scalewall.planner.estimate import estimate as estimate_layout
    from scalewall.planner.estimate import goodput

    check_pictures(plot, timeline)
    if tokens is not None:
        check_finite("--tokens", tokens, 1, 1e18, "tokens")
    if gpu_hour_usd is not None:
        check_finite("--gpu-hour-usd", gpu_hour_usd, 1e-3, 1e6, "USD")
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
    answer = estimate_layout(asked.run, asked.layout, asked.profile)
    write_pictures(answer, plot, timeline)
    lost = goodput(asked.layout.ranks) if failures else None
    prices = prices_of(machine, {} if gpu_hour_usd is None else {"usd_per_hour": gpu_hour_usd})
    money = _training(answer, lost, tokens, prices)
    if json:
        from scalewall.report.records import json_text

        typer.echo(json_text(_document(asked, answer, lost, prices, money, written)), nl=False)
        return
    if written:
        print_warnings(asked.warnings)
        print_export(written)
        return
    _print(asked, answer, lost, prices, money)


estimate.__doc__ = f"{cleandoc(str(estimate.__doc__))}\n\n{_EXAMPLES}"


def _training(
    answer: Estimate, lost: Goodput | None, tokens: float | None, prices: Prices
) -> RunMoney | None:
    """Time, money and energy of a training run; None without tokens."""
    from scalewall.cost.money import run_money

    if tokens is None:
        return None
    seconds = answer.seconds_for(tokens) / (lost.share if lost else 1.0)
    return run_money(prices, answer.layout.ranks, seconds)


def _document(
    asked: Asked,
    answer: Estimate,
    lost: Goodput | None,
    prices: Prices,
    money: RunMoney | None,
    written: Exported | None,
) -> dict[str, object]:
    from scalewall._version import __version__
    from scalewall.planner.constants import constants
    from scalewall.planner.estimate import HFU_DEFINITION, MFU_DEFINITION
    from scalewall.planner.fixes import cheapest_fixes

    fixes = [] if answer.fit.fits else cheapest_fixes(asked.run, asked.layout, asked.profile)
    return {
        "schema_version": SCHEMA_VERSION,
        "version": __version__,
        "model": asked.run.model.name,
        "machine": asked.run.device.name,
        "layout": asked.layout,
        "profile": asked.profile.name,
        "step_seconds": answer.step.seconds,
        "step_seconds_low": answer.interval.low,
        "step_seconds_high": answer.interval.high,
        "interval_reasons": answer.interval.reasons,
        "tokens_per_second_per_gpu": answer.tokens_per_second,
        "model_flops_per_gpu": answer.flops,
        "mfu": answer.mfu,
        "hfu": answer.hfu,
        "mfu_definition": MFU_DEFINITION,
        "hfu_definition": HFU_DEFINITION,
        "microbatches": answer.step.microbatches,
        "breakdown": answer.step.parts,
        "memory_bytes": [stage.total for stage in answer.memory],
        "memory_terms": [stage.terms for stage in answer.memory],
        "fit": answer.fit,
        "shortfall_bytes": answer.fit.shortfall,
        "fixes": [{"change": fix.change, "needed": fix.needed, "slowdown": fix.slowdown} for fix in fixes],
        "failures": lost,
        "training": _training_record(prices, money),
        "export": written,
        "assumptions": {
            "notes": asked.assumptions,
            "warnings": asked.warnings,
            "profile": {
                "constants": dict(asked.profile.constants),
                "fitted": asked.profile.fitted,
                "fit": asked.profile.fit,
            },
            "constants": {name: constant.value for name, constant in constants().items()},
        },
    }


def _training_record(prices: Prices, money: RunMoney | None) -> dict[str, object] | None:
    from scalewall.report.money_tables import money_row, prices_words

    if money is None:
        return None
    return {
        "days": money.seconds / _DAY,
        "gpu_hours": money.accelerator_hours,
        "usd": money.usd,
        **money_row(prices, money),
        "usd_rests_on": prices_words(prices),
    }


def _print(
    asked: Asked, answer: Estimate, lost: Goodput | None, prices: Prices, money: RunMoney | None
) -> None:
    from rich.console import Console

    from scalewall.planner.fixes import cheapest_fixes
    from scalewall.report import units
    from scalewall.report.estimate_tables import answer_table, fixes_table, memory_table, time_table
    from scalewall.report.money_tables import energy, prices_words, usd

    extra = []
    if lost:
        extra.append(("time that counts, failures considered", units.percent(lost.share)))
        extra.append(("failures a day", f"{lost.failures_per_day:.2f}"))
    if money:
        extra.append(("days, failures considered" if lost else "days", f"{money.seconds / _DAY:.1f}"))
        extra.append(("accelerator-hours", units.count(round(money.accelerator_hours))))
        extra.append(("USD, owned" if money.rent_usd is None else "USD, rented", usd(money.usd)))
        extra.append(("energy", energy(money.energy_joules)))
    console = Console()
    console.print(answer_table(answer, extra))
    console.print(time_table(answer))
    console.print(memory_table(answer.memory, answer.fit))
    if not answer.fit.fits:
        console.print(fixes_table(cheapest_fixes(asked.run, asked.layout, asked.profile)))
    if money:
        console.print(prices_words(prices), style="dim", highlight=False)
    for note in asked.assumptions:
        console.print(f"Assumed: {note}.", style="dim", highlight=False)
    for warning in asked.warnings:
        console.print(f"Warning: {warning}.", style="yellow", highlight=False)
