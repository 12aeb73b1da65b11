"""The options of ``scalewall limits``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scalewall.cli.flags import complete_machine, law_completer
from scalewall.errors import InputError

__all__ = [
    "BatchAnchorFlop",
    "BatchAnchorTokens",
    "BatchExponent",
    "BatchFactor",
    "BatchLaw",
    "BatchTokens",
    "Bound",
    "CheckpointSeconds",
    "ClassicOrder",
    "Csv",
    "DataFactor",
    "DataLaw",
    "DepthAnchorLayers",
    "DepthExponent",
    "DepthFactor",
    "DepthLaw",
    "DomainFilling",
    "Failures",
    "Flop",
    "Grid",
    "Json",
    "LatencyModel",
    "Layers",
    "Machine",
    "Model",
    "Months",
    "OneMachine",
    "OptimizerCompute",
    "OptimizerWords",
    "Output",
    "OverlapData",
    "OverlapPoint",
    "OverlapTensor",
    "Plot",
    "Precision",
    "Recovery",
    "Reference",
    "RegroupSeconds",
    "RestartSeconds",
    "Rounding",
    "Save",
    "Scenario",
    "Schedule",
    "Search",
    "Set",
    "Sparsity",
    "SyncBits",
    "SyncSteps",
    "TensorLevels",
    "Threshold",
    "TokensPerParameter",
    "WidthLaw",
    "WidthRatio",
    "ZeroBubbleLatency",
    "parse_grid",
]

Machine = Annotated[
    list[str] | None,
    typer.Option(
        "--machine",
        help="Catalogue name (default h100) or machine file (.toml); several are compared; all: every product.",
        autocompletion=complete_machine,
    ),
]
OneMachine = Annotated[
    str | None,
    typer.Option(
        "--machine",
        help="Catalogue name (default h100) or machine file (.toml).",
        autocompletion=complete_machine,
    ),
]
Reference = Annotated[
    bool | None,
    typer.Option(
        "--reference/--no-reference",
        help="Set everything not given as the published reference data were made (arXiv 2411.01137).",
    ),
]
Model = Annotated[str | None, typer.Option("--model", help="dense (default) or sparse.")]
Sparsity = Annotated[
    int | None, typer.Option("--sparsity", help="Experts a block of a sparse model (default: the law).")
]
DepthLaw = Annotated[
    str | None,
    typer.Option(
        "--depth-law",
        help="published (default, exponent 0.3751), refit (0.3351), hoffmann-n or constant.",
        autocompletion=law_completer("depth"),
    ),
]
WidthLaw = Annotated[
    str | None,
    typer.Option(
        "--width-law",
        help="4x (default) or ratio.",
        autocompletion=law_completer("width"),
    ),
]
DataLaw = Annotated[
    str | None,
    typer.Option(
        "--data-law",
        help="chinchilla-20 (default), besiroglu, hoffmann, llama-3 or tokens-per-parameter.",
        autocompletion=law_completer("data"),
    ),
]
BatchLaw = Annotated[
    str | None,
    typer.Option(
        "--batch-law",
        help="critical (default), fixed, deepseek, zhang, step-law or power.",
        autocompletion=law_completer("batch"),
    ),
]
Search = Annotated[str | None, typer.Option("--search", help="full (default) or reference.")]
Months = Annotated[float | None, typer.Option("--months", help="Most months a run may take (default 3).")]
Precision = Annotated[int | None, typer.Option("--precision", help="Bits a word: 32, 16 (default), 8 or 4.")]
Grid = Annotated[
    str | None,
    typer.Option(
        "--grid", help="F,MIN,MAX: widths f * 2^i, f odd <= F, in MIN..MAX (default 15,12288,1572864)."
    ),
]
Flop = Annotated[
    list[float] | None,
    typer.Option("--flop", help="Answer for the nearest run to this training compute instead of the grid."),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        "--threshold", help="Share of sustained utilization that counts as efficient (default 0.8)."
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="PATH=VALUE: a machine figure in SI units, e.g. network.1.bandwidth=100e9."),
]
Bound = Annotated[
    list[str] | None,
    typer.Option(
        "--bound",
        help="NAME=VALUE or NAME=LOW:HIGH for dp, tp, tp_model, tp_ff, pp, ep, microbatches, interleave, n_gpu.",
    ),
]
TensorLevels = Annotated[
    int | None,
    typer.Option(
        "--tensor-levels", help="Inner network levels that tensor parallelism may use; 1: one node."
    ),
]
Schedule = Annotated[str | None, typer.Option("--schedule", help="any (default), 1f1b or zero-bubble.")]
ClassicOrder = Annotated[
    bool | None,
    typer.Option("--classic-order", help="Interleave only where PP divides the microbatches (Megatron)."),
]
DomainFilling = Annotated[
    str | None,
    typer.Option("--domain-filling", help="partial (default, idle accelerators counted) or exact."),
]
OverlapTensor = Annotated[
    bool | None,
    typer.Option(
        "--overlap-tensor/--no-overlap-tensor", help="Run tensor-parallel traffic under compute (default)."
    ),
]
OverlapPoint = Annotated[
    bool | None,
    typer.Option(
        "--overlap-point-to-point/--no-overlap-point-to-point",
        help="Run pipeline and expert traffic under compute (default).",
    ),
]
OverlapData = Annotated[
    bool | None,
    typer.Option("--overlap-data/--no-overlap-data", help="Run the gradients' all-reduce under the batch."),
]
ZeroBubbleLatency = Annotated[
    str | None, typer.Option("--zero-bubble-latency", help="max (default) or free (published program).")
]
LatencyModel = Annotated[
    str | None, typer.Option("--latency-model", help="constant (default) or tree (grows with the group).")
]
Rounding = Annotated[
    bool | None,
    typer.Option("--rounding/--no-rounding", help="Round layers, experts, sequences (default) or not."),
]
Layers = Annotated[int | None, typer.Option("--layers", help="Of the depth law constant.")]
DepthAnchorLayers = Annotated[
    float | None, typer.Option("--depth-anchor-layers", help="Of the depth law power: at GPT-3's width.")
]
DepthExponent = Annotated[float | None, typer.Option("--depth-exponent", help="Of the depth law power.")]
DepthFactor = Annotated[
    float | None, typer.Option("--depth-factor", help="Times the depth law's layers: < 1 is wider.")
]
BatchFactor = Annotated[
    float | None, typer.Option("--batch-factor", help="Times the batch law's tokens a batch.")
]
SyncSteps = Annotated[
    int | None,
    typer.Option("--sync-steps", help="Replicas exchange once in so many steps (DiLoCo; default 1)."),
]
SyncBits = Annotated[
    int | None,
    typer.Option("--sync-bits", help="Bits of a value that replicas exchange (default: the word's)."),
]
OptimizerCompute = Annotated[
    float | None,
    typer.Option("--optimizer-compute", help="The optimizer's arithmetic over the step's (default 0)."),
]
OptimizerWords = Annotated[
    float | None,
    typer.Option("--optimizer-words", help="Words a parameter of the optimizer's state (default 4)."),
]
Failures = Annotated[
    float | None,
    typer.Option(
        "--failures",
        help="Failures that stop the job, an accelerator and hour (default 0; today 2e-5 to 3.4e-5).",
    ),
]
CheckpointSeconds = Annotated[
    float | None, typer.Option("--checkpoint-seconds", help="Pause for a checkpoint (default 30).")
]
RestartSeconds = Annotated[
    float | None, typer.Option("--restart-seconds", help="From a failure to work again (default 600).")
]
RegroupSeconds = Annotated[
    float | None,
    typer.Option("--regroup-seconds", help="Pause of the other replicas, recovery replica (default 180)."),
]
Recovery = Annotated[
    str | None, typer.Option("--recovery", help="job (default): all restart; replica: the failed one alone.")
]
WidthRatio = Annotated[float | None, typer.Option("--width-ratio", help="d_ff / d_model, width law ratio.")]
TokensPerParameter = Annotated[
    float | None, typer.Option("--tokens-per-parameter", help="Of the data law of that name.")
]
DataFactor = Annotated[
    float | None, typer.Option("--data-factor", help="Times the data law's tokens: < 1 undertrains.")
]
BatchTokens = Annotated[float | None, typer.Option("--batch-tokens", help="Of the batch law fixed.")]
BatchAnchorTokens = Annotated[
    float | None, typer.Option("--batch-anchor-tokens", help="Of the batch law power.")
]
BatchAnchorFlop = Annotated[float | None, typer.Option("--batch-anchor-flop", help="Of the batch law power.")]
BatchExponent = Annotated[float | None, typer.Option("--batch-exponent", help="Of the batch law power.")]
Scenario = Annotated[
    Path | None, typer.Option("--scenario", help="Replay a saved scenario; options given here win over it.")
]
Save = Annotated[Path | None, typer.Option("--save", help="Write the whole question to a scenario file.")]
Json = Annotated[
    bool, typer.Option("--json", help="Print JSON: an object, or a list if there are several machines.")
]
Csv = Annotated[Path | None, typer.Option("--csv", help="Write one row a run, as the runs are done.")]
Output = Annotated[Path | None, typer.Option("--output", help="Write the JSON to a file.")]
Plot = Annotated[
    Path | None, typer.Option("--plot", help="Write a report (.html) or figures (.png, .svg, .pdf).")
]


def parse_grid(text: str) -> tuple[int, float, float]:
    """Parse ``F,MIN,MAX``.

    Raises
    ------
    InputError
        For text that is not three numbers.
    """
    try:
        odd_max, low, high = text.split(",")
        return int(odd_max), float(low), float(high)
    except ValueError:
        raise InputError("--grid", text, "F,MIN,MAX, three numbers", ["15,12288,1572864"]) from None
