"""A simulated pipeline step as a table, as words and as plain data for JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from scalewall.cost.pipeline import (
    SCHEDULES,
    PipelineRun,
    communication_seconds,
    critical_path,
    in_flight,
    lower_bounds,
    path_seconds,
    peak_bytes,
)
from scalewall.report.table import Column, TableView
from scalewall.report.units import data_size, duration, percent

__all__ = ["heading", "run_record", "stage_rows", "stage_table", "step_sentences"]

SCHEMA_VERSION = 1


def heading(run: PipelineRun) -> str:
    """Return a title: schedule, stages, microbatches."""
    schedule = run.schedule
    title = SCHEDULES[schedule.name].title if schedule.name in SCHEDULES else schedule.name
    chunks = schedule.placement.parts // schedule.stages
    held = f" of {chunks} chunks" if chunks > 1 else ""
    stages, microbatches = schedule.stages, sum(schedule.microbatches)
    return f"{title}: {_many(stages, 'stage', 's')}{held}, {_many(microbatches, 'microbatch', 'es')}"


def _many(count: int, word: str, ending: str) -> str:
    return f"{count} {word}{'' if count == 1 else ending}"


def _share(part: float, whole: float) -> str:
    """Return ``part`` of ``whole`` as a percentage; nothing of nothing is none."""
    return percent(part / whole if whole > 0.0 else 0.0)


def step_sentences(run: PipelineRun) -> list[str]:
    """Return what a reader wants to know first, one sentence a line."""
    step = run.step_seconds
    path = path_seconds(critical_path(run))
    parts = ", ".join(f"{kind} {_share(s, run.makespan_seconds)}" for kind, s in _largest_first(path))
    added = max(communication_seconds(run), 0.0)
    lines = [
        f"A step takes {duration(step)}; stages compute {percent(1.0 - run.bubble_fraction)} of it, "
        f"the bubble is {percent(run.bubble_fraction)}.",
        f"Critical path: {parts or 'nothing takes time'}.",
        f"Communication adds {duration(added)} ({_share(added, step)}).",
    ]
    if run.makespan_seconds > step:
        lines.append(
            "Counted from step to step without waiting for all stages at the optimizer; "
            f"with that wait a step takes {duration(run.makespan_seconds)}."
        )
    return lines


def _largest_first(seconds: dict[str, float]) -> list[tuple[str, float]]:
    return sorted(seconds.items(), key=lambda pair: -pair[1])


def stage_rows(run: PipelineRun) -> list[dict[str, float | int]]:
    """Return one row a stage: seconds of each kind, bubble, peak memory (bytes), microbatches in flight."""
    stages, peaks, flying = run.stages, peak_bytes(run), in_flight(run.schedule)
    return [
        {
            "stage": stage,
            "busy_seconds": float(stages.busy[stage]),
            "sending_seconds": float(stages.sending[stage]),
            "exposed_seconds": float(stages.exposed[stage]),
            "idle_seconds": float(stages.idle[stage]),
            "bubble": float(run.bubble[stage]),
            "peak_bytes": float(peaks[stage]),
            "in_flight": float(flying[stage]),
        }
        for stage in range(run.schedule.stages)
    ]


def stage_table(run: PipelineRun, memory_in_bytes: bool) -> TableView:
    """Return the stages as a table.

    Parameters
    ----------
    run : PipelineRun
        The step.
    memory_in_bytes : bool
        Whether the costs have bytes; if not, only microbatches in flight are shown.
    """
    sends = bool(run.stages.sending.any())
    names = ["busy", *(["sending"] if sends else []), "exposed", "idle"]
    titles = {"busy": "computes", "sending": "sends", "exposed": "waits for\nmessages", "idle": "idle"}
    heads = ["stage", *(titles[name] for name in names), "bubble", "microbatches\nin flight"]
    if memory_in_bytes:
        heads.append("peak\nmemory")
    columns = tuple(Column(head, right=True) for head in heads)
    rows = []
    for row in stage_rows(run):
        cells = [str(row["stage"]), *(duration(_tidy(row[f"{name}_seconds"])) for name in names)]
        cells += [percent(_tidy(row["bubble"])), f"{row['in_flight']:g}"]
        rows.append((*cells, data_size(row["peak_bytes"])) if memory_in_bytes else tuple(cells))
    return TableView("Stages", columns, tuple(rows))


def _tidy(value: float) -> float:
    """Return ``value`` without the rounding that makes a difference of equal times not quite nothing."""
    return 0.0 if abs(value) < 1e-12 else value


def run_record(run: PipelineRun) -> dict[str, Any]:
    """Return the result as plain data; times in seconds, memory in bytes."""
    schedule = run.schedule
    bounds = lower_bounds(run)
    path = critical_path(run)
    return {
        "schema": SCHEMA_VERSION,
        "schedule": schedule.name,
        "pp": schedule.stages,
        "microbatches": list(schedule.microbatches),
        "chains": [list(chain) for chain in schedule.placement.chains],
        "operations": schedule.operations,
        "staggered": schedule.staggered,
        "step_seconds": run.step_seconds,
        "makespan_seconds": run.makespan_seconds,
        "period_seconds": run.period_seconds,
        "bubble_fraction": run.bubble_fraction,
        "communication_seconds": communication_seconds(run),
        "busiest_stage_seconds": bounds.busiest_stage_seconds,
        "longest_chain_seconds": bounds.longest_chain_seconds,
        "peak_bytes": float(np.max(peak_bytes(run))),
        "critical_path_seconds": path_seconds(path),
        "critical_path": [
            {"stage": s.stage, "operation": s.label, "kind": s.kind, "start": s.start, "end": s.end}
            for s in path
        ],
        "stages": stage_rows(run),
    }
