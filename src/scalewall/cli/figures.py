"""``scalewall figures``: every figure of the article and the paper from our model, in print quality."""

from __future__ import annotations

from inspect import cleandoc
from pathlib import Path
from typing import Annotated

import typer

from scalewall.cli import limits_options as options
from scalewall.cli.flags import note_compiling
from scalewall.cli.progress import progress_bar

__all__ = ["figures"]

_EXAMPLES = """\b
Examples:
  scalewall figures --out figures
  scalewall figures --list
  scalewall figures --out figures --only utilization --only training-runs --format pdf
"""

Out = Annotated[Path | None, typer.Option("--out", help="Folder for the figures; made if it is missing.")]
Only = Annotated[list[str] | None, typer.Option("--only", help="A figure's name; several: several times.")]
Format = Annotated[list[str] | None, typer.Option("--format", help="pdf, svg or png (default: all three).")]
Now = Annotated[str | None, typer.Option("--now", help="Date of the forecast's figures (default today).")]


def figures(
    out: Out = None,
    only: Only = None,
    format_: Format = None,
    grid: options.Grid = None,
    now: Now = None,
    list_: Annotated[bool, typer.Option("--list", help="List the figures and stop.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Draw the article's and the paper's figures, and ours, as PDF, SVG and PNG with the data of each beside it."""
    from datetime import date

    from scalewall.errors import InputError, unknown_name
    from scalewall.report.figures_files import FORMATS, chosen_figures, figures_index, write_figures
    from scalewall.report.figures_list import Answers
    from scalewall.report.records import json_text
    from scalewall.study.training_runs import decimal_year, read_date

    chosen = chosen_figures(only or ())
    formats = tuple(dict.fromkeys(format_ or FORMATS))
    for name in formats:
        if name not in FORMATS:
            raise unknown_name("format", name, FORMATS)
    if list_:
        _list(json)
        return
    if out is None:
        raise InputError("--out", None, "a folder", ["--out figures"])
    moment = decimal_year(date.today()) if now is None else read_date("now", now)
    answers = Answers(moment) if grid is None else Answers(moment, options.parse_grid(grid))
    note_compiling("full_search")
    with progress_bar() as show:
        written = write_figures(
            out, chosen, formats, answers, lambda name, done, total: show("figures", done, total)
        )
    if json:
        typer.echo(json_text(figures_index(chosen, formats)), nl=False)
    else:
        typer.echo(f"{len(chosen)} figures in {out}, {len(written)} files; {written[-1].name} lists them.")


figures.__doc__ = f"{cleandoc(str(figures.__doc__))}\n\n{_EXAMPLES}"


def _list(json: bool) -> None:
    from rich.console import Console

    from scalewall.report.figures_files import FORMATS, figures_index, figures_table
    from scalewall.report.figures_list import FIGURES
    from scalewall.report.records import json_text

    if json:
        typer.echo(json_text(figures_index(FIGURES, FORMATS)), nl=False)
    else:
        Console().print(figures_table())
