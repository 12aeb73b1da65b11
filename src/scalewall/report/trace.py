"""A simulated pipeline step as a trace in the Chrome trace event format, which Perfetto reads too.

Reference: "Trace Event Format", the Chromium project: complete events (X), counters (C), metadata (M); times
in microseconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from scalewall.cost.pipeline import KINDS, PipelineRun, memory_over_time
from scalewall.report.files import write_text

__all__ = ["chrome_trace", "save_trace"]

MICRO = 1e6
WORDS = {"F": "forward", "B": "input gradient", "W": "weight gradient", "BW": "backward"}
STEP = 0
"""Process number of the step in the trace; threads are the stages, then their links."""


def chrome_trace(run: PipelineRun) -> dict[str, Any]:
    """Return the step as trace data: a thread a stage, one a link that carries messages, memory counters."""
    events = [
        _metadata("process_name", 0, {"name": f"{run.schedule.name}: {run.schedule.stages} stages"}),
        *_stages(run),
        *_links(run),
        *_memory(run),
    ]
    return {"traceEvents": events, "displayTimeUnit": "ms"}


def save_trace(run: PipelineRun, path: Path) -> None:
    """Write the step to ``path`` as a trace."""
    write_text(path, json.dumps(chrome_trace(run), separators=(",", ":")))


def _metadata(name: str, thread: int, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"ph": "M", "name": name, "pid": STEP, "tid": thread, "args": arguments}


def _thread(number: int, name: str) -> list[dict[str, Any]]:
    return [
        _metadata("thread_name", number, {"name": name}),
        _metadata("thread_sort_index", number, {"sort_index": number}),
    ]


def _slice(
    name: str, category: str, thread: int, start: float, end: float, **arguments: int
) -> dict[str, Any]:
    return {
        "ph": "X",
        "name": name,
        "cat": category,
        "pid": STEP,
        "tid": thread,
        "ts": start * MICRO,
        "dur": (end - start) * MICRO,
        "args": arguments,
    }


def _stages(run: PipelineRun) -> Iterator[dict[str, Any]]:
    schedule = run.schedule
    for stage in range(schedule.stages):
        yield from _thread(stage, f"stage {stage}")
    columns = zip(
        schedule.kind.tolist(),
        schedule.microbatch.tolist(),
        schedule.placement.chunk[schedule.part].tolist(),
        schedule.stage.tolist(),
        run.start.tolist(),
        run.end.tolist(),
        strict=True,
    )
    for index, (kind, microbatch, chunk, stage, start, end) in enumerate(columns):
        category = WORDS[KINDS[kind]]
        yield _slice(schedule.label(index), category, stage, start, end, microbatch=microbatch, chunk=chunk)


def _links(run: PipelineRun) -> Iterator[dict[str, Any]]:
    """Yield the messages while they take their link; those that take no time are left out."""
    schedule, sends = run.schedule, run.costs.sends
    direction = np.where(schedule.kind == KINDS.index("F"), 0, 1)
    transfer = sends.transfer[direction, schedule.part]
    lane = sends.lane[direction, schedule.part]
    sent = (schedule.kind != KINDS.index("W")) & (transfer > 0.0) & (lane >= 0)
    used = np.unique(lane[sent])
    number = {int(one): schedule.stages + place for place, one in enumerate(used)}
    for one in used:
        stage = int(schedule.stage[np.flatnonzero(sent & (lane == one))[0]])
        yield from _thread(number[int(one)], f"stage {stage}, messages (link {one})")
    for index in np.flatnonzero(sent):
        begun = float(run.departure[index])
        yield _slice(
            f"{schedule.label(int(index))} sent",
            "message",
            number[int(lane[index])],
            begun,
            begun + float(transfer[index]),
            microbatch=int(schedule.microbatch[index]),
        )


def _memory(run: PipelineRun) -> Iterator[dict[str, Any]]:
    for stage in range(run.schedule.stages):
        memory = memory_over_time(run, stage)
        for seconds, held in zip(memory.seconds, memory.held, strict=True):
            yield {
                "ph": "C",
                "name": f"memory, stage {stage}",
                "pid": STEP,
                "ts": float(seconds) * MICRO,
                "args": {"bytes": float(held)},
            }
