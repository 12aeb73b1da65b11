"""The options of commands about one layout, and of those that search for it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scalewall.cli.flags import complete_machine
from scalewall.cli.models import complete_model

__all__ = [
    "Chunks",
    "Cp",
    "Dispatcher",
    "Ep",
    "Etp",
    "ExpertOverlap",
    "GlobalBatch",
    "GlobalBatchOrPlan",
    "GpusOrPlan",
    "Graphs",
    "Machine",
    "Measured",
    "Microbatch",
    "Model",
    "Modules",
    "OffloadedLayers",
    "Pp",
    "Precision",
    "ProfileName",
    "Recompute",
    "Schedule",
    "Seq",
    "SeqOrPlan",
    "SequenceParallel",
    "Set",
    "ShardRanks",
    "Sharding",
    "Tp",
]


def complete_profile(incomplete: str) -> list[str]:
    """Return the profiles that begin with what was typed, for the shell's completion."""
    from scalewall.planner.profile import profile_names

    return [name for name in profile_names() if name.startswith(incomplete)]


Model = Annotated[
    str,
    typer.Option(
        "--model", help="Name of the registry, config.json or its folder.", autocompletion=complete_model
    ),
]
Machine = Annotated[
    str,
    typer.Option("--machine", help="Machine of the catalogue or a file.", autocompletion=complete_machine),
]
GlobalBatch = Annotated[int, typer.Option("--global-batch", help="Sequences of a step.")]
Seq = Annotated[int, typer.Option("--seq", help="Tokens of a sequence.")]
GpusOrPlan = Annotated[
    int | None,
    typer.Option(
        "--gpus",
        help="Accelerators; what tp x cp x pp leave is data parallel. A framework's configuration may say how many.",
    ),
]
GlobalBatchOrPlan = Annotated[
    int | None, typer.Option("--global-batch", help="Sequences of a step; likewise.")
]
SeqOrPlan = Annotated[int | None, typer.Option("--seq", help="Tokens of a sequence; likewise.")]
Tp = Annotated[int, typer.Option("--tp", help="Tensor parallelism.")]
Cp = Annotated[int, typer.Option("--cp", help="Context parallelism.")]
Pp = Annotated[int, typer.Option("--pp", help="Pipeline stages.")]
Ep = Annotated[int, typer.Option("--ep", help="Expert parallelism.")]
Etp = Annotated[int, typer.Option("--etp", help="Tensor parallelism inside experts.")]
Chunks = Annotated[int, typer.Option("--chunks", help="Chunks of layers a stage (virtual stages).")]
Microbatch = Annotated[int, typer.Option("--microbatch", help="Sequences of a microbatch.")]
Schedule = Annotated[str, typer.Option("--schedule", help="1f1b, gpipe, zb-1p, zb-2p or dualpipe.")]
Sharding = Annotated[
    str,
    typer.Option(
        "--sharding", help="Split over data-parallel ranks: none, optimizer, gradients, parameters."
    ),
]
Recompute = Annotated[str, typer.Option("--recompute", help="none, selective or full.")]
Modules = Annotated[
    str,
    typer.Option("--recompute-modules", help="With selective: core_attn, mlp, moe, ... separated by commas."),
]
Precision = Annotated[
    str, typer.Option("--precision", help="bf16, fp8-delayed, fp8-current, mxfp8 or nvfp4.")
]
ProfileName = Annotated[
    str, typer.Option("--profile", help="Software: a profile's name.", autocompletion=complete_profile)
]
Dispatcher = Annotated[str, typer.Option("--dispatcher", help="all-to-all, deepep or hybridep.")]
ExpertOverlap = Annotated[
    bool, typer.Option("--expert-overlap", help="Exchange with experts beside another microbatch's compute.")
]
Graphs = Annotated[str, typer.Option("--graphs", help="CUDA graphs cover: none, router, partial or full.")]
Measured = Annotated[
    Path | None, typer.Option("--measured", help="TOML with measurements of your own cluster.")
]
SequenceParallel = Annotated[
    bool,
    typer.Option(
        "--sequence-parallel/--no-sequence-parallel",
        help="Split norms and residuals over tensor-parallel ranks.",
    ),
]
ShardRanks = Annotated[
    int,
    typer.Option("--shard-ranks", help="Data-parallel ranks that share one copy of what is split; 0: all."),
]
OffloadedLayers = Annotated[
    int, typer.Option("--offloaded-layers", help="Layers whose activations wait in the host's memory.")
]
Set = Annotated[list[str] | None, typer.Option("--set", help="PATH=VALUE: a machine figure in SI units.")]
