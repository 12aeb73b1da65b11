"""The pictures of a plan as one file: a page, or a figure for print."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scalewall.report.estimate_tables import answer_table, memory_table
from scalewall.report.explain_tables import (
    helps_table,
    moves_table,
    sensitivity_table,
    verdict,
    waterfall_table,
)
from scalewall.report.files import save_figure, write_text
from scalewall.report.html import asset, document, figure_slot, specifications_json
from scalewall.report.matplotlib_figures import draw_chart
from scalewall.report.plan_charts import front_chart, memory_chart, waterfall_chart
from scalewall.report.plotly_figures import specification
from scalewall.report.ranking_tables import layout_words
from scalewall.report.stacked_bars import (
    draw_stacked_bars,
    stacked_bars_height,
    stacked_bars_specification,
)
from scalewall.report.style import Theme, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from scalewall.planner.explain import Explanation
    from scalewall.planner.plan import FrontPoint
    from scalewall.report.table import TableView

__all__ = ["plan_figure", "plan_page", "save_plan_plot"]

_WIDE = 1.25
"""Width of the figure in widths of a usual one: names of causes take the rest."""


def plan_figure(
    explained: Explanation, front: Sequence[FrontPoint] = (), theme: Theme | None = None
) -> Figure:
    """Return the step, the memory and, if there is one, the front as one figure; it belongs to no window.

    Parameters
    ----------
    explained : Explanation
        The plan.
    front : sequence of FrontPoint
        Plans that no other beats, from a search.
    theme : Theme, optional
        Light if none is given.
    """
    from matplotlib.figure import Figure

    look = style()
    colours = theme or look.light
    steps = waterfall_chart(explained.answer, explained.segments)
    memory = memory_chart(explained.answer)
    heights = [stacked_bars_height(steps), stacked_bars_height(memory)]
    if front:
        heights.append(look.print_height_inches)
    drawn = Figure(
        figsize=(_WIDE * look.print_width_inches, sum(heights)),
        dpi=look.print_dpi,
        facecolor=colours.background,
        layout="constrained",
    )
    grid = drawn.add_gridspec(len(heights), 1, height_ratios=heights)
    draw_stacked_bars(drawn.add_subplot(grid[0, 0]), steps, colours)
    draw_stacked_bars(drawn.add_subplot(grid[1, 0]), memory, colours)
    if front:
        draw_chart(drawn.add_subplot(grid[2, 0]), front_chart(front, explained.answer.fit.capacity), colours)
    return drawn


def plan_page(
    explained: Explanation,
    command: str = "",
    front: Sequence[FrontPoint] = (),
    tables: Sequence[TableView] = (),
) -> str:
    """Return one self-contained page about a plan.

    Parameters
    ----------
    explained : Explanation
        The plan.
    command : str
        What makes the page again; empty: not shown.
    front : sequence of FrontPoint
        Plans that no other beats, from a search.
    tables : sequence of TableView
        Further tables, such as the ranking that the plan leads.
    """
    answer = explained.answer
    steps, memory = waterfall_chart(answer, explained.segments), memory_chart(answer)
    charts: dict[str, dict[str, Any]] = {
        "waterfall": stacked_bars_specification(steps),
        "memory": stacked_bars_specification(memory),
    }
    more = ""
    if front:
        ahead = front_chart(front, answer.fit.capacity)
        charts["front"] = specification(ahead)
        more = f"<section><h2>The front</h2>{figure_slot('front', ahead.title)}</section>"
    if tables:
        more += f"<section><h2>Ranked</h2>{''.join(table.html() for table in tables)}</section>"
    lines = (layout_words(answer.layout), *verdict(explained))
    body = asset("plan.html").substitute(
        answer="".join(f"<p>{escape(line)}</p>" for line in lines),
        summary=answer_table(answer).html(),
        waterfall=figure_slot("waterfall", steps.title),
        waterfall_table=waterfall_table(explained).html(),
        memory=figure_slot("memory", memory.title),
        memory_table=memory_table(answer.memory, answer.fit).html(),
        more=more,
        changes="".join(table(explained).html() for table in (helps_table, sensitivity_table, moves_table)),
    )
    title = f"{answer.run.model.name} on {answer.layout.ranks} x {answer.run.device.title}"
    return document(title, body, specifications_json(charts), command)


def save_plan_plot(
    explained: Explanation,
    path: Path,
    command: str = "",
    front: Sequence[FrontPoint] = (),
    tables: Sequence[TableView] = (),
) -> None:
    """Write the pictures of a plan to ``path``: ``.html`` is a page, ``.png``, ``.svg`` and ``.pdf`` figures.

    Parameters
    ----------
    explained, command, front, tables
        As for :func:`plan_page`.
    path : Path
        Ends in one of :data:`scalewall.report.plots.PLOT_SUFFIXES`.
    """
    if path.suffix.lower() == ".html":
        write_text(path, plan_page(explained, command, front, tables))
    else:
        save_figure(plan_figure(explained, front), path)
