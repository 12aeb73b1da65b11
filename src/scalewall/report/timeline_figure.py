"""A simulated pipeline step as a figure for print: a row a stage, memory below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from scalewall.cost.pipeline import KINDS, PipelineRun, in_flight_over_time, memory_over_time
from scalewall.report import units
from scalewall.report.pipeline_tables import heading
from scalewall.report.style import Theme, style
from scalewall.report.trace import WORDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["SERIES", "timeline_figure"]

SERIES = {"F": 0, "B": 2, "W": 1, "BW": 3}
"""Which of the style's colours each kind takes."""
LABELLED_OPERATIONS = 700
"""Up to how many operations a figure writes the microbatch into each bar."""
DRAWN_A_STAGE = 500
"""Up to how many operations of one stage are drawn one by one; more would be narrower than three pixels."""
COLUMNS = 2000
"""Columns of pixels into which the operations of a stage are mixed by time where there are more."""
_HEIGHT = 0.42
"""Half the height of a stage's bar, in stages."""

_Floats = npt.NDArray[np.float64]


def timeline_figure(
    run: PipelineRun, memory_in_bytes: bool = True, dark: bool = False, most: int = 0
) -> Figure:
    """Return the step as a figure.

    Parameters
    ----------
    run : PipelineRun
        The step.
    memory_in_bytes : bool
        Whether the costs have bytes; if not, microbatches in flight are drawn.
    dark : bool
        Whether it is for a dark page; else for a light one or for print.
    most : int
        Of a step in which a stage does more operations than that: draws only its beginning and says so, until the
        last stage has done as many, and half as many after its first backward; 0: the whole step.
    """
    from matplotlib.figure import Figure

    look = style()
    theme = look.dark if dark else look.light
    stages = run.schedule.stages
    end = _shown_seconds(run, most)
    part = ""
    if end < run.makespan_seconds:
        part = f": the first {units.duration(end)} of {units.duration(run.makespan_seconds)}"
    drawn = Figure(
        figsize=(1.5 * look.print_width_inches, 0.24 * stages + 3.2), dpi=look.print_dpi, layout="constrained"
    )
    drawn.set_facecolor(theme.background)
    title = f"{heading(run)}{part}"
    drawn.suptitle(title, x=0.01, ha="left", color=theme.text, fontsize=look.print_font_size + 3)
    upper, lower = drawn.subplots(2, 1, sharex=True, height_ratios=[0.24 * stages + 0.6, 1.9])
    for axes in (upper, lower):
        _style_axes(axes, theme)
    if _one_by_one(run, end):
        _draw_operations(upper, run, theme, end)
    else:
        _draw_mixed(upper, run, theme, end)
    _finish_operations(upper, run, theme, end)
    _draw_memory(lower, run, memory_in_bytes, theme, end)
    lower.set_xlabel("seconds", color=theme.text)
    return drawn


def _one_by_one(run: PipelineRun, end: float) -> bool:
    """Whether there are so few operations before ``end`` (seconds) that each can be seen."""
    return int(np.bincount(run.schedule.stage[run.start < end]).max(initial=0)) <= DRAWN_A_STAGE


def _style_axes(axes: Axes, theme: Theme) -> None:
    axes.set_facecolor(theme.background)
    axes.tick_params(which="both", colors=theme.muted)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(theme.muted)


def _draw_operations(axes: Axes, run: PipelineRun, theme: Theme, end: float) -> None:
    """Draw a bar an operation that starts before ``end``, of a pair one above the other."""
    schedule = run.schedule
    second = _second_of_pairs(run)
    for stage in range(schedule.stages):
        here = schedule.stage_slice(stage)
        kinds, start, seconds = schedule.kind[here], run.start[here], (run.end - run.start)[here]
        joined, follows, shown = schedule.joined[here], second[here], start < end
        for code, kind in enumerate(KINDS):
            for chosen, bottom, height in (
                ((kinds == code) & ~joined & ~follows, stage - _HEIGHT, 2 * _HEIGHT),
                ((kinds == code) & joined, stage - _HEIGHT, _HEIGHT),
                ((kinds == code) & follows, stage, _HEIGHT),
            ):
                seen = chosen & shown
                if seen.any():
                    axes.broken_barh(
                        list(zip(start[seen], seconds[seen], strict=True)),
                        (bottom, height),
                        facecolor=theme.series[SERIES[kind]],
                        edgecolor=theme.background,
                        linewidth=0.3,
                    )
    if schedule.operations <= LABELLED_OPERATIONS:
        _write_microbatches(axes, run, second, theme)


