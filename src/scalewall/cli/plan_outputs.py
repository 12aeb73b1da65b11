"""What commands about a plan write beside their tables: a framework's configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from scalewall.cli.flags import print_warnings

if TYPE_CHECKING:
    from scalewall.planner.export import Exported
    from scalewall.planner.layout import Layout
    from scalewall.planner.profile import Profile
    from scalewall.planner.run import Run

__all__ = ["Export", "exported", "print_export"]


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
