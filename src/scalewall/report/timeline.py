"""A simulated pipeline step to look at: an interactive page, or a figure for print, as one file."""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from scalewall.cost.pipeline import KINDS, PipelineRun, critical_path, in_flight_over_time, memory_over_time
from scalewall.report.files import save_figure, write_text
from scalewall.report.pipeline_tables import heading, stage_table, step_sentences
from scalewall.report.style import Theme, style
from scalewall.report.timeline_figure import SERIES, timeline_figure
from scalewall.report.trace import WORDS

__all__ = ["TIMELINE_SUFFIXES", "save_timeline", "timeline_html"]

TIMELINE_SUFFIXES = (".html", ".png", ".svg", ".pdf")
TICKS = 10_000_000
"""Steps of time that the page can tell apart."""


def save_timeline(run: PipelineRun, path: Path, memory_in_bytes: bool = True, command: str = "") -> None:
    """Write the step to ``path``: ``.html`` is the interactive page, the other suffixes are the figure."""
    if path.suffix.lower() == ".html":
        write_text(path, timeline_html(run, memory_in_bytes, command))
    else:
        save_figure(timeline_figure(run, memory_in_bytes), path)


def timeline_html(run: PipelineRun, memory_in_bytes: bool = True, command: str = "") -> str:
    """Return one self-contained page: operations by stage and time, memory below, hover and zoom, a table.

    Parameters
    ----------
    run : PipelineRun
        The step.
    memory_in_bytes : bool
        Whether the costs have bytes; if not, microbatches in flight are drawn.
    command : str
        What makes the page again; empty: not shown.
    """
    look = style()
    again = f"<h2>Make this again</h2><pre><code>{escape(command)}</code></pre>" if command else ""
    return Template(
        files("scalewall.report").joinpath("timeline.html").read_text(encoding="utf-8")
    ).substitute(
        title=escape(heading(run)),
        light=_css(look.light),
        dark=_css(look.dark),
        font=look.font_family,
        sentences="".join(f"<p>{escape(line)}</p>" for line in step_sentences(run)),
        table=stage_table(run, memory_in_bytes).html(),
        command=again,
        data=json.dumps(_page_data(run, memory_in_bytes), separators=(",", ":")).replace("</", "<\\/"),
    )


def _css(theme: Theme) -> str:
    colours = {kind: theme.series[index] for kind, index in SERIES.items()}
    named = {
        name: getattr(theme, name) for name in ("background", "surface", "text", "muted", "grid", "accent")
    }
    named |= {"path": theme.bad}
    return " ".join(f"--{name}: {colour};" for name, colour in (named | colours).items())


def _page_data(run: PipelineRun, memory_in_bytes: bool) -> dict[str, Any]:
    """Return what the page draws, times as whole ticks of the makespan."""
    schedule = run.schedule
    tick = max(run.makespan_seconds, np.finfo(np.float64).tiny) / TICKS

    def ticks(seconds: Any) -> list[int]:
        whole: list[int] = np.rint(np.asarray(seconds) / tick).astype(np.int64).tolist()
        return whole

    held = memory_over_time if memory_in_bytes else in_flight_over_time
    half = np.zeros(schedule.operations, dtype=np.int64)
    half[schedule.joined] = 1
    half[np.flatnonzero(schedule.joined) + 1] = 2
    chunk = schedule.placement.chunk[schedule.part]
    stages = []
    for stage in range(schedule.stages):
        here = schedule.stage_slice(stage)
        memory = held(run, stage)
        stages.append(
            {
                "start": ticks(run.start[here]),
                "end": ticks(run.end[here]),
                "kind": schedule.kind[here].tolist(),
                "microbatch": schedule.microbatch[here].tolist(),
                "chunk": chunk[here].tolist(),
                "half": half[here].tolist(),
                "memoryTime": ticks(memory.seconds),
                "memory": memory.held.tolist(),
            }
        )
    path = [[s.stage, *ticks([s.start, s.end]), int(s.kind == "send")] for s in critical_path(run)]
    return {
        "tick": tick,
        "ticks": TICKS,
        "kinds": list(KINDS),
        "words": [WORDS[kind] for kind in KINDS],
        "chunks": int(chunk.max()) + 1,
        "unit": "B" if memory_in_bytes else "microbatches",
        "path": path,
        "stages": stages,
    }
