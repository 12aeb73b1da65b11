"""What commands about a plan write beside their tables: a framework's configuration, pictures, a timeline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scalewall.cli.flags import command_line, print_warnings
from scalewall.cli.output_files import check_files

if TYPE_CHECKING:
    from scalewall.planner.estimate import Estimate
    from scalewall.planner.export import Exported
    from scalewall.planner.layout import Layout
    from scalewall.planner.plan import FrontPoint
    from scalewall.planner.profile import Profile
    from scalewall.planner.run import Run
    from scalewall.report.table import TableView

__all__ = ["Export", "Plot", "Timeline", "check_pictures", "exported", "print_export", "write_pictures"]


def _complete_framework(incomplete: str) -> list[str]:
    from scalewall.planner.export import FRAMEWORKS

    return [name for name in FRAMEWORKS if name.startswith(incomplete)]


Export = Annotated[
    str | None,
    typer.Option(
        "--export",
        help="Print the plan for megatron, nemo, torchtitan or deepspeed instead.",
        autocompletion=_complete_framework,
    ),
]
Plot = Annotated[
    Path | None, typer.Option("--plot", help="Step and memory: .html (a page), .png, .svg or .pdf.")
]
Timeline = Annotated[
    Path | None, typer.Option("--timeline", help="The pipeline's operations: .html, .png, .svg or .pdf.")
]


def check_pictures(plot: Path | None, timeline: Path | None) -> None:
    """Say before the work if a picture could not be written.

    Raises
    ------
    InputError
        Naming the option.
    """
    from scalewall.report.plots import PLOT_SUFFIXES

    check_files((("--plot", plot, PLOT_SUFFIXES), ("--timeline", timeline, PLOT_SUFFIXES)))


def write_pictures(
    answer: Estimate,
    plot: Path | None,
    timeline: Path | None,
    front: Sequence[FrontPoint] = (),
    tables: Sequence[TableView] = (),
) -> None:
    """Write the pictures of a plan that are asked for, and say so on standard error.

    Parameters
    ----------
    answer : Estimate
        The plan.
    plot, timeline : Path or None
        Where; None: not asked for.
    front : sequence of FrontPoint
        Plans that no other beats, from a search.
    tables : sequence of TableView
        Further tables for a page.

    Raises
    ------
    InputError
        A timeline of a plan that has none.
    """
    command = command_line()
    if timeline is not None:
        from scalewall.planner.timeline import pipeline_timeline
        from scalewall.report.timeline import save_timeline

        save_timeline(pipeline_timeline(answer), timeline, command=command)
    if plot is not None:
        from scalewall.planner.explain import explain_estimate
        from scalewall.report.plan_plots import save_plan_plot

        save_plan_plot(explain_estimate(answer), plot, command, front, tables)
    for path in (plot, timeline):
        if path is not None:
            typer.echo(f"Wrote {path}", err=True)


def exported(framework: str | None, run: Run, layout: Layout, profile: Profile) -> Exported | None:
    """Return the plan in the words of a framework, if one is asked for.

    Raises
    ------
    InputError
        Unknown framework.
    """
    if framework is None:
        return None
    from scalewall.planner.export import export_plan

    return export_plan(framework, run, layout, profile)


def print_export(plan: Exported) -> None:
    """Print a framework's configuration on standard output, and what it cannot say on standard error."""
    from scalewall.planner.export import FRAMEWORKS

    title = FRAMEWORKS[plan.framework].title
    print_warnings(
        f"{title}: {note.knob}: {note.words}" if note.knob else f"{title}: {note.words}"
        for note in plan.notes
    )
    typer.echo(plan.text, nl=False)
