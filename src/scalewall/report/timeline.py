"""A simulated pipeline step to look at: an interactive page, or a figure for print."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from scalewall.cost.pipeline import KINDS, PipelineRun, critical_path, in_flight_over_time, memory_over_time
from scalewall.cost.pipeline.memory import StageMemory
from scalewall.report.files import save_figure, write_text
from scalewall.report.pipeline_tables import heading, stage_table, step_sentences
from scalewall.report.style import Theme, style
from scalewall.report.trace import WORDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["TIMELINE_SUFFIXES", "save_timeline", "timeline_figure", "timeline_html"]

TIMELINE_SUFFIXES = (".html", ".png", ".svg", ".pdf")
TICKS = 10_000_000
"""Steps of time that the page can tell apart."""
SERIES = {"F": 0, "B": 2, "W": 1, "BW": 3}
"""Which of the style's colours each kind takes."""
LABELLED_OPERATIONS = 700
"""Up to how many operations a print figure writes the microbatch into each bar."""


def save_timeline(run: PipelineRun, path: Path, memory_in_bytes: bool = True, command: str = "") -> None:
    """Write the step to ``path``: ``.html`` is the interactive page, the other suffixes are the figure."""
    if path.suffix.lower() == ".html":
        write_text(path, timeline_html(run, memory_in_bytes, command))
    else:
        save_figure(timeline_figure(run, memory_in_bytes), path)


def _memory_of(memory_in_bytes: bool) -> tuple[Callable[[PipelineRun, int], StageMemory], str]:
    return (memory_over_time, "B") if memory_in_bytes else (in_flight_over_time, "microbatches")


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

    held, unit = _memory_of(memory_in_bytes)
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
        "unit": unit,
        "path": path,
        "stages": stages,
    }


def timeline_figure(run: PipelineRun, memory_in_bytes: bool = True) -> Figure:
    """Return the step as a figure: a row a stage, memory below; parameters as in :func:`timeline_html`."""
    from matplotlib.figure import Figure

    look = style()
    stages = run.schedule.stages
    drawn = Figure(
        figsize=(1.5 * look.print_width_inches, 0.24 * stages + 3.2), dpi=look.print_dpi, layout="constrained"
    )
    upper, lower = drawn.subplots(2, 1, sharex=True, height_ratios=[0.24 * stages + 0.6, 1.9])
    _draw_operations(upper, run, look.light)
    _draw_memory(lower, run, memory_in_bytes, look.light)
    upper.set_title(heading(run), loc="left", color=look.light.text)
    lower.set_xlabel("seconds")
    return drawn


def _draw_operations(axes: Axes, run: PipelineRun, theme: Theme) -> None:
    schedule = run.schedule
    second = np.concatenate([[False], schedule.joined[:-1]])
    for code, kind in enumerate(KINDS):
        colour = theme.series[SERIES[kind]]
        for stage in range(schedule.stages):
            inside = np.zeros(schedule.operations, dtype=np.bool_)
            inside[schedule.stage_slice(stage)] = True
            inside &= schedule.kind == code
            for chosen, bottom, height in (
                (inside & ~schedule.joined & ~second, stage - 0.42, 0.84),
                (inside & schedule.joined, stage - 0.42, 0.42),
                (inside & second, stage, 0.42),
            ):
                bars = list(zip(run.start[chosen], (run.end - run.start)[chosen], strict=True))
                if bars:
                    axes.broken_barh(
                        bars, (bottom, height), facecolor=colour, edgecolor=theme.background, linewidth=0.3
                    )
        if (schedule.kind == code).any():
            axes.plot([], [], color=colour, linewidth=6, label=WORDS[kind])
    if schedule.operations <= LABELLED_OPERATIONS:
        _write_microbatches(axes, run, second, theme)
    axes.set_ylim(schedule.stages - 0.5, -0.5)
    axes.set_xlim(0.0, run.makespan_seconds or 1.0)
    axes.set_ylabel("stage")
    axes.legend(
        loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=4, frameon=False, fontsize=style().print_font_size
    )


def _write_microbatches(axes: Axes, run: PipelineRun, second: Any, theme: Theme) -> None:
    schedule = run.schedule
    for index in range(schedule.operations):
        shift = -0.21 if schedule.joined[index] else 0.21 if second[index] else 0.0
        axes.text(
            (run.start[index] + run.end[index]) / 2,
            schedule.stage[index] + shift,
            str(schedule.microbatch[index]),
            ha="center",
            va="center",
            color=theme.background,
            fontsize=5,
            clip_on=True,
        )


def _draw_memory(axes: Axes, run: PipelineRun, memory_in_bytes: bool, theme: Theme) -> None:
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.ticker import EngFormatter

    held, unit = _memory_of(memory_in_bytes)
    ramp = LinearSegmentedColormap.from_list("stages", [theme.series[0], theme.neutral, theme.series[1]])
    stages = run.schedule.stages
    for stage in range(stages):
        memory = held(run, stage)
        label = f"stage {stage}" if stage in (0, stages - 1) else None
        axes.step(
            np.append(memory.seconds, run.makespan_seconds),
            np.append(memory.held, memory.held[-1]),
            where="post",
            color=ramp(stage / max(1, stages - 1)),
            linewidth=1.0,
            label=label,
        )
    axes.set_ylabel("memory" if memory_in_bytes else f"{unit} in flight")
    if memory_in_bytes:
        axes.yaxis.set_major_formatter(EngFormatter(unit="B"))
    axes.set_ylim(bottom=0.0)
    axes.legend(frameon=False, fontsize=style().print_font_size)
