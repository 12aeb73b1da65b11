"""``scalewall laws``: the laws that shape a training run."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["laws"]

laws = typer.Typer(name="laws", help="The laws that shape a training run.", no_args_is_help=True)


@laws.callback()
def group() -> None:
    """The laws that shape a training run."""


@laws.command(name="list")
def list_all(json: Annotated[bool, typer.Option("--json", help="Print the laws as JSON.")] = False) -> None:
    """List every law with its formula, source and the range it rests on."""
    from scalewall.workload import list_laws

    rows = list_laws()
    if json:
        from scalewall.report.records import json_text

        typer.echo(json_text(rows), nl=False)
        return
    from rich.console import Console

    from scalewall.report.catalogue_tables import laws_table

    Console().print(laws_table(rows))