def _second_of_pairs(run: PipelineRun) -> npt.NDArray[np.bool_]:
    return np.concatenate([[False], run.schedule.joined[:-1]])


def _write_microbatches(axes: Axes, run: PipelineRun, second: npt.NDArray[np.bool_], theme: Theme) -> None:
    schedule = run.schedule
    for index in range(schedule.operations):
        shift = -_HEIGHT / 2 if schedule.joined[index] else _HEIGHT / 2 if second[index] else 0.0
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


def _draw_mixed(axes: Axes, run: PipelineRun, theme: Theme, end: float) -> None:
    """Draw every stage as a row of pixels, each the mix of what runs in its time."""
    background = _channels(theme.background)
    colours = np.array([_channels(theme.series[SERIES[kind]]) for kind in KINDS])
    edges = np.linspace(0.0, end, COLUMNS + 1)
    for stage in range(run.schedule.stages):
        shares = _shares(run, stage, edges)
        row = shares.T @ colours + (1.0 - shares.sum(axis=0))[:, None] * background
        axes.imshow(
            np.clip(row, 0.0, 1.0)[None, :, :],
            extent=(0.0, float(edges[-1]), stage + _HEIGHT, stage - _HEIGHT),
            aspect="auto",
            interpolation="nearest",
        )


def _shares(run: PipelineRun, stage: int, edges: _Floats) -> _Floats:
    """Return the share of each kind in the time between ``edges``, shape (kinds, edges - 1); pairs count half."""
    here = run.schedule.stage_slice(stage)
    kinds, start, end = run.schedule.kind[here], run.start[here], run.end[here]
    weight = np.where(run.schedule.joined[here] | _second_of_pairs(run)[here], 0.5, 1.0)
    shares = np.zeros((len(KINDS), edges.size - 1))
    for code in np.unique(kinds):
        chosen = kinds == code
        times = np.stack([start[chosen], end[chosen]], axis=1).ravel()
        done = np.cumsum(weight[chosen] * (end - start)[chosen])
        passed = np.stack([np.concatenate([[0.0], done[:-1]]), done], axis=1).ravel()
        shares[code] = np.diff(np.interp(edges, times, passed)) / np.diff(edges)
    return shares


def _channels(colour: str) -> _Floats:
    return np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])


def _shown_seconds(run: PipelineRun, most: int) -> float:
    """Return until when the step is drawn."""
    schedule = run.schedule
    if not most or np.diff(schedule.offsets).max() <= most:
        return run.makespan_seconds or 1.0
    here = schedule.stage_slice(schedule.stages - 1)
    filled = int(np.argmax(schedule.kind[here] != KINDS.index("F")))
    last = run.end[here]
    return float(last[min(max(most, filled + most // 2), last.size) - 1])


def _finish_operations(axes: Axes, run: PipelineRun, theme: Theme, end: float) -> None:
    schedule = run.schedule
    for code, kind in enumerate(KINDS):
        if (schedule.kind == code).any():
            axes.plot([], [], color=theme.series[SERIES[kind]], linewidth=6, label=WORDS[kind])
    axes.set_ylim(schedule.stages - 0.5, -0.5)
    axes.set_xlim(0.0, end)
    axes.set_yticks(_stage_ticks(schedule.stages))
    axes.set_ylabel("stage", color=theme.text)
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=4,
        frameon=False,
        fontsize=style().print_font_size,
        labelcolor=theme.text,
    )


def _stage_ticks(stages: int) -> Sequence[int]:
    """Return the stages that get a number: all up to sixteen, then every fourth, eighth, ..."""
    step = 1
    while stages > 16 * step:
        step *= 2
    return range(0, stages, step)


def _draw_memory(axes: Axes, run: PipelineRun, memory_in_bytes: bool, theme: Theme, end: float) -> None:
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.ticker import EngFormatter

    held = memory_over_time if memory_in_bytes else in_flight_over_time
    ramp: Any = LinearSegmentedColormap.from_list("stages", [theme.series[0], theme.neutral, theme.series[1]])
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
            rasterized=not _one_by_one(run, end),
        )
    axes.set_ylabel("memory" if memory_in_bytes else "microbatches in flight", color=theme.text)
    if memory_in_bytes:
        axes.yaxis.set_major_formatter(EngFormatter(unit="B"))
    axes.set_ylim(bottom=0.0)
    axes.legend(frameon=False, fontsize=style().print_font_size, labelcolor=theme.text)
