"""``scalewall reproduce``: every published claim beside our number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from inspect import cleandoc
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from scalewall.cli.flags import note_compiling, to_terminal
from scalewall.errors import InputError

if TYPE_CHECKING:
    from scalewall.cli.claim_words import ShownClaim
    from scalewall.report.table import TableView
    from scalewall.validation.reproduce import ClaimResult, Progress

__all__ = ["reproduce"]

NOT_REPRODUCED = 1
"""Exit code if a claim that should hold does not."""

SCHEMA_VERSION = 1
"""Version of the JSON shape; goes up when a key is renamed, removed or changes its meaning."""

_NOTES_FIT = 120
"""From this many characters on the table itself has room for the notes."""

_EXAMPLES = """\b
Examples:
  scalewall reproduce
  scalewall reproduce --json
  scalewall reproduce --markdown > docs/reproduction.md
"""


def reproduce(
    json: Annotated[bool, typer.Option("--json", help="Print JSON, one object a claim.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the page docs/reproduction.md.")
    ] = False,
) -> None:
    """Print every published claim beside our number, with source and verdict; exit code 1 if one fails.

    A claim holds (comes out as published), differs (in the way that we found and stand by), or informs only.
    """
    from scalewall.validation.reproduce import passed
    from scalewall.validation.reproduce import reproduce as measure_all

    if json and markdown:
        raise InputError("--markdown", "beside --json", "one of the two")
    note_compiling("full_search")
    with _progress_bar() as progress:
        results = measure_all(progress)
    if json:
        from scalewall.report.records import json_text

        typer.echo(json_text(_document(results)), nl=False)
    elif markdown:
        from scalewall.cli.reproduction_page import reproduction_page

        typer.echo(reproduction_page(results), nl=False)
    else:
        _print(results)
    if not passed(results):
        raise typer.Exit(NOT_REPRODUCED)


reproduce.__doc__ = f"{cleandoc(str(reproduce.__doc__))}\n\n{_EXAMPLES}"


@contextmanager
def _progress_bar() -> Iterator[Progress]:
    """Show which claim is looked at, on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    with Progress(
        MofNCompleteColumn(),
        BarColumn(),
        TextColumn("{task.description}"),
        console=Console(stderr=True),
        transient=True,
        disable=not to_terminal(),
    ) as bar:
        task = bar.add_task("")
        yield lambda done, total, claim: bar.update(task, completed=done, total=total, description=claim)


def _document(results: Sequence[ClaimResult]) -> dict[str, object]:
    from scalewall._version import __version__
    from scalewall.validation.reproduce import passed

    return {
        "schema_version": SCHEMA_VERSION,
        "version": __version__,
        "passed": passed(results),
        "claims": [_record(result) for result in results],
    }


def _record(result: ClaimResult) -> dict[str, object]:
    from scalewall.cli.claim_words import note

    claim = result.claim
    return {
        "name": claim.name,
        "section": result.section.title,
        "claim": claim.claim,
        "unit": claim.unit,
        "ours": result.answer.value,
        "published": claim.published,
        "found_before": claim.found,
        "tolerance": None if claim.expect == "informs" else claim.tolerance.relative,
        "tolerance_reason": claim.tolerance.reason,
        "verdict": result.verdict,
        "source": claim.source.reference,
        "place": claim.place,
        "note": note(result),
    }


def _print(results: Sequence[ClaimResult]) -> None:
    from rich.console import Console

    from scalewall.cli.claim_words import shown, summary
    from scalewall.validation.sources import SOURCES

    console = Console()
    for section, members in groupby(results, key=lambda result: result.section):
        console.print(section.title, style="bold", highlight=False)
        console.print(section.introduction, highlight=False)
        console.print(_table([shown(result) for result in members], notes_below=console.width < _NOTES_FIT))
        console.print()
    for source in SOURCES:
        console.print(f"{source.name}: {source.reference}", style="dim", highlight=False)
    console.print(summary(results), style="bold", highlight=False)


def _table(claims: Sequence[ShownClaim], notes_below: bool) -> TableView:
    """Return the table of one section; in narrow terminals the notes stand below it."""
    from scalewall.report.claim_tables import claims_table

    notes = tuple(f"{one.claim}: {one.note}" for one in claims if one.note) if notes_below else ()
    return replace(claims_table(claims), title="", notes=notes)
