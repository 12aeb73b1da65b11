"""The ``scalewall`` command: its groups, and how errors reach the user."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from scalewall._version import __version__
from scalewall.cli.cost import cost
from scalewall.cli.estimate import estimate
from scalewall.cli.estimate_ideal import estimate_ideal
from scalewall.cli.explain import explain
from scalewall.cli.figures import figures
from scalewall.cli.fit_memory import fit_memory
from scalewall.cli.flags import message
from scalewall.cli.forecast import forecast
from scalewall.cli.hardware import hardware
from scalewall.cli.laws import laws
from scalewall.cli.levers import levers
from scalewall.cli.limits import limits
from scalewall.cli.models import models
from scalewall.cli.plan import plan
from scalewall.cli.recommend import recommend
from scalewall.cli.report import report
from scalewall.cli.reproduce import reproduce
from scalewall.cli.require import require
from scalewall.cli.results import results
from scalewall.cli.schedule import schedule
from scalewall.cli.serve import serve
from scalewall.cli.sweep import sweep
from scalewall.cli.uncertainty import uncertainty
from scalewall.cli.validate import validate
from scalewall.errors import InputError, ScalewallError

__all__ = ["app", "main"]

BAD_INPUT = 2
INTERRUPTED = 130
_LISTS = ("--machine", "--gpus")

app = typer.Typer(
    name="scalewall",
    help="How far can training of large models scale on given hardware, and what stops it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(limits)
app.command()(levers)
app.command()(require)
app.command(name="estimate-ideal")(estimate_ideal)
app.command()(estimate)
app.command()(explain)
app.command()(plan)
app.command()(recommend)
app.command(name="fit-memory")(fit_memory)
app.command()(schedule)
app.command()(forecast)
app.command()(cost)
app.command()(figures)
app.command()(report)
app.command()(reproduce)
app.command()(serve)
app.command()(sweep)
app.command()(uncertainty)
app.command()(validate)
app.add_typer(hardware)
app.add_typer(laws)
app.add_typer(models)
app.add_typer(results)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"scalewall {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """How far can training of large models scale on given hardware, and what stops it."""


def spread_lists(arguments: Sequence[str]) -> list[str]:
    """Turn ``--machine a b c`` into ``--machine a --machine b --machine c``."""
    spread: list[str] = []
    current = None
    for position, argument in enumerate(arguments):
        if argument.startswith("-"):
            current = argument if argument in _LISTS else None
            spread.append(argument)
        elif current and arguments[position - 1] not in _LISTS:
            spread += [current, argument]
        else:
            spread.append(argument)
    return spread


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; bad input ends with one message and exit code 2, Ctrl-C with 130."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        app(args=spread_lists(given), prog_name="scalewall")
    except InputError as error:
        _fail(message(error, given[0] if given else ""))
    except ScalewallError as error:
        _fail(str(error))
    except OSError as error:
        _fail(f"{error.filename or 'output'}: {error.strerror}" if error.strerror else str(error))
    except MemoryError:
        _fail("this machine has not enough memory for that; ask for something smaller")
    except KeyboardInterrupt:
        _say_interrupted(given)
        raise SystemExit(INTERRUPTED) from None
    except SystemExit as end:
        if end.code == INTERRUPTED:
            _say_interrupted(given)
        raise


def _say_interrupted(arguments: Sequence[str]) -> None:
    rows = " The CSV holds whole rows only." if "--csv" in arguments else ""
    typer.echo(f"Interrupted.{rows}", err=True)


def _fail(message: str) -> None:
    typer.echo(f"error: {message}", err=True)
    raise SystemExit(BAD_INPUT)
