"""``scalewall results``: what a sweep's folder holds, rows by condition, pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scalewall.cli.output_files import check_files

if TYPE_CHECKING:
    from scalewall.study.results import Results

__all__ = ["results"]

results = typer.Typer(
    name="results",
    help="Results of a sweep: what a folder holds, rows by condition, pictures.",
    no_args_is_help=True,
)
Folder = Annotated[Path, typer.Argument(help="Folder that `scalewall sweep` wrote.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Where = Annotated[
    list[str] | None,
    typer.Option("--where", help="NAME SIGN VALUE, e.g. 'months <= 6' or 'error != none'; all must hold."),
]


@results.callback()
def group() -> None:
    """Results of a sweep: what a folder holds, rows by condition, pictures."""


@results.command()
def summarize(
    folder: Folder,
    by: Annotated[
        list[str] | None, typer.Option("--by", help="Print medians for each value of this input.")
    ] = None,
    json: Json = False,
) -> None:
    """Count points and failures; least, median and most of every column; the commonest errors."""
    found = _open(folder)
    medians = found.medians(by) if by else None
    if json:
        from scalewall.report.records import json_text

        document: object = found.summary() if medians is None else medians.to_dict("records")
        typer.echo(json_text(document), nl=False)
        return
    from rich.console import Console

    from scalewall.report.sweep_tables import medians_table, summary_tables

    console = Console()
    if medians is not None and by:
        console.print(medians_table(medians, by))
        return
    for table in summary_tables(found.summary()):
        console.print(table)


@results.command()
def query(
    folder: Folder,
    where: Where = None,
    columns: Annotated[str, typer.Option("--columns", help="Columns to keep: a,b,c.")] = "",
    sort: Annotated[str, typer.Option("--sort", help="Column to sort by.")] = "",
    descending: Annotated[bool, typer.Option("--descending", help="Largest first.")] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Most rows (default 20 on a terminal, else all).")
    ] = None,
    csv: Annotated[Path | None, typer.Option("--csv", help="Write the rows to a file.")] = None,
    json: Json = False,
) -> None:
    """Print rows: those that meet all conditions, sorted, as a table, JSON or CSV."""
    from scalewall.report.files import write_text

    check_files((("--csv", csv, ()),))
    most = limit if limit is not None or json or csv else _SHOWN
    rows = _open(folder).query(
        where or (), [name.strip() for name in columns.split(",") if name.strip()], sort, descending, most
    )
    if csv is not None:
        write_text(csv, rows.to_pandas().to_csv(index=False))
    if json:
        from scalewall.report.records import json_text

        typer.echo(json_text(rows.to_pylist()), nl=False)
    elif csv is None:
        from rich.console import Console

        from scalewall.report.sweep_tables import rows_table

        notes = (f"The first {_SHOWN} rows; --limit shows more.",) if rows.num_rows == most == _SHOWN else ()
        Console().print(rows_table(rows.to_pandas(), notes))


_SHOWN = 20


@results.command()
def plot(
    folder: Folder,
    output: Annotated[Path, typer.Option("--output", help="File: .html (interactive), .png, .svg or .pdf.")],
    value: Annotated[
        str | None, typer.Option("--value", help="Result to show (default: the first number).")
    ] = None,
    x: Annotated[
        str | None, typer.Option("--x", help="Input across (default: the last that varies).")
    ] = None,
    y: Annotated[
        str | None, typer.Option("--y", help="Input upwards: a heat map. Without it: lines.")
    ] = None,
    by: Annotated[
        str | None, typer.Option("--by", help="Input with a panel (heat maps) or a line for each value.")
    ] = None,
    where: Where = None,
) -> None:
    """Draw a result over one input or two: lines or heat maps, medians where several rows meet."""
    from scalewall.report.plots import PLOT_SUFFIXES
    from scalewall.report.sweep_figures import save_sweep_plot

    check_files((("--output", output, PLOT_SUFFIXES),))
    save_sweep_plot(_open(folder), output, value, x, y, by, where or ())
    typer.echo(f"Wrote {output}")


def _open(folder: Path) -> Results:
    from scalewall.study.results import Results

    return Results.open(folder)
