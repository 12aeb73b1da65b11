"""``scalewall hardware``: the catalogue of machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scalewall.cli.flags import command_line, message
from scalewall.cli.output_files import check_files

if TYPE_CHECKING:
    from scalewall.hardware import MachineFile

__all__ = ["hardware"]

hardware = typer.Typer(
    name="hardware",
    help="Machines: what the catalogue holds, where figures come from, checking a file of your own.",
    no_args_is_help=True,
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Precision = Annotated[int, typer.Option("--precision", help="Bits a word: 32, 16, 8 or 4.")]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", help="Write a roofline chart (.html with the table, .png, .svg, .pdf)."),
]

_LIST_NOTES = (
    "Peak: dense. Network: accelerators that share a domain x the bandwidth of each one way, innermost first. "
    "* Assumed: nobody publishes it. `scalewall hardware show NAME` has every figure and its source."
)
_LABEL_WIDTH, _MACHINE_WIDTH = 20, 20


@hardware.callback()
def group() -> None:
    """Machines: what the catalogue holds, where figures come from, checking a file of your own."""


@hardware.command(name="list")
def list_all(precision: Precision = 16, json: Json = False) -> None:
    """List the machines of the catalogue; those that lack a figure the model needs say which."""
    from scalewall.hardware import machine_names, read_machine

    _check_precision(precision)
    machines = [read_machine(name) for name in machine_names()]
    if json:
        from scalewall.report.records import json_text

        typer.echo(json_text([_listed(machine, precision) for machine in machines]), nl=False)
        return
    from rich.console import Console

    from scalewall.report.catalogue_tables import machines_tables

    console = Console()
    for table in machines_tables(machines, precision):
        console.print(table)
    console.print(_LIST_NOTES, style="dim", highlight=False)


def _check_precision(precision: int) -> None:
    """Refuse a number of bits that no machine could have."""
    from scalewall.errors import InputError
    from scalewall.hardware.fields import PRECISIONS

    if precision not in PRECISIONS:
        offered = [str(bits) for bits in PRECISIONS]
        raise InputError("--precision", precision, f"{', '.join(offered)} bits", offered)


@contextmanager
def _argument(name: str) -> Iterator[None]:
    """Call a machine that cannot be read by the argument's name, and name everything that is wrong in it."""
    from scalewall.errors import InputError, ScalewallError
    from scalewall.hardware import MistakesError

    try:
        yield
    except MistakesError as error:
        if len(error.mistakes) == 1:
            raise
        lines = "".join(f"\n  {message(mistake)}" for mistake in error.mistakes)
        raise ScalewallError(f"{len(error.mistakes)} mistakes:{lines}") from error
    except InputError as error:
        if error.field not in ("machine", "machine file"):
            raise
        raise InputError(name, error.value, error.allowed, error.suggestions) from error


def _read_all(names: Sequence[str]) -> list[MachineFile]:
    """Return the machines; those that share a name are called by what the user wrote."""
    from dataclasses import replace

    from scalewall.hardware import read_machine

    with _argument("MACHINE"):
        machines = [read_machine(name) for name in names]
    called = [machine.name for machine in machines]
    return [
        replace(machine, name=written) if called.count(machine.name) > 1 else machine
        for machine, written in zip(machines, names, strict=True)
    ]


def _listed(machine: MachineFile, precision: int) -> dict[str, object]:
    """Return a machine as an entry of the JSON list: as the models use it, or what it lacks."""
    from scalewall.hardware import UnsupportedMachineError, load_machine

    entry: dict[str, object] = {
        "name": machine.name,
        "title": machine.title,
        "kind": machine.kind,
        "released": machine.released.value if machine.released else None,
        "precision": precision,
    }
    if str(precision) not in machine.levels("precision"):
        return entry | {"missing": {f"precision.{precision}": "not offered"}}
    try:
        cluster = load_machine(machine.name, precision)
    except UnsupportedMachineError as error:
        return entry | {"missing": error.missing}
    return entry | {
        "peak_flops": cluster.accelerator.peak_flops,
        "sustained_fraction": cluster.accelerator.sustained_fraction,
        "memory_bytes": cluster.accelerator.memory_bytes,
        "network": cluster.network.levels,
        "assumed": sorted(cluster.assumed),
    }


@hardware.command()
def show(
    machine: Annotated[str, typer.Argument(help="Catalogue name or machine file.")], json: Json = False
) -> None:
    """Show every figure of one machine with its evidence, source and assumptions."""
    from scalewall.hardware import read_machine, sheet_rows

    with _argument("MACHINE"):
        file = read_machine(machine)
    if json:
        from scalewall.report.records import json_text

        document = {
            "name": file.name,
            "title": file.title,
            "kind": file.kind,
            "note": file.note,
            "released": file.released,
            "figures": sheet_rows(file),
        }
        typer.echo(json_text(document), nl=False)
        return
    from rich.console import Console

    from scalewall.report.catalogue_tables import machine_table

    Console().print(machine_table(file))


@hardware.command()
def compare(
    machine: Annotated[list[str], typer.Argument(help="Catalogue names or machine files.")],
    precision: Precision = 16,
    json: Json = False,
    plot: Plot = None,
) -> None:
    """Put machines side by side; what one of them lacks is a gap. --plot draws their rooflines."""
    from scalewall.hardware import comparison_rows

    _check_precision(precision)
    machines = _read_all(list(dict.fromkeys(machine)))
    if plot:
        from scalewall.report.comparison import save_comparison
        from scalewall.report.plots import PLOT_SUFFIXES

        check_files((("--plot", plot, PLOT_SUFFIXES),))
        with _argument("MACHINE"):
            save_comparison(machines, plot, precision, command_line())
    if json:
        from scalewall.report.records import json_text

        names = [one.name for one in machines]
        rows = [
            {
                "quantity": row.quantity,
                "unit": row.unit,
                "values": dict(zip(names, row.values, strict=True)),
                "assumed": [name for name, assumed in zip(names, row.assumed, strict=True) if assumed],
            }
            for row in comparison_rows(machines, precision)
        ]
        typer.echo(json_text({"precision": precision, "machines": names, "rows": rows}), nl=False)
        return
    from rich.console import Console

    from scalewall.report.catalogue_tables import comparison_table

    console = Console()
    at_once = max(1, (console.width - _LABEL_WIDTH) // _MACHINE_WIDTH)
    for first in range(0, len(machines), at_once):
        console.print(comparison_table(machines[first : first + at_once], precision))


@hardware.command()
def check(file: Annotated[Path, typer.Argument(help="A machine file of your own (.toml).")]) -> None:
    """Check a machine file: all mistakes are named by their fields; else say what it rests on."""
    from scalewall.hardware import read_machine

    with _argument("FILE"):
        machine = read_machine(file if file.suffix == ".toml" else file.absolute())
    bits = ", ".join(reversed(machine.levels("precision")))
    assumed = [path for path, figure in machine.figures.items() if figure.evidence == "assumed"]
    typer.echo(
        f"{file}: {machine.title} ({machine.name}), {bits} bits; {len(machine.figures)} figures, "
        f"{len(assumed)} of them assumed."
    )
    for path, reason in machine.missing.items():
        typer.echo(f"  {path} is missing ({reason}): limits need it from --set {path}=VALUE")
    for path in sorted(assumed):
        typer.echo(f"  {path} is assumed: {machine.figures[path].note}")


@hardware.command()
def schema() -> None:
    """Print the JSON schema of machine files, for editors."""
    from scalewall.hardware.schema import machine_schema
    from scalewall.report.records import json_text

    typer.echo(json_text(machine_schema()), nl=False)
