"""A simulated pipeline step as a trace in the Chrome trace event format, which Perfetto reads too.

Reference: "Trace Event Format", the Chromium project: complete events (X), counters (C), metadata (M); times
in microseconds. Viewers keep whole nanoseconds, so times are rounded to them here: else what ends and begins
at once would overlap by one in a viewer.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scalewall.cost.pipeline import KINDS, PipelineRun, memory_over_time
from scalewall.report.files import write_bytes

__all__ = ["TRACE_SUFFIXES", "WORDS", "save_trace", "trace_events"]

TRACE_SUFFIXES = (".json", ".gz")
WORDS = {"F": "forward", "B": "input gradient", "W": "weight gradient", "BW": "backward"}
_STEP, _FIRST = 0, 1
"""Process number of the step, and that of the first thread: the stages, then their links. Perfetto takes a thread
numbered 0, or as its process, for the process's main one."""
_NANO, _MICRO_IN_NANO = 1e9, 1e3
_FASTER = 3
"""Level of gzip: a third of the default's time for a file not much larger."""

_Floats = npt.NDArray[np.float64]


def trace_events(run: PipelineRun) -> Iterator[str]:
    """Yield the step's events as JSON: a thread a stage, one a link that carries messages, memory counters."""
    schedule = run.schedule
    yield _metadata("process_name", 0, {"name": f"{schedule.name}: {schedule.stages} stages"})
    yield from _stages(run)
    yield from _links(run)
    yield from _memory(run)


def save_trace(run: PipelineRun, path: Path) -> None:
    """Write the step to ``path`` as a trace: ``.json``, or compressed to a tenth of that as ``.json.gz``."""
    events = ",\n".join(trace_events(run))
    content = f'{{"displayTimeUnit":"ms","traceEvents":[\n{events}\n]}}\n'.encode()
    if path.suffix.lower() == ".gz":
        content = gzip.compress(content, compresslevel=_FASTER)
    write_bytes(path, content)


def _microseconds(seconds: _Floats) -> _Floats:
    result: _Floats = np.rint(seconds * _NANO) / _MICRO_IN_NANO
    return result


def _lengths(start: _Floats, end: _Floats) -> list[float]:
    """Return the microseconds from ``start`` to ``end`` (seconds), so that start + length is the rounded end."""
    nanoseconds = np.rint(end * _NANO) - np.rint(start * _NANO)
    lengths: list[float] = (nanoseconds / _MICRO_IN_NANO).tolist()
    return lengths


def _metadata(name: str, thread: int, arguments: dict[str, Any]) -> str:
    return json.dumps({"ph": "M", "name": name, "pid": _STEP, "tid": thread, "args": arguments})


def _thread(number: int, name: str) -> Iterator[str]:
    yield _metadata("thread_name", number, {"name": name})
    yield _metadata("thread_sort_index", number, {"sort_index": number})


def _stages(run: PipelineRun) -> Iterator[str]:
    schedule = run.schedule
    for stage in range(schedule.stages):
        yield from _thread(_FIRST + stage, f"stage {stage}")
    columns = zip(
        schedule.labels(),
        schedule.kind.tolist(),
        schedule.stage.tolist(),
        _microseconds(run.start).tolist(),
        _lengths(run.start, run.end),
        schedule.microbatch.tolist(),
        schedule.placement.chunk[schedule.part].tolist(),
        strict=True,
    )
    for label, kind, stage, start, length, microbatch, chunk in columns:
        yield (
            f'{{"ph":"X","name":"{label}","cat":"{WORDS[KINDS[kind]]}","pid":{_STEP},"tid":{_FIRST + stage},'
            f'"ts":{start},"dur":{length},"args":{{"microbatch":{microbatch},"chunk":{chunk}}}}}'
        )


def _links(run: PipelineRun) -> Iterator[str]:
    """Yield the messages while they take their link; those that take no time are left out."""
    schedule, sends = run.schedule, run.costs.sends
    direction = np.where(schedule.kind == KINDS.index("F"), 0, 1)
    transfer = sends.transfer[direction, schedule.part]
    lane = sends.lane[direction, schedule.part]
    sent = np.flatnonzero((schedule.kind != KINDS.index("W")) & (transfer > 0.0) & (lane >= 0))
    used, first = np.unique(lane[sent], return_index=True)
    number = {int(one): _FIRST + schedule.stages + place for place, one in enumerate(used)}
    for one, place in zip(used.tolist(), first.tolist(), strict=True):
        yield from _thread(number[one], f"stage {schedule.stage[sent[place]]}, messages (link {one})")
    labels = schedule.labels()
    begun = run.departure[sent]
    columns = zip(
        sent.tolist(),
        lane[sent].tolist(),
        _microseconds(begun).tolist(),
        _lengths(begun, begun + transfer[sent]),
        schedule.microbatch[sent].tolist(),
        strict=True,
    )
    for index, one, start, length, microbatch in columns:
        yield (
            f'{{"ph":"X","name":"{labels[index]} sent","cat":"message","pid":{_STEP},"tid":{number[one]},'
            f'"ts":{start},"dur":{length},"args":{{"microbatch":{microbatch}}}}}'
        )


def _memory(run: PipelineRun) -> Iterator[str]:
    """Yield what each stage holds, once for each time at which it changes."""
    for stage in range(run.schedule.stages):
        memory = memory_over_time(run, stage)
        times = _microseconds(memory.seconds)
        last = np.append(np.diff(times) > 0.0, True)
        for time, held in zip(times[last].tolist(), memory.held[last].tolist(), strict=True):
            yield (
                f'{{"ph":"C","name":"memory, stage {stage}","pid":{_STEP},"ts":{time},'
                f'"args":{{"bytes":{held}}}}}'
            )
