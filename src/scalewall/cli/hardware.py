"""``scalewall hardware``: the catalogue of machines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["hardware"]

hardware = typer.Typer(
    name="hardware",
    help="Machines: what the catalogue holds, where figures come from, checking a file of your own.",
    no_args_is_help=True,
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Precision = Annotated[int, typer.Option("--precision", help="Bits a word: 32, 16, 8 or 4.")]


@hardware.callback()
def group() -> None:
    """Machines: what the catalogue holds, where figures come from, checking a file of your own."""


@hardware.command(name="list")
def list_all(precision: Precision = 16, json: Json = False) -> None:
    """List the machines of the catalogue; those that lack a figure the model needs say which."""
    from scalewall.errors import InputError
    from scalewall.hardware import UnsupportedMachineError, load_machine, machine_names, read_machine

    clusters, unsupported, other = [], [], []
    for name in machine_names():
        try:
            clusters.append(load_machine(name, precision))
        except UnsupportedMachineError:
            unsupported.append(read_machine(name))
        except InputError:
            other.append(name)
    if json:
        from scalewall.report.records import json_text

        rows: list[dict[str, object]] = [
            {
                "name": cluster.name,
                "title": cluster.title,
                "released": cluster.released,
                "precision": precision,
                "peak_flops": cluster.accelerator.peak_flops,
                "sustained_fraction": cluster.accelerator.sustained_fraction,
                "memory_bytes": cluster.accelerator.memory_bytes,
                "network": cluster.network.levels,
                "assumed": sorted(cluster.assumed),
            }
            for cluster in clusters
        ]
        rows += [{"name": one.name, "title": one.title, "missing": one.missing} for one in unsupported]
        rows += [{"name": name, "missing": {f"precision.{precision}": "not offered"}} for name in other]
        typer.echo(json_text(rows), nl=False)
        return
    from rich.console import Console

    from scalewall.report.catalogue_tables import machines_table

    console = Console()
    console.print(machines_table(clusters, unsupported))
    if other:
        console.print(f"Not offered at {precision} bits: {', '.join(other)}.", style="dim", highlight=False)


@hardware.command()
def show(
    machine: Annotated[str, typer.Argument(help="Catalogue name or machine file.")], json: Json = False
) -> None:
    """Show every figure of one machine with its evidence, source and assumptions."""
    from scalewall.hardware import read_machine, sheet_rows

    file = read_machine(machine)
    if json:
        from scalewall.report.records import json_text

        document = {"name": file.name, "title": file.title, "note": file.note, "figures": sheet_rows(file)}
        typer.echo(json_text(document), nl=False)
        return
    from rich.console import Console

    from scalewall.report.catalogue_tables import machine_table

    Console().print(machine_table(file))


@hardware.command()
def check(file: Annotated[Path, typer.Argument(help="A machine file of your own (.toml).")]) -> None:
    """Check a machine file: every mistake is named by field; then say what it rests on."""
    from scalewall.hardware import load_machine, read_machine

    machine = read_machine(Path(file).absolute())
    precisions = sorted(
        {int(path.split(".")[1]) for path in machine.figures if path.startswith("precision.")}
    )
    assumed = sorted(path for path, figure in machine.figures.items() if figure.evidence == "assumed")
    for precision in precisions:
        load_machine(Path(file).absolute(), precision)
    typer.echo(
        f"{file}: {machine.title} ({machine.name}), usable at {', '.join(map(str, precisions))} bits; "
        f"{len(machine.figures)} figures, {len(assumed)} of them assumed."
    )
    for path in assumed:
        typer.echo(f"  {path}: {machine.figures[path].note}")


@hardware.command()
def schema() -> None:
    """Print the JSON schema of machine files, for editors."""
    from scalewall.hardware.schema import machine_schema
    from scalewall.report.records import json_text

    typer.echo(json_text(machine_schema()), nl=False)
