"""``scalewall schedule``: one training step of a pipeline, exactly."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scalewall.cli.flags import command_line
from scalewall.cli.output_files import check_files
from scalewall.cli.schedule_inputs import costs, ends, sends, works
from scalewall.errors import InputError

if TYPE_CHECKING:
    from scalewall.cost.pipeline import Costs, Placement, Schedule

__all__ = ["schedule"]

Pp = Annotated[int | None, typer.Option("--pp", help="Pipeline stages.")]
Microbatches = Annotated[int | None, typer.Option("--microbatches", help="Microbatches a step.")]
Name = Annotated[
    str | None,
    typer.Option(
        "--schedule",
        help="gpipe, 1f1b (default), interleaved, zb-h1, zb-h2, zb-v, zb-1p, zb-2p, dualpipe, dualpipev.",
    ),
]
File = Annotated[
    Path | None,
    typer.Option(
        "--file", help="Your own schedule, JSON or TOML, instead of --schedule, --pp, --microbatches."
    ),
]
Chunks = Annotated[int | None, typer.Option("--chunks", help="Chunks a stage, for interleaved (default 2).")]
Forward = Annotated[
    str, typer.Option("--forward", help="Seconds of a forward: one number, or one a stage: 1,1,1,1.2.")
]
InputGradient = Annotated[
    str, typer.Option("--input-gradient", help="Seconds of an input gradient (B), likewise.")
]
WeightGradient = Annotated[
    str, typer.Option("--weight-gradient", help="Seconds of a weight gradient (W), likewise.")
]
Layers = Annotated[
    str | None,
    typer.Option(
        "--layers",
        help="Layers: a total to spread, or one number a part by depth. Times and bytes are then a layer's.",
    ),
]
Embedding = Annotated[
    str, typer.Option("--embedding", help="Seconds that the embedding adds to the first part: F,B,W.")
]
Loss = Annotated[str, typer.Option("--loss", help="Seconds that the loss adds to the last part: F,B,W.")]
ActivationBytes = Annotated[
    str | None,
    typer.Option(
        "--activation-bytes", help="Bytes that a microbatch holds on a stage; one number or one a stage."
    ),
]
GradientBytes = Annotated[
    str | None,
    typer.Option("--gradient-bytes", help="Of them what stays between B and W (default: all), likewise."),
]
FixedBytes = Annotated[
    str | None,
    typer.Option("--fixed-bytes", help="Bytes that a stage always holds (weights, optimizer), likewise."),
]
MessageBytes = Annotated[float, typer.Option("--message-bytes", help="Bytes sent from stage to stage.")]
Bandwidth = Annotated[
    float | None,
    typer.Option("--bandwidth", help="Bytes/s in one direction between stages (default: endless)."),
]
Latency = Annotated[
    float | None, typer.Option("--latency", help="Seconds from stage to stage on top (default: none).")
]
ClusterName = Annotated[
    str | None,
    typer.Option(
        "--cluster", help="Send over this machine's network levels instead: a catalogue name or a file."
    ),
]
Stride = Annotated[
    int | None,
    typer.Option("--stride", help="With --cluster: accelerators from one stage to the next (default: 1)."),
]
Overlap = Annotated[
    bool, typer.Option("--overlap/--no-overlap", help="Whether messages travel beside compute.")
]
JointFraction = Annotated[
    float,
    typer.Option("--joint-fraction", help="Time of an overlapped pair (DualPipe) over its two parts' sum."),
]
Sync = Annotated[
    bool,
    typer.Option(
        "--optimizer-sync", help="All stages wait for each other at the optimizer, zero bubble too."
    ),
]
Plot = Annotated[
    Path | None, typer.Option("--plot", help="Timeline: .html (interactive), .png, .svg or .pdf.")
]
Trace = Annotated[
    Path | None,
    typer.Option(
        "--trace",
        help="Trace for chrome://tracing or ui.perfetto.dev (.json, or .json.gz, a tenth as large).",
    ),
]
Csv = Annotated[Path | None, typer.Option("--csv", help="One row a stage.")]
Json = Annotated[bool, typer.Option("--json", help="Print the whole result as JSON.")]


def schedule(
    pp: Pp = None,
    microbatches: Microbatches = None,
    name: Name = None,
    file: File = None,
    chunks: Chunks = None,
    forward: Forward = "1",
    input_gradient: InputGradient = "1",
    weight_gradient: WeightGradient = "1",
    layers: Layers = None,
    embedding: Embedding = "0,0,0",
    loss: Loss = "0,0,0",
    activation_bytes: ActivationBytes = None,
    gradient_bytes: GradientBytes = None,
    fixed_bytes: FixedBytes = None,
    message_bytes: MessageBytes = 0.0,
    bandwidth: Bandwidth = None,
    latency: Latency = None,
    cluster: ClusterName = None,
    stride: Stride = None,
    overlap: Overlap = True,
    joint_fraction: JointFraction = 1.0,
    optimizer_sync: Sync = False,
    plot: Plot = None,
    trace: Trace = None,
    csv: Csv = None,
    json: Json = False,
) -> None:
    """Simulate one training step of a pipeline schedule: time, bubble, critical path, memory."""
    from dataclasses import replace

    from scalewall.cost.pipeline import simulate
    from scalewall.report.timeline import TIMELINE_SUFFIXES, save_timeline
    from scalewall.report.trace import TRACE_SUFFIXES, save_trace

    check_files((("--plot", plot, TIMELINE_SUFFIXES), ("--trace", trace, TRACE_SUFFIXES), ("--csv", csv, ())))
    ready, placement = _own_schedule(file, pp, microbatches, name, chunks)
    given = works(
        placement,
        forward=forward,
        input_gradient=input_gradient,
        weight_gradient=weight_gradient,
        activation_bytes=activation_bytes,
        gradient_bytes=gradient_bytes,
        fixed_bytes=fixed_bytes,
        single=layers is not None,
    )
    priced = costs(
        placement,
        layers,
        given,
        ends("--embedding", embedding),
        ends("--loss", loss),
        sends(placement, message_bytes, bandwidth, latency, cluster, stride),
        overlap,
        joint_fraction,
    )
    made = ready or _built(pp, microbatches, name, chunks, priced)
    run = simulate(replace(made, staggered=made.staggered and not optimizer_sync), priced)
    in_bytes = activation_bytes is not None
    if plot is not None:
        save_timeline(run, plot, in_bytes, command_line())
    if trace is not None:
        save_trace(run, trace)
    if csv is not None:
        from scalewall.report.files import RowWriter
        from scalewall.report.pipeline_tables import stage_rows

        rows = stage_rows(run)
        with RowWriter(csv, list(rows[0])) as writer:
            for row in rows:
                writer.write(row)
    if json:
        from json import dumps

        from scalewall.report.pipeline_tables import run_record

        typer.echo(dumps(run_record(run), indent=2))
        return
    from rich.console import Console

    from scalewall.report.pipeline_tables import heading, stage_table, step_sentences

    console = Console()
    console.print(heading(run), style="bold", highlight=False)
    for line in step_sentences(run):
        console.print(line, highlight=False)
    console.print(stage_table(run, in_bytes))
    for written in (plot, trace, csv):
        if written is not None:
            console.print(f"Wrote {written}", highlight=False)


def _own_schedule(
    file: Path | None, pp: int | None, microbatches: int | None, name: str | None, chunks: int | None
) -> tuple[Schedule | None, Placement]:
    """Return the schedule from the file, if that is asked for, and the placement in any case."""
    from scalewall.cost.pipeline import load_schedule, placement_of

    given = {"--pp": pp, "--microbatches": microbatches, "--schedule": name, "--chunks": chunks}
    if file is not None:
        for option, value in given.items():
            if value is not None:
                raise InputError(option, value, "no other shape beside --file, which has its own")
        ready = load_schedule(file)
        return ready, ready.placement
    if pp is None:
        raise InputError(
            "--pp", pp, "a whole number of stages, at least 1 (or a schedule of your own: --file)"
        )
    chosen = name or "1f1b"
    return None, placement_of(chosen, pp, _chunks(chosen, chunks))


def _chunks(name: str, chunks: int | None) -> int:
    if chunks is not None:
        return chunks
    return 2 if name == "interleaved" else 1


def _built(
    pp: int | None, microbatches: int | None, name: str | None, chunks: int | None, costs: Costs
) -> Schedule:
    from scalewall.cost.pipeline import build_schedule

    assert pp is not None
    if microbatches is None:
        raise InputError("--microbatches", microbatches, "a whole number, at least 1", [str(2 * pp)])
    chosen = name or "1f1b"
    return build_schedule(chosen, pp, microbatches, _chunks(chosen, chunks), costs)
